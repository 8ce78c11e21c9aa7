import { FAILURE_CODES } from '../../../schemas/failure-words.ts'
import type { CollectorJob } from '../../../schemas/types.ts'
import { isSha256, type Sha256 } from '../../core/base/digest.ts'
import type { Failure } from '../../core/base/failure.ts'

/** One line of the journal of jobs. */
export type JobEntry =
  | { readonly kind: 'added'; readonly job: CollectorJob }
  | { readonly kind: 'leased'; readonly id: string; readonly lease: string; readonly holder: string }
  | { readonly kind: 'failed'; readonly id: string; readonly failure: Pick<Failure, 'code' | 'detail'> }
  | { readonly kind: 'completed'; readonly id: string; readonly recording: Sha256 }

const ID = /^[0-9a-f]{32}$/
const isId = (value: unknown): boolean => typeof value === 'string' && ID.test(value)

/** Whether a value is an entry; `isJob` compares a job with its schema. */
export function isEntry(value: unknown, isJob: (job: unknown) => boolean): value is JobEntry {
  if (typeof value !== 'object' || value === null) return false
  const { kind, job, id, lease, holder, failure, recording } = value as Record<string, unknown>
  switch (kind) {
    case 'added':
      return isJob(job)
    case 'leased':
      return isId(id) && isId(lease) && typeof holder === 'string'
    case 'failed':
      return isId(id) && isFailure(failure)
    case 'completed':
      return isId(id) && typeof recording === 'string' && isSha256(recording)
    default:
      return false
  }
}

/** Whether a value is a failure as it is stored. */
export function isFailure(value: unknown): value is Pick<Failure, 'code' | 'detail'> {
  if (typeof value !== 'object' || value === null) return false
  const { code, detail } = value as Record<string, unknown>
  return (FAILURE_CODES as readonly unknown[]).includes(code) && typeof detail === 'string'
}
