import { catalog } from '../../main/catalog/definition/index.ts'
import { type ConclusionMatter, concludeControls } from '../../main/core/conclusion/conclude.ts'
import type { NodeVerdicts } from '../../main/core/register/documents.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { EvidenceLevel, RowState } from '../../schemas/conclusion-words.ts'
import type { ControlAssessment, EvidenceDocument, Register } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import {
  AS_OF,
  type DocumentChanges,
  documentFor as documentAt,
  engagement,
  PERIOD,
  registerWith,
} from './conclusion-documents.ts'

/** Fleets that are verdicts, documents and an engagement only, over the real catalog: the conclusion model, section 12. */
export { AS_OF, engagement, PERIOD, registerWith }
export const FRAMEWORKS: readonly string[] = ['hipaa', 'soc2']

export const REQUEST_IDS: readonly string[] = catalog.requests.map(({ id }) => id)

/** Rows of the frameworks in force, and every check that one of them maps. */
export const CONTROLS = catalog.frameworks
  .filter(({ id }) => FRAMEWORKS.includes(id))
  .flatMap(({ id, controls }) => controls.map((control) => ({ ...control, framework: id })))
export const MAPPED: readonly string[] = [
  ...new Set(CONTROLS.flatMap(({ mappings }) => mappings.map((one) => one.check))),
]

/** Checks that only record something on every node: their best result is recorded. */
const RECORDED = new Set(catalog.checks.filter(({ ends }) => ends === 'recorded').map(({ id }) => id))

/** A server on which every check has its best result, but for those named. */
export const server = (node: string, results: Readonly<Record<string, Verdict>> = {}): NodeVerdicts => ({
  node,
  results: catalog.checks.map(({ id }) => ({
    check: id,
    verdict: results[id] ?? (RECORDED.has(id) ? 'informational' : 'satisfied'),
  })),
})

/** A declared server of which nothing was collected. */
export const unreached = (node: string): NodeVerdicts => ({
  node,
  results: catalog.checks.map(({ id }) => ({ check: id, verdict: 'not-tested' })),
})

/** The evidence of a server once it is stale: what was satisfied is inconclusive, and deviations stay (assess.ts). */
export const staled = ({ node, results }: NodeVerdicts): NodeVerdicts => ({
  node,
  stale: true,
  results: results.map(({ check, verdict }) => ({
    check,
    verdict: verdict === 'satisfied' || verdict === 'not-applicable' ? 'inconclusive' : verdict,
  })),
})

/** One document attached to an evidence request, at the request's minimum unless it names another level. */
export const documentFor = (request: string, its: DocumentChanges = {}): EvidenceDocument =>
  documentAt(request, { level: catalog.requests.find(({ id }) => id === request)?.minimum ?? 'inspected', ...its })

/** Every request at its minimum level, or at the level given; those named are left out. */
export const allDocuments = (level?: EvidenceLevel, without: readonly string[] = []): readonly EvidenceDocument[] =>
  catalog.requests
    .filter(({ id, heldBy }) => heldBy !== 'pack' && heldBy !== 'chain' && !without.includes(id))
    .map(({ id }) => documentFor(id, level === undefined ? {} : { level }))

export interface Fleet {
  readonly nodes: readonly NodeVerdicts[]
  readonly register?: Register
  readonly matter?: Partial<ConclusionMatter>
  readonly frameworks?: readonly string[]
}

export const concluded = ({
  nodes,
  register = EMPTY_REGISTER,
  matter = {},
  frameworks = FRAMEWORKS,
}: Fleet): readonly ControlAssessment[] =>
  concludeControls(catalog, frameworks, nodes, {
    register,
    asOf: AS_OF,
    engagement: engagement(),
    uncovered: 0,
    ...matter,
  })

/** Row states by key without the framework's name: `312(a)(1)`, `CC6.1`. */
export const statesOf = (controls: readonly ControlAssessment[]): ReadonlyMap<string, RowState> =>
  new Map(controls.map(({ control, state }) => [short(control), state]))

export const short = (key: string): string => key.replace(/^(hipaa:164\.|soc2:|nprm:164\.)/, '')

/** Keys of the rows in one state. */
export const inState = (controls: readonly ControlAssessment[], state: RowState, framework?: string): string[] =>
  controls
    .filter((one) => one.state === state && (framework === undefined || one.framework === framework))
    .map(({ control }) => short(control))

/** Rows whose state differs, as `key: before → after`. */
export function changes(before: readonly ControlAssessment[], after: readonly ControlAssessment[]): string[] {
  const were = statesOf(before)
  return after.flatMap(({ control, state }) =>
    were.get(short(control)) === state ? [] : [`${short(control)}: ${were.get(short(control))} → ${state}`],
  )
}
