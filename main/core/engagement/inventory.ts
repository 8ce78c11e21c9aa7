import type { Engagement, Inventory } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../failure.ts'
import { quote } from '../plain-text.ts'
import { isDay } from '../register/days.ts'
import { ok } from '../result.ts'

/**
 * An engagement with a newer list of the provider. Rows that were left out stay so where their ids still stand. Fails with input.refused
 * where there is no engagement that counts, and for a day that no calendar has.
 */
export function withInventory(
  engagement: Engagement | null,
  { source, owner, ...list }: Omit<Inventory, 'leftOut'>,
): Outcome<Engagement> {
  if (engagement === null)
    return fail('input.refused', 'the provider’s list belongs to an engagement; fill that in first')
  if (source.trim() === '' || owner.trim() === '')
    return fail('input.refused', 'say where the list comes from and who answers for it')
  if (!isDay(list.on)) return fail('input.refused', `the day is ${quote(list.on)}, and the calendar has no such day`)
  const ids = new Set(list.rows.map(({ id }) => id))
  const leftOut = (engagement.inventory?.leftOut ?? []).filter(({ id }) => ids.has(id))
  return ok({ ...engagement, inventory: { ...list, source: source.trim(), owner: owner.trim(), leftOut } })
}

/** Says why a row is no node of the population; null takes that back. Fails with input.refused where there is no such row. */
export function leaveOut(
  engagement: Engagement | null,
  { id, why }: { readonly id: string; readonly why: string | null },
): Outcome<Engagement> {
  const inventory = engagement?.inventory ?? null
  if (engagement === null || inventory === null || !inventory.rows.some((row) => row.id === id))
    return fail('input.refused', `the provider’s list has no row ${quote(id)}`)
  if (why !== null && why.trim() === '') return fail('input.refused', 'say why the row is left out')
  const others = inventory.leftOut.filter((one) => one.id !== id)
  const leftOut = why === null ? others : [...others, { id, why: why.trim() }]
  return ok({ ...engagement, inventory: { ...inventory, leftOut } })
}
