import { failureWords } from '../../../schemas/failure-words.ts'
import type { Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Outcome } from '../../core/base/failure.ts'
import { packOfRun } from '../../core/base/layout.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import type { LoggedEntry } from '../../core/run-chain/entry.ts'
import type { SendReport } from '../outbox/send.ts'
import { type Attempt, type AttemptSending, readAttempts, writeAttempt } from './plan-run.ts'
import type { RanOnce, ScheduledInput } from './states.ts'

export const PENDING: AttemptSending = { state: 'pending', code: null, detail: '' }

/** A person must send packs of older starts: every attempt verifies the pack, which takes time. */
const MOST_STARTS = 20
const LONGEST_DETAIL = 1000

interface SentStart {
  readonly id: string
  /** The run of this start; null where there was none. */
  readonly run: string | null
  /** The chain before this start. */
  readonly entries: readonly LoggedEntry[]
}

/**
 * Sends the packs of earlier starts that were killed or refused before their pack was in the outbox, then the pack of
 * this start, or else the waiting items. Records the result for each start. Never fails a run. Does nothing where the
 * schedule names no integrations, or must stop.
 */
export async function sendPacks<R extends RanOnce>(
  ports: Pick<Ports, 'files'>,
  input: Pick<ScheduledInput<R>, 'schedule' | 'send' | 'signal' | 'report'>,
  { id, run, entries }: SentStart,
): Promise<void> {
  const { schedule, send, signal, report } = input
  const { integrations } = schedule
  if (integrations === undefined || signal.aborted) return
  const read = await readAttempts(ports, schedule.out, schedule.name)
  const starts = read.ok ? read.value : []
  const at = starts.findIndex((one) => one.id === id)
  const keep = async (attempt: Attempt | undefined, sending: AttemptSending): Promise<void> => {
    const kept = attempt === undefined ? read : await writeAttempt(ports, schedule, { ...attempt, sending })
    if (!kept.ok) report(`What became of the pack could not be recorded: ${plain(kept.error.detail, 300)}`)
  }
  let last: AttemptSending | null = null
  for (const { attempt, pack } of await unsentPacks(ports, schedule, starts.slice(0, Math.max(at, 0)), entries)) {
    if (signal.aborted) return
    last = sendingOf(await send(integrations, pack))
    await keep(attempt, last)
  }
  // Waiting items were sent with the pack of an earlier start.
  const sending = run === null && last !== null ? last : sendingOf(await send(integrations, packAt(schedule, run)))
  await keep(starts[at], sending)
  report(sendingText(sending))
}

const packAt = ({ out }: Pick<Schedule, 'out'>, run: string | null): string | null =>
  run === null ? null : packOfRun(out, run)

/** Packs of starts, oldest first, that are not in the outbox yet. */
async function unsentPacks(
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'name' | 'out'>,
  starts: readonly Attempt[],
  entries: readonly LoggedEntry[],
): Promise<readonly { readonly attempt: Attempt; readonly pack: string }[]> {
  const unsent: { readonly attempt: Attempt; readonly pack: string }[] = []
  for (const [at, attempt] of starts.entries()) {
    const { sending } = attempt
    if (at < starts.length - MOST_STARTS || (sending?.state !== 'pending' && sending?.state !== 'failed')) continue
    const pack = packAt(schedule, attempt.run ?? runOf(schedule, attempt, starts[at + 1]?.startedAt ?? null, entries))
    if (pack !== null && (await files.isThere(pack))) unsent.push({ attempt, pack })
  }
  return unsent
}

/**
 * The run of a start that was killed before it could record it: the one in the chain between this start and the next.
 */
function runOf(
  { name }: Pick<Schedule, 'name'>,
  { startedAt, due }: Attempt,
  until: string | null,
  entries: readonly LoggedEntry[],
): string | null {
  const found = entries.findLast(
    ({ entry }) =>
      entry.kind === 'run' &&
      entry.at >= startedAt &&
      (until === null || entry.at < until) &&
      (due === null ? entry.planned === undefined : entry.planned?.schedule === name && entry.planned.due === due),
  )?.entry
  return found?.kind === 'run' ? found.run : null
}

/** The result of a sending, in the form recorded with a start. */
function sendingOf(sent: Outcome<SendReport>): AttemptSending {
  if (!sent.ok) return { state: 'failed', ...cut(sent.error) }
  const { files, targets } = sent.value
  const unwritten = files.flatMap(({ written }) => (written.ok ? [] : [written.error]))[0]
  if (unwritten !== undefined) return { state: 'failed', ...cut(unwritten) }
  const left = targets.filter(({ waiting, givenUp }) => waiting + givenUp.length > 0)
  if (left.length === 0) return { state: 'delivered', code: null, detail: '' }
  const detail = left.map(({ target, waiting, givenUp, why }) => {
    const parts = [
      ...(waiting > 0 ? [`${plural(waiting, 'item')} waiting`] : []),
      ...(givenUp.length > 0 ? [`${plural(givenUp.length, 'item')} given up`] : []),
    ]
    const reason = why ?? givenUp.at(-1)?.why ?? null
    return `${target}: ${parts.join(', ')}${reason === null ? '' : ` (${reason})`}`
  })
  const state = left.some(({ waiting }) => waiting > 0) ? 'waiting' : 'given-up'
  return { state, ...cut({ code: 'delivery.failed', detail: detail.join('; ') }) }
}

const cut = ({
  code,
  detail,
}: Required<Pick<AttemptSending, 'detail'>> & { readonly code: NonNullable<AttemptSending['code']> }) => ({
  code,
  detail: plain(detail, LONGEST_DETAIL),
})

const STATE_WORDS: Readonly<Record<AttemptSending['state'], string>> = {
  pending: 'The pack was not sent yet; the next start of the schedule sends it.',
  failed: 'The pack was not sent as a whole; the next start of the schedule tries again.',
  waiting: 'Not everything was delivered; the next start of the schedule tries again.',
  'given-up': 'Items were given up and are not tried again.',
  delivered: 'Everything was delivered to other systems.',
}

/** The state of sending, as one sentence. */
export const sendingWords = ({ state }: Pick<AttemptSending, 'state'>): string => STATE_WORDS[state]

/** The state with the reason and the next step. */
export function sendingText({ state, code, detail }: AttemptSending): string {
  return code === null
    ? STATE_WORDS[state]
    : `${STATE_WORDS[state]} ${failureWords[code].title} (${code}): ${detail}. ${failureWords[code].next}`
}
