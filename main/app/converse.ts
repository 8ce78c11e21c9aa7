import type { EchoTiming, PathTiming, Recording } from '../../schemas/types.ts'
import { createFrameReader, type Frame, type FrameEvent, type Header } from '../core/collector/frames.ts'
import { fail } from '../core/failure.ts'
import type { Clock, Connection, Entropy, RemoteProcess } from '../core/ports.ts'
import { echoListener, measureEcho } from './echo.ts'
import type { Pace } from './location/spread.ts'
import type { Watch } from './watch.ts'

export interface ConverseDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
}

export interface ConverseInput {
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
  /** Round trips, and what the transport measures of the path; null where they were not timed. */
  readonly echo: (EchoTiming & { readonly path: PathTiming | null }) | null
}

const CLOSE_TIMEOUT_MS = 3000

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
  const executed = await watch.unless(connection.exec('sh -s').catch((problem) => fail('bug', String(problem))))
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
      storing.push(input.onFrame(event.frame, firstUptime).catch((problem) => watch.give('bug', String(problem))))
    } else if (event.kind === 'echo') echo.hear(event.bytes)
    else if (event.kind === 'end') {
      isEnded = true
      end()
    } else watch.give(event.code, event.detail)
  }
  const hear = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    watch.heard()
    const at = Number(deps.clock.ticks() - started) / 1e6
    for (const event of reader.push(stream, chunk, at)) take(event)
  }
  process.onStdout(hear('stdout'))
  process.onStderr(hear('stderr'))
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
