import type { Outcome } from '../../main/core/base/failure.ts'

/** The value of an outcome; throws with code and detail for a failure. */
export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.detail}`)
  return outcome.value
}

/** The code of a failure; `ok` for a value. */
export const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.error.code)

/** The detail of a failure; empty for a value. */
export const detailOf = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.error.detail)
