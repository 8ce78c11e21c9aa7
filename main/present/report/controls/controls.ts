import { rowStateWords } from '../../../../schemas/conclusion-words.ts'
import { of, plain } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  plainCell,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import type { Framework } from '../../../core/rules/framework.ts'
import type { Matter } from '../parts/input.ts'
import { CUSTOMER_MAPPING, documentCell, isOfCustomer, see, serverMarked, when } from '../parts/wording.ts'
import { dayOf } from '../scope/boundary.ts'
import {
  type ControlRow,
  controlDetail,
  controlRowsOf,
  isTested,
  partsBlock,
  stateBlock,
  withoutNodes,
} from './control-detail.ts'

const STATUS: Readonly<Record<string, string>> = {
  'in-force': 'In effect.',
  'in-use': 'In use.',
  'proposed-not-in-force': 'Proposed, not in effect.',
}

/** One framework: control counts by state, controls with server tests in one table and then in full, and documentary controls in one table. */
export function controlSection(matter: Matter, framework: Framework): Section {
  const rows = controlRowsOf(matter, framework)
  const results = rows.map(({ result }) => result)
  const own = isOfCustomer(matter, framework)
  const onServers = rows.filter(({ result }) => isTested(result))
  const others = rows.filter(({ result }) => !isTested(result))
  return {
    id: `controls-${framework.id}`,
    title: `Controls: ${plain(framework.title, 120)}`,
    blocks: [
      ...banner(framework, own),
      text(
        `${STATUS[framework.status] ?? ''} ${plain(framework.version, 200)}. Titles and summaries are worded by ${own ? 'the author of the mapping' : 'this tool'} and are not legal advice. A conclusion states what the evidence in this report supports. Management and its auditor decide whether a control is satisfied.`.trim(),
      ),
      ...pointInTime(matter, framework),
      text(HOW),
      heading(3, 'Conclusions', true),
      text(PARTS),
      partsBlock(results),
      stateBlock(results),
      ...(onServers.length === 0
        ? []
        : [heading(3, `Controls with server tests (${of(onServers.length, rows.length)})`, true), overview(onServers)]),
      ...(others.length === 0
        ? []
        : [
            heading(3, `Controls based on documents only (${of(others.length, rows.length)})`, true),
            text(
              'No required check tests these controls on servers. Server data that relates to them is listed as context.',
            ),
            peopleTable(matter, others),
          ]),
      ...(onServers.length === 0 ? [] : [heading(3, 'Details of controls with server tests', true)]),
      ...onServers.flatMap((row) => controlDetail(matter, framework, row)),
    ],
  }
}

const HOW = `To trace a count to its captures, look up the check ID. ${see('checks')} lists its expected condition and limitations; ${see('gaps')} lists the deviating nodes with the evidence and the short codes of the captures; ${see('undecided')} lists the nodes without a conclusive result; ${see('evidence')} states where the captures are stored.`

const PARTS =
  'Each control has two results, printed side by side: the server part and the document part. The state in the second table combines them for counting only. Deviations are counted out of the nodes tested.'

const OVERLAY: Block = {
  kind: 'banner',
  title: 'Proposed rule, not in effect',
  text: 'This section evaluates the same evidence against a proposed rule. It states no obligation and does not change the other sections.',
}

const OWN: Block = {
  kind: 'banner',
  title: 'Customer mapping',
  text: `${CUSTOMER_MAPPING} Check results are the same as in the rest of this report.`,
}

const banner = ({ proposed }: Framework, own: boolean): readonly Block[] => (proposed ? [OVERLAY] : own ? [OWN] : [])

/** SOC 2: one date is not a period (AT-C 105 and 205: type 1 against type 2). */
function pointInTime({ assessment }: Matter, { id }: Framework): readonly Block[] {
  if (id !== 'soc2') return []
  const framing = assessment.scope.engagement?.reportingBasis
  const period =
    framing?.kind === 'period'
      ? ` The period declared is ${dayOf(framing.from)} to ${dayOf(framing.to)}; this report describes one date, inside or outside that period.`
      : ''
  return [
    text(
      `As of ${when(assessment.asOf)}. A SOC 2® examination over a period needs evidence through that period; one collection describes one date. Not tested: operation before or after that date.${period} Deviations are counted out of the nodes tested; a risk acceptance does not remove a deviation.`,
    ),
  ]
}

const overview = (rows: readonly ControlRow[]): Block =>
  headedTable(
    { Control: 30, Servers: 36, Documents: 14, State: 20 },
    rows.map(({ control, result }): readonly Cell[] => [
      [{ text: plain(`${control.id} ${control.title}`, 400), style: 'strong' }],
      [serverMarked(result.server)],
      [documentCell(result.documents)],
      plainCell(rowStateWords[result.state].label),
    ]),
  )

const peopleTable = (matter: Matter, rows: readonly ControlRow[]): Block =>
  table(
    { 'Control and requirement': 38, 'Documents, coverage limits and related checks': 62 },
    rows.map((row) => withoutNodes(matter, row)),
  )
