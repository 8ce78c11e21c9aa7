import { catalog } from '../../main/catalog/index.ts'
import type { Check } from '../../main/core/check.ts'

const have = new Set([...catalog.checks, ...catalog.notFromNodes].map(({ id }) => id))
const ids = new Set(catalog.frameworks.flatMap((f) => f.controls.flatMap((c) => c.supports.map((s) => s.check))))
export const NEWER: readonly Check[] = [...ids]
  .filter((id) => !have.has(id))
  .map(
    (id) =>
      ({
        id,
        property: 'access',
        claim: 'c',
        limits: 'l',
        needs: {},
        evaluate: () => ({ verdict: 'inconclusive', because: [] }),
      }) as unknown as Check,
  )
