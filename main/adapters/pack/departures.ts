import { quote } from '../../core/plain-text.ts'

/** Counts differences from the output of `writePack`, and keeps the position of the first. */
export interface Tally {
  readonly note: (name: string) => void
  /** One sentence about all of them, or none. */
  readonly sentences: () => readonly string[]
}

/** `what` completes the sentence that starts with the name of an entry. */
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
