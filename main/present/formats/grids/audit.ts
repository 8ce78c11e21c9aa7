import { levelWords, rowStateWords } from '../../../../schemas/conclusion-words.ts'
import { verdictWords } from '../../../../schemas/words.ts'
import { oneLine } from '../../../core/base/plain-text.ts'
import { collectedAt, tally } from '../../../core/conclusion/tally.ts'
import { withMappedPaths } from '../../../core/engagement/ephi.ts'
import { byCheck, findingByCheck } from '../../presentation.ts'
import { controlsInScope, listedTests, resultCell, SOURCES } from '../../report/controls/tests-of-controls.ts'
import { ownerText } from '../../report/page-one.ts'
import { chosenFrameworks, shortName } from '../../report/parts/wording.ts'
import { documentCounts } from '../../report/scope/outstanding.ts'
import type { FormatInput } from '../input.ts'
import { type Grid, gridOf } from './grid.ts'

/** Tables in the forms that auditors ask for: tests and results, requested documents, and carriers of ePHI. */

/** One row per control and deciding check, as section IV of a SOC 2 report has it; the words are those of the report. */
export function testsGrid({ assessment, catalog, shown }: FormatInput): Grid {
  const severities = byCheck(catalog.severities)
  const findings = findingByCheck(shown)
  const { current } = chosenFrameworks({ assessment, catalog })
  const rows = current.flatMap((framework) =>
    controlsInScope({ assessment }, framework).flatMap(({ control, result }) =>
      listedTests(result).map((test) => {
        const finding = findings.get(test.check)
        return { framework, control, result, test, finding, deviating: test.notSatisfied > 0 ? finding : undefined }
      }),
    ),
  )
  return gridOf(
    rows,
    {
      framework: [12, ({ framework }) => shortName(framework.id)],
      control: [22, ({ control }) => control.id],
      title: [48, ({ control }) => control.title],
      state: [24, ({ result }) => rowStateWords[result.state].label],
      check: [34, ({ test }) => test.check],
      'test performed': [70, ({ test }) => severities.get(test.check)?.procedure ?? SOURCES[test.source]],
      'result of test': [60, ({ test, finding }) => resultCell(test, finding, shown.figures.untested)[0]?.text ?? ''],
      finding: [12, ({ deviating }) => deviating?.reference ?? ''],
      response: [30, ({ deviating }) => (deviating === undefined ? '' : ownerText(deviating))],
    },
    2,
  )
}

/** The list of documents to be provided (PBC list): each request once, outstanding and held. */
export function requestsGrid({ assessment, catalog, register }: FormatInput): Grid {
  const { requested } = documentCounts({ assessment, catalog, register })
  return gridOf(requested, {
    request: [10, ({ id }) => id ?? ''],
    document: [60, ({ status }) => status.document.title],
    'what a reviewer inspects': [70, ({ status }) => status.document.request?.inspects ?? ''],
    status: [
      14,
      ({ isOutstanding, isFailing }) => (isFailing ? 'does not support' : isOutstanding ? 'outstanding' : 'inspected'),
    ],
    'level reached': [16, ({ status: { level } }) => (level === null ? '' : levelWords[level].label)],
    'level required': [
      16,
      ({ status: { document } }) => (document.request === null ? '' : levelWords[document.request.minimum].label),
    ],
    owner: [24, ({ status: { request } }) => (request === null ? '' : oneLine(request.owner, 200))],
    'due (UTC)': [14, ({ status: { request } }) => request?.due.slice(0, 10) ?? ''],
    overdue: [10, ({ status }) => (status.overdue ? 'yes' : 'no')],
    'controls answered': [10, ({ controls }) => controls.length],
    controls: [
      60,
      ({ controls }) =>
        controls
          .map(({ framework, control }) => `${shortName(framework)} ${control.replace(/^[^:]*:/, '')}`)
          .join(', '),
    ],
  })
}

/**
 * The checks that decide whether ePHI counts as unsecured (45 CFR 164.402 and the guidance of HHS on encryption), with their column titles.
 */
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

/** One row per declared ePHI path and node: what was observed of its encryption. Results of checks are those of the whole node. */
export function carriersGrid({ assessment, catalog, recordings }: FormatInput): Grid {
  const counted = tally(assessment, catalog.checks)
  const ephi = assessment.scope.engagement?.ephi
  const observedAt = new Map(assessment.nodes.map((node) => [node.node, collectedAt(node)]))
  const rows = recordings.flatMap(({ recording }) => {
    const { name, ephiPaths = [] } = withMappedPaths(recording.node, ephi)
    return ephiPaths.map((path) => ({
      name,
      path,
      store: ephi?.stores.find((one) => one.nodes.includes(name) && bare(one.path) === bare(path)),
      observations: counted.result(name, 'encryption.at-rest.ephi-paths')?.observations ?? [],
    }))
  })
  const results = CARRIER_CHECKS.map(([title, check]) => {
    const resultOn = ({ name }: (typeof rows)[number]): string => verdictWords[counted.verdict(name, check)].label
    return [title, [20, resultOn]] as const
  })
  return gridOf(
    rows,
    {
      node: [24, ({ name }) => name],
      'ePHI path': [30, ({ path }) => path],
      store: [24, ({ store }) => store?.name ?? ''],
      contents: [40, ({ store }) => store?.what ?? ''],
      'observed for this path': [
        70,
        ({ path, observations }) =>
          observations.flatMap(({ text }) => (text.includes(`“${path}”`) ? [text] : [])).join(' | '),
      ],
      ...Object.fromEntries(results),
      'collected at (UTC)': [25, ({ name }) => observedAt.get(name) ?? ''],
      limitations: [100, () => NOT_SHOWN],
    },
    2,
  )
}

const bare = (path: string): string => path.replace(/\/+/g, '/').replace(/(?<=.)\/$/, '')
