import type { ScheduleStatus } from '../../../../schemas/ipc-schedules.ts'
import type { Schedule } from '../../../../schemas/types.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { Attempt, AttemptCode, AttemptSending } from '../../scheduled/plan-run.ts'
import { sendingWords } from '../../scheduled/send-packs.ts'

/** Whom a schedule notifies, as a sentence. Of a webhook the host alone: its path is often a token. */
export function notifyWords(notify: Schedule['notify'][number]): string {
  if (notify.kind === 'syslog') return 'Changes are written to the system log.'
  return notify.kind === 'webhook'
    ? `Changes are sent to ${plain(originOf(notify.url), 400)}${notify.secretFile === null ? '' : ', signed'}.`
    : `Changes are passed to the program ${plain(notify.argv[0], 400)}.`
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'a webhook')

const CODE_WORDS: Readonly<Record<Exclude<AttemptCode, 'ran' | 'failed'>, string>> = {
  going: 'In progress, or ended abnormally.',
  'nothing-due': 'No run was due; nothing was collected.',
  overlap: 'The previous run was still in progress; nothing was collected.',
  'too-late': 'The run was missed, and the schedule skips missed runs.',
  stopped: 'Stopped before it started.',
}

/** See EXIT in main/cli/parts/options.ts, and the README. */
const EXIT_WORDS: Readonly<Record<number, string>> = {
  0: 'Sealed; every declared node was collected completely, or incomplete collection is accepted.',
  1: 'Ended with an internal error.',
  2: 'Refused: a required input is missing or invalid.',
  3: 'Sealed, with deviations that have no risk acceptance in effect.',
  4: 'Sealed, but incomplete: a node was not collected completely, or an output or time-stamp is missing.',
  5: 'Verification of the output failed.',
}

/** The state of the pack of a start in the outbox; null where nothing was to be sent. */
export function sendingView(sending: AttemptSending | undefined): NonNullable<ScheduleStatus['last']>['sending'] {
  if (sending === undefined) return null
  const { code, detail } = sending
  return { words: sendingWords(sending), error: code === null ? null : { code, detail } }
}

/** “Sealed, but incomplete” where there was a run; without one, nothing is sealed. */
const UNSEALED = 4

const exitWords = (exit: number | null): string =>
  exit === null ? 'The result is not known.' : (EXIT_WORDS[exit] ?? `Ended with ${exit}.`)

/** Result of a start, in words. */
export function attemptWords({ code, exit, detail }: Pick<Attempt, 'code' | 'exit' | 'detail'>): string {
  if (code !== 'ran' && code !== 'failed') return CODE_WORDS[code]
  const words = code === 'failed' && exit === UNSEALED ? 'No run was sealed.' : exitWords(exit)
  const addition = plain(detail, 400).trim()
  return addition === '' || code === 'ran' ? words : `${words} ${addition}${addition.endsWith('.') ? '' : '.'}`
}
