import type { RunMoment } from '../../../schemas/types.ts'
import type { CheckOver, CountedScope } from '../register/documents.ts'
import { type Counted, isAboutServers, type NodesInScope } from './conclude.ts'

/** Where and when one check deviated in the runs of a period. */
interface DeviatingOver {
  readonly nodes: ReadonlySet<string>
  readonly first: RunMoment
  readonly last: RunMoment
}

/** The results of several runs, counted together. One item is one node in one run (a node test). */
export interface ResultPool {
  /** Adds the next run, in the order of the chain. */
  readonly add: (moment: RunMoment, run: Counted) => void
  /** Adds a run without usable results: this many node tests did not take place. */
  readonly addUntested: (nodes: Readonly<Record<CountedScope, number>>) => void
  /** `once`: counts without nodes, for what is answered once for the whole period. */
  readonly counted: (once: Counted) => Counted
  /** Null where it deviated in no run. */
  readonly deviating: (check: string, scope: CountedScope) => DeviatingOver | null
}

const SCOPES: readonly CountedScope[] = ['all', 'ephi']
/** Stands for every check that no run can have tested, because the catalog does not have it. */
const NO_CHECK = ''

const keyOf = (check: string, scope: CountedScope): string => `${scope}\n${check}`
type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Pooled {
  readonly count: Writable<CheckOver['count']>
  /** Node tests. */
  readonly deviating: string[]
  readonly accepted: string[]
  unsettled: number
  /** The nodes of these node tests. */
  readonly nodes: Set<string>
  first: RunMoment | null
  last: RunMoment | null
}

/**
 * Pools the counts of the given checks, in both scopes. Of each run, only counts and names of deviating nodes are
 * kept.
 */
export function resultPool(checks: readonly string[]): ResultPool {
  const ids = [...new Set([NO_CHECK, ...checks])]
  const pooled = new Map<string, Pooled>()
  const nodes: Record<CountedScope, Writable<NodesInScope>> = {
    all: { population: 0, reached: 0 },
    ephi: { population: 0, reached: 0 },
  }
  const untested: Record<CountedScope, number> = { all: 0, ephi: 0 }
  return {
    add: (moment, run) => {
      for (const scope of SCOPES) {
        const { population, reached } = run.inScope(scope)
        nodes[scope].population += population
        nodes[scope].reached += reached
        for (const check of ids) {
          const over = run.count(check, scope)
          if (isAboutServers(over.count)) addTo(pooled, keyOf(check, scope), over, moment)
        }
      }
    },
    addUntested: (more) => {
      for (const scope of SCOPES) untested[scope] += more[scope]
    },
    counted: (once) => ({
      inScope: (scope) => ({ ...nodes[scope], population: nodes[scope].population + untested[scope] }),
      count: (check, scope) => {
        const alone = once.count(check, scope)
        const found = pooled.get(keyOf(check, scope)) ?? pooled.get(keyOf(NO_CHECK, scope))
        if (!isAboutServers(alone.count) || found === undefined) return alone
        const { count, deviating, accepted, unsettled } = found
        const { source, built } = alone.count
        return {
          count: {
            ...count,
            check,
            source,
            built,
            population: count.population + untested[scope],
            notTested: count.notTested + untested[scope],
          },
          deviating,
          accepted,
          unsettled,
        }
      },
    }),
    deviating: (check, scope) => {
      const { nodes: on, first, last } = pooled.get(keyOf(check, scope)) ?? NEVER
      return first === null || last === null ? null : { nodes: on, first, last }
    },
  }
}

const NEVER: Pick<Pooled, 'nodes' | 'first' | 'last'> = { nodes: new Set(), first: null, last: null }

function addTo(pooled: Map<string, Pooled>, key: string, over: CheckOver, moment: RunMoment): void {
  const nodeTest = (node: string): string => `${node} ${moment.run}`
  const known = pooled.get(key)
  const into: Pooled = known ?? {
    count: { ...over.count },
    deviating: [],
    accepted: [],
    unsettled: 0,
    nodes: new Set(),
    first: null,
    last: null,
  }
  if (known === undefined) pooled.set(key, into)
  else addCounts(into.count, over.count)
  into.unsettled += over.unsettled
  for (const node of over.deviating) {
    into.deviating.push(nodeTest(node))
    into.nodes.add(node)
  }
  for (const node of over.accepted) into.accepted.push(nodeTest(node))
  if (over.deviating.length === 0) return
  into.first ??= moment
  into.last = moment
}

const COUNTS = [
  'population',
  'tested',
  'satisfied',
  'notSatisfied',
  'inconclusive',
  'notApplicable',
  'informational',
  'notTested',
  'accepted',
  'answeredByDocument',
  'notRetested',
] as const

function addCounts(into: Writable<CheckOver['count']>, more: CheckOver['count']): void {
  for (const name of COUNTS) into[name] += more[name]
}
