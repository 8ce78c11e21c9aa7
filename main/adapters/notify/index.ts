import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import type { NotifyCommand, NotifyWebhook } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Notice } from '../../core/ports/notice.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { askable, reasonOf } from '../http.ts'
import { ownersFile } from '../secret-file.ts'

/** Notifies a program, a webhook or the system log: see Ports.notify. */
export const createNotify =
  (posting: Posting): Ports['notify'] =>
  async (to, notice) => {
    if (to.kind === 'command') return await notifyCommand(to, notice)
    if (to.kind === 'webhook') return await notifyWebhook(to, notice, posting)
    return await notifySyslog(notice)
  }

const COMMAND_LIMIT = 30_000

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
 * Writes one line to the system log through logger(1), which finds the socket of this system: facility auth, severity
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
    // The program need not read its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    child.on('exit', () => clearTimeout(timer))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (late) return failed(`not finished after ${limit / 1000} s`)
      if (code === 0) return resolve(ok(null))
      const ended = code === null ? `ended by ${signal}` : `ended with exit code ${code}`
      const firstLine = complaint.trim().split('\n', 1)[0] ?? ''
      return failed(firstLine === '' ? ended : `${ended}: ${firstLine}`)
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

interface Posting {
  readonly clock: Clock
  readonly pause: (milliseconds: number) => Promise<void>
  /** For one attempt, its connection included. */
  readonly limit?: number
}

/** Before the second and the third attempt. */
const WAITS = [1000, 4000] as const

/**
 * Posts the notification as JSON. With a key, `Barewitness-Signature: t=<unix seconds>,v1=<HMAC-SHA-256 over "t.body"
 * in hexadecimal>` (RFC 2104) states its sender and time, and `Barewitness-Delivery` is the same in every attempt. No
 * redirect is followed, and only the status of a response is read. Fails with input.refused for an unusable address or
 * key, and with notice.undelivered.
 */
export async function notifyWebhook(
  { url, secretFile }: NotifyWebhook,
  notice: Notice,
  { clock, pause, limit = LIMIT }: Posting,
): Promise<Outcome<null>> {
  const address = webhookAddress(url)
  if (!address.ok) return address
  const secret = secretFile === null ? ok(null) : ownersFile(secretFile, 'webhook key')
  if (!secret.ok) return secret
  if (secret.value === '') return fail('input.refused', `${secretFile} is empty; it must contain the webhook key`)
  const body = JSON.stringify(notice)
  const host = address.value.host
  for (let tried = 0; ; tried += 1) {
    const headers = {
      'content-type': 'application/json',
      'barewitness-delivery': notice.id,
      ...(secret.value === null ? {} : { 'barewitness-signature': webhookSignature(secret.value, clock.now(), body) }),
    }
    const answer = await post(address.value, headers, body, limit)
    if (answer.done) return ok(null)
    const wait = WAITS[tried]
    if (!answer.again || wait === undefined) {
      const tries = tried === 0 ? '' : `, ${tried + 1} tries`
      return fail('notice.undelivered', `webhook at ${host}: ${answer.why}${tries}`)
    }
    await pause(wait)
  }
}

/** `t=…,v1=…` over a body as of a moment (ISO 8601). */
export function webhookSignature(secret: string, at: string, body: string): string {
  const seconds = Math.floor(Date.parse(at) / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/** https, or http to this computer. The error names the host only: webhook addresses often contain a token. */
export function webhookAddress(url: string): Outcome<URL> {
  const asked = askable(url)
  if (asked === null) return fail('input.refused', 'a webhook needs an https address without user name and password')
  const address = new URL(asked)
  const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(address.hostname)
  return address.protocol === 'https:' || local
    ? ok(address)
    : fail('input.refused', `webhook at ${address.host}: use https, or http to this computer only`)
}

type Answer = { readonly done: true } | { readonly done: false; readonly again: boolean; readonly why: string }

async function post(url: URL, headers: Readonly<Record<string, string>>, body: string, limit: number): Promise<Answer> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), limit)
  try {
    const { status } = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: end.signal })
    if (status >= 200 && status < 300) return { done: true }
    const again = status >= 500 || status === 408 || status === 429
    const moved = status >= 300 && status < 400
    return {
      done: false,
      again,
      why: moved ? `HTTP status ${status}; redirects are not followed` : `HTTP status ${status}`,
    }
  } catch (problem) {
    const why = end.signal.aborted ? `no response within ${limit / 1000} s` : reasonOf(problem)
    return { done: false, again: true, why: why.replace(/\.$/, '') }
  } finally {
    clearTimeout(timer)
    // Drops the connection with any remaining response.
    end.abort()
  }
}
