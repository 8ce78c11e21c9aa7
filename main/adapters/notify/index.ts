import { spawn } from 'node:child_process'
import type { NotifyCommand } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import type { Notice } from '../../core/notice.ts'
import { plain } from '../../core/plain-text.ts'
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

const LONGEST_COMPLAINT = 2000
const windows = process.platform === 'win32'

/**
 * Runs a program without a shell, with these bytes on its stdin, until it ends or `limit` milliseconds have passed;
 * then it and its child processes are stopped. Fails with notice.undelivered unless it ends with exit code 0.
 */
function runProgram(argv: readonly [string, ...string[]], stdin: string, limit: number): Promise<Outcome<null>> {
  const [program, ...rest] = argv
  return new Promise((resolve) => {
    const failed = (why: string): void =>
      resolve(fail('notice.undelivered', `${plain(program, 300)}: ${plain(why, 300)}`))
    const child = spawn(program, rest, {
      shell: false,
      stdio: ['pipe', 'ignore', 'pipe'],
      // A process group of its own, so that its child processes can be stopped with it.
      detached: !windows,
      windowsHide: true,
    })
    let complaint = ''
    let late = false
    const timer = setTimeout(() => {
      late = true
      stop(child.pid)
      // A process that left the group may keep the pipe open indefinitely.
      child.stderr.destroy()
    }, limit)
    child.on('error', (problem) => {
      clearTimeout(timer)
      failed('code' in problem ? String(problem.code) : problem.message)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += chunk.toString('utf8')
    })
    // It need not read its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    child.on('exit', () => clearTimeout(timer))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (late) return failed(`not finished after ${limit / 1000} s`)
      if (code === 0) return resolve(ok(null))
      const ended = code === null ? `ended by ${signal}` : `ended with exit code ${code}`
      const said = complaint.trim().split('\n', 1)[0] ?? ''
      return failed(said === '' ? ended : `${ended}: ${said}`)
    })
  })
}

function stop(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(windows ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
