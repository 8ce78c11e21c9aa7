import type {
  EvidenceChange,
  Flip,
  FlipCause,
  PartTwice,
  RulesChange,
  RunDrift,
  ScopeChange,
  Uncollected,
} from '../../../schemas/drift.ts'
import type { HardwareChange, RunMoment, RunTrace, TracedNode } from '../../../schemas/types.ts'
import { VERDICTS, type Verdict, verdictLetters } from '../../../schemas/words.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { NO_READING, NOT_COMPARED, READING_DIGITS } from '../history/trace.ts'
import { compare } from '../recording/recording.ts'

/** A part that is identifiable by its serial number, fixed address or host key. */
interface Found {
  readonly kind: string
  readonly part: string
  readonly value: string
  /** Sorted, each once. */
  readonly nodes: readonly string[]
}

const HOST_KEY = 'host-key'

const momentOf = ({ run, asOf }: RunTrace): RunMoment => ({ run, at: asOf })
const partsOf = ({ parts, hostKey }: TracedNode): readonly Omit<Found, 'nodes'>[] =>
  hostKey === null ? parts : [...parts, { kind: HOST_KEY, part: HOST_KEY, value: hostKey }]
const keyOf = ({ kind, value }: Omit<Found, 'nodes' | 'part'>): string => canonicalJson([kind, value])
/** Whether a node was collected; only then do its readings and parts show anything. */
const answered = ({ status }: TracedNode): boolean => status === 'complete' || status === 'partial'

/** Every part of a run by kind and value, with the nodes that reported it. */
function foundIn({ nodes }: RunTrace): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>()
  for (const node of nodes) {
    for (const { kind, part, value } of partsOf(node)) {
      const key = keyOf({ kind, value })
      const known = found.get(key)
      if (known === undefined) found.set(key, { kind, part, value, nodes: [node.node] })
      else found.set(key, { ...known, nodes: [...new Set([...known.nodes, node.node])].sort(compare) })
    }
  }
  return found
}

/**
 * Pairs of node and kind for which a collected node reported any part. Only there does the absence of a part show
 * that it is gone.
 */
const shownIn = ({ nodes }: RunTrace): ReadonlySet<string> =>
  new Set(nodes.filter(answered).flatMap((node) => partsOf(node).map(({ kind }) => canonicalJson([node.node, kind]))))

/**
 * Parts that moved between nodes, were added, or are gone. A part of a node that one run did not read counts as
 * neither added nor gone.
 */
function movesBetween(before: RunTrace, after: RunTrace): readonly HardwareChange[] {
  const [then, now] = [foundIn(before), foundIn(after)]
  const [shownThen, shownNow] = [shownIn(before), shownIn(after)]
  const [from, to] = [momentOf(before), momentOf(after)]
  return [...new Set([...then.keys(), ...now.keys()])].sort(compare).flatMap((key) => {
    const [was, is] = [then.get(key), now.get(key)]
    const { kind, part, value } = (is ?? was) as Found
    const gone = (was?.nodes ?? []).filter((node) => !(is?.nodes ?? []).includes(node))
    const fresh = (is?.nodes ?? []).filter((node) => !(was?.nodes ?? []).includes(node))
    const pairs = Math.min(gone.length, fresh.length)
    const move = (source: string | null, target: string | null): HardwareChange => ({
      kind,
      part,
      value,
      from: source,
      to: target,
      before: from,
      after: to,
    })
    const isShown = (shown: ReadonlySet<string>, node: string): boolean => shown.has(canonicalJson([node, kind]))
    return [
      ...gone.slice(0, pairs).map((node, at) => move(node, fresh[at] ?? null)),
      ...gone.slice(pairs).flatMap((node) => (isShown(shownNow, node) ? [move(node, null)] : [])),
      ...fresh.slice(pairs).flatMap((node) => (isShown(shownThen, node) ? [move(null, node)] : [])),
    ]
  })
}

/** Parts that several nodes of one run report, where the other run does not report them on the same nodes. */
function twiceIn(before: RunTrace, after: RunTrace): readonly PartTwice[] {
  const [then, now] = [foundIn(before), foundIn(after)]
  const of = (
    own: ReadonlyMap<string, Found>,
    other: ReadonlyMap<string, Found>,
    trace: RunTrace,
  ): readonly PartTwice[] =>
    [...own]
      .filter(
        ([key, { nodes }]) => nodes.length > 1 && canonicalJson(nodes) !== canonicalJson(other.get(key)?.nodes ?? []),
      )
      .sort(([a], [b]) => compare(a, b))
      .map(([, found]) => ({ ...found, at: momentOf(trace) }))
  return [...of(then, now, before), ...of(now, then, after)]
}

/** The probes that a check rests on. */
export type NeedsOf = (check: string) => readonly string[]

/**
 * The differences between two runs, from their traces alone. Total: defined for any two traces, empty for a trace and
 * itself, and mirrored when they are swapped. Probes and checks that only one catalog has are changes of the rules;
 * nodes that only one run has are changes of the scope. Without `needsOf`, every probe of a node counts as related to
 * each of its verdicts.
 */
export function driftOf(before: RunTrace, after: RunTrace, needsOf: NeedsOf | null = null): RunDrift {
  const pairs = pairsOf(before, after)
  const rules = rulesChanges(before, after)
  const parts = partChanges(before, after)
  const changesByPair = pairs.map((pair) => changesOf(pair, before, after))
  const isRead = ({ was, is }: Pair): boolean => answered(was) && answered(is)
  const bothRead = pairs.filter(isRead)
  const flipped = pairs.map((pair, at) =>
    flipsOf(pair, before, after, {
      changes: changesByPair[at] ?? { collection: [], readings: [] },
      rules: rules.length > 0,
      scope: parts.length > 0 || isDeclaredOtherwise(pair),
      needsOf,
    }),
  )
  const uncollected = pairs.flatMap((pair, at) =>
    uncollectedOf(pair, changesByPair[at]?.readings ?? [], flipped[at] ?? []),
  )
  const grouped = new Set(uncollected.flatMap(({ node, checks }) => checks.map((check) => `${node} ${check}`)))
  const touched = new Set(
    changesByPair.flatMap(({ readings }, at) => (readings.length > 0 ? [pairs[at]?.node ?? ''] : [])),
  )
  return {
    before: momentOf(before),
    after: momentOf(after),
    evidence: changesByPair.flatMap(({ collection, readings }) => [...collection, ...readings]),
    rules,
    scope: [...nodeChanges(before, after, pairs), ...parts],
    moves: movesBetween(before, after),
    twice: twiceIn(before, after),
    flips: flipped.flat().filter(({ node, check }) => !grouped.has(`${node} ${check}`)),
    uncollected,
    compared: bothRead.length,
    unchanged: bothRead.filter(({ node }) => !touched.has(node)).length,
  }
}

interface Pair {
  readonly node: string
  readonly was: TracedNode
  readonly is: TracedNode
}

const byName = ({ nodes }: RunTrace): ReadonlyMap<string, TracedNode> => new Map(nodes.map((one) => [one.node, one]))

function pairsOf(before: RunTrace, after: RunTrace): readonly Pair[] {
  const now = byName(after)
  return [...byName(before)]
    .flatMap(([node, was]) => {
      const is = now.get(node)
      return is === undefined ? [] : [{ node, was, is }]
    })
    .sort((a, b) => compare(a.node, b.node))
}

interface NodeChanges {
  /** Status, host key, address. */
  readonly collection: readonly EvidenceChange[]
  readonly readings: readonly (EvidenceChange & { readonly what: { readonly kind: 'reading' } })[]
}

function changesOf(pair: Pair, before: RunTrace, after: RunTrace): NodeChanges {
  const { node, was, is } = pair
  const changeOf = (
    kind: 'status' | 'host-key' | 'address',
    then: string | null,
    now: string | null,
  ): EvidenceChange[] =>
    then === null || now === null || then === now
      ? []
      : [{ node, what: { kind }, is: 'changed', before: then, after: now }]
  return {
    collection: [
      ...changeOf('status', statusOf(was), statusOf(is)),
      ...changeOf('host-key', was.hostKey, is.hostKey),
      ...changeOf('address', was.address, is.address),
    ],
    readings: answered(was) && answered(is) ? readingChanges(pair, before, after) : [],
  }
}

const statusOf = ({ status, failure }: TracedNode): string => (failure === null ? status : `${status} (${failure})`)

function readingChanges({ node, was, is }: Pair, before: RunTrace, after: RunTrace): NodeChanges['readings'] {
  const places = placesOf(after.probes)
  return [...placesOf(before.probes)]
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([probe, place]) => {
      const now = places.get(probe)
      const [a, b] = [readingAt(was, place), now === undefined ? NOT_COMPARED : readingAt(is, now)]
      if (a === b || a === NOT_COMPARED || b === NOT_COMPARED) return []
      const change = a === NO_READING ? 'came' : b === NO_READING ? 'lost' : 'changed'
      return [{ node, what: { kind: 'reading', probe } as const, is: change, before: null, after: null } as const]
    })
}

const placesOf = (ids: readonly string[]): ReadonlyMap<string, number> => new Map(ids.map((id, at) => [id, at]))

function readingAt({ readings }: TracedNode, place: number): string {
  const digits = readings.slice(place * READING_DIGITS, (place + 1) * READING_DIGITS)
  return digits.length === READING_DIGITS ? digits : NOT_COMPARED
}

function rulesChanges(before: RunTrace, after: RunTrace): readonly RulesChange[] {
  const change = (what: RulesChange['what'], then: string | null, now: string | null): RulesChange[] =>
    then === now ? [] : [{ what, before: then, after: now }]
  const shown = ({ catalog }: RunTrace): string => `${catalog.version} (${catalog.digest})`
  const programs = [...change('engine', before.engine, after.engine), ...change('catalog', shown(before), shown(after))]
  const only = (ids: readonly string[], others: readonly string[]): readonly string[] => {
    const known = new Set(others)
    return [...new Set(ids)].filter((id) => !known.has(id)).sort(compare)
  }
  return [
    ...programs,
    // Rules consist of engine, catalog and profile; where the first two are equal, the profile differs.
    ...(programs.length === 0 && before.rules !== after.rules
      ? [{ what: 'profile', before: null, after: null } as const]
      : []),
    ...only(after.checks, before.checks).map((id) => ({ what: 'check-added', before: null, after: id }) as const),
    ...only(before.checks, after.checks).map((id) => ({ what: 'check-removed', before: id, after: null }) as const),
    ...only(after.probes, before.probes).map((id) => ({ what: 'probe-added', before: null, after: id }) as const),
    ...only(before.probes, after.probes).map((id) => ({ what: 'probe-removed', before: id, after: null }) as const),
  ]
}

function nodeChanges(before: RunTrace, after: RunTrace, pairs: readonly Pair[]): readonly ScopeChange[] {
  const both = new Set(pairs.map(({ node }) => node))
  const only = (trace: RunTrace, what: 'node-added' | 'node-removed'): readonly ScopeChange[] =>
    [...byName(trace).keys()]
      .filter((node) => !both.has(node))
      .sort(compare)
      .map((node) => ({ what, node, part: null }))
  const declared = pairs
    .filter(isDeclaredOtherwise)
    .map(({ node }): ScopeChange => ({ what: 'declared', node, part: null }))
  return [...only(after, 'node-added'), ...only(before, 'node-removed'), ...declared]
}

const isDeclaredOtherwise = ({ was, is }: Pair): boolean =>
  was.declared !== null && is.declared !== null && was.declared !== is.declared

function partChanges(before: RunTrace, after: RunTrace): readonly ScopeChange[] {
  const of = ({ scope }: RunTrace): ReadonlyMap<string, string> =>
    new Map(scope.map(({ part, sha256 }) => [part, sha256]))
  const [then, now] = [of(before), of(after)]
  return [...new Set([...then.keys(), ...now.keys()])]
    .filter((part) => then.get(part) !== now.get(part))
    .sort(compare)
    .map((part) => ({ what: 'part', node: null, part }))
}

const BY_LETTER: ReadonlyMap<string, Verdict> = new Map(VERDICTS.map((verdict) => [verdictLetters[verdict], verdict]))

/** The verdict that a trace has for a check on a node; null where it has none. */
export const verdictAt = ({ verdicts }: TracedNode, place: number | undefined): Verdict | null =>
  place === undefined ? null : (BY_LETTER.get(verdicts[place] ?? '') ?? null)

/** Positions of the checks that both traces have. */
export function checksInBoth(before: RunTrace, after: RunTrace): readonly (readonly [string, number, number])[] {
  const now = placesOf(after.checks)
  return [...placesOf(before.checks)]
    .flatMap(([check, place]) => {
      const other = now.get(check)
      return other === undefined ? [] : [[check, place, other] as const]
    })
    .sort(([a], [b]) => compare(a, b))
}

interface Bearing {
  readonly changes: NodeChanges
  readonly rules: boolean
  readonly scope: boolean
  readonly needsOf: NeedsOf | null
}

function flipsOf({ node, was, is }: Pair, before: RunTrace, after: RunTrace, bearing: Bearing): readonly Flip[] {
  const changed = bearing.changes.readings.map(({ what }) => what.probe)
  return checksInBoth(before, after).flatMap(([check, place, other]) => {
    const [then, now] = [verdictAt(was, place), verdictAt(is, other)]
    if (then === now) return []
    const needs = bearing.needsOf === null ? null : new Set(bearing.needsOf(check))
    const probes = changed.filter((probe) => needs === null || needs.has(probe))
    const evidence = probes.length > 0 || bearing.changes.collection.length > 0
    const isSame = was.recording === is.recording
    const because = causeOf({ evidence, rules: bearing.rules, scope: bearing.scope }, isSame)
    return [{ node, check, before: then, after: now, because, probes }]
  })
}

/**
 * The differences that result only from a node not being collected, or only partially. For a node that one run did
 * not collect: every differing verdict. For one collected partially: probes that only the other run has an answer to,
 * and verdicts that depend on no other change and that the partial run left open. A deviation that a partial run
 * found, or no longer finds, is never among them.
 */
function uncollectedOf(
  { node, was, is }: Pair,
  readings: NodeChanges['readings'],
  flips: readonly Flip[],
): readonly Uncollected[] {
  const row = (probes: readonly string[], checks: readonly string[]): readonly Uncollected[] => [
    { node, before: collectedAs(was), after: collectedAs(is), probes, checks },
  ]
  if (!answered(was) || !answered(is))
    return flips.length === 0 && answered(was) === answered(is)
      ? []
      : row(
          [],
          flips.map(({ check }) => check),
        )
  const unread = new Set(
    readings.flatMap(({ what, is: change }) =>
      (change === 'lost' && is.status === 'partial') || (change === 'came' && was.status === 'partial')
        ? [what.probe]
        : [],
    ),
  )
  const checks = flips.filter(
    ({ probes, before, after }) =>
      probes.length > 0 &&
      probes.every((probe) => unread.has(probe)) &&
      ((is.status === 'partial' && isOpen(after) && before !== 'not-satisfied') ||
        (was.status === 'partial' && isOpen(before) && after !== 'not-satisfied')),
  )
  return unread.size === 0
    ? []
    : row(
        [...unread],
        checks.map(({ check }) => check),
      )
}

const collectedAs = ({ status, failure }: TracedNode): Uncollected['before'] => ({ status, failure })
const isOpen = (verdict: Verdict | null): boolean => verdict === 'inconclusive' || verdict === 'not-tested'

function causeOf(present: Readonly<Record<'evidence' | 'rules' | 'scope', boolean>>, isSame: boolean): FlipCause {
  const causes = (['evidence', 'rules', 'scope'] as const).filter((cause) => present[cause])
  const [only] = causes
  if (only === undefined) return isSame ? 'time' : 'undecided'
  return causes.length === 1 ? only : 'undecided'
}
