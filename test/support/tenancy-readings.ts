import { storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { decideTenancy, type TenancyAnswer } from '../../main/catalog/single-tenancy/tenancy/argue.ts'
import { TENANCY_PROBES } from '../../main/catalog/single-tenancy/tenancy/readings.ts'
import { known, type Parsed, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import { type Read, readFrom } from '../../main/core/recording/readings.ts'
import { type Evaluated, fixtureOf } from './evaluated.ts'

/** Everything that the session signals and the answer on tenancy are read from. */
export const PROBES: readonly Probe<unknown>[] = [...Object.values(TENANCY_PROBES), storageMounts]

/** What a fixture node answered, to the probes above. */
const loaded = new Map<string, Node>()
export function nodeOf(name: string): Node {
  const { captures, context } = fixtureOf(name)
  const asked = new Set(PROBES.map(({ id }) => id))
  const node = loaded.get(name) ?? {
    captures: new Map([...captures].filter(([, { meta }]) => asked.has(meta.probe))),
    context,
  }
  loaded.set(name, node)
  return node
}

type Node = Pick<Evaluated, 'captures' | 'context'>

/** What the probes read on a node; kept with the node, which never changes. */
const readings = new WeakMap<Node, ReadonlyMap<string, Parsed<unknown>>>()
function readingsOf(node: Node): ReadonlyMap<string, Parsed<unknown>> {
  const before = readings.get(node)
  if (before !== undefined) return before
  const read = new Map(PROBES.map((probe) => [probe.id, readProbe(probe, node.captures)]))
  readings.set(node, read)
  return read
}

export type Changed = readonly (readonly [Probe<never, never> | Probe<unknown>, Parsed<unknown>])[]

/** A fixture node, with some of its readings replaced. */
export const readWith = (name: string, changed: Changed = []): Read =>
  readFrom(new Map([...readingsOf(nodeOf(name)), ...changed.map(([{ id }, reading]) => [id, reading] as const)]))

/** Who uses a fixture node, with some of its readings and its roster replaced. */
export function tenancyOf(name: string, changed: Changed = [], roster?: readonly string[] | null): TenancyAnswer {
  const { context } = nodeOf(name)
  const { roster: declared, ...node } = context.node
  const named = roster === undefined ? declared : (roster ?? undefined)
  return decideTenancy(readWith(name, changed), {
    ...context,
    node: named === undefined ? node : { ...node, roster: [...named] },
  })
}

/** The texts of an answer's steps of one kind. */
export const texts = ({ because }: TenancyAnswer, says: 'supports' | 'contradicts' | 'unclear'): string =>
  because
    .filter((step) => step.direction === says)
    .map(({ text }) => text)
    .join('\n')

/** The process list of a fixture with more rows: pid, user, command, control group. */
export const processRows = (
  name: string,
  ...rows: readonly (readonly [number, string, string, string])[]
): readonly [typeof TENANCY_PROBES.processes, Parsed<unknown>] => {
  const before = readWith(name)(TENANCY_PROBES.processes)
  if (!before.ok) throw new Error(before.reason)
  const more = rows.map(([pid, user, command, cgroup]) => ({ pid, user, command, cgroup }))
  return [
    TENANCY_PROBES.processes,
    { ok: true, fact: { ...before.fact, processes: [...before.fact.processes, ...more] } },
  ]
}

/** The node of the demo on which no one but its tenant was seen. */
export const DEMO = 'demo-gpu-01'
/** What a node of the demo found, for a probe. */
export const factOf = <F>(probe: Probe<F, never> | Probe<F>): F => {
  const reading = readWith(DEMO)(probe as Probe<F>)
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

/** The same with some fields changed, as a reading. */
export const change = <F>(probe: Probe<F, never> | Probe<F>, fields: Partial<F>): Changed[number] => [
  probe as Probe<unknown>,
  known({ ...factOf(probe), ...fields }),
]
/** Who uses that node, with some of its readings changed. */
export const answer = (...changed: Changed) => tenancyOf(DEMO, changed)
