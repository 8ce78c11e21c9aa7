import { severityWords } from '../../../schemas/conclusion-words.ts'
import type { RemediationVariant } from '../../../schemas/types.ts'
import type { CheckSeverity } from '../../core/catalog.ts'
import { codeBlock, markdownText } from '../../core/plain-text.ts'
import type { WorkItem, WorkOrder } from '../../core/work-order.ts'
import { familiesOf, familyText, HOW_TO_USE, partsOf, WHO } from './work-order-document.ts'

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
      : [...overview(items), ...items.flatMap(section)]),
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

function overview(items: readonly WorkItem[]): readonly string[] {
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
      : [
          '',
          'Request:',
          '',
          ...ask.map(
            (one) =>
              `- From the ${one.of}: ${markdownText(one.for)}${one.request === undefined ? '' : ` (${one.request})`}`,
          ),
        ]),
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
