import { type Check, defineCheck, type Needs } from '../../../core/rules/check.ts'
import type { ClaimTest } from '../../../core/rules/claim.ts'

/**
 * The value stated in a claim, in comparable form; null where it does not fit. Values come from files and packs of
 * any origin.
 */
type Value = string | number | null

export const numberBetween = (value: Value, least: number, most: number): number | null =>
  typeof value === 'number' && value >= least && value <= most ? value : null

/** A whole number from 1 on. */
export const countUpTo = (value: Value, most: number): number | null =>
  Number.isSafeInteger(value) ? numberBetween(value, 1, most) : null

export const oneOf = <W extends string>(value: Value, words: readonly W[]): W | null =>
  words.find((word) => word === value) ?? null

/** Faster than any port that is sold. */
export const MOST_GBPS = 100_000

/** The parts of a claim test that depend on the value; id and limits are those of the test. */
type Made = <N extends Needs, W extends Needs = Record<never, never>>(
  check: Omit<Check<N, W>, 'id' | 'limitations'>,
) => Check

/** A claim test; `of` makes the check of one value, or null where the value does not fit. */
export const claimTest = ({
  of,
  ...test
}: Omit<ClaimTest, 'of'> & {
  readonly of: (value: Value, check: Made) => Check | null
}): ClaimTest => ({
  ...test,
  of: (value) => of(value, (check) => ({ ...check, id: test.id, limitations: test.limitations }) as unknown as Check),
})

/** A claim test that takes no value: its check is the same for every claim. */
export const plainClaimTest = <N extends Needs, W extends Needs = Record<never, never>>({
  title,
  ...check
}: Check<N, W> & Pick<ClaimTest, 'title'>): ClaimTest => ({
  id: check.id,
  title,
  takes: { kind: 'nothing' },
  limitations: check.limitations,
  of: (value) => (value === null ? defineCheck(check) : null),
})
