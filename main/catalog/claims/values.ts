/** What a claim may name, as a value that can be compared; null where it does not fit. Values come from files and packs of any origin. */
type Value = string | number | null

export const numberBetween = (value: Value, least: number, most: number): number | null =>
  typeof value === 'number' && value >= least && value <= most ? value : null

export const wholeBetween = (value: Value, least: number, most: number): number | null =>
  Number.isSafeInteger(value) ? numberBetween(value, least, most) : null

export const oneOf = <W extends string>(value: Value, words: readonly W[]): W | null =>
  words.find((word) => word === value) ?? null

/** Faster than any port that is sold. */
export const MOST_GBPS = 100_000
