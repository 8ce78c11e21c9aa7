import type { FailureCode } from '../../schemas/failure-words.ts'
import { err, type Result } from './result.ts'

/**
 * An expected failure, as a value. `code` is from the closed list in `schemas/failure-words.ts`, where each has plain words
 * (what happened, what it means for the evidence, what to do next). `detail` is one line, already free of control characters.
 */
export interface Failure {
  readonly code: FailureCode
  readonly detail: string
  readonly node?: string
}

export type Outcome<T> = Result<T, Failure>

export const fail = (code: FailureCode, detail: string, node?: string): Result<never, Failure> =>
  err(node === undefined ? { code, detail } : { code, detail, node })
