import { quote } from '../../core/plain-text.ts'

/** Counts what is not as `writePack` writes it, and remembers where that was seen first. */
export interface Tally {
  readonly note: (name: string) => void
  /** One sentence about all of it, or none. */
  readonly sentences: () => readonly string[]
}

/** `what` completes the sentence that begins with the name of an entry. */
export function tally(what: string): Tally {
  let first: string | null = null
  let count = 0
  return {
    note: (name) => {
      first ??= name
      count += 1
    },
    sentences: () => {
      if (first === null) return []
      const others = count === 1 ? '' : `, and so ${count === 2 ? 'does one more' : `do ${count - 1} more`}`
      return [`Entry ${quote(first, 160)} ${what}${others}.`]
    },
  }
}
