import { describe, expect, test } from 'vitest'
import { captureOfFrame } from '../main/app/collect/captures.ts'
import { importTranscript, printableCollector } from '../main/app/collect/import-transcript.ts'
import { createFrameReader, type FrameEvent } from '../main/core/collector/frames.ts'
import { planOf } from '../main/core/collector/plan.ts'
import { collectorScript, printableScript } from '../main/core/collector/script.ts'
import { type Probe, run } from '../main/core/recording/probe.ts'
import { catalogOf, probeOf, realEntropy, validator } from './support/deps.ts'
import { must } from './support/outcomes.ts'

const NONCE = '0123456789abcdef01234567'
const HEADER = `${NONCE} H 1 0 1795243820 t h\n`
const begin = (index: number): string => `${NONCE} B ${index} 10.00\n`
const end = (index: number, exit = '0'): string => `\n${NONCE} E ${index} ${exit} 12.50\n`
const bytes = (text: string): Uint8Array => Buffer.from(text)
const framesIn = (events: readonly FrameEvent[]) =>
  events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))

describe('how long a command was heard', () => {
  test('from its first line on stdout to its last, by the reader’s clock', () => {
    const reader = createFrameReader(NONCE, 1)
    const events = [
      ...reader.push('stdout', bytes(HEADER + begin(0)), 1000),
      ...reader.push('stderr', bytes(begin(0)), 1001),
      ...reader.push('stdout', bytes('some'), 2000),
      ...reader.push('stdout', bytes(end(0)), 3456.4),
      ...reader.push('stderr', bytes(end(0, '-')), 9000),
    ]
    expect(framesIn(events)).toMatchObject([{ index: 0, heardMs: 2456, startedUptime: 10, endedUptime: 12.5 }])
  })

  test('a begin line that came in two pieces counts when it is whole', () => {
    const reader = createFrameReader(NONCE, 1)
    const line = begin(0)
    reader.push('stdout', bytes(HEADER + line.slice(0, 20)), 100)
    reader.push('stdout', bytes(line.slice(20)), 400)
    reader.push('stderr', bytes(begin(0) + end(0, '-')), 400)
    expect(framesIn(reader.push('stdout', bytes(end(0)), 1400))).toMatchObject([{ heardMs: 1000 }])
  })

  test('all at once is no time, and a reader without a clock measures none', () => {
    const whole = (at?: number) => {
      const reader = createFrameReader(NONCE, 1)
      reader.push('stderr', bytes(begin(0) + end(0, '-')), at)
      return framesIn(reader.push('stdout', bytes(HEADER + begin(0) + end(0)), at))[0]?.heardMs
    }
    expect(whole(5)).toBe(0)
    expect(whole()).toBeNull()
  })

  test('a clock that went back gives no negative time', () => {
    const reader = createFrameReader(NONCE, 1)
    reader.push('stdout', bytes(HEADER + begin(0)), 500)
    reader.push('stderr', bytes(begin(0) + end(0, '-')), 500)
    expect(framesIn(reader.push('stdout', bytes(end(0)), 400))).toMatchObject([{ heardMs: 0 }])
  })
})

const live = (id: string): Probe<unknown> => ({
  ...probeOf(id, { before: run(['cat', '/proc/stat']), wait: run(['sleep', '3']), after: run(['cat', '/proc/stat']) }),
  live: true,
})
const probes = [probeOf('a.plain', { one: run(['id']) }), live('live.b')]
const keys = (options: Parameters<typeof planOf>[1]): readonly string[] =>
  planOf(probes, options).commands.map(({ probe, command }) => `${probe}/${command}`)
const off = { sudo: false, echo: false }
const whole = ['live.b/before', 'live.b/wait', 'live.b/after']

describe('planning live tests', () => {
  test('only where they were asked for', () => {
    expect(keys(off)).toEqual(['a.plain/one'])
    expect(keys({ ...off, liveTests: false })).toEqual(['a.plain/one'])
    expect(keys({ ...off, liveTests: true })).toEqual(['a.plain/one', ...whole])
  })
  test('one that was answered in part is asked again whole; one that was answered is not', () => {
    const skip = (...names: string[]) => keys({ ...off, liveTests: true, skip: new Set(['a.plain/one', ...names]) })
    expect(skip('live.b/before', 'live.b/wait')).toEqual(whole)
    expect(skip(...whole)).toEqual([])
  })
  test('the printed collector states that they are in it, and only then', () => {
    const text = (liveTests: boolean): string => printableScript(planOf(probes, { ...off, liveTests }), NONCE)
    expect(text(true)).toContain('# 3 of the questions are live tests')
    expect(text(false)).not.toContain('live tests')
    expect(collectorScript(planOf(probes, off), NONCE)).not.toContain('live.b/')
  })
})

describe('the recording of live tests', () => {
  const [plain, first] = planOf(probes, { ...off, liveTests: true }).commands
  const frame = {
    index: 0,
    exitCode: 0,
    notRun: false,
    noPath: false,
    notAsked: false,
    stdout: bytes('x'),
    stderr: bytes(''),
    startedUptime: 10,
    endedUptime: 12.5,
    heardMs: 2511,
  }
  const times = { startedAt: '2026-11-20T09:12:00.000Z', firstUptime: 10, privilege: 'none' as const }

  test('a live capture states how long it was heard, in a form the schema takes', () => {
    if (first === undefined) throw new Error('nothing planned')
    const { meta } = captureOfFrame(first, frame, times)
    expect(meta).toMatchObject({ durationMs: 2500, heardMs: 2511 })
    expect(validator.problems('capture', meta)).toEqual([])
  })
  test('other captures do not', () => {
    if (plain === undefined) throw new Error('nothing planned')
    expect(captureOfFrame(plain, frame, times).meta).not.toHaveProperty('heardMs')
  })

  test.each([true, false])('a transcript with live tests (%s) is read back as such, untimed by us', (liveTests) => {
    const nonce = /N=([0-9a-f]{24})/.exec(printableCollector(probes, realEntropy, { sudo: true, liveTests }))?.[1] ?? ''
    const count = planOf(probes, { sudo: true, echo: false, liveTests }).commands.length
    const indexes = Array.from({ length: count }, (_, index) => index)
    const out = indexes.map((index) => `${nonce} B ${index} 10.00\n\n${nonce} E ${index} 0 12.50\n`).join('')
    const err = indexes.map((index) => `${nonce} B ${index} 10.00\n\n${nonce} E ${index} - 12.50\n`).join('')
    const imported = must(
      importTranscript(
        {
          stdout: bytes(`${nonce} H 1 0 1795243820 t h\n${out}${nonce} Z 1795243830\n`),
          stderr: bytes(err),
          node: { name: 'n', address: 'n', port: 22, user: 'u', sudo: true },
          run: 'r',
          importedAt: '2026-11-20T09:12:00.000Z',
        },
        catalogOf(probes),
      ),
    )
    const { recording, captures } = imported
    expect(recording.outcome.status).toBe('complete')
    expect(recording.liveTests).toBe(liveTests ? true : undefined)
    expect(validator.problems('recording', recording)).toEqual([])
    expect(captures).toHaveLength(count)
    expect(captures.filter(({ meta }) => 'heardMs' in meta)).toEqual([])
  })
})
