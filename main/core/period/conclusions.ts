import type {
  Deviation,
  PeriodConclusions,
  PeriodControl,
  PlannedSpan,
  Register,
  RunMoment,
  RunTrace,
} from '../../../schemas/types.ts'
import { VERDICTS, type Verdict, verdictLetters } from '../../../schemas/words.ts'
import { startOfDay } from '../base/days.ts'
import type { PackScope } from '../conclusion/assess.ts'
import { isStale } from '../conclusion/assess.ts'
import { type ConclusionMatter, type Counted, concludeCounted, countResults } from '../conclusion/conclude.ts'
import { type ResultPool, resultPool } from '../conclusion/pool.ts'
import { compare } from '../recording/recording.ts'
import type { CountedScope, NodeVerdicts } from '../register/documents.ts'
import { type Catalog, catalogFor } from '../rules/catalog.ts'
import type { Framework } from '../rules/framework.ts'
import type { DueRun } from './plans.ts'
import type { EnteredRun } from './seen.ts'

/** What conclusions over a period need of one run, as its own pack seals it. */
export interface RunEvidence {
  readonly trace: RunTrace
  readonly scope: PackScope
  readonly register: Register
}

/** What is known once all runs were added. */
export interface PeriodMatter {
  /** Scheduled runs that did not take place, explained or not. */
  readonly missed: readonly DueRun[]
  readonly deviations: readonly Deviation[]
  /** Whether the chain of runs covers the period: isCovered(). */
  readonly covered: boolean
}

/** Conclusions on controls over the runs of a period, taken run by run. */
interface ConclusionFold {
  /** The next run in chain order; null where its evidence is not available. */
  readonly add: (run: EnteredRun, evidence: RunEvidence | null) => void
  readonly finish: (matter: PeriodMatter) => DerivedConclusions
}

export interface DerivedConclusions {
  /** Null without any run whose evidence is available. */
  readonly conclusions: PeriodConclusions | null
  /** The frameworks that were concluded on, in catalog order, with the wording of their controls. */
  readonly frameworks: readonly Framework[]
}

/** A run that was counted, and how many nodes were in its scopes. */
interface CountedRun {
  readonly at: number
  readonly nodes: Readonly<Record<CountedScope, number>>
}

/**
 * Conclusions over a period by the module that concludes on one run, over node tests: one node in one run is one item of the population.
 * Each run is counted with the declarations and the register that it sealed; documents, decisions and the choice of frameworks are those
 * of the last run. A run that was missed, or whose evidence is not available, counts the nodes of the run before it as not tested.
 */
export function conclusionFold(ours: Catalog): ConclusionFold {
  const pool = resultPool([
    ...ours.checks.map(({ id }) => id),
    ...ours.frameworks.flatMap(({ controls }) =>
      controls.flatMap(({ mappings }) => mappings.map(({ check }) => check)),
    ),
  ])
  const counted: CountedRun[] = []
  const unavailable: string[] = []
  let last: RunEvidence | null = null
  let worst = { uncovered: 0, surplus: 0 }
  return {
    add: ({ entry }, evidence) => {
      if (evidence === null) {
        unavailable.push(entry.at)
        return
      }
      const { trace } = evidence
      last = evidence
      const lists = listsOf(trace)
      worst = {
        uncovered: Math.max(worst.uncovered, lists.uncovered),
        surplus: Math.max(worst.surplus, lists.surplus),
      }
      const { sameMachines: machines = [] } = trace
      const run = countResults(catalogFor(ours, evidence.scope), verdictsIn(trace), {
        ...matterOf(evidence, lists),
        machines,
      })
      pool.add({ run: trace.run, at: trace.asOf }, run)
      counted.push({ at: Date.parse(trace.asOf), nodes: populations(run) })
    },
    finish: ({ missed, deviations, covered }) => {
      if (last === null) return { conclusions: null, frameworks: [] }
      for (const at of [...unavailable, ...missed.map(({ due }) => due)])
        pool.addUntested(nodesBefore(counted, Date.parse(at)))
      const catalog = catalogFor(ours, last.scope)
      const matter = { ...matterOf(last, worst), chainCoversPeriod: covered }
      const frameworks = [...new Set(last.scope.frameworks)].sort(compare)
      const results = pool.counted(countResults(catalog, [], matter))
      const scopes = new Map(
        catalog.frameworks.flatMap(({ id, controls }) =>
          controls.map((control) => [`${id}\n${control.key}`, control.scope ?? 'all'] as const),
        ),
      )
      const open = new Set(deviations.flatMap((one) => (one.open ? [`${one.node}\n${one.check}`] : [])))
      const controls = concludeCounted(catalog, frameworks, results, matter).map((conclusion): PeriodControl => {
        const scope = scopes.get(`${conclusion.framework}\n${conclusion.control}`) ?? 'all'
        return { conclusion, deviations: deviatingIn(pool, conclusion.checks, { scope, open }) }
      })
      return {
        conclusions: {
          run: { run: last.trace.run, at: last.trace.asOf },
          frameworks,
          runs: counted.length,
          missed: missed.length,
          unavailable: unavailable.length,
          covered,
          controls,
        },
        frameworks: catalog.frameworks.filter(({ id }) => frameworks.includes(id)),
      }
    },
  }
}

const LETTERS: ReadonlyMap<string, Verdict> = new Map(VERDICTS.map((verdict) => [verdictLetters[verdict], verdict]))

/** The results of a run as its trace states them. A check without a letter had no result. */
const verdictsIn = ({ asOf, checks, nodes }: RunTrace): readonly NodeVerdicts[] =>
  nodes.map(({ node, verdicts, observedAt, declaresEphi }) => ({
    node,
    declaresEphi: declaresEphi === true,
    results: checks.flatMap((check, place) => {
      const verdict = LETTERS.get(verdicts[place] ?? '')
      return verdict === undefined ? [] : [{ check, verdict }]
    }),
    stale: observedAt !== null && isStale(observedAt, asOf),
  }))

type Lists = Required<Pick<ConclusionMatter, 'uncovered' | 'surplus'>>

/** How far the lists of a run agree. Without an inventory nothing was reconciled. */
const listsOf = ({ unreconciled = 1, sameMachines = [] }: RunTrace): Lists => ({
  uncovered: unreconciled,
  surplus: sameMachines.reduce((sum, names) => sum + names.length - 1, 0),
})

const matterOf = ({ trace, scope, register }: RunEvidence, lists: Lists): ConclusionMatter => ({
  register,
  asOf: trace.asOf,
  engagement: scope.engagement,
  isOnPeriod: true,
  ...lists,
})

const populations = (run: Counted): CountedRun['nodes'] => ({
  all: run.inScope('all').population,
  ephi: run.inScope('ephi').population,
})

/** The nodes in the scopes of the last run before a moment; of the first run, where there is none before. */
const nodesBefore = (runs: readonly CountedRun[], moment: number): CountedRun['nodes'] =>
  (runs.findLast(({ at }) => at <= moment) ?? runs[0])?.nodes ?? { all: 0, ephi: 0 }

/** Where and when the deciding checks of a control deviated, and on how many of these nodes no later run shows remediation. */
function deviatingIn(
  pool: ResultPool,
  checks: PeriodControl['conclusion']['checks'],
  { scope, open }: { readonly scope: CountedScope; readonly open: ReadonlySet<string> },
): PeriodControl['deviations'] {
  const found = checks.flatMap(({ check, decides }) => {
    const over = decides ? pool.deviating(check, scope) : null
    return over === null ? [] : [{ check, ...over }]
  })
  const [one] = found
  if (one === undefined) return null
  const pairs = found.flatMap(({ check, nodes }) => [...nodes].map((node) => ({ node, check })))
  const earlier = (a: RunMoment, b: RunMoment): RunMoment => (Date.parse(b.at) < Date.parse(a.at) ? b : a)
  const later = (a: RunMoment, b: RunMoment): RunMoment => (Date.parse(b.at) > Date.parse(a.at) ? b : a)
  return {
    nodes: new Set(pairs.map(({ node }) => node)).size,
    open: new Set(pairs.filter(({ node, check }) => open.has(`${node}\n${check}`)).map(({ node }) => node)).size,
    first: found.map(({ first }) => first).reduce(earlier),
    last: found.map(({ last }) => last).reduce(later),
  }
}

/**
 * Whether the chain of runs covers a period: some schedule was in effect at every moment of it, and every scheduled run took place or is
 * explained in a signed entry (request ER-P2).
 */
export function isCovered(
  plans: readonly Pick<PlannedSpan, 'from' | 'until'>[],
  { from, to, unexplained }: { readonly from: string; readonly to: string; readonly unexplained: number },
): boolean {
  const end = Date.parse(`${to}T23:59:59.999Z`)
  const spans = plans
    .map((plan) => ({ from: Date.parse(plan.from), until: plan.until === null ? end : Date.parse(plan.until) }))
    .sort((a, b) => a.from - b.from)
  const reached = spans.reduce(
    (moment, span) => (span.from <= moment ? Math.max(moment, span.until) : moment),
    Date.parse(startOfDay(from)),
  )
  return unexplained === 0 && spans.length > 0 && reached >= end
}
