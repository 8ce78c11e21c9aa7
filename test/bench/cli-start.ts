import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLI } from '../support/built-cli.ts'
import { spread, timed } from './measure.ts'
import type { Result } from './results.ts'

const REPETITIONS = Number(process.env.BENCH_REPETITIONS ?? 7)
const NOTHING = [process.execPath, '-e', '0']

/**
 * `npm run bench -- --cli`: starts of the built program against a Node process that does nothing, in turns, and `verify` of the pack of one
 * demo node. The first turn fills the caches of files and is not counted.
 */
export async function benchCli(): Promise<readonly Result[]> {
  const top = mkdtempSync(join(tmpdir(), 'bwbench-cli-'))
  try {
    const pack = await demoPack(top)
    const lines = {
      nothing: NOTHING,
      version: [process.execPath, CLI, '--version'],
      help: [process.execPath, CLI, '--help'],
      verify: [process.execPath, CLI, 'verify', pack],
      sums: ['sh', '-c', 'sha256sum "$1" > /dev/null && unzip -tqq "$1"', 'sh', pack],
    }
    const taken = new Map(Object.keys(lines).map((name) => [name, [] as number[]]))
    for (let turn = 0; turn <= REPETITIONS; turn += 1)
      for (const [name, argv] of Object.entries(lines)) {
        const { milliseconds, exitCode, stderr } = await timed(argv)
        if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}: ${stderr}`)
        if (turn > 0) taken.get(name)?.push(milliseconds)
      }
    const median = (name: keyof typeof lines): number => spread(taken.get(name) ?? []).median
    const floor = median('nothing')
    const ratio = (name: keyof typeof lines): number => Math.round((median(name) / floor) * 100) / 100
    const against = `\`node -e 0\` ${floor} ms`
    const sums = median('sums')
    return [
      {
        what: '`barewitness --version`',
        ours: `${median('version')} ms`,
        against,
        ratio: ratio('version'),
        target: { text: '≤ 1.3 ×', isKept: ratio('version') <= 1.3 },
      },
      {
        what: '`barewitness --help`: every command, the catalog loaded',
        ours: `${median('help')} ms`,
        against,
        ratio: ratio('help'),
        target: null,
      },
      {
        what: '`verify` of the demo pack: 8 nodes, every verdict and page made again',
        ours: `${median('verify')} ms`,
        against: `\`sha256sum\` and \`unzip -t\` ${sums} ms`,
        ratio: Math.round((median('verify') / sums) * 100) / 100,
        target: { text: '≤ 1.5 × and 3 s', isKept: median('verify') <= 1.5 * sums + 3000 },
      },
    ]
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

async function demoPack(top: string): Promise<string> {
  const out = join(top, 'demo')
  const { exitCode, stderr } = await timed([process.execPath, CLI, 'demo', '--out', out])
  const name = readdirSync(out).find((one) => one.endsWith('.barewitness.zip'))
  if (name === undefined) throw new Error(`the demo ended with ${exitCode} and wrote no pack: ${stderr}`)
  return join(out, name)
}
