import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { readStamp, type Stamp } from '../stamps.ts'

/** One file of the journal, by its header. */
export interface JournalFile {
  readonly path: string
  /** Files of one chain carry one id; numbers of entries rise by one along it, over all files. */
  readonly chain: string
  readonly first: number
  readonly last: number
  /** The oldest and newest entry: seconds since 1970 where they are printed so (systemd 236 and later), and as written. */
  readonly oldest: Moment
  readonly newest: Moment
}
export interface Moment {
  readonly seconds: number | null
  readonly stamp: Stamp | null
}
export interface JournalBoot {
  /** 0 is the running one. */
  readonly index: number
  readonly id: string
  readonly from: Moment
  readonly to: Moment
}
export interface JournalState {
  /** Empty where the journal keeps nothing. */
  readonly files: readonly JournalFile[]
  readonly boots: readonly JournalBoot[]
}

/**
 * journalctl(1) --header and --list-boots: the headers of the journal's files and the boots they hold. No message is read. As root, since
 * others see only their own entries.
 */
export const journalState = defineProbe({
  id: 'journal.state',
  title: 'Content range of the system journal',
  why: 'Shows how far back the journal reaches, whether entries are missing from its numbering, and which boots it covers.',
  ignoredInDrift: {
    why: 'The journal is written, and old entries are removed. Not detected: deliberate removal of entries.',
    normalize: () => null,
  },
  commands: {
    header: runAsRoot(['journalctl', '--no-pager', '--header'], { maxBytes: 1048576 }),
    boots: runAsRoot(['journalctl', '--no-pager', '--utc', '--list-boots'], { maxBytes: 262144 }),
  },
  parse({ header, boots }) {
    if (/No journal files were found/.test(header.errorText + header.text))
      return known<JournalState>({ files: [], boots: [] })
    if (header.exitCode !== 0 || boots.exitCode !== 0) return unknown('the journal did not respond')
    const files = header.text
      .split(/^(?=File path: )/m)
      .filter((block) => block.startsWith('File path: '))
      .map(readFile)
    if (files.length === 0 || files.includes(null))
      return unknown('the headers of the journal have an unexpected format')
    const rows = lines(boots.text).filter((line) => !/^IDX BOOT ID/.test(line))
    const read = rows.map(readBoot)
    if (read.length === 0 || read.includes(null)) return unknown('the list of boots has an unexpected format')
    return known<JournalState>({
      files: files.filter((file) => file !== null),
      boots: read.filter((boot) => boot !== null),
    })
  },
})

function readFile(block: string): JournalFile | null {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}: ([^\\n]{1,4096})$`, 'm').exec(block)?.[1]?.trim()
  const number = (name: string): number | null => {
    const text = /^\d{1,15}/.exec(field(name) ?? '')?.[0]
    return text === undefined ? null : Number(text)
  }
  const [path, chain] = [field('File path'), field('Sequential number ID')]
  const [first, last] = [number('Head sequential number'), number('Tail sequential number')]
  if (path === undefined || chain === undefined || first === null || last === null) return null
  return {
    path,
    chain,
    first,
    last,
    oldest: readMoment(field('Head realtime timestamp')),
    newest: readMoment(field('Tail realtime timestamp')),
  }
}

/** "Sat 2026-11-21 18:42:27 UTC (660cdb8ee8f87)": the hexadecimal number counts microseconds since 1970. */
function readMoment(text: string | undefined): Moment {
  const [, shown = '', micros] = /^([^(]{1,64}?)(?: \(([0-9a-f]{8,15})\))?$/.exec(text ?? '') ?? []
  return {
    seconds: micros === undefined ? null : Math.floor(Number.parseInt(micros, 16) / 1_000_000),
    stamp: readStamp(shown),
  }
}

// Before systemd 253: "-1 ID Mon 2026-11-02 03:11:20 UTC—Fri 2026-11-20 09:11:58 UTC"; since: columns apart by spaces.
function readBoot(line: string): JournalBoot | null {
  const [, index, id = '', from = '', to = ''] =
    /^\s*(-?\d{1,6})\s+([0-9a-f]{32})\s+([A-Z][a-z]{2} \S+ \S+ \S+?)(?:—|\s+)([A-Z][a-z]{2} \S+ \S+ \S+)\s*$/.exec(
      line,
    ) ?? []
  if (index === undefined) return null
  const moment = (text: string): Moment => ({ seconds: null, stamp: readStamp(text) })
  return { index: Number(index), id, from: moment(from), to: moment(to) }
}
