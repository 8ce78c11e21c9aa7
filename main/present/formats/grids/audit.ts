import { levelWords, rowStateWords } from '../../../../schemas/conclusion-words.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import { withMappedPaths } from '../../../core/engagement/ephi.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { collectedAt, tally } from '../../../core/tally.ts'
import { documentCounts } from '../../report/outstanding.ts'
import { ownerText } from '../../report/page-one.ts'
import { controlsInScope, listedTests, resultCell, SOURCES } from '../../report/tests-of-controls.ts'
import { chosenFrameworks, shortName } from '../../report/wording.ts'
import type { FormatInput } from '../input.ts'
import { columns, type Grid } from './grid.ts'

/** Tables in the forms that auditors ask for: tests and results, requested documents, and carriers of ePHI. */

const TEST_COLUMNS = columns({
  framework: 12,
  control: 22,
  title: 48,
  state: 24,
  check: 34,
  'test performed': 70,
  'result of test': 60,
  finding: 12,
  response: 30,
})

/** One row per control and deciding check, as section IV of a SOC 2 report has it; the words are those of the report. */
export function testsGrid({ assessment, catalog, shown }: FormatInput): Grid {
  const severities = new Map(catalog.severities.map((one) => [one.check, one]))
  const findings = new Map([...shown.findings, ...shown.informational].map((one) => [one.check, one]))
  const { current } = chosenFrameworks({ assessment, catalog })
  return {
    columns: TEST_COLUMNS,
    keys: 2,
    rows: current.flatMap((framework) =>
      controlsInScope({ assessment }, framework).flatMap(({ control, result }) =>
        listedTests(result).map((check) => {
          const finding = findings.get(check.check)
          const [line] = resultCell(check, finding, shown.figures.untested)
          return [
            shortName(framework.id),
            control.id,
            control.title,
            rowStateWords[result.state].label,
            check.check,
            severities.get(check.check)?.procedure ?? SOURCES[check.source],
            line?.text ?? '',
            check.notSatisfied > 0 ? (finding?.reference ?? '') : '',
            check.notSatisfied > 0 && finding !== undefined ? ownerText(finding) : '',
          ]
        }),
      ),
    ),
  }
}

const REQUEST_COLUMNS = columns({
  request: 10,
  document: 60,
  'what a reviewer inspects': 70,
  status: 14,
  'level reached': 16,
  'level required': 16,
  owner: 24,
  'due (UTC)': 14,
  overdue: 10,
  'controls answered': 10,
  controls: 60,
})

/** The list of documents to be provided (PBC list): each request once, outstanding and held. */
export function requestsGrid({ assessment, catalog, register }: FormatInput): Grid {
  const { requested } = documentCounts({ assessment, catalog, register })
  return {
    columns: REQUEST_COLUMNS,
    rows: requested.map(({ id, status, controls, isOutstanding }) => {
      const { document, level, request, overdue } = status
      return [
        id ?? '',
        document.title,
        document.request?.inspects ?? '',
        isOutstanding ? 'outstanding' : 'inspected',
        level === null ? '' : levelWords[level].label,
        document.request === null ? '' : levelWords[document.request.minimum].label,
        request === null ? '' : oneLine(request.owner, 200),
        request === null ? '' : request.due.slice(0, 10),
        overdue ? 'yes' : 'no',
        controls.length,
        controls
          .map(({ framework, control }) => `${shortName(framework)} ${control.replace(/^[^:]*:/, '')}`)
          .join(', '),
      ]
    }),
  }
}

/** What decides whether ePHI counts as unsecured (45 CFR 164.402 and the guidance of HHS on encryption), by check. */
const CARRIER_CHECKS = [
  ['encrypted at rest (all ePHI paths of the node)', 'encryption.at-rest.ephi-paths'],
  ['cipher', 'encryption.at-rest.cipher'],
  ['key custody', 'encryption.at-rest.key-custody'],
  ['unlock mode', 'encryption.at-rest.unlock-mode'],
  ['FIPS mode', 'encryption.module.fips-mode'],
  ['swap', 'encryption.at-rest.swap'],
  ['memory dumps', 'encryption.at-rest.crash-dumps'],
] as const

const NOT_SHOWN =
  'Not shown: whether the cryptographic module is validated (ER-20), whether keys were exposed, and whether the server was running or powered off at the time of a loss. While it runs, its volumes are open.'

const CARRIER_COLUMNS = columns({
  node: 24,
  'ePHI path': 30,
  store: 24,
  contents: 40,
  'observed for this path': 70,
  ...Object.fromEntries(CARRIER_CHECKS.map(([title]) => [title, 20])),
  'collected at (UTC)': 25,
  limitations: 100,
})

/** One row per declared ePHI path and node: what was observed of its encryption. Results of checks are those of the whole node. */
export function carriersGrid({ assessment, catalog, recordings }: FormatInput): Grid {
  const counted = tally(assessment, catalog.checks)
  const ephi = assessment.scope.engagement?.ephi
  const observedAt = new Map(assessment.nodes.map((node) => [node.node, collectedAt(node)]))
  return {
    columns: CARRIER_COLUMNS,
    keys: 2,
    rows: recordings.flatMap(({ recording }) => {
      const { name, ephiPaths = [] } = withMappedPaths(recording.node, ephi)
      return ephiPaths.map((path) => {
        const store = ephi?.stores.find((one) => one.nodes.includes(name) && bare(one.path) === bare(path))
        const observations = counted.result(name, 'encryption.at-rest.ephi-paths')?.observations ?? []
        return [
          name,
          path,
          store?.name ?? '',
          store?.what ?? '',
          observations
            .filter(({ text }) => text.includes(`“${path}”`))
            .map(({ text }) => text)
            .join(' | '),
          ...CARRIER_CHECKS.map(([, check]) => verdictWords[counted.verdict(name, check)].label),
          observedAt.get(name) ?? '',
          NOT_SHOWN,
        ]
      })
    }),
  }
}

const bare = (path: string): string => path.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')
