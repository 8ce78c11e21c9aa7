import { severityWords } from '../../../schemas/conclusion-words.ts'
import type { RemediationVariant } from '../../../schemas/types.ts'
import { codeBlock, markdownText, oneLine, plain } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  code,
  heading,
  list,
  type Paper,
  plainCell,
  type ReportDocument,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import type { CheckRemediation, WorkItem, WorkOrder } from '../../core/finding/work-order.ts'
import type { CheckSeverity } from '../../core/rules/catalog.ts'

/** A work order as a Markdown document. Text from the node is escaped; the steps are constant text of the catalog. */
export function workOrderMarkdown(order: WorkOrder): string {
  const { node, items } = order
  return `${[
    `# Work order for ${markdownText(node)}`,
    '',
    ...head(order),
    '',
    ...(items.length === 0
      ? ['No check is not satisfied on this node: there is nothing to change.']
      : [...overviewLines(items), ...items.flatMap(section)]),
  ].join('\n')}\n`
}

function head(order: WorkOrder): readonly string[] {
  const { asOf, observedAt, demo, items, inconclusive } = order
  return [
    ...(demo ? ['**Demo data: not evidence.**', ''] : []),
    `- Evaluation date: ${asOf}`,
    `- Collected at: ${observedAt ?? 'not collected'}`,
    `- Distribution: ${familyText(order)}`,
    `- Checks not satisfied: ${items.length}, the most severe first`,
    ...(inconclusive === 0
      ? []
      : [`- Not in this order: ${inconclusive} inconclusive or not tested checks, which may hide further deviations`]),
    '',
    HOW_TO_USE,
  ]
}

function overviewLines(items: readonly WorkItem[]): readonly string[] {
  return [
    '| No. | Deviation | Severity | Who can change it |',
    '|---|---|---|---|',
    ...items.map(
      ({ finding, severity, remediation }, index) =>
        `| ${index + 1} | ${markdownText(finding)} | ${severityWords[severity.severity]} | ${WHO[remediation.whoCanChange]} |`,
    ),
  ]
}

function section(item: WorkItem, index: number): readonly string[] {
  const { check, finding, condition, observed, severity, remediation, variants, alsoHere, accepted, response } = item
  return [
    '',
    `## ${index + 1}. ${markdownText(finding)}`,
    '',
    `- Check: ${markdownText(check)}`,
    `- Expected condition: ${markdownText(condition)}`,
    '- Observations:',
    ...observed.map((text) => `  - ${markdownText(text)}`),
    `- Severity: ${severityWords[severity.severity]}. ${markdownText(severity.why)}`,
    ...circumstances('Higher if', severity.raisesWhen),
    ...circumstances('Lower if', severity.lowersWhen),
    `- Who can change it: ${WHO[remediation.whoCanChange]}`,
    ...(response?.owner == null
      ? []
      : [
          `- Owner: ${markdownText(response.owner)}${response.due === null ? '' : `, until ${response.due.slice(0, 10)}`}`,
        ]),
    ...(accepted === null
      ? []
      : [`- Risk acceptance in effect: ${markdownText(accepted.id)}, until ${accepted.until}`]),
    `- Side effects: ${markdownText(remediation.sideEffects)}`,
    ...(alsoHere.length === 0
      ? []
      : [`- Also settles on this node: ${alsoHere.map((id) => markdownText(id)).join(', ')}`]),
    `- Source: ${markdownText(remediation.source)}`,
    ...(remediation.proven ?? []).map(({ distribution }) => `- Steps tested on: ${markdownText(distribution)}`),
    ...variants.flatMap(steps),
  ]
}

const circumstances = (label: string, list: CheckSeverity['raisesWhen']): readonly string[] =>
  list.length === 0 ? [] : [`  - ${label}: ${list.map(({ text }) => markdownText(text)).join('; ')}`]

function steps(variant: RemediationVariant): readonly string[] {
  const { title } = partsOf(variant)
  return ['', `### ${markdownText(title)} (${familiesOf(variant)})`, ...stepMarkdown(variant)]
}

/** One way to remedy a deviation, below its heading. */
export function stepMarkdown(variant: RemediationVariant): readonly string[] {
  const { when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  return [
    ...(when === undefined ? [] : ['', `For: ${markdownText(when)}.`]),
    ...(inputs.length === 0
      ? []
      : ['', 'Set first:', '', ...inputs.map(({ name, is }) => `- \`${name}\`: ${markdownText(is)}`)]),
    ...block('Prepare:', prepare),
    ...files.flatMap(({ path, content, mode }) => [
      '',
      `File \`${path}\`, mode ${mode}:`,
      '',
      ...codeBlock(content.replace(/\n$/, '').split('\n'), 'text'),
    ]),
    ...block('Run:', commands),
    ...(ask.length === 0
      ? []
      : ['', 'Request:', '', ...ask.map((one) => `- From the ${askText({ ...one, for: markdownText(one.for) })}`)]),
    ...(note === undefined ? [] : ['', markdownText(note)]),
    ...(verify.command === undefined
      ? ['', `Verify with ${markdownText(verify.inspect ?? '')}.`]
      : block('Verify:', [verify.command])),
    '',
    `Expected: ${markdownText(verify.expected)}`,
  ]
}

const block = (label: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', label, '', ...codeBlock(lines)]

interface WorkOrderDocument {
  /** Whom or what it is for: a node, or an owner. */
  readonly title: string
  readonly producer: string
  readonly paper: Paper
}

/** Work orders as one document, a part for each node. Text from nodes and people is made safe to print. */
export function workOrderDocument(
  orders: readonly WorkOrder[],
  { title, producer, paper }: WorkOrderDocument,
): ReportDocument {
  const asOf = orders[0]?.asOf ?? ''
  const named = `Work order for ${plain(title, 80)}`
  return {
    title: named,
    language: 'en-US',
    subject: 'Deviations and how to remedy them',
    producer,
    demo: orders.some(({ demo }) => demo),
    paper,
    density: 'reading',
    runningHead: named,
    runningFoot: `As of ${asOf}. Nothing was changed on any node.`,
    sections: orders.flatMap(sectionsOf),
  }
}

function sectionsOf(order: WorkOrder): readonly Section[] {
  const { node, asOf, observedAt, items, inconclusive } = order
  const name = plain(node, 64)
  const id = `order-${node}`
  return [
    {
      id,
      title: name,
      part: name,
      blocks: [
        {
          kind: 'facts',
          rows: [
            { label: 'Evaluation date', value: plainCell(asOf) },
            { label: 'Collected at', value: plainCell(observedAt ?? 'not collected') },
            { label: 'Distribution', value: plainCell(familyText(order)) },
            { label: 'Not satisfied', value: plainCell(`${items.length}, the most severe first`) },
            ...(inconclusive === 0
              ? []
              : [
                  {
                    label: 'Not in this order',
                    value: plainCell(
                      `${inconclusive} inconclusive or not tested checks, which may hide further deviations`,
                    ),
                  },
                ]),
          ],
        },
        text(HOW_TO_USE),
        items.length === 0
          ? text('No check is not satisfied on this node: there is nothing to change.')
          : overview(items),
      ],
    },
    ...items.map(
      (item, at): Section => ({
        id: `${id}-${item.check}`,
        title: `${at + 1}. ${item.finding}`,
        runningTitle: name,
        part: name,
        flows: true,
        blocks: blocksOf(item),
      }),
    ),
  ]
}

const overview = (items: readonly WorkItem[]): Block =>
  table(
    { 'No.': 6, Deviation: 44, Severity: 14, 'Who can change it': 18, Owner: 18 },
    items.map(({ finding, severity, remediation, response }, at): readonly Cell[] => [
      plainCell(String(at + 1)),
      plainCell(finding),
      plainCell(severityWords[severity.severity]),
      plainCell(WHO[remediation.whoCanChange]),
      plainCell(ownerText(response)),
    ]),
  )

/** Who remedies it, and by when, as management states it. */
const ownerText = (response: WorkItem['response']): string =>
  response?.owner == null
    ? 'Not assigned'
    : `${oneLine(response.owner, 100)}${response.due === null ? '' : `, until ${response.due.slice(0, 10)}`}`

function blocksOf(item: WorkItem): readonly Block[] {
  const { check, condition, observed, severity, remediation, variants, alsoHere, accepted, response } = item
  const fact = (label: string, value: string) => ({ label, value: plainCell(value) })
  return [
    {
      kind: 'facts',
      rows: [
        fact('Check', check),
        fact('Expected condition', condition),
        { label: 'Observations', value: observed.map((words) => ({ text: oneLine(words, 600) })) },
        fact('Severity', `${severityWords[severity.severity]}. ${severity.why}`),
        fact('Who can change it', WHO[remediation.whoCanChange]),
        fact('Owner', ownerText(response)),
        ...(response?.plan == null ? [] : [fact('Plan', oneLine(response.plan))]),
        ...(accepted === null ? [] : [fact('Risk acceptance', `In effect until ${accepted.until}`)]),
        fact('Side effects', remediation.sideEffects),
        ...(alsoHere.length === 0 ? [] : [fact('Also settles', alsoHere.join(', '))]),
        fact('Source', remediation.source),
      ],
    },
    ...variants.flatMap(stepBlocks),
  ]
}

function stepBlocks(variant: RemediationVariant): readonly Block[] {
  const { title, when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  const labeled = (label: string, lines: readonly string[]): readonly Block[] =>
    lines.length === 0 ? [] : [text(label), code(lines)]
  return [
    heading(4, `${title} (${familiesOf(variant)})`),
    ...(when === undefined ? [] : [text(`For: ${when}.`)]),
    ...(inputs.length === 0
      ? []
      : [text('Set first:'), list(inputs.map(({ name, is }) => ({ text: `${name}: ${is}` })))]),
    ...labeled('Prepare:', prepare),
    ...files.flatMap(({ path, content, mode }) =>
      labeled(`File ${path}, mode ${mode}:`, content.replace(/\n$/, '').split('\n')),
    ),
    ...labeled('Run:', commands),
    ...(ask.length === 0 ? [] : [list(ask.map((one) => ({ text: `Request from the ${askText(one)}` })))]),
    ...(note === undefined ? [] : [text(note)]),
    ...(verify.command === undefined
      ? [text(`Verify with ${verify.inspect ?? ''}.`)]
      : labeled('Verify:', [verify.command])),
    text(`Expected: ${verify.expected}`),
  ]
}

/** Words and parts that every format of a work order prints. */

export const WHO = { tenant: 'You (tenant)', provider: 'The provider', both: 'You, or the provider' } as const

const FAMILIES = {
  debian: 'Debian and Ubuntu',
  rhel: 'RHEL, Rocky, AlmaLinux and Fedora',
  suse: 'SLES and openSUSE',
  any: 'any distribution',
} as const

export const familiesOf = ({ families }: Pick<RemediationVariant, 'families'>): string =>
  families.map((family) => FAMILIES[family]).join('; ')

const familyText = ({ family }: WorkOrder): string =>
  family === null ? 'not known from the evidence; the steps of every family are listed' : FAMILIES[family]

const HOW_TO_USE =
  'Barewitness runs none of these steps. Read each one, try it on one server, and keep a way back. Run the lines as root, then collect again.'

/** A request and its addressee, with the ID of the evidence request where there is one. */
export const askText = (one: NonNullable<RemediationVariant['ask']>[number]): string =>
  `${one.of}: ${one.for}${one.request === undefined ? '' : ` (${one.request})`}`

/** The parts of one way to remedy a deviation, those that it lacks as empty lists. */
export function partsOf(variant: RemediationVariant) {
  const { inputs = [], prepare = [], files = [], commands = [], ask = [] } = variant
  return { ...variant, inputs, prepare, commands, ask, files: files.map((file) => ({ mode: '0644', ...file })) }
}

/** The steps of a remediation as lines of plain text, for tools that show no Markdown: one block for each way. Constant text of the catalog. */
export const remedyLines = (remediation: CheckRemediation): readonly string[] =>
  remediation.steps.flatMap((variant, index) => [
    `${index + 1}. ${headOf(variant)}`,
    ...stepLines(variant),
    ...(index === remediation.steps.length - 1 ? [`Side effects: ${remediation.sideEffects}`] : []),
  ])

/** The title of one way to remedy a deviation, with the systems that it applies to. */
export const headOf = ({ title, when, families }: RemediationVariant): string =>
  `${title} (${[...(when === undefined ? [] : [`where ${when}`]), familiesOf({ families })].join('; ')})`

/** One way, line by line, and how it is verified. */
function stepLines(variant: RemediationVariant): readonly string[] {
  const { inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  return [
    ...inputs.map(({ name, is }) => `Set first: ${name}: ${is}`),
    ...prepare.map((line) => `Prepare: ${line}`),
    ...files.flatMap(({ path, content, mode }) => [
      `File ${path}, mode ${mode}, each line after its bar:`,
      // A bar, so that a line of the file cannot be read as a formula by a program that opens the CSV.
      ...content
        .trimEnd()
        .split('\n')
        .map((line) => `| ${line}`),
    ]),
    ...commands.map((line) => `Run: ${line}`),
    ...ask.map((one) => `Request from the ${askText(one)}`),
    ...(note === undefined ? [] : [note]),
    `Verify: ${verify.command ?? verify.inspect ?? ''}`,
    `Expected: ${verify.expected}`,
  ]
}
