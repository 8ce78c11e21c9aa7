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
  /** Most bytes of a command's stream that are kept: one more than its limit. */
  readonly keep: (index: number, stream: 'stdout' | 'stderr') => number
  /** How round trips are timed once the collector is done; null where they are not. */
  readonly echo: Pace | null
  /** Awaited before that begins. */
  readonly beforeEcho?: () => Promise<void>
  readonly onHeader: (header: Header) => void
  /** Stores an answer; answers may be under way at the same time. */
  readonly onFrame: (frame: Frame, firstUptime: number) => Promise<void>
}

export interface Conversation {
  readonly clock: Recording['clock']
  /** Round trips, and what the transport can tell of the way beside them; null where they were not timed. */
  readonly echo: (EchoTiming & { readonly path: PathTiming | null }) | null
}

const CLOSE_TIMEOUT_MS = 3000

/**
 * Runs the collector over an open connection and reads its answer to the end, or to whatever `watch` ends it with: its failure is the
 * conversation's. Every answer that came was given to `onFrame`, and taken by it, when this returns. Never hangs.
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
  let settle = (): void => undefined
  const over = new Promise<void>((resolve) => {
    settle = resolve
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
      settle()
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
    if (lost && !isEnded) watch.give('ssh.lost', 'the connection ended before the collector did')
    settle()
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
  if (!isGreeted) watch.give('collector.no-answer', 'the session ended without our header')
  // Killing ends the connection too, over which ports of the node may still be asked.
  if (!hasLeft) process.kill()
  await Promise.all(storing)
  return { clock, echo: measured }
}

/** What the transport measures of the way; null where it has no means. */
async function timedPath({ timePath }: Connection, watch: Watch): Promise<PathTiming | null> {
  if (timePath === undefined) return null
  const timed = await watch.unless(timePath().catch(() => null))
  return timed.ok ? timed.value : null
}

/** Waits for the process to end by itself, briefly, so that the last bytes of its errors arrive. Whether it did. */
async function farewell(deps: ConverseDeps, process: RemoteProcess, watch: Watch): Promise<boolean> {
  process.end()
  const left = process.closed.then(() => true)
  const waited = await watch.unless(Promise.race([left, deps.pause(CLOSE_TIMEOUT_MS).then(() => false)]))
  return waited.ok && waited.value
}

/** The node's whole-second clock against ours: half a second of rounding, plus the time the header may have been under way. */
function clockOf({ clock }: ConverseDeps, { epochSeconds }: Header, started: bigint): Recording['clock'] {
  if (epochSeconds === null) return null
  const elapsed = Number(clock.ticks() - started) / 1e9
  const ours = Date.parse(clock.now()) / 1000 - elapsed / 2
  const rounded = (value: number): number => Math.round(value * 1000) / 1000
  return { offsetSeconds: rounded(epochSeconds + 0.5 - ours), uncertaintySeconds: rounded(0.5 + elapsed / 2) }
}
