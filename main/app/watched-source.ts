import type { VerificationProgress } from '../../schemas/verification.ts'
import type { OpenPack } from '../core/all-ports.ts'

/** Who watches a verification, and may end it. */
export interface VerificationWatch {
  readonly onStep: (progress: VerificationProgress) => void
  readonly signal: AbortSignal
}

/** At most so many reports of compared files: a pack has tens of thousands. */
const MOST_REPORTS = 50

/**
 * A pack whose files are counted as they are compared. After a stop, every further reading rejects, so that the verification ends soon.
 * Whatever it then concludes must be discarded: the caller asks the signal.
 */
export function watchedSource(pack: OpenPack, { onStep, signal }: VerificationWatch): OpenPack {
  const total = pack.paths.length
  const every = Math.max(1, Math.ceil(total / MOST_REPORTS))
  const seen = new Set<string>()
  const going = (): void => {
    if (signal.aborted) throw new Error('the verification was stopped')
  }
  return {
    ...pack,
    read: async (path, most) => {
      going()
      return await pack.read(path, most)
    },
    sha256: async (path) => {
      going()
      const digest = await pack.sha256(path)
      seen.add(path)
      if (seen.size % every === 0) onStep({ step: 'files', done: seen.size, total })
      return digest
    },
  }
}
