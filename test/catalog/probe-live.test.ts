import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evidenceCollectionCompleteness } from '../../main/catalog/operations/evidence/completeness.ts'
import { LIVE_PROBES } from '../../main/catalog/single-tenancy/isolation/processors/live-tests.ts'
import {
  ddTime,
  liveCpuid,
  liveCpuidLong,
  liveEnergy,
  liveJitter,
  liveMsr,
  liveSteal,
  liveThermal,
} from '../../main/catalog/single-tenancy/live-tests/index.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { type Answer, LIVE_NOT_ASKED, LIVE_UNANSWERED, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import { conclude } from '../../main/core/rules/check.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { expectLinear } from '../support/growth.ts'

// GNU coreutils 9.1 on our Firecracker guest; the forms of older ones and of busybox after their sources.
const dd = (summary: string, exitCode = 0): Answer =>
  answer('', { exitCode, errorText: `1+0 records in\n1+0 records out\n${summary}` })
const copied = (seconds: string | number, bytes = 1048576): Answer =>
  dd(`${bytes} bytes (1.0 MB, 1.0 MiB) copied, ${seconds} s, 4.2 MB/s\n`)
const NO_DEVICE = answer('', {
  exitCode: 1,
  errorText: "dd: failed to open '/dev/cpu/0/msr': No such file or directory\n",
})
const five = (runs: readonly Answer[]) => {
  const [first = NO_DEVICE, second = NO_DEVICE, third = NO_DEVICE, fourth = NO_DEVICE, fifth = NO_DEVICE] = runs
  return { first, second, third, fourth, fifth }
}

describe('what dd prints about its time', () => {
  test.each([
    ['1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.246199 s, 4.3 MB/s\n', 0.246199],
    ['1048576 bytes (1.0 MB) copied, 0.0125 s, 83.9 MB/s\n', 0.0125],
    ['1048576 bytes (1.0MB) copied, 0.262144 seconds, 3.8MB/s\n', 0.262144],
    ['1048576 bytes copied, 9.8e-05 s, 10.7 GB/s\n', 0.000098],
    ['33554432 bytes (34 MB, 32 MiB) copied, 8 s, 4.2 MB/s\n', 8],
  ])('%s', (summary, seconds) => expect(ddTime(dd(summary))?.seconds).toBeCloseTo(seconds, 9))
  test.each([
    ['nothing (some builds of busybox)', ''],
    ['no time at all', '1048576 bytes copied, 0 s, Infinity B/s\n'],
    ['words', '1048576 bytes copied, soon s, fast\n'],
  ])('%s gives none', (_name, summary) => expect(ddTime(dd(summary))).toBeNull())
  test('a failed dd gives none', () => expect(ddTime({ ...copied(0.2), exitCode: 1 })).toBeNull())
})

describe('live.cpuid and live.msr', () => {
  const guest = ['0.250914', '0.248544', '0.248922', '0.248076', '0.244916']
  test('microseconds per call, fastest first', () => {
    const { calls, micros } = fact(liveCpuid.parse(five(guest.map((seconds) => copied(seconds)))))
    expect(calls).toBe(65536)
    expect(micros.map((value) => value.toFixed(2))).toEqual(['3.74', '3.79', '3.79', '3.80', '3.83'])
  })
  test('a register is read once per eight bytes', () => {
    const { calls, micros } = fact(liveMsr.parse(five(guest.map(() => copied(0.0074, 524288)))))
    expect([calls, micros[2]?.toFixed(3)]).toEqual([65536, '0.113'])
  })
  test('a run that was cut short counts for nothing', () => {
    const runs = [...guest.slice(1).map((seconds) => copied(seconds)), copied(0.1, 524288)]
    expect(reason(liveCpuid.parse(five(runs)))).toContain('did not report the duration')
  })
  test.each([
    [NO_DEVICE, 'the kernel offers no /dev/cpu/0/msr here'],
    [
      answer('', { exitCode: 1, errorText: "dd: failed to open '/dev/cpu/0/msr': Operation not permitted\n" }),
      'the kernel does not let /dev/cpu/0/msr be read',
    ],
    [
      answer('', { exitCode: 1, errorText: "taskset: failed to set pid 0's affinity: Invalid argument\n" }),
      'this session may not run on the first CPU',
    ],
    [
      answer('', { exitCode: 1, errorText: "dd: error reading '/dev/cpu/0/msr': Input/output error\n" }),
      '/dev/cpu/0/msr could not be read in a row (exit status 1)',
    ],
    [dd(''), 'dd read /dev/cpu/0/msr and did not report the duration'],
  ])('names what is missing', (bad, why) => {
    expect(reason(liveMsr.parse(five([bad, bad, bad, bad, bad])))).toBe(why)
  })
  test('the long loop keeps three clocks apart', () => {
    const long = copied('7.86004', 33554432)
    expect(fact(liveCpuidLong.parse({ loop: { ...long, seconds: { node: 7.87, collectingComputer: 7.9 } } }))).toEqual({
      calls: 2097152,
      dd: 7.86004,
      node: 7.87,
      collectingComputer: 7.9,
    })
    expect(fact(liveCpuidLong.parse({ loop: long })).collectingComputer).toBeNull()
    expect(liveCpuidLong.parse({ loop: copied('7.8') }).ok).toBe(false)
  })
})

describe('live.steal', () => {
  const read = (before: string, after: string, exitCode = 0) =>
    liveSteal.parse({ before: answer(before), wait: answer('', { exitCode }), after: answer(after) })
  const idle = 'cpu  558636 33135 113298 2168940 3233 0 1247 333 0 0\n'
  test('what passed, and what was taken', () => {
    expect(fact(read(idle, 'cpu  558639 33135 113312 2169520 3234 0 1247 340 0 0\n'))).toMatchObject({
      ticks: 605,
      steal: 7,
      heard: { least: 3 },
    })
    expect(fact(read(idle, 'cpu  558639 33135 113312 2169520 3234 0 1247 333 0 0\n')).steal).toBe(0)
  })
  test('readings of two stretches, of another form, or without a pause between them', () => {
    expect(read('cpu  558639 33135 113312 2169520 3234 0 1247 340 0 0\n', idle).ok).toBe(false)
    expect(read(idle, idle).ok).toBe(false)
    expect(read(idle, 'cpu 1 2 3\n').ok).toBe(false)
    expect(read(idle, 'cpu  658639 33135 113312 2169520 3234 0 1247 340 0 0\n', 1).ok).toBe(false)
  })
})

describe('live.jitter', () => {
  const read = (text: string, rest: Partial<Answer> = {}) => liveJitter.parse({ spin: answer(text, rest) })
  test('four numbers', () =>
    expect(fact(read('21376714 68 4 2465\n'))).toMatchObject({
      readings: 21376714,
      over50: 68,
      over500: 4,
      longestMicros: 2465,
    }))
  test('perl without its clock is named', () => {
    const errorText = "Can't locate Time/HiRes.pm in @INC (you may need to install the Time::HiRes module)\n"
    expect(reason(read('', { exitCode: 2, errorText }))).toBe('perl has no module Time::HiRes here')
  })
  test.each(['', '1 2\n', '0 0 0 0\n', '5 9 0 1\n', '9 1 5 1\n', 'x 1 1 1\n'])('“%s” is no count', (text) =>
    expect(read(text).ok).toBe(false),
  )
})

describe('live.energy', () => {
  const zone = '/sys/class/powercap/intel-rapl:0'
  const counter = (energy: number | string): Answer =>
    answer(`${zone}/name:package-0\n${zone}/energy_uj:${energy}\n${zone}/max_energy_range_uj:262143328850\n`)
  const load = copied('1.5', 34359738368)
  const read = (before: Answer, after: Answer, between = load) => liveEnergy.parse({ before, load: between, after })
  // grep (GNU) on our Firecracker guest.
  const absent = answer('', {
    exitCode: 2,
    errorText: ['name', 'energy_uj', 'max_energy_range_uj']
      .map((name) => `grep: ${zone}/${name}: No such file or directory\n`)
      .join(''),
  })
  test('what the package took', () =>
    expect(fact(read(counter(187223910554), counter(187545122897))).zone).toEqual({
      name: 'package-0',
      microjoules: 321212343,
      seconds: 1.5,
    }))
  test('a counter that began again', () =>
    expect(fact(read(counter(262143328800), counter(150))).zone?.microjoules).toBe(200))
  test('a counter that did not move is not an absent one', () => {
    expect(fact(read(counter(5), counter(5))).zone?.microjoules).toBe(0)
    expect(fact(read(absent, absent)).zone).toBeNull()
  })
  test('what could not be read is not absent', () => {
    const denied = answer('', { exitCode: 2, errorText: `grep: ${zone}/energy_uj: Permission denied\n` })
    expect(read(denied, denied).ok).toBe(false)
    expect(read(counter('x'), counter(5)).ok).toBe(false)
    expect(read(counter(5), absent).ok).toBe(false)
  })
  test('without a load there is nothing to compare', () => {
    expect(read(counter(1), counter(2), dd('', 1)).ok).toBe(false)
    expect(
      fact(read(counter(1), counter(2), { ...dd(''), seconds: { node: 2, collectingComputer: 2 } })).zone?.seconds,
    ).toBe(2)
  })
})

describe('live.thermal', () => {
  const hwmon = (degrees: number, drive: number, clock: number): Answer =>
    answer(
      [
        '/sys/class/hwmon/hwmon0/name:nvme',
        '/sys/class/hwmon/hwmon1/name:coretemp',
        `/sys/class/hwmon/hwmon0/temp1_input:${drive}`,
        `/sys/class/hwmon/hwmon1/temp1_input:${degrees}`,
        '/sys/class/hwmon/hwmon1/temp2_input:41000',
        `/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq:${clock}`,
        '',
      ].join('\n'),
    )
  const load = copied('1.2', 25769803776)
  test('sensors of processors count, those of drives do not', () => {
    expect(
      fact(liveThermal.parse({ before: hwmon(44000, 30850, 800000), load, after: hwmon(47000, 31850, 3800000) })),
    ).toMatchObject({ sensors: 2, moved: 1, range: [41, 47], clock: [800000, 3800000] })
    expect(
      fact(liveThermal.parse({ before: hwmon(44000, 30850, 800000), load, after: hwmon(44000, 31850, 800000) })).moved,
    ).toBe(0)
  })
  test('none at all, as in a guest', () => {
    const nothing = answer('', { exitCode: 2 })
    expect(fact(liveThermal.parse({ before: nothing, load, after: nothing }))).toMatchObject({
      sensors: 0,
      moved: 0,
      range: null,
      clock: null,
    })
  })
})

describe('the commands', () => {
  const runs = LIVE_PROBES.flatMap(({ id, commands }) =>
    Object.entries(commands).flatMap(([name, command]) => (command.kind === 'run' ? [{ id, name, command }] : [])),
  )
  const text = ({ command }: (typeof runs)[number]): readonly string[] =>
    command.argv.map((part) => (typeof part === 'string' ? part : part.glob))

  test('every live probe is marked, reads only, and ends within twenty seconds', () => {
    expect(LIVE_PROBES.filter(({ live }) => live !== true)).toEqual([])
    expect(runs.flatMap((one) => deniedCommand(text(one)) ?? [])).toEqual([])
    expect(runs.filter(({ command }) => (command.timeoutSeconds ?? 20) > 20)).toEqual([])
  })
  test.each([
    ['perl', '-e', 'print 1'],
    ['perl', '-MTime::HiRes=clock_gettime,CLOCK_MONOTONIC', '-e', 'unlink "/etc/x"'],
    ['taskset', '-c', '0', 'sh'],
    ['taskset', '-p', '1', '1'],
    ['taskset', '-c', '0', 'dd', 'if=/dev/cpu/0/cpuid', 'of=/dev/cpu/0/msr', 'bs=1M', 'count=1'],
    ['dd', 'if=/dev/cpu/0/cpuid', 'of=/dev/sda'],
    ['dd', 'if=/dev/zero', 'of=/dev/null'],
    ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=999999'],
    ['dd', 'if=/dev/sda', 'of=/dev/null', 'bs=1M', 'count=1'],
    ['dd', 'if=/proc/stat', 'of=/dev/null', 'of=/etc/x'],
    ['sleep', '60'],
    ['sleep', 'infinity'],
  ])('%s %s %s may not', (...argv) => expect(deniedCommand(argv)).not.toBeNull())
})

test.each(LIVE_PROBES.map((probe) => [probe.id, probe] as const))('%s reads any bytes without throwing', (_, probe) => {
  const names = Object.keys(probe.commands)
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      '1048576 bytes (1.0 MB) copied, 1e999 s, x\n',
      `${'9'.repeat(300)} bytes copied`,
      'cpu  1 2 3 4 5 6 7 8 9 0\n',
      '1 1 1 1\n',
      '/sys/class/hwmon/hwmon0/name:coretemp\n/sys/class/hwmon/hwmon0/temp1_input:-99999999\n',
      '/sys/class/powercap/intel-rapl:0/energy_uj:5\n/sys/class/powercap/intel-rapl:0/max_energy_range_uj:9\n',
    ),
  )
  const one = fc.tuple(texts, texts, fc.constantFrom(0, 1, 2, 255), fc.option(fc.double({ noNaN: true })))
  fc.assert(
    fc.property(fc.array(one, { minLength: names.length, maxLength: names.length }), (given) => {
      const answers = names.map((name, index): [string, Answer] => {
        const [text = '', errorText = '', exitCode = 0, seconds = null] = given[index] ?? []
        return [name, answer(text, { errorText, exitCode, seconds: { node: seconds, collectingComputer: seconds } })]
      })
      const reading = (probe as Probe<unknown>).parse(Object.fromEntries(answers))
      if (!reading.ok) expect(reading.reason).not.toBe('')
    }),
    { numRuns: 150 },
  )
})

test('time grows with the bytes, not with their square', () => {
  const read = (size: number): void => {
    const long = answer('/sys/class/hwmon/hwmon1/temp1_input:'.repeat(size), {
      errorText: '1 bytes ('.repeat(size * 5),
    })
    for (const probe of LIVE_PROBES)
      probe.parse(Object.fromEntries(Object.keys(probe.commands).map((name) => [name, long])))
  }
  expectLinear(read, 5000)
})

describe('asked or not asked', () => {
  const loaded = fixtureRecording('fx-iso-live-metal', LIVE_PROBES)
  const captures = byKey(loaded.captures)
  const check = evidenceCollectionCompleteness(LIVE_PROBES)
  const { recording } = loaded
  const context = { node: recording.node, asOf: recording.endedAt, observedAt: recording.endedAt, thresholds: BASELINE }
  const concluded = (held: typeof captures, liveTests: boolean) =>
    conclude(check, new Map(LIVE_PROBES.map((probe) => [probe.id, readProbe(probe, held, { liveTests })])), context)

  test('a recording with live answers states that it has them', () => {
    expect(recording.liveTests).toBe(true)
    expect(fixtureRecording('demo-gpu-01', LIVE_PROBES).recording.liveTests).toBeUndefined()
  })
  test('not asked is a reason of its own, and no gap', () => {
    expect(reason(readProbe(liveSteal, new Map()))).toBe(LIVE_NOT_ASKED)
    expect(concluded(new Map(), false).observations[0]?.text).toBe('No probe was planned.')
  })
  test('asked and answered', () => expect(concluded(captures, true).verdict).toBe('satisfied'))
  test('asked and not answered is a gap, even where every answer is gone', () => {
    expect(reason(readProbe(liveSteal, new Map(), { liveTests: true }))).toBe(LIVE_UNANSWERED)
    expect(concluded(new Map(), true).verdict).toBe('not-satisfied')
  })
  test('an answer that is there shows that it was asked, against what the recording states', () => {
    const left = new Map([...captures].filter(([key]) => key !== 'live.steal/after'))
    expect(reason(readProbe(liveSteal, left))).toBe(LIVE_UNANSWERED)
    expect(concluded(left, false).verdict).toBe('not-satisfied')
  })
})
