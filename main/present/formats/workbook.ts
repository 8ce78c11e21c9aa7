import { rowStateWords } from '../../../schemas/conclusion-words.ts'
import { VERDICTS, verdictWords } from '../../../schemas/words.ts'
import type { Sheet } from '../../core/all-ports.ts'
import { summarize } from '../../core/conclusion/tally.ts'
import { NOTHING_SHARED, surplusNames } from '../../core/recording/same-machine.ts'
import { carriersGrid, requestsGrid, testsGrid } from './grids/audit.ts'
import { checksGrid, claimsGrid } from './grids/claims.ts'
import { complementaryGrid } from './grids/complementary-controls.ts'
import { controlsGrid } from './grids/controls.ts'
import { evidenceGrid } from './grids/evidence.ts'
import { columns, type Grid, sheetOf } from './grids/grid.ts'
import { hipaaSheets } from './grids/hipaa.ts'
import { locationGrid } from './grids/location.ts'
import { acceptancesGrid, auditorRequestsGrid, decisionsGrid, documentsGrid } from './grids/people.ts'
import { inventoryGrid, populationGrid } from './grids/population.ts'
import { findingsGrid, resultsGrid } from './grids/results.ts'
import { DEMO_NOTICE, type FormatInput, GENERAL_LIMITATION } from './input.ts'
import { type RowCounts, rowCounts } from './row-counts.ts'

/**
 * The workbook: information, findings, tests of controls, requested documents, requests of auditors, carriers of ePHI, views for the HIPAA Security Rule, complementary controls, population, results, controls, captures, risk acceptances, documents, decisions and provider claims.
 * It has the same rows as the CSV tables; an optional sheet without rows is omitted.
 */
export function workbookOf(input: FormatInput): readonly Sheet[] {
  const { assessment, catalog, register, recordings } = input
  const { provider } = assessment.scope
  const optional = (name: string, grid: Grid, elsewhere: string): readonly Sheet[] =>
    grid.rows.length === 0 ? [] : [sheetOf(name, grid, elsewhere)]
  return [
    sheetOf('About', aboutGrid(input), 'the report'),
    sheetOf('Findings', findingsGrid(input), 'findings.csv'),
    ...optional('Tests of controls', testsGrid(input), 'the report'),
    ...optional('Requests', requestsGrid(input), 'data/register.json of the pack'),
    ...optional('Auditor requests', auditorRequestsGrid(input), 'data/register.json of the pack'),
    ...optional('ePHI carriers', carriersGrid(input), 'results.csv'),
    ...hipaaSheets(input).map(({ name, grid }) => sheetOf(name, grid, 'findings.csv and controls.csv')),
    ...optional('CUEC and CSOC', complementaryGrid(input), 'data/scope.json of the pack'),
    sheetOf('Population', populationGrid(assessment), 'population.csv'),
    ...optional('Inventory', inventoryGrid(assessment), 'data/inventory.csv of the pack'),
    sheetOf('Location', locationGrid(assessment), 'location.csv'),
    sheetOf('Results', resultsGrid(input), 'results.csv'),
    sheetOf('Controls', controlsGrid(assessment, catalog, register), 'controls.csv'),
    sheetOf('Evidence', evidenceGrid(recordings), 'captures.jsonl of each node in the pack'),
    sheetOf('Risk acceptances', acceptancesGrid(input), 'data/register.json of the pack'),
    sheetOf('Documents', documentsGrid(input), 'data/register.json of the pack'),
    ...optional('Decisions', decisionsGrid(input), 'data/register.json of the pack'),
    ...(provider === undefined
      ? []
      : [sheetOf('Claims', claimsGrid(assessment, provider), 'assessment.json of each node in the pack')]),
    sheetOf('Checks', checksGrid(catalog), 'data/catalog.json of the pack'),
  ]
}

function aboutGrid({
  assessment,
  producer,
  packName,
  evidenceDigest,
  signer,
  demo,
  run,
  register,
  catalog,
}: FormatInput): Grid {
  const { scope, asOf, reconciliation, shared = NOTHING_SHARED } = assessment
  const { counts } = summarize(assessment.nodes.flatMap(({ results }) => results.map(({ verdict }) => verdict)))
  const frameworks = catalog.frameworks.filter(({ id }) => scope.frameworks.includes(id)).map(({ title }) => title)
  const engagement = scope.engagement
  const answered = assessment.nodes.filter(({ results }) => results.some(({ verdict }) => verdict !== 'not-tested'))
  return {
    columns: columns({ about: 34, content: 100 }),
    rows: [
      ...(demo ? [['Demo data', DEMO_NOTICE]] : []),
      ['Fleet', scope.fleet],
      ...(engagement === undefined
        ? []
        : [
            ['Entity', engagement.entity],
            ['Audience', engagement.audience],
            ['Purpose', engagement.purpose],
            ['Status', engagement.status],
          ]),
      ['Run', run],
      ['As of (UTC)', asOf],
      ['Evidence pack', packName],
      ['Evidence digest (SHA-256)', evidenceDigest],
      ['Signer', signer === null ? 'not signed' : signer.subject],
      ['Signer fingerprint (SHA-256)', signer?.fingerprint ?? ''],
      ['Produced by', producer],
      ['Catalog', `${assessment.catalog.version}, SHA-256 ${assessment.catalog.digest}`],
      ['Frameworks', frameworks.join(' | ')],
      ['Limitations', GENERAL_LIMITATION],
      [
        'This workbook',
        'Not sealed. The evidence pack stated above is authoritative; its digests show what was sealed. A row is printed at most 409 points high; a cell contains its whole text.',
      ],
      ['Nodes in population', assessment.nodes.length],
      ['Nodes collected', answered.length - surplusNames(shared)],
      ['Names of machines counted under another name', surplusNames(shared)],
      ...(reconciliation === undefined
        ? []
        : [
            ['Nodes declared', reconciliation.declared],
            ['Nodes in fleet file', reconciliation.inFleet],
            ['Rows of the provider inventory', reconciliation.inventory ?? 'no list'],
            ['Unreconciled inventory rows', reconciliation.unreconciled],
          ]),
      ...VERDICTS.map((verdict) => [`Results: ${verdictWords[verdict].label}`, counts[verdict]]),
      ...rowCounts(assessment, catalog).flatMap(countRows),
      ['Risk acceptances', register.riskAcceptances.length],
      ['Documents on file', register.documents.length],
    ],
  }
}

/** Controls by state, each framework separately. */
const countRows = ({ framework, rows, states, supportedByTests, allAccepted }: RowCounts): Grid['rows'] => [
  [`${framework.title}: controls`, rows.length],
  ...states.map(([state, count]) => [`${framework.title}: ${rowStateWords[state].label}`, count]),
  [`${framework.title}: supported controls with server tests`, supportedByTests],
  [`${framework.title}: controls with all deviations risk-accepted`, allAccepted],
]
