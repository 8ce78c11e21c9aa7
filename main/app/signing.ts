import { FAILURE_CODES } from '../../schemas/failure-words.ts'
import type { Failure, Outcome } from '../core/failure.ts'
import { err } from '../core/result.ts'

/**
 * Runs work that signs. A key on a token can become unavailable at any signature, deep inside an encoder: its signer
 * then throws an Error whose cause is the Failure, which is returned here. Any other exception is a bug, and is thrown
 * on.
 */
export async function whileSigning<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await work()
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    if (isFailure(cause)) return err(cause)
    throw thrown
  }
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  'detail' in value &&
  FAILURE_CODES.some((code) => code === value.code)
