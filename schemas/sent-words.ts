import { failureWords } from './failure-words.ts'
import type { SentRow, SentState } from './ipc-history.ts'

/** What became of a pack at one receiver, as people read it. */
export const SENT_WORDS: Readonly<Record<SentState, string>> = {
  sent: 'Sent',
  waiting: 'Waiting',
  'given-up': 'Given up',
  refused: 'Pack refused',
  'not-planned': 'Not in the outbox yet',
  nothing: 'Nothing in the outbox',
}

/** The counts of a row, as “2 sent, 1 waiting”; empty where it has no items. */
export const sentItemsText = ({ delivered, waiting, givenUp }: SentRow['items']): string =>
  [[delivered, 'sent'] as const, [waiting, 'waiting'] as const, [givenUp, 'given up'] as const]
    .flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
    .join(', ')

/** The reason of a row in words; empty where there is none. */
export const sentReason = ({ state, code, why }: SentRow): string => {
  if (state === 'nothing') return 'Sealed before the outbox was used, or replaced by a later pack.'
  if (state === 'not-planned') return 'It has not been tried yet.'
  return [code === null ? null : failureWords[code].title, why].filter((part) => part !== null).join(': ')
}
