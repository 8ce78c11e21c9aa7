import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { toldProblem } from './durable.ts'

/** File errors in words: `store.failed`, with advice where the disk is full. */
export function storeFailure(problem: unknown): Outcome<never> {
  const told = plain(toldProblem(problem), 500)
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  return fail(
    'store.failed',
    code === 'ENOSPC' || code === 'EDQUOT' ? `${told}; free some space, then try again` : told,
  )
}
