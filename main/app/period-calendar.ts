import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { chainStart } from '../core/layout.ts'
import { type CalendarReading, calendarOf } from '../core/period/calendar.ts'
import type { RunFacts } from '../core/period/runs.ts'
import { plain } from '../core/plain-text.ts'
import { dayOf, daysWithin, MOST_DAYS } from '../core/register/days.ts'
import { ok } from '../core/result.ts'
import { isDay } from '../core/run-chain/entry.ts'
import { chainsBelow, readChain } from './chains.ts'

export interface FleetBelow {
  readonly fleet: string
  readonly chainFolder: string
  /** The UTC day of its first run; null without one. */
  readonly firstDay: string | null
}

/**
 * The fleet with this name whose chain is below a folder; without a name, the only one. Or that of a chain stored
 * elsewhere. Fails with input.refused where there is none, or where the choice is ambiguous; otherwise as a chain does.
 */
export async function fleetBelow(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  root: string,
  { fleet: name, chain: elsewhere }: { readonly fleet?: string | undefined; readonly chain?: string | undefined } = {},
): Promise<Outcome<FleetBelow>> {
  const chains = elsewhere === undefined ? await chainsBelow(ports, root) : await chainAt(ports, elsewhere)
  if (!chains.ok) return chains
  const fitting = chains.value.filter(({ chain }) => name === undefined || chain.fleet === name)
  const [only, ...others] = fitting
  if (only === undefined)
    return fail(
      'input.refused',
      `there is no run chain below ${root}${name === undefined ? '' : ` for the fleet ${plain(name, 100)}`}`,
    )
  if (others.length > 0)
    return fail(
      'input.refused',
      plain(
        `${root} contains several fleets; choose one with --fleet: ${fitting.map(({ chain }) => chain.fleet).join(', ')}`,
        600,
      ),
    )
  const first = only.chain.entries.find(({ entry }) => entry.kind === 'run')
  return ok({
    fleet: only.chain.fleet,
    chainFolder: only.folder,
    firstDay: first === undefined ? null : dayOf(first.entry.at),
  })
}

async function chainAt(
  ports: Pick<Ports, 'files' | 'openRunChain'>,
  folder: string,
): Promise<Awaited<ReturnType<typeof chainsBelow>>> {
  const chain = await readChain(ports, folder)
  return chain.ok ? ok([{ folder, chain: chain.value }]) : chain
}

export interface ReadCalendarInput {
  readonly root: string
  readonly chainFolder: string
  readonly fleet: string
  readonly from: string
  readonly to: string
  readonly asOf: string
}

/**
 * The calendar of a fleet’s runs from its chain and the history, unsealed. Fails with input.refused, and as chain and
 * history do.
 */
export async function readCalendar(
  ports: Pick<Ports, 'files' | 'openHistory' | 'openRunChain' | 'zones'>,
  input: ReadCalendarInput,
): Promise<Outcome<CalendarReading>> {
  const { root, chainFolder, fleet, from, to, asOf } = input
  const days = isDay(from) && isDay(to) ? daysWithin(from, to).length : 0
  if (days === 0 || days > MOST_DAYS)
    return fail(
      'input.refused',
      `enter a first and a last day, at most ${MOST_DAYS} days in total, such as 2026-10-01 and 2026-12-31`,
    )
  if (!(await ports.files.isThere(chainStart(chainFolder))))
    return fail('input.refused', `there is no run chain in ${chainFolder}`)
  const chain = await ports.openRunChain(chainFolder, { id: '0'.repeat(64), fleet })
  if (!chain.ok) return chain
  const { entries } = chain.value.chain()
  await chain.value.close()
  const history = await ports.openHistory(root)
  if (!history.ok) return history
  const heads = await history.value.list()
  if (!heads.ok) return heads
  const facts = new Map<string, RunFacts>()
  for (const { sealed, ...head } of heads.value) if (sealed !== null) facts.set(sealed.tagManifest, head)
  return calendarOf({ entries, facts, zones: ports.zones, from, to, asOf })
}
