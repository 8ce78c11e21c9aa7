/** Attempts for one content, over all runs of the program; then it is given up with the last reason. */
export const MOST_ATTEMPTS = 12
/** Attempts within one run of the program. */
export const MOST_AT_ONCE = 3
/** A run of the program waits no longer than this for one item; what is due later is left to the next run. */
export const LONGEST_PAUSE_MS = 60_000

/** Seconds before the second and each further attempt. */
const WAITS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 21_600] as const
const LONGEST_WAIT = 21_600
/** What a receiver may ask for. */
const LONGEST_ASKED_MS = 24 * 60 * 60 * 1000

/**
 * Milliseconds before the next attempt: four times as long after each, with up to a quarter more by chance, so that senders that failed at
 * once do not return at once. `asked` is what the receiver asked for, and is a minimum. `chance` is at least 0 and below 1.
 */
export function waitBefore(attempts: number, asked: number | null, chance: number): number {
  const grown = (WAITS[Math.max(0, attempts - 1)] ?? LONGEST_WAIT) * 1000
  const spread = Math.floor(grown * (1 + chance / 4))
  return Math.max(spread, Math.min(asked ?? 0, LONGEST_ASKED_MS))
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3): seconds or a date. Null where it is neither. */
export function retryAfter(header: string | null, now: string): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // The form of a date is compared first: Date.parse also reads forms that RFC 9110 does not have.
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - Date.parse(now))
}
