import type { NotifyCommand } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Notice } from '../../core/notice.ts'
import { plain } from '../../core/plain-text.ts'
import { runProgram } from './run-program.ts'
import { notifyWebhook, type Posting } from './webhook.ts'

/** Notifies a program, a webhook or the system log: see Ports.notify. */
export const createNotify =
  (posting: Posting): Ports['notify'] =>
  async (to, notice) => {
    if (to.kind === 'command') return await notifyCommand(to, notice)
    if (to.kind === 'webhook') return await notifyWebhook(to, notice, posting)
    return await notifySyslog(notice)
  }

export const COMMAND_LIMIT = 30_000

/** Sends the notification as one line of JSON to the stdin of a program. Fails with notice.undelivered. */
export const notifyCommand = (
  { argv }: NotifyCommand,
  notice: Notice,
  limit: number = COMMAND_LIMIT,
): Promise<Outcome<null>> => runProgram(argv, `${JSON.stringify(notice)}\n`, limit)

const LIMIT = 10_000
/** logger(1) cuts a message at 1 KiB. */
const LONGEST = 900

/**
 * Writes one line to the system log through logger(1), which knows the socket of this system: facility auth, severity
 * notice. Fails with notice.undelivered.
 */
export async function notifySyslog(notice: Notice, logger = 'logger'): Promise<Outcome<null>> {
  if (process.platform === 'win32') return fail('notice.undelivered', 'this computer has no syslog')
  return await runProgram(
    [logger, '-t', 'barewitness', '--id', '-p', 'auth.notice', '--', syslogLine(notice)],
    '',
    LIMIT,
  )
}

/** A notification without control characters, cut to the limit of one log message. */
export function syslogLine({ schedule, run, summary, changes }: Notice): string {
  const text = [`${schedule}${run === null ? '' : ` ${run}`}: ${summary}`, ...changes].map((one) => plain(one, LONGEST))
  const bytes = Buffer.from(text.join(' '))
  if (bytes.length <= LONGEST) return bytes.toString('utf8')
  // A character that was cut in two is dropped.
  return `${bytes
    .subarray(0, LONGEST)
    .toString('utf8')
    .replace(/\ufffd+$/, '')} …`
}
