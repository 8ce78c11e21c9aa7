/** How many machines of known truth read "virtual", out of those that could be read: honest guests, guests dressed up as hardware, hardware. */
export interface Counts {
  readonly vm: readonly [hits: number, asked: number]
  readonly dressed: readonly [hits: number, asked: number]
  readonly metal: readonly [hits: number, asked: number]
}

/** Counted over labelled captures of real machines by `npm run corpus -- --counts`, in full; nothing here is set by hand. */
export const COUNTS: Readonly<Record<string, Counts>> = {}
