import { rowStateWords } from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment } from '../../../schemas/types.ts'
import { PATHS } from '../../core/pack-files.ts'
import { compare } from '../../core/recording.ts'
import { NOTHING_SHARED, sameMachineText, surplusNames } from '../../core/same-machine.ts'
import { DEMO_NOTICE, type FormatInput, STANDING_LIMITATION } from './input.ts'
import { findingsOf, statusOf, verdictProps } from './oscal/findings.ts'
import { MOST_NODES, type Names, namesOf } from './oscal/naming.ts'
import { observationsOf } from './oscal/observations.ts'
import { localDefinitions, reviewedControls } from './oscal/population.ts'
import { risksOf } from './oscal/risks.ts'
import { hrefOf, line, momentOf, prop, some, uuidOf } from './oscal/words.ts'
import { rowCounts } from './row-counts.ts'

/** The version of OSCAL whose schema this follows. */
const OSCAL_VERSION = '1.2.2'

/**
 * The assessment as OSCAL assessment results 1.2 (NIST, model assessment-results). It contains no attestation: it repeats what was
 * observed and cites the sealed pack by digest. UUIDs are derived from names, so the same assessment gives the same bytes.
 */
export function oscalOf(input: FormatInput): unknown {
  const names = namesOf(input)
  const { assessment, run } = input
  const plan = uuidOf(run, 'plan')
  return {
    'assessment-results': {
      uuid: uuidOf(run, 'document', assessment.asOf, input.evidenceDigest),
      metadata: metadataOf(names),
      'import-ap': {
        href: `#${plan}`,
        remarks:
          'There is no OSCAL assessment plan. Probes, checks and mappings are in the catalog of the pack, cited by its digest.',
      },
      results: [resultOf(names)],
      'back-matter': { resources: resourcesOf(names, plan) },
    },
  }
}

function metadataOf({ input }: Names): unknown {
  const { assessment, run, producer, demo } = input
  const engagement = assessment.scope.engagement
  const owner = uuidOf(run, 'party', 'entity')
  return {
    title: line(`${demo ? 'Demo data: ' : ''}Evidence from the nodes of ${assessment.scope.fleet}`),
    'last-modified': momentOf(assessment.asOf) ?? '1970-01-01T00:00:00.000Z',
    version: line(run),
    'oscal-version': OSCAL_VERSION,
    props: [
      prop('evidence-sha256', input.evidenceDigest),
      prop('producer', producer),
      prop('demo', demo ? 'yes' : 'no'),
      ...(input.signer === null ? [] : [prop('signer-sha256', input.signer.fingerprint)]),
      ...(engagement === undefined ? [] : [prop('audience', engagement.audience), prop('status', engagement.status)]),
    ],
    ...(engagement === undefined
      ? {}
      : {
          roles: [{ id: 'asset-owner', title: 'Entity responsible for the nodes' }],
          parties: [{ uuid: owner, type: 'organization', name: line(engagement.entity) }],
          'responsible-parties': [{ 'role-id': 'asset-owner', 'party-uuids': [owner] }],
        }),
    remarks: [...(demo ? [DEMO_NOTICE] : []), STANDING_LIMITATION].join('\n'),
  }
}

function resultOf(names: Names): unknown {
  const { assessment, recordings, run } = names.input
  const moments = (of: 'startedAt' | 'endedAt'): readonly string[] =>
    recordings.flatMap(({ recording }) => momentOf(recording[of]) ?? []).sort(compare)
  const assessed = momentOf(assessment.asOf) ?? '1970-01-01T00:00:00.000Z'
  const start = moments('startedAt')[0] ?? assessed
  const end = moments('endedAt').at(-1) ?? assessed
  return {
    uuid: uuidOf(run, 'result', assessment.asOf),
    title: line(`Run ${run}`),
    description: line(
      `${assessment.nodes.length} nodes of ${assessment.scope.fleet}, assessed as of ${assessment.asOf}. Counts are deviations of nodes tested; nodes not tested are counted separately.`,
    ),
    start,
    ...(end >= start ? { end } : {}),
    props: [
      prop('nodes', assessment.nodes.length),
      prop('risk-acceptances', names.input.register.riskAcceptances.length),
      ...verdictProps(names),
      ...rowProps(names),
    ],
    'local-definitions': localDefinitions(names),
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
    'Paths are relative to the pack folder. Risk acceptances are exported as risks; they never change a finding.',
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

function resourcesOf({ input }: Names, plan: string): readonly unknown[] {
  const { assessment, packName, evidenceDigest, run } = input
  return [
    {
      uuid: plan,
      title: 'Catalog: all probes, checks and mappings',
      props: [prop('catalog-version', assessment.catalog.version)],
      rlinks: [
        {
          href: PATHS.catalog,
          'media-type': 'application/json',
          hashes: [{ algorithm: 'SHA-256', value: assessment.catalog.digest }],
        },
      ],
    },
    {
      uuid: uuidOf(run, 'pack'),
      title: 'Evidence pack',
      description: 'The sealed pack behind this document. Its evidence digest is printed in the signed report.',
      props: [prop('evidence-sha256', evidenceDigest)],
      rlinks: [{ href: hrefOf(packName), 'media-type': 'application/zip' }],
    },
  ]
}
