import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CLI } from '../support/built-cli.ts'
import { bundled } from '../support/bundled.ts'
import { timed } from './measure.ts'
import { makeFleet } from './report-fleet.ts'
import type { Result } from './results.ts'

const CHILD = '../bench/report-child.ts'
const AT_EXIT = resolve('test/bench/at-exit.mjs')
const TARGETS = { reportSeconds: 60, exportMiB: 600, verifyMiB: 500, processorMs: 80, verifySeconds: 3 }

interface Figures {
  /** By part, in the order they came: milliseconds by the clock and of the processors, and the most memory so far in MiB. */
  readonly parts: readonly (readonly [string, number, number, number])[]
  readonly peakMiB: number
}

/**
 * `npm run bench -- --report [--nodes N]`: recordings of so many nodes on the disk, exported with everything that can be written, every
 * framework in scope, then verified by the built program. The report is measured against plain text on as many pages by the same PDF library, the pack against
 * `sha256sum` and `zip -0` of the same recordings, both in the same run.
 */
export async function benchReport(nodes: number): Promise<readonly Result[]> {
  const made = await bundled(CHILD)
  const top = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'bwbench-report-'))
  try {
    const [recordings, out] = [join(top, 'recordings'), join(top, 'out')]
    mkdirSync(recordings)
    makeFleet(recordings, nodes)
    const sums = await shell(recordings, 'find . -type f -print0 | xargs -0 sha256sum > /dev/null')
    const zip = await shell(recordings, 'zip -0 -q -r ../floor.zip .')
    rmSync(join(top, 'floor.zip'))
    const byDefault = await child(made.program, 'default', recordings, join(top, 'default'))
    const exported = await child(made.program, 'export', recordings, out)
    const files = readdirSync(out, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, mib: mib(statSync(join(out, name)).size) }))
    const report = join(out, files.find(({ name }) => name.endsWith('_report.pdf'))?.name ?? '')
    const pages = pagesOf(report)
    const plain = await child(made.program, 'plain', String(pages))
    const pack = join(out, 'bench.barewitness.zip')
    const unzip = await shell(out, `sha256sum '${pack}' > /dev/null && unzip -tqq '${pack}'`)
    const verify = await verifyOf(pack, join(top, 'figures.json'))
    const alone = await child(made.program, 'verify', report)
    const at = exported.parts.findIndex(([part]) => part === 'build')
    const ours = sum(exported.parts.slice(at, at + 3))
    const packed = partOf(exported, 'evaluate and list') + partOf(exported, 'lists and seal') + partOf(exported, 'pack')
    const ratios = {
      report: ratio(ours, partOf(plain, 'plain')),
      pack: ratio(packed, sums + zip),
      verify: ratio(partOf(verify, 'verify'), unzip),
    }
    print(
      `${nodes} nodes. Floors: sha256sum ${seconds(sums)} s and zip -0 ${seconds(zip)} s of the recordings; plain text on ${pages} pages ${seconds(partOf(plain, 'plain'))} s`,
    )
    for (const [part, [milliseconds, spent]] of grouped(exported.parts))
      print(`  ${part}: ${seconds(milliseconds)} s, ${seconds(spent)} s of processor time`)
    for (const { name, mib: size } of files) print(`  ${name}: ${size} MiB`)
    const figures = {
      nodes,
      sums,
      zip,
      unzip,
      pages,
      byDefault,
      exported,
      files,
      plain,
      verify,
      alone,
      ratios,
      targets: TARGETS,
    }
    process.stdout.write(
      `${JSON.stringify({ schema: 'barewitness.bench-report/1', node: process.version, ...figures }, null, 2)}\n`,
    )
    const floor = `\`sha256sum\` and \`zip -0\` of the recordings ${seconds(sums + zip)} s`
    return [
      {
        what: `report of ${nodes} nodes, ${pages} pages: built, rendered, signed`,
        ours: `${seconds(ours)} s`,
        against: `plain text on as many pages ${seconds(partOf(plain, 'plain'))} s`,
        ratio: ratios.report,
        target: { text: `≤ ${TARGETS.reportSeconds} s`, isKept: ours < TARGETS.reportSeconds * 1000 },
      },
      {
        what: 'the pack: evaluated, listed, sealed, written',
        ours: `${seconds(packed)} s`,
        against: floor,
        ratio: ratios.pack,
        target: null,
      },
      {
        what: 'the whole export, every format',
        ours: `${seconds(sum(exported.parts))} s, ${exported.peakMiB} MiB`,
        against: floor,
        ratio: ratio(sum(exported.parts), sums + zip),
        target: { text: `≤ ${TARGETS.exportMiB} MiB`, isKept: exported.peakMiB < TARGETS.exportMiB },
      },
      processorTime('assess, seal and export, the default outputs', byDefault, nodes, TARGETS.processorMs),
      processorTime('the same with every format', exported, nodes, null),
      {
        what: '`verify`, every verdict and page made again',
        ours: `${seconds(partOf(verify, 'verify'))} s`,
        against: `\`sha256sum\` and \`unzip -t\` of the pack ${seconds(unzip)} s`,
        ratio: ratios.verify,
        target: {
          text: `≤ 1.5 × and ${TARGETS.verifySeconds} s`,
          isKept: partOf(verify, 'verify') <= 1.5 * unzip + TARGETS.verifySeconds * 1000,
        },
      },
      processorTime('`verify`', verify, nodes, null),
      {
        what: '`verify`, the most memory',
        ours: `${verify.peakMiB} MiB`,
        against: null,
        ratio: null,
        target: { text: `≤ ${TARGETS.verifyMiB} MiB`, isKept: verify.peakMiB < TARGETS.verifyMiB },
      },
      {
        what: '`verify` of the report alone',
        ours: `${seconds(partOf(alone, 'verify'))} s, ${alone.peakMiB} MiB`,
        against: null,
        ratio: null,
        target: null,
      },
    ]
  } finally {
    rmSync(top, { recursive: true, force: true })
    rmSync(made.folder, { recursive: true, force: true })
  }
}

/** Time of all processors for each node, which other programs on the machine change least. */
function processorTime(what: string, { parts }: Figures, nodes: number, most: number | null): Result {
  const each = Math.round(parts.reduce((total, [, , spent]) => total + spent, 0) / nodes)
  return {
    what: `${what}: processor time for each node`,
    ours: `${each} ms`,
    against: null,
    ratio: null,
    target: most === null ? null : { text: `≤ ${most} ms`, isKept: each <= most },
  }
}

/** Parts that end in the same way taken together: a fleet has a file of one format for each node. */
function grouped(parts: Figures['parts']): ReadonlyMap<string, readonly [number, number]> {
  const groups = new Map<string, readonly [number, number]>()
  for (const [part, milliseconds, spent] of parts) {
    const group = part.endsWith('.hdf.json') ? 'hdf' : part
    const [before, spentBefore] = groups.get(group) ?? [0, 0]
    groups.set(group, [before + milliseconds, spentBefore + spent])
  }
  return groups
}

/** From the page tree's root: the largest number of pages that any node of it counts. */
function pagesOf(pdf: string): number {
  const counts = readFileSync(pdf, 'latin1').matchAll(/\/Type \/Pages\n\/Count (\d+)/g)
  return Math.max(0, ...[...counts].map(([, count]) => Number(count)))
}

/** `program` is built, as the product is: sources need 100 MiB for their translation. */
async function child(program: string, ...argv: readonly string[]): Promise<Figures> {
  const { exitCode, stdout, stderr } = await timed([process.execPath, program, ...argv])
  if (exitCode !== 0) throw new Error(`${argv[0]} ended with ${exitCode}: ${stderr.subarray(0, 2000)}`)
  return JSON.parse(stdout.toString()) as Figures
}

/** The built program, whole: only there do rules and the redaction index have threads of their own. */
async function verifyOf(pack: string, figures: string): Promise<Figures> {
  const argv = ['env', `BENCH_FIGURES=${figures}`, process.execPath, '--import', AT_EXIT, CLI, 'verify', pack]
  const { milliseconds, exitCode, stderr } = await timed(argv)
  if (exitCode !== 0) throw new Error(`verify ended with ${exitCode}: ${stderr.subarray(0, 2000)}`)
  const { processorMs, peakMiB } = JSON.parse(readFileSync(figures, 'utf8')) as {
    readonly processorMs: number
    readonly peakMiB: number
  }
  return { parts: [['verify', milliseconds, processorMs, peakMiB]], peakMiB }
}

async function shell(folder: string, command: string): Promise<number> {
  const { milliseconds, exitCode, stderr } = await timed(['sh', '-c', `cd '${folder}' && ${command}`])
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}: ${stderr}`)
  return milliseconds
}

const partOf = ({ parts }: Figures, name: string): number => sum(parts.filter(([part]) => part === name).slice(0, 1))
const sum = (parts: Figures['parts']): number => parts.reduce((total, [, milliseconds]) => total + milliseconds, 0)
const ratio = (ours: number, floor: number): number => Math.round((ours / floor) * 100) / 100
const seconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100
const mib = (bytes: number): number => Math.round(bytes / 1024 / 102.4) / 10
const print = (line: string): void => void process.stderr.write(`${line}\n`)
