import { fail, type Outcome } from '../../core/failure.ts'
import type { Notice } from '../../core/notice.ts'
import { plain } from '../../core/plain-text.ts'
import { runProgram } from './run-program.ts'

const LIMIT = 10_000
/** logger(1) cuts a message at 1 KiB. */
const LONGEST = 900

/**
 * Writes one line to the system log through logger(1), which knows the socket of this system: facility auth, severity
 * notice. Fails with notice.undelivered.
 */
export async function tellSyslog(notice: Notice, logger = 'logger'): Promise<Outcome<null>> {
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
