import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { inOrder, whether } from '../steady.ts'

export interface ZfsPoolStatus {
  readonly name: string
  readonly state: string
  /** Day that the last scrub ended (YYYY-MM-DD, by the node's own zone); null where none ended, or where another action came after it. */
  readonly scrubbed: string | null
  /** The last scrub mended something, or could not. */
  readonly hasFound: boolean
  /** What the pool stated about its last action, for people. */
  readonly scan: string
  /** Errors counted by any member: read, write, checksum. Null where a counter was not understood. */
  readonly counted: number | null
  readonly hasKnownErrors: boolean
}
export interface ZfsStatus {
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
