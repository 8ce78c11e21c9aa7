import { describe, expect, test } from 'vitest'
import { type EchoListener, echoListener, measureEcho, type Pace } from '../main/app/collect/converse.ts'
import { watchOver } from '../main/app/collect/run.ts'
import { settledTime } from '../main/catalog/location/peers.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { RemoteProcess } from '../main/core/ports/ports.ts'
import { realEntropy } from './support/deps.ts'
import { type VirtualTime, virtualTime } from './support/virtual-time.ts'

/** What the far end does with the nonce of this round, counted from 0. */
type Answering = (line: string, round: number, far: Far) => Promise<void> | void
interface Far {
  readonly time: VirtualTime
  readonly say: (text: string) => void
  readonly hangUp: () => void
}

/** Answers as `cat` would, so many milliseconds later. */
const afterMs =
  (milliseconds: number | ((round: number) => number)): Answering =>
  async (line, round, { time, say }) => {
    await time.pause(typeof milliseconds === 'number' ? milliseconds : milliseconds(round))
    say(line)
  }

interface Settings extends Partial<Pace> {
  readonly deadlineSeconds?: number
  readonly silenceSeconds?: number
  readonly stopAtSeconds?: number
}

async function timed(
  answering: Answering,
  { deadlineSeconds = 300, silenceSeconds = 70, stopAtSeconds, ...pace }: Settings = {},
) {
  const time = virtualTime()
  const stop = new AbortController()
  const echo: EchoListener = echoListener()
  const sent: string[] = []
  let hangUp = (): void => undefined
  const closed: RemoteProcess['closed'] = new Promise((resolve) => {
    hangUp = () => resolve({ exitCode: null, lost: true })
  })
  const far: Far = { time, say: (text) => echo.receive(Buffer.from(text)), hangUp: () => hangUp() }
  const process: RemoteProcess = {
    write: (data) => {
      const line = Buffer.from(data).toString()
      sent.push(line)
      void answering(line, sent.length - 1, far)
    },
    end: () => undefined,
    onStdout: () => undefined,
    onStderr: () => undefined,
    closed,
    kill: () => undefined,
  }
  const deps = { clock: time.clock, pause: time.pause, entropy: realEntropy }
  const watch = watchOver(deps, { deadlineSeconds, silenceSeconds, signal: stop.signal })
  watch.heard()
  if (stopAtSeconds !== undefined) void time.pause(stopAtSeconds * 1000).then(() => stop.abort())
  const timing = await time.until(measureEcho(deps, process, echo, watch, { spreadSeconds: 60, ...pace }))
  const { failure } = watch
  watch.stop()
  return { timing, sent, seconds: time.seconds(), failure: failure() }
}

const samplesOf = ({ timing }: Awaited<ReturnType<typeof timed>>) => timing.bursts.flatMap(({ samples }) => samples)

describe('timing an echo', () => {
  test('thirty round trips in six bursts over a minute, each after three that are not used', async () => {
    const left: number[] = []
    const measured = await timed(afterMs(20), { onWait: (seconds) => left.push(seconds) })
    const { timing, sent, seconds, failure } = measured
    expect(timing).toMatchObject({ warmup: 3, mismatches: 0 })
    expect(timing.bursts.map(({ samples }) => samples)).toEqual(Array.from({ length: 6 }, () => Array(5).fill(20)))
    const [first = '', ...later] = timing.bursts.map(({ at }) => at)
    expect(later.map((at) => Math.round((Date.parse(at) - Date.parse(first)) / 1000))).toEqual([12, 24, 36, 48, 60])
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThan(61)
    expect(left).toEqual([60, 48, 36, 24, 12])
    expect(sent).toHaveLength(48)
    expect(new Set(sent).size).toBe(48)
    expect(failure).toBeNull()
  })

  test('a digest over exactly the nonces of the samples represents them', async () => {
    const { timing, sent } = await timed(afterMs(1), { spreadSeconds: 0 })
    expect(sent.every((line) => /^[0-9a-f]{32}\n$/.test(line))).toBe(true)
    expect(timing.bursts.map(({ nonces }) => nonces)).toEqual(
      [0, 1, 2, 3, 4, 5].map((burst) => sha256(sent.slice(burst * 8 + 3, burst * 8 + 8).join(''))),
    )
  })

  test('what the first rounds of a burst take is not counted', async () => {
    const measured = await timed(afterMs((round) => (round % 8 < 3 ? 400 : 20)))
    expect(Math.max(...samplesOf(measured))).toBe(20)
  })

  test('at once where no spread is wanted, and no other node is asked to make room', async () => {
    const aside = (): never => {
      throw new Error('asked')
    }
    const { timing, seconds } = await timed(afterMs(20), { spreadSeconds: 0, aside })
    expect(timing.bursts).toHaveLength(6)
    expect(seconds).toBeCloseTo(0.96, 2)
  })

  test('others may go on while it is spread', async () => {
    let asked = 0
    const aside: Pace['aside'] = async (work) => {
      asked += 1
      return await work()
    }
    await timed(afterMs(20), { aside })
    expect(asked).toBe(1)
  })

  test('time is rounded up, never down', async () => {
    expect(samplesOf(await timed(afterMs(0.0301), { spreadSeconds: 0 }))[0]).toBe(0.031)
    expect(samplesOf(await timed(afterMs(0), { spreadSeconds: 0 }))[0]).toBe(0.001)
  })

  test('waiting counts neither as silence nor towards the deadline', async () => {
    const { timing, failure } = await timed(afterMs(20), {
      spreadSeconds: 3600,
      deadlineSeconds: 10,
      silenceSeconds: 5,
    })
    expect(timing.bursts).toHaveLength(6)
    expect(failure).toBeNull()
  })
})

describe('a clock that is set', () => {
  test.each([2000, -2000])('by %i ms during a burst spoils that burst alone', async (by) => {
    const measured = await timed(async (line, round, { time, say }) => {
      await time.pause(20)
      if (round === 13) time.setWall(by)
      say(line)
    })
    const drifts = measured.timing.bursts.map(({ wallDriftMs }) => wallDriftMs)
    expect(drifts[1]).toBeCloseTo(by, -1)
    expect(drifts.filter((drift) => Math.abs(drift) > 50)).toHaveLength(1)
    expect(settledTime(measured.timing)).toMatchObject({ ok: true, samples: 25 })
  })
  test('between bursts does no harm', async () => {
    const { timing } = await timed(async (line, round, { time, say }) => {
      if (round === 8) time.setWall(-5000)
      await time.pause(20)
      say(line)
    })
    expect(timing.bursts.every(({ wallDriftMs }) => Math.abs(wallDriftMs) <= 1)).toBe(true)
  })
})

describe('a far end that does not do as it is asked', () => {
  test('an answer that takes more than ten seconds ends it; what was measured is kept', async () => {
    const measured = await timed(afterMs((round) => (round === 14 ? 11_000 : 20)))
    expect(measured.timing.bursts.map(({ samples }) => samples.length)).toEqual([5, 3])
    expect(measured.seconds).toBeLessThan(23)
    expect(measured.failure).toBeNull()
  })

  test('no answer at all', async () => {
    const { timing, seconds } = await timed(() => undefined)
    expect(timing).toEqual({ bursts: [], warmup: 3, mismatches: 0 })
    expect(seconds).toBeLessThan(11)
  })

  test('an altered nonce ends it after the burst, and makes the whole unusable', async () => {
    const altered = (line: string): string => `${line.startsWith('0') ? '1' : '0'}${line.slice(1)}`
    const measured = await timed((line, round, { say }) => say(round === 12 ? altered(line) : line))
    expect(measured.timing.mismatches).toBe(1)
    expect(measured.timing.bursts.map(({ samples }) => samples.length)).toEqual([5, 4])
    expect(settledTime(measured.timing).ok).toBe(false)
  })

  test('an answer before the question is none', async () => {
    const early = await timed((line, round, { say }) => {
      say(line)
      if (round === 7) say(`${'0'.repeat(32)}\n`)
    })
    expect(early.timing.mismatches).toBeGreaterThan(0)
    expect(settledTime(early.timing).ok).toBe(false)
  })

  test('without line ends, or without end', async () => {
    const { timing } = await timed((_line, _round, { say }) => say('x'.repeat(100_000)))
    expect(timing.bursts).toEqual([])
  })

  test('a connection that is lost while it waits ends it at once', async () => {
    const measured = await timed(async (line, round, { time, say, hangUp }) => {
      await time.pause(20)
      say(line)
      if (round === 15) void time.pause(3000).then(hangUp)
    })
    expect(measured.timing.bursts).toHaveLength(2)
    expect(measured.seconds).toBeLessThan(16)
  })
})

describe('ended from our side', () => {
  test('a stop while it waits ends it at once; what was measured is kept', async () => {
    const { timing, seconds, failure } = await timed(afterMs(20), { stopAtSeconds: 17 })
    expect(timing.bursts).toHaveLength(2)
    expect(seconds).toBeCloseTo(17, 1)
    expect(failure?.code).toBe('run.cancelled')
  })
  test('the deadline still ends a measurement that works without coming to an end', async () => {
    const { timing, failure, seconds } = await timed(afterMs(9000), { deadlineSeconds: 60, spreadSeconds: 0 })
    expect(failure?.code).toBe('collector.timed-out')
    expect(timing.bursts.length).toBeLessThan(2)
    expect(seconds).toBeLessThan(61)
  })
})
