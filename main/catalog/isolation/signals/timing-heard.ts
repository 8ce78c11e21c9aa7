import { liveCpuidLong } from '../../probes/live-cpuid.ts'
import { liveEnergy } from '../../probes/live-energy.ts'
import { liveJitter } from '../../probes/live-jitter.ts'
import { liveSteal } from '../../probes/live-steal.ts'
import { liveThermal } from '../../probes/live-thermal.ts'
import { contradicts, count } from '../../steps.ts'
import type { Heard } from '../dd-times.ts'
import { neutral, type Read, type Signal, sign, unreadable, virtual } from '../signal.ts'

/** So much shorter than it took may a command seem to us: its first frame was held back, and its last was not. */
const SLACK_SECONDS = 0.25

const TIMED = [liveCpuidLong, liveSteal, liveJitter, liveEnergy, liveThermal] as const

/** Every live test that was collected, with the least time it can have taken and the time that we heard it. */
function heardTests(read: Read): readonly { readonly title: string; readonly heard: Heard }[] {
  const long = read(liveCpuidLong)
  const others = [liveSteal, liveJitter, liveEnergy, liveThermal].flatMap((probe) => {
    const reading = read<{ readonly heard: Heard }, string>(probe)
    return reading.ok ? [{ title: probe.title, heard: reading.fact.heard }] : []
  })
  return [
    ...(long.ok
      ? [
          {
            title: liveCpuidLong.title,
            heard: { least: Math.max(long.fact.dd, long.fact.node ?? 0), auditor: long.fact.auditor },
          },
        ]
      : []),
    ...others,
  ]
}

const heardSignal: Signal = {
  id: 'time.heard',
  family: 'timing',
  title: 'Duration of live tests by the auditor’s clock',
  onMetal: 'no test is observed for less time than it takes',
  onGuest: 'the same; a replay of another machine’s responses is observed for no time at all',
  spoofingEffort: 'S0',
  pitfalls: [
    'A party that falsifies responses can wait for as long as the test takes: matching times are no evidence of hardware.',
    'A network that delays only the first packet makes a test seem shorter. Repeat the test before concluding.',
  ],
  source: 'Our own clock between the first and the last frame of each command; see the capture’s heardMs. sleep(1).',
  probes: TIMED,
  observe(read) {
    const tests = heardTests(read)
    const [first] = tests
    if (first === undefined) {
      const reading = read(liveSteal)
      return unreadable(liveSteal, reading.ok ? 'no live test returned a response' : reading.reason)
    }
    const short = tests.filter(({ heard: { least, auditor } }) => auditor !== null && auditor < least - SLACK_SECONDS)
    if (short.length > 0)
      return virtual(
        `${short.length} of ${count(tests.length, 'live test')} observed for less time than it takes`,
        ...short.map(({ title, heard: { least, auditor } }) =>
          sign(
            'odd',
            null,
            contradicts(
              `${title}: it takes ${least.toFixed(2)} s, and was observed for ${(auditor ?? 0).toFixed(2)} s. A command cannot end before its time; such a response was not produced during the request.`,
              liveSteal,
            ),
          ),
        ),
      )
    return tests.some(({ heard }) => heard.auditor === null)
      ? unreadable(
          liveSteal,
          'no session of the collector carried all of the responses, so that the auditor’s clock could not time them',
        )
      : neutral(`${count(tests.length, 'live test')}, none observed for less time than it takes`)
  },
}

/** Our clock over every live test. */
export const heardSignals: readonly Signal[] = [heardSignal]
