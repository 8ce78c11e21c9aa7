import type { FailureCode } from '../../../schemas/failure-words.ts'

/**
 * An expected failure, as a value. `code` is from the closed list in `schemas/failure-words.ts`, where each has plain
 * words (what happened, the effect on the evidence, what to do next). `detail` is one line without control
 * characters.
 */
export interface Failure {
  readonly code: FailureCode
  readonly detail: string
  readonly node?: string
}

export type Outcome<T> = Result<T, Failure>

export const fail = (code: FailureCode, detail: string, node?: string): Result<never, Failure> =>
  err(node === undefined ? { code, detail } : { code, detail, node })

/** The result of an operation that can fail in expected ways. Exceptions are reserved for bugs of ours. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })
