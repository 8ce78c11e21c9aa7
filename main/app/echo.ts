import type { Clock, Entropy, RemoteProcess } from '../core/ports.ts'
import type { Watch } from './watch.ts'

/** Round trips of random nonces through `cat`, in milliseconds, by our own clock. The first `warmup` rounds are recorded and not used. */
export interface EchoMeasurement {
  readonly samples: readonly number[]
  readonly warmup: number
  readonly mismatches: number
}

export const ECHO_WARMUP = 3
const ECHO_SAMPLES = 15
const PATIENCE_MS = 10_000

export interface EchoListener {
  readonly hear: (bytes: Uint8Array) => void
  readonly next: () => Promise<string>
}

/** Takes the bytes after the collector's end apart into lines. Lines that nobody waits for count as the answer to the next nonce. */
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

/** Random 16-byte nonces as hex lines, one at a time: nobody can answer one before it was sent, and delay only lengthens it. */
export async function measureEcho(
  deps: { readonly clock: Clock; readonly entropy: Entropy; readonly pause: (milliseconds: number) => Promise<void> },
  process: RemoteProcess,
  echo: EchoListener,
  watch: Watch,
): Promise<EchoMeasurement> {
  const samples: number[] = []
  let mismatches = 0
  for (let round = 0; round < ECHO_WARMUP + ECHO_SAMPLES; round += 1) {
    const nonce = Buffer.from(deps.entropy.bytes(16)).toString('hex')
    const answer = echo.next()
    const sent = deps.clock.ticks()
    process.write(new TextEncoder().encode(`${nonce}\n`))
    const nothing = Promise.race([process.closed.then(() => null), deps.pause(PATIENCE_MS).then(() => null)])
    const heard = await watch.unless(Promise.race([answer, nothing]))
    const milliseconds = Number(deps.clock.ticks() - sent) / 1e6
    if (!heard.ok || heard.value === null) break
    if (heard.value === nonce) samples.push(Math.round(milliseconds * 1000) / 1000)
    else mismatches += 1
  }
  return { samples, warmup: ECHO_WARMUP, mismatches }
}
