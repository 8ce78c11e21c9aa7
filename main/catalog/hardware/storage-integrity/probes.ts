import { quote } from '../../../core/base/plain-text.ts'
import {
  type Answer,
  defineProbe,
  glob,
  known,
  type Parsed,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import { foundLines, grepIsComplete, inOrder, isAbsent, lines, readUnits, whether } from '../../base/read-text.ts'

/** An md array that can compare its members (levels 1, 4, 5, 6, 10). Null where the kernel showed no such file. */
export interface ComparedArray {
  readonly name: string
  readonly level: string
  /** Sectors that differed in the last check or repair. */
  readonly mismatches: number | null
  /** Its last action since it was assembled: check, repair, resync, recover, idle, none. */
  readonly lastAction: string
  readonly degraded: number | null
}

export interface ChecksumState {
  readonly arrays: readonly ComparedArray[]
  /** Errors counted by each btrfs file system over all its devices; its id is the folder's name in sysfs. */
  readonly btrfs: readonly { readonly id: string; readonly errors: number }[]
}

/** Documentation/admin-guide/md.rst (mismatch_cnt, last_sync_action, degraded); fs/btrfs/sysfs.c (error_stats). */
export const storageChecksumState = defineProbe({
  id: 'storage.checksum-state',
  title: 'Differences and errors counted by arrays and btrfs',
  why: 'Shows whether stored data was found to differ from its copies or its checksums.',
  ignoredInDrift: {
    why: 'Arrays are compared on a timer and count differences; only whether there were differences is compared.',
    normalize: ({ arrays, btrfs }: ChecksumState) => ({
      arrays: inOrder(
        arrays.map(({ lastAction: _, mismatches, ...array }) => ({ ...array, hasMismatches: whether(mismatches) })),
      ),
      btrfs: inOrder(btrfs.map(({ id, errors }) => ({ id, hasErrors: whether(errors) }))),
    }),
  },
  commands: {
    counts: run([
      'grep',
      '-H',
      '',
      '/proc/mdstat',
      glob('/sys/block/md*/md/level'),
      glob('/sys/block/md*/md/mismatch_cnt'),
      glob('/sys/block/md*/md/last_sync_action'),
      glob('/sys/block/md*/md/degraded'),
      glob('/sys/fs/btrfs/*/devinfo/*/error_stats'),
    ]),
  },
  parse: ({ counts }) =>
    grepIsComplete(counts) ? parseChecksumState(counts.text) : unknown('what arrays counted could not all be read'),
})

const COMPARABLE = /^raid(1|4|5|6|10)$/

export function parseChecksumState(text: string): Parsed<ChecksumState> {
  const arrays = new Map<string, Map<string, string>>()
  const btrfs = new Map<string, number>()
  for (const { path, line } of foundLines(text)) {
    const [, name, file = ''] = /^\/sys\/block\/(md[^/]*)\/md\/([a-z_]+)$/.exec(path) ?? []
    if (name !== undefined) arrays.set(name, (arrays.get(name) ?? new Map()).set(file, line.trim()))
    const id = /^\/sys\/fs\/btrfs\/([^/]+)\/devinfo\/[^/]+\/error_stats$/.exec(path)?.[1]
    if (id === undefined) continue
    const errors = /^[a-z_]+_errs (\d{1,15})$/.exec(line.trim())?.[1]
    // "invalid": the device never gave its counters.
    if (errors === undefined) return unknown('the error counters of a btrfs device have an unexpected format')
    btrfs.set(id, (btrfs.get(id) ?? 0) + Number(errors))
  }
  const number = (value: string | undefined): number | null =>
    value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null
  return known({
    arrays: [...arrays]
      .map(([name, files]) => ({
        name,
        level: files.get('level') ?? '',
        mismatches: number(files.get('mismatch_cnt')),
        lastAction: files.get('last_sync_action') ?? '',
        degraded: number(files.get('degraded')),
      }))
      .filter(({ level }) => COMPARABLE.test(level)),
    btrfs: [...btrfs].map(([id, errors]) => ({ id, errors })),
  })
}

interface IntegrityLayers {
  /** Devices that keep a sum next to each sector, and how many sectors did not match since they were opened. */
  readonly layers: readonly { readonly name: string; readonly mismatches: number }[]
}

/** dmsetup(8); Documentation/admin-guide/device-mapper/dm-integrity.rst, "status line": mismatches, sectors provided, position. */
export const storageDmIntegrity = defineProbe({
  id: 'storage.dm-integrity',
  title: 'Sectors that did not match their checksums',
  why: 'dm-integrity stores a checksum for each sector and counts the sectors that do not match.',
  ignoredInDrift: {
    why: 'Sectors that do not match are counted; only whether there was one is compared.',
    normalize: ({ layers }: IntegrityLayers) => ({
      layers: inOrder(layers.map(({ name, mismatches }) => ({ name, hasMismatches: whether(mismatches) }))),
    }),
  },
  commands: { status: runAsRoot(['dmsetup', 'status', '--target', 'integrity']) },
  parse({ status }) {
    // ENODEV on the control device: this kernel has no device mapper.
    if (/control: open failed: No such device$/m.test(status.errorText)) return known<IntegrityLayers>({ layers: [] })
    if (status.exitCode !== 0) return unknown(`dmsetup failed: ${quote(status.errorText)}`)
    if (status.text.trim() === 'No devices found') return known<IntegrityLayers>({ layers: [] })
    const rows = lines(status.text).map((line) => /^(.{1,300}?): \d{1,20} \d{1,20} integrity (\d{1,15}) \d/.exec(line))
    if (rows.includes(null)) return unknown('the output of dmsetup has an unexpected format')
    return known<IntegrityLayers>({
      layers: rows.map((row) => ({ name: row?.[1] ?? '', mismatches: Number(row?.[2] ?? 'x') })),
    })
  },
})

interface BtrfsScrub {
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

export interface ScrubTimers {
  /**
   * Date of the last start (YYYY-MM-DD, in the node’s own zone) of each existing timer; null where it never started
   * anything.
   */
  readonly timers: readonly { readonly unit: string; readonly isActive: boolean; readonly last: string | null }[]
}

/** mdadm's (Debian, Ubuntu, SUSE), RHEL's raid-check, and SUSE's btrfsmaintenance. */
const UNITS = ['mdcheck_start.timer', 'raid-check.timer', 'btrfs-scrub.timer'] as const

/** systemd.timer(5), org.freedesktop.systemd1(5): LastTriggerUSec is printed as a date. */
export const storageScrubTimers = defineProbe({
  id: 'storage.scrub-timers',
  title: 'Last start of scheduled data checks',
  why: 'Arrays do not keep the date of their last check; the timer that starts it does.',
  ignoredInDrift: {
    why: 'Timers run on schedule.',
    normalize: ({ timers }: ScrubTimers) => ({ timers: inOrder(timers.map(({ last: _, ...timer }) => timer)) }),
  },
  commands: {
    timers: run(['systemctl', '--property=Id,LoadState,ActiveState,LastTriggerUSec', 'show', ...UNITS]),
  },
  parse({ timers }): Parsed<ScrubTimers> {
    const states = readUnits(timers, UNITS)
    if (!states.ok) return unknown('the timers could not be read')
    return known({
      timers: [...states.fact.values()].flatMap((block) =>
        block.get('LoadState') === 'loaded'
          ? [
              {
                unit: block.get('Id') ?? '',
                isActive: block.get('ActiveState') === 'active',
                last: /\b(\d{4}-\d\d-\d\d) \d\d:\d\d/.exec(block.get('LastTriggerUSec') ?? '')?.[1] ?? null,
              },
            ]
          : [],
      ),
    })
  },
})

export interface ZfsPoolStatus {
  readonly name: string
  readonly state: string
  /** Day that the last scrub ended (YYYY-MM-DD, by the node's own zone); null where none ended, or where another action came after it. */
  readonly scrubbed: string | null
  /** The last scrub mended something, or could not. */
  readonly hasFound: boolean
  /** The pool’s statement about its last action, for display. */
  readonly scan: string
  /** Errors counted by any member: read, write, checksum. Null where a counter was not understood. */
  readonly counted: number | null
  readonly hasKnownErrors: boolean
}

interface ZfsStatus {
  readonly pools: readonly ZfsPoolStatus[]
}

/** zpool-status(8). */
export const storageZfsStatus = defineProbe({
  id: 'storage.zfs-status',
  title: 'Errors and last scrub of ZFS pools',
  why: 'ZFS stores a checksum of every block. Shows whether any did not match, and when all were last read.',
  ignoredInDrift: {
    why: 'Pools are scrubbed on a timer and count errors; only whether there were errors is compared.',
    normalize: ({ pools }: ZfsStatus) => ({
      pools: inOrder(
        pools.map(({ scrubbed: _, scan: __, counted, ...pool }) => ({ ...pool, hasErrors: whether(counted) })),
      ),
    }),
  },
  commands: { status: run(['zpool', 'status', '-p']) },
  parse: ({ status }) =>
    status.exitCode === 0 ? parseZfsStatus(status.text) : unknown(`zpool failed: ${quote(status.errorText)}`),
})

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Blocks that begin with `pool:`; each has `state:`, `scan:`, a table of members and `errors:`. */
export function parseZfsStatus(text: string): Parsed<ZfsStatus> {
  if (/^no pools available/m.test(text)) return known({ pools: [] })
  const blocks = text.split(/^ *pool: /m).slice(1)
  if (blocks.length === 0) return unknown('the state of ZFS pools has an unexpected format')
  const pools: ZfsPoolStatus[] = []
  for (const block of blocks) {
    const field = (name: string): string | undefined => new RegExp(`^ *${name}: ([^\n]{1,300})`, 'm').exec(block)?.[1]
    const name = block.split('\n', 1)[0]?.trim() ?? ''
    const [state, errors] = [field('state')?.trim(), field('errors')]
    const table = /^[\t ]*NAME[\t ]+STATE[\t ]+READ[\t ]+WRITE[\t ]+CKSUM[^\n]*\n/m.exec(block)
    if (name === '' || state === undefined || errors === undefined || table === null)
      return unknown('the state of a ZFS pool has an unexpected format')
    const rows = block.slice(table.index + table[0].length).split('\n')
    const scan = field('scan')?.trim() ?? ''
    pools.push({
      name,
      state,
      scan,
      scrubbed: scrubDay(scan),
      hasFound: /^scrub repaired /.test(scan) && !/^scrub repaired 0B? in .{1,60} with 0 errors on /.test(scan),
      counted: errorsIn(rows),
      hasKnownErrors: !/^No known data errors/.test(errors),
    })
  }
  return known({ pools })
}

/** Rows of the table up to the first empty line: name, state, and three counters for what holds data. */
function errorsIn(rows: readonly string[]): number | null {
  let sum = 0
  for (const row of rows) {
    const words = row.trim().split(/\s+/)
    if (words.length < 2) {
      if (row.trim() === '') break
      continue
    }
    if (words[1] === 'AVAIL' || words[1] === 'INUSE') continue
    const counts = words.slice(2, 5)
    if (counts.length !== 3 || !counts.every((count) => /^\d{1,20}$/.test(count))) return null
    sum += counts.reduce((total, count) => total + Number(count), 0)
  }
  return sum
}

/** "scrub repaired 0B in 00:12:34 with 0 errors on Sun Nov  8 00:36:35 2026". */
function scrubDay(scan: string): string | null {
  const [, month = '', day = '', year = ''] =
    /^scrub repaired .{1,80} on [A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) [\d:]+ (\d{4})$/.exec(scan) ?? []
  const number = MONTHS.indexOf(month) + 1
  return number === 0 ? null : `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
}
