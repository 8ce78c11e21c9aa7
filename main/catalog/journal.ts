import type { JournalFile, Moment } from './probes/journal-state.ts'
import { type ShownZone, secondsOf } from './stamps.ts'

/** Seconds since 1970 of a moment in the journal; null where its zone is not known. */
export const momentSeconds = ({ seconds, stamp }: Moment, zone: ShownZone | null): number | null =>
  seconds ?? secondsOf(stamp, zone)

/** The journal of the system itself: system.journal, and what was rotated away from it. */
export const isOfSystem = ({ path }: JournalFile): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('system')

/** Numbers of entries that no file holds between the first and the last that one does, in the chains of the system's own files. */
export function missingEntries(files: readonly JournalFile[]): number {
  const chains = new Set(files.map(({ chain }) => chain))
  return [...chains].reduce((sum, chain) => {
    const all = files.filter((file) => file.chain === chain && file.last >= file.first)
    const own = all.filter(isOfSystem)
    return sum + gaps(own, all)
  }, 0)
}

// A user's own entries have files of their own under the same numbering, so a hole in one may be filled by another.
function gaps(own: readonly JournalFile[], all: readonly JournalFile[]): number {
  const from = Math.min(...own.map(({ first }) => first))
  const to = Math.max(...own.map(({ last }) => last))
  let [next, missing] = [from, 0]
  for (const { first, last } of [...all].sort((a, b) => a.first - b.first)) {
    if (first > to || last < from) continue
    if (first > next) missing += first - next
    next = Math.max(next, last + 1)
  }
  return missing
}
