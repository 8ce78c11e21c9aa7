import { type Answer, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { foundLines, isAbsent } from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

export interface BtrfsScrub {
  /** UUID of the file system. */
  readonly id: string
  /** Start of the oldest of its devices' last scrubs, in seconds since 1970. */
  readonly startedAt: number
  readonly isFinished: boolean
  readonly errors: number
}
export interface BtrfsScrubs {
  readonly scrubs: readonly BtrfsScrub[]
}

const LINES = '^[0-9a-f-]+:[0-9]+\\|.{0,}\\|t_start:[0-9]+.{0,}\\|finished:[01]$'

/** btrfs-scrub(8) keeps what it did in /var/lib/btrfs/scrub.status.UUID, a line for each device (btrfs-progs, cmds/scrub.c). */
export const storageBtrfsScrubs = defineProbe({
  id: 'storage.btrfs-scrubs',
  title: 'Last scrub of btrfs file systems',
  why: 'Shows when a whole btrfs file system was last read and compared with its checksums.',
  ignoredInDrift: {
    why: 'File systems are scrubbed on a timer; only whether a scrub found errors is compared.',
    normalize: ({ scrubs }: BtrfsScrubs) => ({
      scrubs: inOrder(scrubs.map(({ id, errors }) => ({ id, hasErrors: whether(errors) }))),
    }),
  },
  commands: { scrubs: runAsRoot(['grep', '-rhE', LINES, '/var/lib/btrfs'], { needsPath: ['/var/lib/btrfs'] }) },
  parse: ({ scrubs }) => readScrubs(scrubs),
})

function readScrubs(answer: Answer): Parsed<BtrfsScrubs> {
  if (isAbsent(answer) || answer.exitCode === 1) return known({ scrubs: [] })
  if (answer.exitCode !== 0) return unknown('the records of btrfs scrubs could not be read')
  const scrubs = new Map<string, BtrfsScrub>()
  for (const { path: id, line } of foundLines(answer.text)) {
    const values = new Map(
      line.split('|').map((part): [string, string] => [part.split(':')[0] ?? '', part.split(':')[1] ?? '']),
    )
    const whole = (name: string): number =>
      /^\d{1,15}$/.test(values.get(name) ?? '') ? Number(values.get(name)) : Number.NaN
    const errors = ['read_errors', 'csum_errors', 'verify_errors', 'super_errors', 'uncorrectable_errors']
      .map(whole)
      .reduce((sum, count) => sum + count, 0)
    const startedAt = whole('t_start')
    if (Number.isNaN(errors) || Number.isNaN(startedAt))
      return unknown('a record of a btrfs scrub has an unexpected format')
    const before = scrubs.get(id)
    scrubs.set(id, {
      id,
      startedAt: Math.min(startedAt, before?.startedAt ?? startedAt),
      isFinished: values.get('finished') === '1' && before?.isFinished !== false,
      errors: errors + (before?.errors ?? 0),
    })
  }
  return known({ scrubs: [...scrubs.values()] })
}
