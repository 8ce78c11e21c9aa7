import type { DeclaredNode } from '../../../schemas/types.ts'
import { nodeFolder, PATHS } from '../pack-files.ts'
import { type DisclosedUnit, isOpen, textOfParts } from './copy.ts'
import type { FullUnit } from './open-pack.ts'
import { declaredIn, type Word } from './words.ts'
import type { DisclosurePolicy } from './withhold.ts'

/** The account that every such system has: it names nobody. */
const NOBODY = 'root'

/**
 * A declared name, address, user or roster word that the policy withholds and that still stands in what is open; null when none does. The
 * rules cannot cut every name that a fleet file may hold, and such a copy would say that something is withheld that is not.
 */
export function leftOpen(
  units: readonly FullUnit[],
  disclosed: readonly DisclosedUnit[],
  policy: DisclosurePolicy,
): string | null {
  const names = [...new Set(units.flatMap((unit) => withheldNames(unit, policy)))]
  const texts = disclosed.flatMap(({ path, content }) => [
    textOfParts(path, () => GAP),
    textOfParts(content.filter((part) => !isOpen(part) || part.class !== 'file'), () => GAP),
  ])
  const forms = (name: string): readonly string[] => [name, JSON.stringify(name).slice(1, -1)]
  return names.find((name) => forms(name).some((form) => texts.some((text) => text.includes(form)))) ?? null
}

const GAP = '\n'
