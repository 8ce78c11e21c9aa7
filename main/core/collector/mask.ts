import { type Sha256, sha256 } from '../digest.ts'
import { type Redacted, redact } from './redact.ts'

/** What is stored of an answer, with the digest of its bytes. */
export interface Masked extends Redacted {
  readonly sha256: Sha256
}

/** Masks an answer: the same bytes always give the same result. */
export type Masking = (bytes: Uint8Array) => Masked

export const masked: Masking = (bytes) => describe(redact(bytes))

const describe = (redacted: Redacted): Masked => ({ ...redacted, sha256: sha256(redacted.bytes) })

/** Answers that many nodes share recur soon. An entry without masked bytes takes about 200 bytes. */
const MOST_ANSWERS = 20_000
const MOST_BYTES = 8 * 1024 * 1024

/**
 * As `masked`, but equal answers are masked once: results are kept by the SHA-256 of the answer. For an answer without secrets only that fact
 * is kept, for others the masked bytes. The oldest entries are dropped at the limits.
 */
export function rememberingMasking(mostAnswers = MOST_ANSWERS, mostBytes = MOST_BYTES): Masking {
  const kept = new Map<Sha256, Masked | null>()
  let size = 0
  const drop = (digest: Sha256): void => {
    size -= kept.get(digest)?.bytes.length ?? 0
    kept.delete(digest)
  }
  return (bytes) => {
    const digest = sha256(bytes)
    const before = kept.get(digest)
    if (before !== undefined) return before ?? { bytes, count: 0, classes: {}, sha256: digest }
    const redacted = redact(bytes)
    const result: Masked = redacted.bytes === bytes ? { ...redacted, sha256: digest } : describe(redacted)
    kept.set(digest, redacted.bytes === bytes ? null : result)
    if (redacted.bytes !== bytes) size += redacted.bytes.length
    for (const oldest of kept.keys()) {
      if (kept.size <= mostAnswers && size <= mostBytes) break
      drop(oldest)
    }
    return result
  }
}
