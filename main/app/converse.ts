import type { Recording } from '../../schemas/types.ts'
import { createFrameReader, type Frame, type FrameEvent, type Header } from '../core/collector/frames.ts'
import type { Failure } from '../core/failure.ts'
import type { Clock, Connection, Entropy, RemoteProcess } from '../core/ports.ts'

export interface ConverseDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
}

export interface ConverseInput {
  readonly script: string
  readonly nonce: string
  readonly commands: number
  readonly echo: boolean
  readonly deadlineSeconds: number
  readonly signal: AbortSignal
  readonly onHeader: (header: Header) => void
  readonly onFrame: (frame: Frame, firstUptime: number) => Promise<void>
}

export interface Conversation {
  readonly failure: Failure | null
  readonly clock: Recording['clock']
  /** Round trips of random nonces through `cat`, in milliseconds, by our own clock. */
  readonly echo: { readonly samples: readonly number[]; readonly warmup: number; readonly mismatches: number } | null
}

export const ECHO_WARMUP = 3
const ECHO_SAMPLES = 15
const ECHO_PATIENCE_MS = 10_000
const SILENCE_SECONDS = 60

/** Runs the collector over an open connection and reads its answer to the end, a failure, the deadline or a stop. Never hangs. */
export async function converse(
  deps: ConverseDeps,
  connection: Connection,
  input: ConverseInput,
): Promise<Conversation> {
  const started = deps.clock.ticks()
  const executed = await connection.exec('sh -s')
  if (!executed.ok) return { failure: executed.error, clock: null, echo: null }
  const process = executed.value
  const reader = createFrameReader(input.nonce, input.commands)
  let failure: Failure | null = null
  let clock: Recording['clock'] = null
  let firstUptime: number | null = null
  let heard = deps.clock.ticks()
  let writing = Promise.resolve()
  let settle = (): void => undefined
  const over = new Promise<void>((resolve) => {
    settle = resolve
  })
  const give = (code: Failure['code'], detail: string): void => {
    failure ??= { code, detail }
    settle()
  }
  const echo = echoListener()

  const take = (event: FrameEvent): void => {
    if (event.kind === 'header') {
      clock = clockOf(deps, event.header, started)
      input.onHeader(event.header)
    } else if (event.kind === 'frame') {
      firstUptime ??= event.frame.startedUptime
      const since = firstUptime
      writing = writing.then(() => input.onFrame(event.frame, since))
    } else if (event.kind === 'echo') echo.hear(event.bytes)
    else if (event.kind === 'end') settle()
    else give(event.code, event.detail)
  }
  const hear = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    heard = deps.clock.ticks()
    for (const event of reader.push(stream, chunk)) take(event)
  }
  process.onStdout(hear('stdout'))
  process.onStderr(hear('stderr'))
  const stop = (): void => give('run.cancelled', 'stopped while collecting')
  input.signal.addEventListener('abort', stop, { once: true })
  void process.closed.then(({ lost }) =>
    lost ? give('ssh.lost', 'the connection ended before the collector did') : settle(),
  )
  const watch = watchdog(deps, input.deadlineSeconds, () => heard, give)
  process.write(new TextEncoder().encode(input.script))
  if (!input.echo) process.end()
  await over
  const measured = input.echo && failure === null ? await measureEcho(deps, process, echo) : null
  if (failure === null) await ended(deps, process)
  watch.stop()
  input.signal.removeEventListener('abort', stop)
  process.kill()
  await writing
  const silent = failure === null && clock === null
  return {
    failure: silent ? { code: 'collector.no-answer', detail: 'the session ended without our header' } : failure,
    clock,
    echo: measured,
  }
}

/** Waits for the process to end by itself, briefly, so that stderr's last bytes arrive. */
async function ended(deps: ConverseDeps, process: RemoteProcess): Promise<void> {
  process.end()
  await Promise.race([process.closed, deps.pause(3000)])
}

function watchdog(
  deps: ConverseDeps,
  deadlineSeconds: number,
  heard: () => bigint,
  give: (code: Failure['code'], detail: string) => void,
): { readonly stop: () => void } {
  let going = true
  const started = deps.clock.ticks()
  const seconds = (since: bigint): number => Number(deps.clock.ticks() - since) / 1e9
  const look = async (): Promise<void> => {
    while (going) {
      await deps.pause(250)
      if (seconds(started) > deadlineSeconds)
        return give('collector.timed-out', `not finished after ${deadlineSeconds} seconds`)
      if (seconds(heard()) > SILENCE_SECONDS)
        return give('ssh.timed-out', `nothing was heard for ${SILENCE_SECONDS} seconds`)
    }
  }
  void look()
  return {
    stop: () => {
      going = false
    },
  }
}

/** The node's whole-second clock against ours: half a second of rounding, plus the time the header may have been under way. */
function clockOf({ clock }: ConverseDeps, { epochSeconds }: Header, started: bigint): Recording['clock'] {
  if (epochSeconds === null) return null
  const elapsed = Number(clock.ticks() - started) / 1e9
  const ours = Date.parse(clock.now()) / 1000 - elapsed / 2
  const rounded = (value: number): number => Math.round(value * 1000) / 1000
  return { offsetSeconds: rounded(epochSeconds + 0.5 - ours), uncertaintySeconds: rounded(0.5 + elapsed / 2) }
}

interface EchoListener {
  readonly hear: (bytes: Uint8Array) => void
  readonly next: () => Promise<string>
}

function echoListener(): EchoListener {
  let text = ''
  let waiting: ((line: string) => void) | null = null
  return {
    hear(bytes) {
      text = (text + Buffer.from(bytes).toString('latin1')).slice(-4096)
      const end = text.indexOf('\n')
      if (end < 0 || waiting === null) return
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      const tell = waiting
      waiting = null
      tell(line)
    },
    next: () =>
      new Promise((resolve) => {
        waiting = resolve
      }),
  }
}

/** Random 16-byte nonces as hex lines, one at a time: nobody can answer one before it was sent, and delay only lengthens it. */
async function measureEcho(
  deps: ConverseDeps,
  process: RemoteProcess,
  echo: EchoListener,
): Promise<Conversation['echo']> {
  const samples: number[] = []
  let mismatches = 0
  for (let round = 0; round < ECHO_WARMUP + ECHO_SAMPLES; round += 1) {
    const nonce = Buffer.from(deps.entropy.bytes(16)).toString('hex')
    const answer = echo.next()
    const sent = deps.clock.ticks()
    process.write(new TextEncoder().encode(`${nonce}\n`))
    const line = await Promise.race([
      answer,
      process.closed.then(() => null),
      deps.pause(ECHO_PATIENCE_MS).then(() => null),
    ])
    const milliseconds = Number(deps.clock.ticks() - sent) / 1e6
    if (line === null) break
    if (line === nonce) samples.push(Math.round(milliseconds * 1000) / 1000)
    else mismatches += 1
  }
  return { samples, warmup: ECHO_WARMUP, mismatches }
}
