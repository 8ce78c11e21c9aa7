import { severityWords } from '../../../../schemas/conclusion-words.ts'
import type { RemediationVariant } from '../../../../schemas/types.ts'
import type { WorkItem, WorkOrder } from '../../../core/work-order.ts'
import { familiesOf, partsOf, WHO } from '../work-order-parts.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  node: 24,
  check: 34,
  deviation: 50,
  'expected condition': 50,
  observations: 70,
  severity: 14,
  'reason for the severity': 50,
  'who can change it': 20,
  steps: 40,
  'applies to': 30,
  'set first': 50,
  commands: 70,
  files: 60,
  requests: 60,
  note: 50,
  verification: 50,
  expected: 40,
  'side effects': 50,
  'also settles on this node': 40,
  source: 50,
  'tested on': 30,
  'risk acceptance in effect until (UTC)': 28,
  owner: 24,
  'due (UTC)': 12,
})

/** One row per deviation and way to remedy it, the most severe of each node first. */
export const workOrderGrid = (orders: readonly WorkOrder[]): Grid => ({
  columns: COLUMNS,
  rows: orders.flatMap(({ node, items }) =>
    items.flatMap((item) => item.variants.map((variant) => rowOf(node, item, variant))),
  ),
})

function rowOf(node: string, item: WorkItem, variant: RemediationVariant): readonly string[] {
  const { check, finding, condition, observed, severity, remediation, alsoHere, accepted, response } = item
  const { title, when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  return [
    node,
    check,
    finding,
    condition,
    observed.join(' | '),
    severityWords[severity.severity],
    severity.why,
    WHO[remediation.whoCanChange],
    when === undefined ? title : `${title} (for: ${when})`,
    familiesOf(variant),
    inputs.map(({ name, is }) => `${name}: ${is}`).join(' | '),
    [...prepare, ...commands].join(' | '),
    files.map(({ path, content }) => `${path}: ${content.trimEnd().split('\n').join(' | ')}`).join(' || '),
    ask.map((one) => `${one.of}: ${one.for}`).join(' | '),
    note ?? '',
    verify.command ?? verify.inspect ?? '',
    verify.expected,
    remediation.sideEffects,
    alsoHere.join(', '),
    remediation.source,
    (remediation.proven ?? []).map(({ distribution }) => distribution).join(', '),
    accepted?.until ?? '',
    response?.owner ?? '',
    response?.due?.slice(0, 10) ?? '',
  ]
}
