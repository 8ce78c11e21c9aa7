import { catalog } from '../../main/catalog/definition/index.ts'
import type { Probe } from '../../main/core/recording/probe.ts'
import type { Check } from '../../main/core/rules/check.ts'
import type { Property } from '../../schemas/words.ts'

/** The checks of some properties. */
export const checksOf = (...properties: readonly Property[]): readonly Check[] =>
  catalog.checks.filter(({ property }) => properties.includes(property))

/** The probes that checks read, each once, in the order of the catalog. */
export function probesOf(checks: readonly Check[]): readonly Probe<unknown>[] {
  const ids = new Set(
    checks.flatMap(({ requires, optional = {} }) =>
      [...Object.values(requires), ...Object.values(optional)].map(({ id }) => id),
    ),
  )
  return catalog.probes.filter(({ id }) => ids.has(id))
}
