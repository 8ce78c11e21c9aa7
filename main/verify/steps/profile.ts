import type { ChosenProfile } from '../../../schemas/types.ts'
import { profileWords } from '../../../schemas/words.ts'
import { quote } from '../../core/plain-text.ts'
import { type Threshold, thresholdValues } from '../../core/profile.ts'

/** Notes on thresholds: the sealing party chose them, and verdicts with relaxed thresholds are reproducible too. */
export interface ProfileNotes {
  /** Sentence that follows the count of verdicts. */
  readonly sentence: string
  /** Every relaxed threshold, one sentence each. */
  readonly relaxed: readonly string[]
}

export function profileNotes(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): ProfileNotes {
  const limits = [...thresholdValues(thresholds, chosen).values()].filter(({ moved }) => moved === 'looser')
  const count =
    limits.length === 0 ? '' : `, with ${limits.length === 1 ? 'one threshold' : `${limits.length} thresholds`} relaxed`
  return {
    sentence: `Threshold profile: “${profileWords[chosen?.name ?? 'baseline'].label}”${count}.`,
    relaxed: limits.map(
      ({ threshold, shown, shownBefore, source }) =>
        `Relaxed threshold: ${threshold.title}: ${shown} instead of ${shownBefore}. Reason: ${quote(source, 500)}.`,
    ),
  }
}
