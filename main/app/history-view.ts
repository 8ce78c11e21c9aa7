import type { Ports } from '../core/all-ports.ts'
import { type Outcome, ok } from '../core/failure.ts'
import type { KeptHead } from '../core/history.ts'
import { type CalendarReading, calendarOf } from '../core/period/calendar.ts'
import { MOST_DAYS } from '../core/register/days.ts'
import type { RetiredEntry } from '../core/run-chain/entry.ts'
import { type ChainBelow, chainsBelow, lackingIn, type Rebuilt, rebuildHistory } from './rebuild-history.ts'

export interface FleetHistory {
  readonly fleet: string
  readonly chainFolder: string
  readonly entries: number
  /** Runs: scheduled and completed, late, recorded as missed, and unrecorded. */
  readonly reading: CalendarReading
  readonly retired: readonly RetiredEntry[]
}

export interface HistoryView {
  readonly fleets: readonly FleetHistory[]
  /** Every stored run, oldest first. */
  readonly kept: readonly KeptHead[]
  /** Stored runs that are in none of these chains: not sealed, or sealed into a chain elsewhere. */
  readonly outside: readonly KeptHead[]
  /** What was restored from packs because the history lacked it; null: it lacked nothing. */
  readonly rebuilt: Rebuilt | null
}

/**
 * The events in the chains below a root, and what the history has of them. Traces of sealed runs that the history lacks
 * are restored from their packs first. Fails as chains, history and calendar do.
 */
export async function historyView(
  ports: Pick<Ports, 'clock' | 'files' | 'openHistory' | 'openRunChain' | 'packs' | 'validator' | 'zones'>,
  root: string,
): Promise<Outcome<HistoryView>> {
  const chains = await chainsBelow(ports, root)
  if (!chains.ok) return chains
  const before = await listed(ports, root)
  if (!before.ok) return before
  const lacks = lackingIn(chains.value, before.value).length > 0
  const rebuilt = lacks ? await rebuildHistory(ports, root) : null
  if (rebuilt?.ok === false) return rebuilt
  const after = rebuilt !== null && rebuilt.value.taken.length > 0 ? await listed(ports, root) : before
  if (!after.ok) return after
  const heads = after.value
  const fleets: FleetHistory[] = []
  for (const one of chains.value) {
    const reading = readingOf(ports, one, heads)
    if (!reading.ok) return reading
    const retired = one.chain.entries.flatMap(({ entry }) => (entry.kind === 'retired' ? [entry] : []))
    const { fleet, entries } = one.chain
    fleets.push({ fleet, chainFolder: one.folder, entries: entries.length, reading: reading.value, retired })
  }
  const entered = new Set(fleets.flatMap(({ reading }) => reading.runs.map(({ tagManifest }) => tagManifest)))
  const outside = heads.filter(({ sealed }) => sealed === null || !entered.has(sealed.tagManifest))
  return ok({ fleets, kept: heads, outside, rebuilt: rebuilt?.value ?? null })
}

async function listed(ports: Pick<Ports, 'openHistory'>, root: string): Promise<Outcome<readonly KeptHead[]>> {
  const history = await ports.openHistory(root)
  return history.ok ? await history.value.list() : history
}

/** From the first day in the chain until today, up to the maximum of a calendar. */
function readingOf(
  ports: Pick<Ports, 'clock' | 'zones'>,
  { chain }: ChainBelow,
  heads: readonly KeptHead[],
): Outcome<CalendarReading> {
  const asOf = ports.clock.now()
  const days = chain.entries.map(({ entry }) => entry.at.slice(0, 10)).sort()
  // A clock that was set back leaves runs after “now”.
  const to = [asOf.slice(0, 10), ...days].sort().at(-1) ?? ''
  const earliest = new Date(Date.parse(to) - (MOST_DAYS - 1) * 86_400_000).toISOString().slice(0, 10)
  const from = [days[0] ?? to, earliest].sort().at(-1) ?? to
  const facts = new Map(
    heads.flatMap((head) => (head.sealed === null ? [] : [[head.sealed.tagManifest, head] as const])),
  )
  return calendarOf({ entries: chain.entries, facts, zones: ports.zones, from, to, asOf })
}
