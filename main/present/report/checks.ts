import { PROPERTIES, propertyWords } from '../../../schemas/words.ts'
import type { Check } from '../../core/check.ts'
import { names } from '../../core/phrases.ts'
import { type Block, type Cell, heading, type Section, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks, shortName } from './items.ts'
import { titles } from './titles.ts'
import { countLines } from './wording.ts'

/** Controls of one framework named per check. */
const MOST_ITEMS = 8

/** Every check once: expected condition, limitations, results over the nodes, and mapped controls. */
export function checkSection(matter: Matter): Section {
  const items = itemsByCheck(matter)
  return {
    id: 'checks',
    title: titles.checks,
    blocks: [
      text(
        'Controls refer to checks by ID. A satisfied check shows its expected condition and nothing more; its limitations are printed below the condition. Each count is over all declared nodes.',
      ),
      ...PROPERTIES.flatMap((property): readonly Block[] => {
        const checks = matter.tally.checksOf(property)
        return checks.length === 0
          ? []
          : [heading(3, propertyWords[property].label, true), table(matter, checks, items)]
      }),
    ],
  }
}

const table = (matter: Matter, checks: readonly Check[], items: ReadonlyMap<string, readonly string[]>): Block => ({
  kind: 'table',
  columns: [
    { title: 'Check', width: 21 },
    { title: 'Expected condition and limitations', width: 59 },
    { title: 'Results', width: 20 },
  ],
  rows: checks.map((check): readonly Cell[] => [
    [
      { text: check.id, style: 'strong' },
      ...(items.get(check.id) ?? []).map((words) => ({ text: words, style: 'quiet' as const })),
    ],
    [{ text: check.expected }, { text: check.limitations, style: 'quiet' }],
    countLines(matter.tally.overNodes(check.id)),
  ]),
})

/** By check: one line per framework with the controls it is mapped to. */
function itemsByCheck(matter: Matter): ReadonlyMap<string, readonly string[]> {
  const { current, overlays } = chosenFrameworks(matter)
  const found = new Map<string, string[]>()
  for (const { id, controls } of [...current, ...overlays]) {
    const ids = new Map<string, string[]>()
    for (const control of controls)
      for (const { check } of control.mappings) ids.set(check, [...(ids.get(check) ?? []), control.id])
    for (const [check, items] of ids)
      found.set(check, [...(found.get(check) ?? []), `${shortName(id)} ${names(items, MOST_ITEMS)}`])
  }
  return found
}
