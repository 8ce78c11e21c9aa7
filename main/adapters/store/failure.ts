import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'

/** What went wrong with files, in words: `store.failed`, with what to do where the disk is full. */
export function storeFailure(problem: unknown): Outcome<never> {
  const told = plain(problem instanceof Error ? problem.message : String(problem), 500)
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? fail('store.failed', `the disk is full; make room, then try again (${told})`)
    : fail('store.failed', told)
}
