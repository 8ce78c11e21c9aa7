import type { EchoBurst, EchoTiming, PathTiming, Recording } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { sha256OfAll } from '../../core/base/digest.ts'
import { fail, type Outcome } from '../../core/base/failure.ts'
import { createFrameReader, type Frame, type FrameEvent, type Header } from '../../core/collector/frames.ts'
import type { Clock, Connection, ConnectTarget, RemoteProcess, RunEvent } from '../../core/ports/ports.ts'
import type { Aside } from '../common/concurrency.ts'
import type { Watch } from './run.ts'

type ConverseDeps = Pick<Ports, 'clock' | 'entropy' | 'pause'>

interface ConverseInput {
  /** The shell on the node, which was started for this. */
  readonly session: ReturnType<typeof startShell>
  readonly script: string
  readonly nonce: string
  readonly commands: number
  /** Maximum bytes kept of a command's stream: one more than its limit. */
  readonly keep: (index: number, stream: 'stdout' | 'stderr') => number
  /** How round trips are timed after the collector has finished; null where they are not timed. */
  readonly echo: Pace | null
  /** Awaited before that starts. */
  readonly beforeEcho?: () => Promise<void>
  readonly onHeader: (header: Header) => void
  /** Stores a capture; several captures may be in progress at once. */
  readonly onFrame: (frame: Frame, firstUptime: number) => Promise<void>
}

export interface Conversation {
  readonly clock: Recording['clock']
  /** Round trips, and the path as the transport measures it; null where they were not timed. */
  readonly echo: (EchoTiming & { readonly path: PathTiming | null }) | null
}

const CLOSE_TIMEOUT_MS = 3000

/** An open connection, or the failure it ended with. A connection that opens too late is closed. */
export async function connect(
  { transport }: Pick<Ports, 'transport'>,
  target: ConnectTarget,
  watch: Watch,
): Promise<Outcome<Connection>> {
  const connecting = transport.connect(target, watch.signal).catch((problem) => fail('bug', String(problem)))
  const waited = await watch.unless(connecting)
  if (waited.ok) return waited.value
  void connecting.then((late) => (late.ok ? late.value.close() : undefined))
  return waited
}

/** Starts the shell that will read the collector. It only waits until the script is written. */
export const startShell = (connection: Connection): Promise<Outcome<RemoteProcess>> =>
  connection.exec('sh -s').catch((problem) => fail('bug', String(problem)))

/**
 * Runs the collector over an open connection and reads its output to the end, or until `watch` ends it: its failure is
 * then the failure returned. On return, every frame received was passed to `onFrame` and handled by it. Never hangs.
 */
export async function converse(
  deps: ConverseDeps,
  connection: Connection,
  input: ConverseInput,
  watch: Watch,
): Promise<Conversation> {
  const silent: Conversation = { clock: null, echo: null }
  const started = deps.clock.ticks()
  const executed = await watch.unless(input.session)
  if (!executed.ok) return silent
  if (!executed.value.ok) {
    watch.give(executed.value.error.code, executed.value.error.detail)
    return silent
  }
  const process = executed.value.value
  const reader = createFrameReader(input.nonce, input.commands, input.keep)
  const echo = echoListener()
  const storing: Promise<void>[] = []
  let clock: Recording['clock'] = null
  let firstUptime: number | null = null
  let isGreeted = false
  let isEnded = false
  let end = (): void => undefined
  const over = new Promise<void>((resolve) => {
    end = resolve
  })

  const take = (event: FrameEvent): void => {
    if (event.kind === 'header') {
      isGreeted = true
      clock = clockOf(deps, event.header, started)
      input.onHeader(event.header)
    } else if (event.kind === 'frame') {
      firstUptime ??= event.frame.startedUptime
      const failed = (problem: unknown): void => watch.give('bug', String(problem))
      try {
        storing.push(input.onFrame(event.frame, firstUptime).catch(failed))
      } catch (problem) {
        failed(problem)
      }
    } else if (event.kind === 'echo') echo.receive(event.bytes)
    else if (event.kind === 'end') {
      isEnded = true
      end()
    } else watch.give(event.code, event.detail)
  }
  const receive = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    watch.heard()
    const at = Number(deps.clock.ticks() - started) / 1e6
    for (const event of reader.push(stream, chunk, at)) take(event)
  }
  process.onStdout(receive('stdout'))
  process.onStderr(receive('stderr'))
  void process.closed.then(({ lost }) => {
    if (lost && !isEnded) watch.give('ssh.lost', 'the connection ended before the collector finished')
    end()
  })
  watch.heard()
  process.write(new TextEncoder().encode(input.script))
  if (input.echo === null) process.end()
  const ended = await watch.unless(over)
  const canTime = ended.ok && isEnded && input.echo !== null
  if (canTime) await input.beforeEcho?.()
  const path = canTime ? await timedPath(connection, watch) : null
  const measured = canTime ? { ...(await measureEcho(deps, process, echo, watch, input.echo)), path } : null
  const hasLeft = ended.ok && (await farewell(deps, process, watch))
  if (!isGreeted) watch.give('collector.no-answer', 'the session ended without the collector header')
  // Killing also ends the connection, and ports of the node may still have to be measured through it.
  if (!hasLeft) process.kill()
  await Promise.all(storing)
  return { clock, echo: measured }
}

/** The path as the transport measures it; null where it cannot. */
async function timedPath({ timePath }: Connection, watch: Watch): Promise<PathTiming | null> {
  if (timePath === undefined) return null
  const timed = await watch.unless(timePath().catch(() => null))
  return timed.ok ? timed.value : null
}

/**
 * Waits briefly for the process to exit, so that the last bytes of its error stream arrive. Returns whether it exited.
 */
async function farewell(deps: ConverseDeps, process: RemoteProcess, watch: Watch): Promise<boolean> {
  process.end()
  const left = process.closed.then(() => true)
  const waited = await watch.unless(Promise.race([left, deps.pause(CLOSE_TIMEOUT_MS).then(() => false)]))
  return waited.ok && waited.value
}

/**
 * The node's whole-second clock against this computer's: half a second of rounding, plus the time the header may have
 * been in transit.
 */
function clockOf({ clock }: ConverseDeps, { epochSeconds }: Header, started: bigint): Recording['clock'] {
  if (epochSeconds === null) return null
  const elapsed = Number(clock.ticks() - started) / 1e9
  const ours = Date.parse(clock.now()) / 1000 - elapsed / 2
  const rounded = (value: number): number => Math.round(value * 1000) / 1000
  return { offsetSeconds: rounded(epochSeconds + 0.5 - ours), uncertaintySeconds: rounded(0.5 + elapsed / 2) }
}

/** Round trips before each burst that are not used: they wake up idle components. */
const ECHO_WARMUP = 3
/**
 * Thirty round trips in six short bursts. Queueing delay varies over seconds; a clock that is set or stops between
 * bursts affects no burst.
 */
const ECHO_BURSTS = 6
const ECHO_ROUNDS = 5

/** Default period over which the round trips of a node are spread. */
export const DEFAULT_SPREAD_SECONDS = 60

/** Timing of a measurement. */
export interface Pace {
  /** From the first burst to the last; 0: no pauses. */
  readonly spreadSeconds: number
  /** Called before each wait with the remaining duration of the measurement. */
  readonly onWait?: (secondsLeft: number) => void
  readonly aside?: Aside
}

/** Start of each burst, in seconds after the first. */
const burstTimes = (spreadSeconds: number): readonly number[] =>
  Array.from({ length: ECHO_BURSTS }, (_, burst) => (spreadSeconds * burst) / (ECHO_BURSTS - 1))

/** How a node is timed in a run, which is informed of each wait. */
export const paceOf = (
  node: string,
  {
    spreadSeconds = DEFAULT_SPREAD_SECONDS,
    aside,
    onEvent,
  }: { readonly spreadSeconds?: number; readonly aside?: Aside; readonly onEvent: (event: RunEvent) => void },
): Pace => ({
  spreadSeconds,
  onWait: (secondsLeft) => onEvent({ kind: 'node-timing', node, secondsLeft }),
  ...(aside === undefined ? {} : { aside }),
})

const PATIENCE_MS = 10_000

export interface EchoListener {
  readonly receive: (bytes: Uint8Array) => void
  readonly next: () => Promise<string>
}

/**
 * Splits the bytes after the end of the collector output into lines. An unexpected line counts as the reply to the next
 * nonce.
 */
export function echoListener(): EchoListener {
  let text = ''
  let waiting: ((line: string) => void) | null = null
  const deliver = (): void => {
    const end = text.indexOf('\n')
    if (end < 0 || waiting === null) return
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    const answer = waiting
    waiting = null
    answer(line)
  }
  return {
    receive(bytes) {
      text = (text + Buffer.from(bytes).toString('latin1')).slice(-4096)
      deliver()
    },
    next: () =>
      new Promise((resolve) => {
        waiting = resolve
        deliver()
      }),
  }
}

/** The result of a burst. It is incomplete when a reply did not arrive. */
interface Burst {
  readonly timed: EchoBurst
  readonly mismatches: number
  readonly isWhole: boolean
}

/**
 * Times random 16-byte nonces, sent as hex lines one at a time: a reply cannot be made before its nonce was sent, and
 * delay only lengthens the time. Ends early, with the measurements so far, when a reply is altered or takes more than
 * ten seconds, or when the collection ends. Never hangs.
 */
export async function measureEcho(
  deps: ConverseDeps,
  process: RemoteProcess,
  echo: EchoListener,
  watch: Watch,
  pace: Pace,
): Promise<EchoTiming> {
  const bursts: EchoBurst[] = []
  let mismatches = 0
  const measure = async (): Promise<void> => {
    const started = deps.clock.ticks()
    for (const begins of burstTimes(pace.spreadSeconds)) {
      const waitMs = begins * 1000 - Number(deps.clock.ticks() - started) / 1e6
      if (waitMs > 0) {
        pace.onWait?.(Math.ceil(pace.spreadSeconds - begins + waitMs / 1000))
        // Timers may fire slightly early.
        const over = Promise.race([deps.pause(Math.ceil(waitMs) + 1), process.closed])
        if (!(await watch.rest(over)).ok) return
      }
      const burst = await measureBurst(deps, process, echo, watch)
      mismatches += burst.mismatches
      if (burst.timed.samples.length > 0) bursts.push(burst.timed)
      if (burst.mismatches > 0 || !burst.isWhole) return
    }
  }
  await (pace.aside === undefined || pace.spreadSeconds === 0 ? measure() : pace.aside(measure))
  return { bursts, warmup: ECHO_WARMUP, mismatches }
}

async function measureBurst(
  deps: ConverseDeps,
  process: RemoteProcess,
  echo: EchoListener,
  watch: Watch,
): Promise<Burst> {
  const kept: Sample[] = []
  let mismatches = 0
  let begun = momentOf(deps.clock)
  let isWhole = true
  for (let round = 0; round < ECHO_WARMUP + ECHO_ROUNDS && isWhole; round += 1) {
    if (round === ECHO_WARMUP) begun = momentOf(deps.clock)
    const sample = await oneRound(deps, process, echo, watch)
    if (sample === null) isWhole = false
    else if (sample.isAltered) mismatches += 1
    else if (round >= ECHO_WARMUP) kept.push(sample)
  }
  const timed: EchoBurst = {
    at: begun.at,
    samples: kept.map(({ milliseconds }) => milliseconds),
    nonces: sha256OfAll(kept.map(({ nonce }) => `${nonce}\n`)),
    wallDriftMs: driftSince(begun, momentOf(deps.clock)),
  }
  return { timed, mismatches, isWhole }
}

interface Sample {
  readonly nonce: string
  readonly isAltered: boolean
  readonly milliseconds: number
}

/** The round trip of one nonce; null when no reply arrived, or the collection ended. */
async function oneRound(
  { clock, entropy, pause }: ConverseDeps,
  process: RemoteProcess,
  echo: EchoListener,
  watch: Watch,
): Promise<Sample | null> {
  const nonce = Buffer.from(entropy.bytes(16)).toString('hex')
  const line = new TextEncoder().encode(`${nonce}\n`)
  const answer = echo.next()
  const nothing = Promise.race([process.closed, pause(PATIENCE_MS)]).then(() => null)
  const sent = clock.ticks()
  process.write(line)
  const heard = await watch.unless(Promise.race([answer, nothing]))
  const elapsed = clock.ticks() - sent
  if (!heard.ok || heard.value === null) return null
  // Rounded up: a recorded value is never shorter than the measured one.
  const milliseconds = Math.max(1, Math.ceil(Number(elapsed) / 1000)) / 1000
  return { nonce, isAltered: heard.value !== nonce, milliseconds }
}

interface Moment {
  readonly at: string
  readonly ticks: bigint
}

const momentOf = (clock: Clock): Moment => ({ at: clock.now(), ticks: clock.ticks() })

/** The wall clock advances while a computer sleeps, and can be set; the monotonic clock does neither. */
function driftSince(from: Moment, to: Moment): number {
  const drift = Date.parse(to.at) - Date.parse(from.at) - Number(to.ticks - from.ticks) / 1e6
  return Math.round(drift * 1000) / 1000
}
