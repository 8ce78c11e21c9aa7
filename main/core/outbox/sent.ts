import type { SentItems, SentRow } from '../../../schemas/ipc-history.ts'
import { plain } from '../base/plain-text.ts'
import { compare } from '../recording/recording.ts'
import type { Letter } from './journal.ts'

/** A sealed pack according to the notes of an outbox. */
export interface SealedPack {
  readonly run: string
  /** Why the whole pack was refused; null where it was not. */
  readonly refusal: Pick<SentRow, 'at' | 'code' | 'why'> | null
  /** Whether the notes list it as planned or as older than the outbox. */
  readonly isSettled: boolean
}

const LONGEST_REASON = 1000

/**
 * Deliveries of the packs of each run by receiver, the latest run first. A receiver has exactly the items that the outbox states as delivered.
 * Items that a later pack replaced belong to the run of that pack. A pack without any entry has its own row.
 */
export function sentRows(letters: readonly Letter[], packs: readonly SealedPack[]): readonly SentRow[] {
  const byRun = new Map<string, Map<string, Letter[]>>()
  for (const { run } of packs) byRun.set(run, byRun.get(run) ?? new Map())
  for (const letter of letters) {
    if (letter.run === null) continue
    const ofRun = byRun.get(letter.run) ?? new Map<string, Letter[]>()
    byRun.set(letter.run, ofRun)
    ofRun.set(letter.target, [...(ofRun.get(letter.target) ?? []), letter])
  }
  return [...byRun]
    .sort(([a], [b]) => compare(b, a))
    .flatMap(([run, targets]) => {
      const own = packs.filter((one) => one.run === run)
      const refused = own.flatMap(({ refusal }): readonly SentRow[] =>
        refusal === null ? [] : [{ run, target: null, state: 'refused', items: NO_ITEMS, ...refusal }],
      )
      const rows = [...refused, ...[...targets].map(([target, of]) => rowOf(run, target, of))]
      if (rows.length > 0) return rows
      const state = own.every(({ isSettled }) => isSettled) ? 'nothing' : 'not-planned'
      return [{ run, target: null, state, items: NO_ITEMS, at: null, code: null, why: null } as const]
    })
}

const NO_ITEMS: SentItems = { delivered: 0, waiting: 0, givenUp: 0 }

/** The state of a receiver is the worst of its items, with their latest time and reason. */
function rowOf(run: string, target: string, letters: readonly Letter[]): SentRow {
  const ofState = (is: Letter['state']['is']) => letters.filter(({ state }) => state.is === is)
  const [delivered, waiting, givenUp] = [ofState('delivered'), ofState('waiting'), ofState('given-up')]
  const items = { delivered: delivered.length, waiting: waiting.length, givenUp: givenUp.length }
  const [state, worst] =
    givenUp.length > 0
      ? (['given-up', givenUp] as const)
      : waiting.length > 0
        ? (['waiting', waiting] as const)
        : (['sent', delivered] as const)
  // An unknown time is not replaced by an earlier one.
  const at = worst.some((one) => one.at === null)
    ? null
    : (worst
        .map((one) => one.at ?? '')
        .sort(compare)
        .at(-1) ?? null)
  const why = worst.map(({ state: one }) => (one.is === 'delivered' ? null : one.why)).findLast((one) => one !== null)
  return { run, target, state, items, at, code: null, why: why == null ? null : plain(why, LONGEST_REASON) }
}
