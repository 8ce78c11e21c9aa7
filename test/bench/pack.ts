import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI } from '../support/built-cli.ts'
import { timed } from './measure.ts'
import { DISTRIBUTION, FULL, makePackSet, SMALL } from './pack-set.ts'
import { type ChildFigures, peakOf } from './peak.ts'

/**
 * A pack of 5 GiB and 200,000 files: writing it, and asking it all six questions, evaluation included, against the floor in the same
 * run: `sha256sum` over the same files and `zip -0` of the same folder, their times summed. Ours and the floor take turns, twice, after the
 * files were read once; the better of two counts.
 */
const ROUNDS = 2
const CHILD = resolve('test/bench/pack-child.ts')
const GIB = 1024 ** 3

interface Best {
  readonly milliseconds: number
  readonly peakMiB: number
}

export async function benchPacks(small: boolean): Promise<void> {
  const top = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'bwbench-packs-'))
  try {
    const { bavail, bsize } = statfsSync(top)
    const [free, needed] = [bavail * bsize, (small ? 2 : 18) * GIB]
    if (free < needed) throw new Error(`${top} has ${gib(free)} GiB free; ${gib(needed)} are needed`)
    const set = makePackSet(top, small ? SMALL : FULL)
    print(`${set.files} large files, ${gib(set.bytes)} GiB: ${DISTRIBUTION}; and the evidence and report of six nodes`)
    await child('prepare', top, '')
    const pack = join(top, 'ours.zip')
    const zipped = join(top, 'floor.zip')
    await shell(top, 'find pack -type f -print0 | xargs -0 cat > /dev/null')
    const [sums, zips, writes, verifies]: [number[], number[], ChildFigures[], ChildFigures[]] = [[], [], [], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      rmSync(zipped, { force: true })
      sums.push(await shell(top, 'find pack -type f -print0 | xargs -0 sha256sum > /dev/null'))
      zips.push(await shell(top, 'zip -0 -q -r floor.zip pack'))
      rmSync(pack, { force: true })
      writes.push(await child('write', top, pack))
      verifies.push(await verified(pack))
    }
    const floor = Math.min(...sums) + Math.min(...zips)
    const [write, verify] = [best(writes), best(verifies)]
    const ratio = ({ milliseconds }: Best): number => Math.round((milliseconds / floor) * 100) / 100
    const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10
    print(`floor: sha256sum ${seconds(Math.min(...sums))} s + zip -0 ${seconds(Math.min(...zips))} s`)
    print(`write: ${seconds(write.milliseconds)} s, ratio ${ratio(write)}, at most ${write.peakMiB} MiB of memory`)
    print(`verify: ${seconds(verify.milliseconds)} s, ratio ${ratio(verify)}, at most ${verify.peakMiB} MiB of memory`)
    const figures = { files: set.files, bytes: set.bytes, packBytes: statSync(pack).size, sums, zips, writes, verifies }
    const ratios = { write: ratio(write), verify: ratio(verify) }
    process.stdout.write(
      `${JSON.stringify({ schema: 'barewitness.bench-packs/1', node: process.version, ...figures, ratios }, null, 2)}\n`,
    )
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** The faster time and the larger memory of all rounds. */
const best = (rounds: readonly ChildFigures[]): Best => ({
  milliseconds: Math.min(...rounds.map(({ milliseconds }) => milliseconds)),
  peakMiB: Math.max(...rounds.map(({ peakMiB }) => peakMiB)),
})

/** Wall time of a command line, with what was written before it already on the disk. */
async function shell(folder: string, command: string): Promise<number> {
  await timed(['sync'])
  const { milliseconds, exitCode, stderr } = await timed(['sh', '-c', `cd '${folder}' && ${command}`])
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}: ${stderr}`)
  return milliseconds
}

/** The built program asks the pack all six questions; every verdict is evaluated again. */
async function verified(pack: string): Promise<ChildFigures> {
  await timed(['sync'])
  const began = process.hrtime.bigint()
  const program = spawn(process.execPath, [CLI, 'verify', pack, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  let peakMiB = 0
  program.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part
  })
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, peakOf(program.pid ?? 0))
  }, 20)
  const [exitCode] = (await once(program, 'close')) as [number]
  clearInterval(watch)
  const milliseconds = Number(process.hrtime.bigint() - began) / 1e6
  const answers = (JSON.parse(said) as VerificationReport).checks.filter(({ outcome }) => outcome === 'passed')
  const shown = answers.map(({ check }) => check).join()
  if (exitCode !== 0 || shown !== 'integrity,completeness,reproducibility') throw new Error(said)
  return { milliseconds, peakMiB, beforeMiB: 0 }
}

async function child(step: 'prepare' | 'write', folder: string, pack: string): Promise<ChildFigures> {
  await timed(['sync'])
  const { exitCode, stdout, stderr } = await timed([process.execPath, '--import', 'tsx', CHILD, step, folder, pack])
  if (exitCode !== 0) throw new Error(`${step} ended with ${exitCode}: ${stderr}`)
  return JSON.parse(stdout.toString()) as ChildFigures
}

const gib = (bytes: number): string => (bytes / GIB).toFixed(2)
const print = (line: string): void => void process.stderr.write(`${line}\n`)
