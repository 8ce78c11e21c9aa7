import type { CheckSource, ControlRole } from '../../../schemas/conclusion-words.ts'
import type { CheckResult, ControlCheck, Machine } from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import type { Acceptances } from '../register.ts'
import type { Answers } from './documents.ts'
import type { OffNodeCheck } from './requests.ts'

/** One check over the nodes of one scope, and which of them deviate. */
export interface CheckOver {
  readonly count: Omit<ControlCheck, 'role' | 'decides'>
  /** Nodes whose result is not satisfied and not answered by a document. */
  readonly deviating: readonly string[]
  /** Of those, the ones with a risk acceptance in force. */
  readonly accepted: readonly string[]
  /** Reached nodes without a deciding result that no document answers. */
  readonly unsettled: number
}

/** Every node, or those that hold or carry declared ePHI. */
export type CountedScope = 'all' | 'ephi'

/** What results are counted by. */
export interface CountingMatter {
  readonly nodes: readonly NodeVerdicts[]
  /** Ids of the checks that the catalog has. */
  readonly built: ReadonlySet<string>
  readonly offNodeChecks: readonly OffNodeCheck[]
  readonly acceptances: Acceptances
  readonly answers: Answers
  /** Whether the population comparison closes. */
  readonly population: boolean
  /** Whether the chain of runs covers the period; null at a point in time. */
  readonly chain: boolean | null
  /** Built checks that are answered by the chain of runs. */
  readonly periodChecks: ReadonlySet<string>
  /** Checks of ePHI paths and flows: they cannot apply to a node that the inspected data map leaves out. */
  readonly ephiChecks: ReadonlySet<string>
  /** Names of nodes that hold or carry declared ePHI, once that declaration was inspected; null before. */
  readonly ephiNodes: ReadonlySet<string> | null
}

/** A node was reached when at least one check has a result other than not tested. */
export const isReached = ({ results }: NodeVerdicts): boolean => results.some(({ verdict }) => verdict !== 'not-tested')

/** Where a mapped check's answer comes from. */
export function sourceOf(
  check: string,
  { built, offNodeChecks, periodChecks }: Pick<CountingMatter, 'built' | 'offNodeChecks' | 'periodChecks'>,
): CheckSource {
  if (periodChecks.has(check)) return 'runs'
  if (built.has(check)) return 'server'
  return offNodeChecks.find(({ id }) => id === check)?.source ?? 'server'
}

/** Whether a check decides for a control: its role says so, and at a point in time nothing is asked of the chain of runs. */
export const decides = (role: ControlRole, source: CheckSource, chain: boolean | null): boolean =>
  (role === 'required' || role === 'counter') && source !== 'document' && (source !== 'runs' || chain !== null)

/** Counts of checks, made once for all controls: over every node, or over those that hold or carry ePHI. */
export function counting(matter: CountingMatter): (check: string, scope: CountedScope) => CheckOver {
  const every = matter.nodes.map((node) => ({
    node: node.node,
    stale: node.stale === true,
    reached: isReached(node),
    of: new Map(node.results.map(({ check, verdict }) => [check, verdict])),
  }))
  const { ephiNodes } = matter
  const carrying = ephiNodes === null ? every : every.filter(({ node }) => ephiNodes.has(node))
  const known = new Map<string, CheckOver>()
  return (check, scope) => {
    const key = `${scope}\n${check}`
    const found = known.get(key)
    if (found !== undefined) return found
    const source = sourceOf(check, matter)
    const isOnServers = source === 'server' || (source === 'runs' && matter.built.has(check))
    const counted = isOnServers
      ? overServers(check, source, scope === 'ephi' ? carrying : every, matter)
      : once(check, source, matter)
    known.set(key, counted)
    return counted
  }
}

interface Sorted {
  readonly node: string
  readonly stale: boolean
  readonly reached: boolean
  readonly of: ReadonlyMap<string, Verdict>
}

function overServers(check: string, source: CheckSource, nodes: readonly Sorted[], matter: CountingMatter): CheckOver {
  const counts: Record<Verdict, number> = { ...NONE }
  const [deviating, accepted]: [string[], string[]] = [[], []]
  let [answeredByDocument, unsettled, notRetested, tested] = [0, 0, 0, 0]
  const isBuilt = matter.built.has(check)
  const isOutside = (node: string): boolean =>
    matter.ephiChecks.has(check) && matter.ephiNodes !== null && !matter.ephiNodes.has(node)
  for (const { node, stale, reached, of } of nodes) {
    const observed = (isBuilt ? of.get(check) : undefined) ?? 'not-tested'
    const outside = reached && isOutside(node)
    const verdict = outside ? 'not-applicable' : observed
    counts[verdict] += 1
    if (!reached) continue
    if (verdict !== 'not-tested') tested += 1
    const answer = matter.answers(check, node)
    if (verdict === 'not-satisfied') {
      if (answer === 'any') answeredByDocument += 1
      else {
        deviating.push(node)
        if (stale) notRetested += 1
        if (matter.acceptances.inForce(node, check) !== null) accepted.push(node)
      }
    } else if (verdict === 'inconclusive' || verdict === 'not-tested' || (stale && !outside)) {
      // What was only recorded keeps its word when it is too old, and no longer counts as obtained.
      if (answer === null) unsettled += 1
      else answeredByDocument += 1
    }
  }
  return {
    count: {
      check,
      source,
      built: isBuilt,
      population: nodes.length,
      tested,
      satisfied: counts.satisfied,
      notSatisfied: counts['not-satisfied'],
      inconclusive: counts.inconclusive,
      notApplicable: counts['not-applicable'],
      informational: counts.informational,
      notTested: counts['not-tested'],
      accepted: accepted.length,
      answeredByDocument,
      notRetested,
    },
    deviating,
    accepted,
    unsettled,
  }
}

/** What is answered once for the whole population: by the pack, the chain of runs, or the comparison of lists. */
function once(check: string, source: CheckSource, { population, chain }: CountingMatter): CheckOver {
  const isMet = source === 'pack' || (source === 'population' && population) || (source === 'runs' && chain === true)
  const isAsked = source !== 'document' && !(source === 'runs' && chain === null)
  const one = isAsked ? 1 : 0
  return {
    count: {
      check,
      source,
      built: false,
      population: one,
      tested: one,
      satisfied: isMet ? 1 : 0,
      notSatisfied: 0,
      inconclusive: isAsked && !isMet ? 1 : 0,
      notApplicable: 0,
      informational: 0,
      notTested: 0,
      accepted: 0,
      answeredByDocument: 0,
      notRetested: 0,
    },
    deviating: [],
    accepted: [],
    unsettled: isAsked && !isMet ? 1 : 0,
  }
}

const NONE: Readonly<Record<Verdict, number>> = {
  satisfied: 0,
  'not-satisfied': 0,
  inconclusive: 0,
  'not-applicable': 0,
  'not-tested': 0,
  informational: 0,
}

/** As much of a node's assessment as controls, and the comparison of lists, rest on. */
export interface NodeVerdicts {
  readonly node: string
  readonly results: readonly Pick<CheckResult, 'check' | 'verdict'>[]
  readonly machine?: Machine
  /** Whether the evidence is older than its validity: then satisfied results were turned into inconclusive ones, and deviations stay. */
  readonly stale?: boolean
}
