import { rowStateWords, SEVERITIES } from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../schemas/types.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { compare } from '../../core/recording/recording.ts'
import { NOTHING_SHARED, sameMachineText, surplusNames } from '../../core/recording/same-machine.ts'
import { type Closed, closedOf, type FormatInput } from './input.ts'
import { catalogDocument, planDocument } from './oscal/catalog.ts'
import { findingsOf, observationsOf, statusOf, verdictProps } from './oscal/findings.ts'
import {
  assessmentAssets,
  backMatter,
  citing,
  DOCUMENTS,
  type DocumentKind,
  isObserved,
  line,
  MOST_NODES,
  metadataOf,
  momentOf,
  type Names,
  NO_MOMENT,
  NS,
  namesOf,
  oscalName,
  prop,
  some,
} from './oscal/head.ts'
import { inventoryItems, reviewedControls } from './oscal/population.ts'
import { risksOf } from './oscal/risks.ts'
import { rowCounts } from './row-counts.ts'

/**
 * The findings as a plan of action and milestones (NIST, model plan-of-action-and-milestones): one item for each open finding and each one that
 * was closed in the period, with its risk, the observations of its deviating nodes and those nodes. Null without a finding: the model
 * requires an item.
 */
function poamDocument(names: Names): unknown {
  const { assessment, shown } = names.input
  const closed = closedOf(shown)
  if (shown.findings.length + closed.length === 0) return null
  const checks = new Set(shown.findings.map(({ check }) => check))
  const isDeviation = ({ check, verdict }: { readonly check: string; readonly verdict: string }): boolean =>
    verdict === 'not-satisfied' && checks.has(check)
  return {
    'plan-of-action-and-milestones': {
      uuid: names.ofRun('document', 'poam'),
      metadata: metadataOf(names, 'poam'),
      'system-id': { 'identifier-type': `${NS}/fleet`, id: line(assessment.scope.fleet) },
      'local-definitions': {
        ...some(
          'inventory-items',
          inventoryItems(names, (node) => node.results.some((one) => isDeviation(one) && isObserved(one, node))),
        ),
        'assessment-assets': assessmentAssets(names),
      },
      ...some('observations', observationsOf(names, isDeviation)),
      ...some('risks', risksOf(names)),
      'poam-items': [
        ...shown.findings.map((one) => itemOf(names, one, `Open finding ${one.reference}: ${one.condition}`)),
        ...closed.map((one) => itemOf(names, one, `Closed finding ${one.reference}: ${one.title}`)),
      ],
      'back-matter': backMatter(names, 'assessment-results', 'catalog', 'pack'),
    },
  }
}

const itemOf = (
  names: Names,
  { reference, check, title }: Pick<Finding | Closed, 'reference' | 'check' | 'title'>,
  description: string,
): unknown => ({
  uuid: names.lasting('poam-item', check),
  title: line(title),
  description: line(description),
  props: [prop('reference', reference), prop('check', check)],
  links: [{ href: citing(names, 'assessment-results'), rel: 'reference', text: 'Assessment results' }],
  origins: [names.origin],
  'related-risks': [{ 'risk-uuid': names.risk(check) }],
})

/**
 * The documents of OSCAL 1.2 (NIST) by file name, one at a time: catalog, assessment plan, assessment results, and the plan of action and
 * milestones, which is omitted without a finding because its model requires an item. They refer to each other, and objects that last over
 * runs have the same UUID in every run.
 */
export function* oscalFiles(input: FormatInput): Generator<readonly [string, unknown]> {
  const names = namesOf(input)
  for (const kind of DOCUMENTS) {
    const document = MAKERS[kind](names)
    if (document !== null) yield [oscalName(input.prefix, kind), document]
  }
}

const MAKERS: Readonly<Record<DocumentKind, (names: Names) => unknown>> = {
  catalog: catalogDocument,
  'assessment-plan': planDocument,
  'assessment-results': resultsDocument,
  poam: poamDocument,
}

/**
 * The assessment as assessment results (NIST, model assessment-results). It contains no attestation: it repeats what was observed and cites
 * the sealed pack by digest.
 */
function resultsDocument(names: Names): unknown {
  return {
    'assessment-results': {
      uuid: names.ofRun('document', 'assessment-results'),
      metadata: metadataOf(names, 'assessment-results'),
      'import-ap': { href: citing(names, 'assessment-plan') },
      results: [resultOf(names)],
      'back-matter': backMatter(names, 'assessment-plan', 'catalog', 'rules', 'pack'),
    },
  }
}

function resultOf(names: Names): unknown {
  const { assessment, recordings, run, shown } = names.input
  const moments = (of: 'startedAt' | 'endedAt'): readonly string[] =>
    recordings.flatMap(({ recording }) => momentOf(recording[of]) ?? []).sort(compare)
  const assessed = momentOf(assessment.asOf) ?? NO_MOMENT
  const start = moments('startedAt')[0] ?? assessed
  const end = moments('endedAt').at(-1) ?? assessed
  return {
    uuid: names.ofRun('result'),
    title: line(`Run ${run}`),
    description: line(
      `${shown.conclusion.join(' ')} ${assessment.nodes.length} nodes of ${assessment.scope.fleet}, assessed as of ${assessment.asOf}. Counts are deviations of nodes tested; nodes not tested are counted separately.`,
    ),
    start,
    ...(end >= start ? { end } : {}),
    props: [
      prop('nodes', assessment.nodes.length),
      prop('risk-acceptances', names.input.register.riskAcceptances.length),
      ...SEVERITIES.map((level) => prop(`findings-${level}`, shown.figures.findings[level])),
      prop('deviations', shown.figures.deviations),
      ...verdictProps(assessment.nodes.flatMap(({ results }) => results)),
      ...rowProps(names),
    ],
    'local-definitions': {
      ...some('inventory-items', inventoryItems(names)),
      'assessment-assets': assessmentAssets(names),
    },
    'reviewed-controls': reviewedControls(names),
    ...some('observations', observationsOf(names)),
    ...some('risks', risksOf(names)),
    ...some('findings', findingsOf(names)),
    remarks: remarksOf(names),
  }
}

/** Controls of each framework by state. The class states the framework: counts of different frameworks are never added. */
const rowProps = ({ input: { assessment, catalog } }: Names): readonly unknown[] =>
  rowCounts(assessment, catalog).flatMap(({ framework: { id }, rows, states, supportedByTests }) => [
    prop('rows', rows.length, id),
    ...states.map(([state, count]) => prop(`rows-${state}`, count, id)),
    prop('rows-supported-with-server-tests', supportedByTests, id),
  ])

/** Remarks outside findings: how the document was produced, what was not collected, and controls without a finding. */
function remarksOf(names: Names): string {
  const { assessment, catalog } = names.input
  const { reconciliation, shared = NOTHING_SHARED } = assessment
  const uncovered = reconciliation?.unreconciled ?? 0
  const without = rowCounts(assessment, catalog).flatMap(({ framework, rows, states }) =>
    states.flatMap(([state]) => {
      const own = rows.filter((one) => one.state === state && statusOf(one) === null)
      return own.length === 0
        ? []
        : [
            line(
              `${framework.title}: ${rowStateWords[state].label} (${own.length}): ${own.map(tokenIn(names)).join(', ')}.`,
              LONGEST_LIST,
            ),
          ]
    }),
  )
  return [
    'Paths are relative to the pack folder. Each open finding is one risk. A risk acceptance is in the log of its risk; it never changes a finding.',
    names.grouped
      ? `There are more than ${MOST_NODES} nodes, so there is one observation per check and verdict, with its nodes as subjects. Results that are not tested have no observation; each inventory item lists them.`
      : 'There is one observation per node and check. Results that are not tested have no observation; each inventory item lists them.',
    ...(uncovered > 0
      ? [
          `The provider inventory has ${uncovered} unreconciled ${uncovered === 1 ? 'row' : 'rows'}. Every conclusion is limited to the declared nodes.`,
        ]
      : []),
    ...shared.machines.map((machine) => line(`One machine, counted once: ${sameMachineText(machine)}.`)),
    ...(surplusNames(shared) > 0
      ? ['Several declared names are one machine, so the population does not reconcile.']
      : []),
    ...(without.length === 0 ? [] : ['Limitations: these controls have no finding.', ...without]),
  ].join('\n')
}

/** Room for the tokens of all controls of a framework. */
const LONGEST_LIST = 200_000

const tokenIn =
  (names: Names) =>
  ({ framework, control }: ControlAssessment): string =>
    names.control(framework, control)
