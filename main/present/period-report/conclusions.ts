import { documentLine, rowStateWords } from '../../../schemas/conclusion-words.ts'
import type { PeriodConclusions, PeriodControl } from '../../../schemas/types.ts'
import type { Framework } from '../../core/framework.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  plainCell,
  quiet,
  type Section,
  text,
} from '../../core/report-document.ts'
import { partsBlock, stateBlock } from '../report/control-counts.ts'
import { documentMarked, serverMarked, when } from '../report/wording.ts'
import { moment, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

/** Conclusions on controls over the period: per framework both parts in one count, then each control in scope. */
export function conclusionSection({ period: { conclusions }, frameworks }: PeriodReportInput): Section {
  return {
    id: 'conclusions',
    title: PERIOD_TITLES.conclusions,
    blocks:
      conclusions === null
        ? [text('The evidence of no run is available, so no control can be concluded on.')]
        : [
            text(countedWords(conclusions)),
            { kind: 'list', items: RULE.map((words) => ({ text: words })) },
            text(documentWords(conclusions)),
            ...(conclusions.frameworks.length === 0 ? [text('The last run chose no framework.')] : []),
            ...frameworks.flatMap((framework) => frameworkBlocks(framework, conclusions)),
          ],
  }
}

const RULE: readonly string[] = [
  'A deviation in any run is a deviation of the period, also after remediation. The table states the first and the last run with a deviation, and on how many nodes no later run shows remediation.',
  'Without a deviation, a node test that is inconclusive, or in which a deciding check was not tested, leaves the control at “Unable to conclude”.',
  'Without either, a node test that did not take place leaves it at “Scope limitation”. Each missed run, and each run whose evidence is not available, counts the nodes of the run before it as not tested.',
  '“No deviations noted” therefore means: no scheduled run is missing, and every deciding check was satisfied on every declared node in every run. It does not cover the time between runs.',
  'A risk acceptance in effect at a run is counted and removes no deviation.',
]

const countedWords = ({ runs, missed, unavailable }: PeriodConclusions): string =>
  `Each control has two results: the server part and the document part. The same rules apply as for one run. One node in one run is one item of the population (a node test). ${plural(runs, 'run')} were counted; ${plural(missed, 'scheduled run')} did not take place, and the evidence of ${plural(unavailable, 'sealed run')} is not available.`

const documentWords = ({ run, covered }: PeriodConclusions): string =>
  `Documents, decisions and the choice of frameworks are those sealed by the last run with evidence, ${plain(run.run, 100)}, as of ${when(run.at)}. Not tested: whether a document covers the whole period. ${
    covered
      ? 'The run chain covers the period: a schedule was in effect throughout, and every scheduled run took place or is explained.'
      : `The run chain does not cover the period: at some time no schedule was in effect, or a scheduled run was missed without explanation; see ${seePart('gaps')}.`
  }`

function frameworkBlocks(framework: Framework, { controls }: PeriodConclusions): readonly Block[] {
  const found = controls.filter(({ conclusion }) => conclusion.framework === framework.id)
  const results = found.map(({ conclusion }) => conclusion)
  const inScope = found.filter(({ conclusion }) => conclusion.state !== 'out-of-scope')
  return [
    heading(3, `Controls: ${plain(framework.title, 120)}`, true),
    ...(framework.proposed ? [quiet('Proposed rule, not in effect.')] : []),
    partsBlock(results),
    stateBlock(results),
    ...(inScope.length === 0 ? [] : [controlTable(framework, inScope)]),
    ...(inScope.length === found.length
      ? []
      : [quiet(`${of(found.length - inScope.length, found.length)} controls are not in scope and not listed.`)]),
  ]
}

function controlTable({ controls }: Framework, found: readonly PeriodControl[]): Block {
  const byKey = new Map(controls.map((control) => [control.key, control]))
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Control', width: 30 },
      { title: 'Servers', width: 36 },
      { title: 'Documents', width: 18 },
      { title: 'State', width: 16 },
    ],
    rows: found.map(({ conclusion, deviations }): readonly Cell[] => {
      const control = byKey.get(conclusion.control)
      const title = control === undefined ? conclusion.control : `${control.id} ${control.title}`
      return [
        [{ text: plain(title, 400), style: 'strong' }],
        [serverMarked(conclusion.server, 'node test'), ...deviatingLines(deviations)],
        [documentMarked(conclusion.documents)],
        plainCell(rowStateWords[conclusion.state].label),
      ]
    }),
  }
}

/** When the deciding checks deviated, and whether the last runs show it remediated. */
const deviatingLines = (deviations: PeriodControl['deviations']): readonly Line[] =>
  deviations === null
    ? []
    : [
        { text: `First seen ${moment(deviations.first.at)}, last seen ${moment(deviations.last.at)}`, style: 'quiet' },
        deviations.open === 0
          ? { text: `Remediated on all ${plural(deviations.nodes, 'node')} by the end`, style: 'quiet' }
          : { text: `Open on ${of(deviations.open, deviations.nodes)} nodes at the end`, style: 'strong' },
      ]

const CONTROLS = [
  'framework',
  'control',
  'state',
  'server part',
  'node tests due',
  'node tests performed',
  'node tests with a deviation',
  'of these risk accepted',
  'node tests not performed',
  'nodes with a deviation',
  'of these open at period end',
  'first seen in run',
  'first seen at',
  'last seen in run',
  'last seen at',
  'document part',
  'documents required',
  'documents held',
  'documents outstanding',
]

/** controls.csv: a header and one row per control of each framework. */
export const controlRows = ({
  conclusions,
}: {
  readonly conclusions: PeriodConclusions | null
}): readonly (readonly string[])[] => [
  CONTROLS,
  ...(conclusions?.controls ?? []).map(({ conclusion, deviations }) => {
    const { framework, control, state, server, documents } = conclusion
    return [
      framework,
      control,
      rowStateWords[state].label,
      serverMarked(server, 'node test').text,
      String(server.population),
      String(server.tested),
      String(server.deviating),
      String(server.accepted),
      String(server.population - server.tested),
      String(deviations?.nodes ?? 0),
      String(deviations?.open ?? 0),
      deviations?.first.run ?? '',
      deviations?.first.at ?? '',
      deviations?.last.run ?? '',
      deviations?.last.at ?? '',
      documentLine(documents),
      String(documents.needed),
      String(documents.held),
      documents.outstanding.map(({ request, title }) => request ?? title).join('; '),
    ]
  }),
]
