import type { Engagement, Inventory } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { isDay } from '../register/days.ts'
import { ok } from '../result.ts'

/**
 * An engagement with a newer provider inventory. Exclusions are retained where their row IDs still exist. Fails with input.refused
 * without an engagement in use, and for an invalid date.
 */
export function withInventory(
  engagement: Engagement | null,
  { source, owner, ...list }: Omit<Inventory, 'excluded'>,
): Outcome<Engagement> {
  if (engagement === null)
    return fail('input.refused', 'the provider inventory requires an engagement; complete the engagement first')
  if (source.trim() === '' || owner.trim() === '')
    return fail('input.refused', 'enter the source and the owner of the inventory')
  if (!isDay(list.on)) return fail('input.refused', `the date ${quote(list.on)} is invalid`)
  const ids = new Set(list.rows.map(({ id }) => id))
  const excluded = (engagement.inventory?.excluded ?? []).filter(({ id }) => ids.has(id))
  return ok({ ...engagement, inventory: { ...list, source: source.trim(), owner: owner.trim(), excluded } })
}

/** Sets the reason for excluding a row; null removes it. Fails with input.refused where there is no such row. */
export function leaveOut(
  engagement: Engagement | null,
  { id, why }: { readonly id: string; readonly why: string | null },
): Outcome<Engagement> {
  const inventory = engagement?.inventory ?? null
  if (engagement === null || inventory === null || !inventory.rows.some((row) => row.id === id))
    return fail('input.refused', `the provider inventory has no row ${quote(id)}`)
  if (why !== null && why.trim() === '') return fail('input.refused', 'enter a reason for the exclusion')
  const others = inventory.excluded.filter((one) => one.id !== id)
  const excluded = why === null ? others : [...others, { id, why: why.trim() }]
  return ok({ ...engagement, inventory: { ...inventory, excluded } })
}
