import type { Context, DraftObservation } from '../core/check.ts'
import { daysBetween } from '../core/register/days.ts'
import { count, supports, unclear } from './steps.ts'

/** A list of dates that others decide, such as ends of support, is relied on for so many days after it was last compared with them. */
export const LIST_DAYS = 90

/** Whether a list is too old at the moment of assessment to support anything; one without a readable day is. */
export const isOldList = (listOf: string, { asOf }: Pick<Context, 'asOf'>): boolean => {
  const days = daysBetween(startOf(listOf), asOf)
  return !(days <= LIST_DAYS)
}

/** The step that dates a list next to what was concluded from it. An old one leaves open what it would have supported. */
export function ageOfList(title: string, listOf: string, context: Pick<Context, 'asOf'>): DraftObservation {
  const days = daysBetween(startOf(listOf), context.asOf)
  const age = days < 0 ? 'after the day of this assessment' : `${count(days, 'day')} before this assessment`
  const dated = `${title} is dated ${listOf}, ${age}`
  return isOldList(listOf, context)
    ? unclear(`${dated}. It is relied on for ${LIST_DAYS} days; a newer one is needed.`, null)
    : supports(`${dated}.`, null)
}

const startOf = (day: string): string => `${day}T00:00:00.000Z`
