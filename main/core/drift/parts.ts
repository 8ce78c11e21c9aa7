import type { PartTwice } from '../../../schemas/drift.ts'
import type { HardwareChange, RunMoment, RunTrace, TracedNode } from '../../../schemas/types.ts'
import { canonicalJson } from '../canonical-json.ts'
import { compare } from '../recording.ts'

/** A part that can be told from every other: by its serial number or fixed address, or a host key. */
interface Found {
  readonly kind: string
  readonly part: string
  readonly value: string
  /** Sorted, each once. */
  readonly nodes: readonly string[]
}

const HOST_KEY = 'host-key'

export const momentOf = ({ run, asOf }: RunTrace): RunMoment => ({ run, at: asOf })
const partsOf = ({ parts, hostKey }: TracedNode): readonly Omit<Found, 'nodes'>[] =>
  hostKey === null ? parts : [...parts, { kind: HOST_KEY, part: HOST_KEY, value: hostKey }]
const keyOf = ({ kind, value }: Omit<Found, 'nodes' | 'part'>): string => canonicalJson([kind, value])
/** Whether a node answered: only then do its readings and parts say anything. */
export const answered = ({ status }: TracedNode): boolean => status === 'complete' || status === 'partial'

/** Every part of a run by kind and value, with the nodes that showed it. */
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

/** Node and kind, where a node that answered showed any part of the kind: only there is one that is not shown known to be gone. */
const shownIn = ({ nodes }: RunTrace): ReadonlySet<string> =>
  new Set(nodes.filter(answered).flatMap((node) => partsOf(node).map(({ kind }) => canonicalJson([node.node, kind]))))

/** Parts that were on one node and are on another, that came, and that went; a part of a node that one run did not read did neither. */
export function movesBetween(before: RunTrace, after: RunTrace): readonly HardwareChange[] {
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

/** Parts that several nodes of one run show, where the other run does not show them on the same nodes. */
export function twiceIn(before: RunTrace, after: RunTrace): readonly PartTwice[] {
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
