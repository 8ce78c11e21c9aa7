import type { EchoBurst, EchoTiming } from '../../schemas/types.ts'
import { sha256OfAll } from '../core/digest.ts'
import type { Clock, Entropy, RemoteProcess } from '../core/ports.ts'
import { burstTimes, ECHO_ROUNDS, ECHO_WARMUP, type Pace } from './location/spread.ts'
import type { Watch } from './watch.ts'

const PATIENCE_MS = 10_000

export interface EchoDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly pause: (milliseconds: number) => Promise<void>
}

export interface EchoListener {
  readonly hear: (bytes: Uint8Array) => void
  readonly next: () => Promise<string>
}

/**
 * Splits the bytes after the end of the collector output into lines. An unexpected line counts as the reply to the next
 * nonce.
 */
export function echoListener(): EchoListener {
  let text = ''
  let waiting: ((line: string) => void) | null = null
  const tell = (): void => {
    const end = text.indexOf('\n')
    if (end < 0 || waiting === null) return
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    const answer = waiting
    waiting = null
    answer(line)
  }
  return {
    hear(bytes) {
      text = (text + Buffer.from(bytes).toString('latin1')).slice(-4096)
      tell()
    },
    next: () =>
      new Promise((resolve) => {
        waiting = resolve
        tell()
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
 * Random 16-byte nonces as hex lines, one at a time: a reply cannot be made before its nonce was sent, and delay only
 * lengthens it. Ends early, with the measurements so far, when a reply is altered or takes more than ten seconds, or
 * when the collection ends. Never hangs.
 */
export async function measureEcho(
  deps: EchoDeps,
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

async function measureBurst(deps: EchoDeps, process: RemoteProcess, echo: EchoListener, watch: Watch): Promise<Burst> {
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

/** One nonce there and back; null when nothing arrived, or the collection ended. */
async function oneRound(
  { clock, entropy, pause }: EchoDeps,
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
