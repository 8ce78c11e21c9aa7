import type { Attachment, ControlAssessment } from '../../../schemas/types.ts'
import { notFromNodesWords } from '../../../schemas/words.ts'
import { type Catalog, type NotFromNodes, notFromNodesOf } from '../catalog.ts'
import type { Control } from '../framework.ts'
import { bears, recordsOf } from '../register/requests.ts'
import type { Matter } from './input.ts'
import { type Block, heading, type Line, plainCell, text } from './model.ts'

/** At one item: the mapped checks that nodes cannot bear, why, and whether what bears them is attached. They decide nothing. */
export function notFromNodesBlocks(
  { register, assessment, catalog }: Matter,
  control: Control,
  { framework }: ControlAssessment,
): readonly Block[] {
  const found = notFromNodesOf(catalog, control)
  if (found.length === 0) return []
  const line = ({ id, from, why, bring }: NotFromNodes): Line => {
    const needs = bring === null ? [] : [bring]
    const [state] = recordsOf(register, { framework, control: control.key, needs }, assessment.asOf)
    const brought = state === undefined ? '' : ` ${broughtWord(state.attached, assessment.asOf)}: ${state.need}`
    return { text: `${id}: ${notFromNodesWords[from].toLowerCase()}. ${why}${brought}` }
  }
  return [text('Not from nodes:'), { kind: 'list', items: found.map(line) }]
}

const broughtWord = (attached: readonly Attachment[], asOf: string): string =>
  attached.some((entry) => bears(entry, asOf))
    ? 'Attached'
    : attached.length > 0
      ? 'Attached and not examined'
      : 'To attach'

/** Once for all items: what no answer of a node can bear, and what does. */
export function notFromNodesTable({ notFromNodes, frameworks }: Catalog, chosen: readonly string[]): readonly Block[] {
  const supports = frameworks
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ controls }) => controls.flatMap((control) => control.supports))
  const found = notFromNodesOf({ notFromNodes }, { supports })
  if (found.length === 0) return []
  return [
    heading(3, 'Checks that nodes cannot bear'),
    text(
      'The mappings name them because they would bear on an item. A node’s answer would only look like one, so none is asked for. Each counts as not collected on every node, whatever is attached.',
    ),
    {
      kind: 'table',
      columns: [
        { title: 'Check', width: 24 },
        { title: 'Why not from nodes', width: 38 },
        { title: 'What bears it', width: 38 },
      ],
      rows: found.map(({ id, from, why, bring }) => [
        plainCell(id),
        plainCell(why),
        [{ text: `${notFromNodesWords[from]}.` }, ...(bring === null ? [] : [{ text: bring }])],
      ]),
    },
  ]
}
