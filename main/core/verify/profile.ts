import type { ChosenProfile } from '../../../schemas/types.ts'
import { profileWords } from '../../../schemas/words.ts'
import { quote } from '../plain-text.ts'
import { limitsOf, type Threshold } from '../profile.ts'

/** What a reader must know of the numbers that verdicts hold by: whoever sealed a pack chose them, and a looser choice reproduces as well. */
export interface ProfileNotes {
  /** To go on after the count of verdicts. */
  readonly sentence: string
  /** Every limit that was loosened, one sentence each. */
  readonly loosened: readonly string[]
}

export function profileNotes(thresholds: readonly Threshold[], chosen: ChosenProfile | undefined): ProfileNotes {
  const limits = [...limitsOf(thresholds, chosen).values()].filter(({ moved }) => moved === 'looser')
  const count =
    limits.length === 0 ? '' : `, with ${limits.length === 1 ? 'a limit' : `${limits.length} limits`} loosened`
  return {
    sentence: `The numbers are those of the profile “${profileWords[chosen?.name ?? 'baseline'].label}”${count}.`,
    loosened: limits.map(
      ({ threshold, shown, shownBefore, source }) =>
        `Loosened: ${threshold.title}: ${shown} instead of ${shownBefore}. Reason given: ${quote(source, 500)}.`,
    ),
  }
}
