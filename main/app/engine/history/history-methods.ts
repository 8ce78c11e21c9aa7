import type { EvidenceChange, Flip, FlipDetail, RunDrift } from '../../../../schemas/drift.ts'
import type {
  Bounded,
  ChangedLine,
  DayWindow,
  DriftView,
  Entered,
  EvidenceGroup,
  FlipGroup,
  FlipLine,
  FlipView,
  HistoryDay,
  HistoryDeviation,
  HistoryRun,
  HistoryView,
} from '../../../../schemas/ipc-history.ts'
import type { CalendarDay, Deviation } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { dayOf } from '../../../core/base/days.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { chainFolderOf } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { declaredTerms } from '../../../core/conclusion/assess.ts'
import { driftOf } from '../../../core/drift/compare.ts'
import { baselineIn, evidenceCompared, explainFlips, needsIn, uncollectedWords } from '../../../core/drift/explain.ts'
import { findingReference } from '../../../core/finding/finding.ts'
import { type AwaitedRun, calendarOf, spansWithout } from '../../../core/period/calendar.ts'
import { deviationFold } from '../../../core/period/deviations.ts'
import { planSpans } from '../../../core/period/plans.ts'
import { runsWithin } from '../../../core/period/seen.ts'
import { type Catalog, catalogFor } from '../../../core/rules/catalog.ts'
import { isDay, type RunChain } from '../../../core/run-chain/entry.ts'
import { type EnterInput, nameBaseline, recordGap } from '../../history/append-signed.ts'
import { factsOf } from '../../history/rebuild-history.ts'
import { sentPacks } from '../../outbox/sent-packs.ts'
import { daysBefore } from '../../schedules/schedule-status.ts'
import { type EngineContext, methods } from '../context/context.ts'
import {
  type KnownRuns,
  knownRuns,
  loadPair,
  NO_FLEET,
  type Pair,
  runsKnown,
  sealKept,
  withHistory,
} from '../runs/history-read.ts'
import { loadNodeOfRun, shelfOf } from '../runs/stored-runs.ts'
import { signerOf } from '../trust/trust-identities.ts'
import { becauseSentence, COLLECTION_TITLES, rulesTitle, scopeTitle } from './history-words.ts'
import { SHOWN_DAYS } from './since-last-run.ts'

const DEMO = 'demo data is never entered into a run chain; nothing was recorded'

/** Runs of the window's fleet over time: runs, missed runs, and the drift between two of them. */
export function historyMethods(context: EngineContext) {
  const { ports, catalog } = context
  const fleetName = (): string => context.session.fleet?.name ?? ''
  return methods({
    'history.get': async ({ window }) => {
      const known = await knownRuns(context)
      if (known === null) return ok(null)
      const days = windowOf(window, ports.clock.now())
      return days.ok ? historyView(ports, known, days.value) : days
    },
    'history.deviations': async (window) => {
      const known = await knownRuns(context)
      const days = windowOf(window, ports.clock.now())
      if (known === null || !days.ok) return days.ok ? fail('input.not-found', NO_FLEET) : days
      const found = await deviations(context, known, days.value)
      return found.ok ? ok(shownFirst(context, found.value)) : found
    },
    'history.compare': async ({ before, after }) => {
      const pair = await loadPair(context, before, after)
      if (!pair.ok) return pair
      const { was, is, runs } = pair.value
      return ok(driftView(wordsOf(catalog, fleetName()), driftOf(was.trace, is.trace, needsIn(catalog)), runs))
    },
    'history.flip': async ({ before, after, node, check }) => {
      const pair = await loadPair(context, before, after)
      if (!pair.ok) return pair
      const both = await describedPair(context, pair.value, node)
      if (!both.ok) return both
      const { was, is, scope } = both.value
      const detail = explainFlips(catalogFor(catalog, scope), node, was, is).find((one) => one.check === check)
      return detail === undefined
        ? fail('input.not-found', `${check} has the same verdict on ${node} in both runs`, node)
        : ok(flipView(wordsOf(catalog, fleetName()), detail))
    },
    'history.sending': async () => {
      const { integrations: file, folder } = context
      return ok(file === null ? null : await sentPacks(ports, { file, folder }))
    },
    'history.record-gap': ({ schedule, due, why, identity }) =>
      appendStatement(context, identity, (input) =>
        recordGap(ports, { ...input, due, why, ...(schedule === null ? {} : { schedule }) }),
      ),
    'history.set-baseline': ({ run, why, identity }) =>
      appendStatement(context, identity, (input) => nameBaseline(ports, { ...input, run, why })),
  })
}

/** Deviations in the sealed runs of a period, one trace in memory at a time. In a demo, in the stored runs. */
async function deviations(
  context: EngineContext,
  known: KnownRuns,
  { from, to }: DayWindow,
): Promise<Outcome<readonly Deviation[]>> {
  const runs = known.demo
    ? known.heads.filter(({ asOf }) => asOf.slice(0, 10) >= from && asOf.slice(0, 10) <= to).map(({ run }) => run)
    : runsWithin(known.entries ?? [], { from, to }).map(({ entry }) => entry.run)
  return await withHistory(context, async (history) => {
    const fold = deviationFold()
    for (const run of new Set(runs)) {
      const seal = sealKept(known, run)
      const kept = seal === undefined ? null : await history.load(run, seal)
      if (kept?.ok === false) return kept
      fold.add(kept?.value.trace ?? null)
    }
    return ok(fold.finish())
  })
}

/** Deviations that are open at the end first. */
function shownFirst({ catalog }: EngineContext, all: readonly Deviation[]): Bounded<HistoryDeviation> {
  const claims = new Map(catalog.checks.map(({ id, expected }) => [id, expected]))
  const { rows, total } = first([...all].sort((a, b) => Number(b.open) - Number(a.open)))
  return { rows: rows.map((one) => ({ ...one, expected: claims.get(one.check) ?? one.check })), total }
}

/**
 * Both runs with the recording of one node. Declarations are the current ones: they were not stored with the evidence.
 */
async function describedPair(context: EngineContext, { was, is }: Pair, node: string) {
  const shelf = shelfOf(context)
  if (shelf === null) return fail('input.not-found', NO_FLEET)
  const [then, now] = [await loadNodeOfRun(shelf, was.trace.run, node), await loadNodeOfRun(shelf, is.trace.run, node)]
  if (!then.ok) return then
  if (!now.ok) return now
  const missing = [then, now].find(({ value }) => value.recording === null)
  if (missing !== undefined)
    return fail(
      'input.not-found',
      'the recording of one of these runs is not stored here; the run traces show only that it differs',
      node,
    )
  return ok({
    was: { trace: was.trace, recording: then.value.recording, terms: declaredTerms(then.value.scope) },
    is: { trace: is.trace, recording: now.value.recording, terms: declaredTerms(now.value.scope) },
    scope: now.value.scope,
  })
}

/** A signed statement, appended to the run chain of the window's fleet. */
async function appendStatement(
  context: EngineContext,
  identity: string | null,
  say: (input: EnterInput) => Promise<Outcome<RunChain>>,
): Promise<Outcome<Entered>> {
  const { folder, session } = context
  const { fleet, demo } = session
  if (fleet === null) return fail('input.not-found', NO_FLEET)
  if (demo) return fail('input.refused', DEMO)
  // Signed outside any turn, because a person may confirm at another computer.
  const answer = await say({
    fleet: fleet.name,
    chainFolder: chainFolderOf(folder, fleet.name),
    openSigner: signerOf(context, identity),
  })
  return answer.ok ? ok({ entries: answer.value.entries.length }) : answer
}

/** The longest list in the window; its total is always stated. */
const MOST = 200
const MOST_NODES = 50

/** A drift for the window: grouped, bounded, with titles from the catalog for probes and checks. */
function driftView(
  words: Words,
  drift: RunDrift,
  { before, after }: { readonly before: HistoryRun; readonly after: HistoryRun },
): DriftView {
  return {
    before,
    after,
    compared: drift.compared,
    unchanged: drift.unchanged,
    evidence: first(groups(evidenceCompared(drift), words)),
    rules: first(
      drift.rules.map((one, index): ChangedLine => {
        const { before: was, after: is } = one
        return { id: `${index}`, title: rulesTitle(one), node: null, before: was, after: is }
      }),
    ),
    scope: first(
      drift.scope.map(
        (one, index): ChangedLine => ({
          id: `${index}`,
          title: scopeTitle(one),
          node: one.node,
          before: null,
          after: null,
        }),
      ),
    ),
    moves: first(drift.moves),
    twice: first(drift.twice),
    uncollected: first(drift.uncollected.map((one) => ({ node: one.node, sentence: uncollectedWords(one) }))),
    flips: { ...first(flipGroups(drift.flips, words)), results: drift.flips.length },
  }
}

function flipView(words: Words, detail: FlipDetail): FlipView {
  const { steps, captures } = detail
  return {
    flip: flipLine(detail, words),
    steps,
    captures: captures.map((capture) => ({ ...capture, title: words.probe(capture.probe) })),
  }
}

interface Words {
  /** Reference of the finding of a check. */
  readonly finding: (check: string) => string
  readonly probe: (id: string) => string
  readonly check: (id: string) => string
}

function wordsOf({ probes, checks }: Catalog, fleet: string): Words {
  const titles = new Map(probes.map(({ id, title }) => [id, title]))
  const claims = new Map(checks.map(({ id, expected }) => [id, expected]))
  return {
    probe: (id) => titles.get(id) ?? id,
    check: (id) => claims.get(id) ?? id,
    finding: (check) => findingReference(fleet, check),
  }
}

const first = <T>(all: readonly T[], most = MOST): Bounded<T> => ({ rows: all.slice(0, most), total: all.length })

function flipLine({ node, check, before, after, because, probes }: Flip, words: Words): FlipLine {
  const sentence = becauseSentence({ because }, probes.map(words.probe))
  const finding = after === 'not-satisfied' ? words.finding(check) : null
  return { node, check, expected: words.check(check), before, after, because, sentence, finding }
}

/** By check, change and cause: the group of most nodes first. */
function flipGroups(flips: readonly Flip[], words: Words): readonly FlipGroup[] {
  const byCause = new Map<string, { readonly flip: Flip; readonly nodes: string[] }>()
  for (const flip of flips) {
    const { node, check, before, after, because, probes } = flip
    const id = JSON.stringify([check, before, after, because, probes])
    const group = byCause.get(id)
    if (group === undefined) byCause.set(id, { flip, nodes: [node] })
    else group.nodes.push(node)
  }
  return [...byCause]
    .map(([id, { flip, nodes }]) => {
      const { node: _, ...line } = flipLine(flip, words)
      return { ...line, id, nodes: first(nodes, MOST_NODES) }
    })
    .sort((a, b) => b.nodes.total - a.nodes.total)
}

/** By probe, the one that changed on most nodes first. */
function groups(changes: readonly EvidenceChange[], words: Words): readonly EvidenceGroup[] {
  const byWhat = new Map<string, { readonly title: string; readonly nodes: EvidenceGroup['nodes']['rows'][number][] }>()
  for (const { node, what, is, before, after } of changes) {
    const id = what.kind === 'reading' ? what.probe : what.kind
    const title = what.kind === 'reading' ? words.probe(what.probe) : COLLECTION_TITLES[what.kind]
    const group = byWhat.get(id) ?? { title, nodes: [] }
    byWhat.set(id, group)
    group.nodes.push({ node, is, before: shown(before), after: shown(after) })
  }
  return [...byWhat]
    .map(([id, { title, nodes }]) => ({ id, title, nodes: first(nodes, MOST_NODES) }))
    .sort((a, b) => b.nodes.total - a.nodes.total)
}

const shown = (text: string | null): string | null => (text === null ? null : plain(text, 200))

const MOST_DAYS = 400
const DAY_MS = 86_400_000

/** The requested days, or the last weeks up to today. Fails with input.refused. */
function windowOf(asked: DayWindow | null, now: string): Outcome<DayWindow> {
  const today = dayOf(now)
  if (asked === null) return ok({ from: daysBefore(now, SHOWN_DAYS - 1), to: today })
  if (!isDay(asked.from) || !isDay(asked.to) || asked.from > asked.to)
    return fail('input.refused', 'first and last day must be calendar dates in chronological order')
  return Date.parse(asked.to) - Date.parse(asked.from) >= MOST_DAYS * DAY_MS
    ? fail('input.refused', `at most ${MOST_DAYS} days are shown`)
    : ok(asked)
}

/** The history of these days. Fails as calendarOf() does. */
function historyView(
  { zones, clock }: Pick<Ports, 'zones' | 'clock'>,
  known: KnownRuns,
  { from, to }: DayWindow,
): Outcome<HistoryView> {
  const asOf = clock.now()
  const today = dayOf(asOf)
  const entries = known.entries ?? []
  const read = calendarOf({ entries, facts: factsOf(known.heads), zones, from, to, asOf })
  if (!read.ok) return read
  const { calendar, missedRuns } = read.value
  const runs = runsKnown(known).filter(({ at }) => dayOf(at) >= from && dayOf(at) <= to)
  const days = daysWith(calendar.days, runs, read.value.awaited)
  const past = days.filter(({ day }) => day <= today)
  const cadences = new Map(planSpans(entries).map(({ schedule, cadence }) => [schedule, cadence]))
  return ok({
    fleet: known.fleet.name,
    demo: known.demo,
    asOf,
    today,
    from,
    to,
    entries: known.entries?.length ?? null,
    days,
    counts: {
      ...calendar.counts,
      days: past.length,
      daysWith: past.filter(({ answered }) => answered > 0).length,
    },
    without: spansWithout(past),
    runs,
    recordedMisses: missedRuns,
    unrecorded: read.value.unrecorded.map(({ schedule, due }) => ({
      schedule,
      due,
      cadence: cadences.get(schedule) ?? '',
    })),
    awaited: read.value.awaited.map(({ schedule, due, until }) => ({ schedule, due, until })),
    plans: read.value.plans,
    baseline: baselineIn({ entries }),
    shortfalls: known.shortfalls,
  })
}

/** Days with unsealed runs. Their nodes count only where no sealed run covers that day. */
function daysWith(
  days: readonly CalendarDay[],
  runs: readonly HistoryRun[],
  awaited: readonly AwaitedRun[],
): readonly HistoryDay[] {
  const byDay = new Map<string, HistoryRun[]>(days.map(({ day }) => [day, []]))
  for (const run of runs) byDay.get(dayOf(run.at))?.push(run)
  return days.map((day) => {
    const own = byDay.get(day.day) ?? []
    const sealed = own.filter(({ seal }) => seal !== 'none')
    const counted = sealed.length > 0 ? sealed : own
    const most = counted.reduce<HistoryRun | null>(
      (best, one) => (best === null || one.answered > best.answered ? one : best),
      null,
    )
    return {
      ...day,
      awaited: awaited.filter(({ due }) => dayOf(due) === day.day).length,
      declared: most?.declared ?? 0,
      answered: most?.answered ?? 0,
      sealed: sealed.length,
      collected: own.length - sealed.length,
    }
  })
}
