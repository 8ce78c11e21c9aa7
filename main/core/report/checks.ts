import { PROPERTIES, propertyWords } from '../../../schemas/words.ts'
import type { Check } from '../check.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks, shortName } from './items.ts'
import { type Block, type Cell, heading, type Section, text } from './model.ts'
import { titles } from './titles.ts'
import { countLines, names } from './wording.ts'

/** So many items of one framework are named beside a check. */
const MOST_ITEMS = 8

/** Every check once: its claim, what support for it does not show, how it came out over the nodes, and which items it bears on. */
export function checkSection(matter: Matter): Section {
  const items = itemsByCheck(matter)
  return {
    id: 'checks',
    title: titles.checks,
    blocks: [
      text(
        'Items name checks by their id. A supported check says what its claim says and no more; beside the claim stands what it does not show. Each count is over all declared nodes.',
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
    { title: 'Check', width: 22 },
    { title: 'Claim, and what support for it does not show', width: 54 },
    { title: 'Over the nodes', width: 24 },
  ],
  rows: checks.map((check): readonly Cell[] => [
    [
      { text: check.id, style: 'strong' },
      ...(items.get(check.id) ?? []).map((words) => ({ text: words, style: 'quiet' as const })),
    ],
    [{ text: check.claim }, { text: check.limits, style: 'quiet' }],
    countLines(matter.tally.overNodes(check.id)),
  ]),
})

/** By check: one line per framework with the items that it bears on. */
function itemsByCheck(matter: Matter): ReadonlyMap<string, readonly string[]> {
  const { current, overlays } = chosenFrameworks(matter)
  const found = new Map<string, string[]>()
  for (const { id, controls } of [...current, ...overlays]) {
    const ids = new Map<string, string[]>()
    for (const control of controls)
      for (const { check } of control.supports) ids.set(check, [...(ids.get(check) ?? []), control.id])
    for (const [check, items] of ids)
      found.set(check, [...(found.get(check) ?? []), `${shortName(id)} ${names(items, MOST_ITEMS)}`])
  }
  return found
}
