import { describe, expect, test } from 'vitest'
import { timeChrony, timeNow, timeTimesyncd } from '../../main/catalog/operations/time/probes.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const HOUR = 3600

// A rule of a firewall that came later keeps the responses away. chrony and systemd-timesyncd go on by what they have, and report it.
describe('a time service whose sources no longer respond', () => {
  const chrony = (ago: number) =>
    over(
      'time.sync',
      changed(timeChrony, (state) => ({ ...state, measuredAt: state.measuredAt - ago })),
    )
  test('chrony states when it last measured', () => {
    expect(chrony(2 * HOUR).verdict).toBe('satisfied')
    expect(chrony(60 * HOUR).verdict).toBe('inconclusive')
    expect(stepText(chrony(60 * HOUR))).toContain(
      'unclear: Its last measurement is 3 days old; how far away the clock is now is not known.',
    )
  })

  const readings = fixtureOf('demo-metal-04').readings
  const state = fact(readings.get(timeTimesyncd.id) as ReturnType<typeof timeTimesyncd.parse>)
  const now = fact(readings.get(timeNow.id) as ReturnType<typeof timeNow.parse>)
  const timesyncd = (ago: number, clock: ReturnType<typeof timeNow.parse> = known(now)) =>
    concludeOn(checkOf('time.sync'), 'demo-metal-04', [
      [timeTimesyncd.id, known({ ...state, respondedAt: now.seconds - ago })],
      [timeNow.id, clock],
    ])
  test('systemd-timesyncd keeps the last response and its mark', () => {
    expect(timesyncd(HOUR).verdict).toBe('satisfied')
    expect(timesyncd(30 * 24 * HOUR).verdict).toBe('inconclusive')
    expect(timesyncd(HOUR, unknown('the clock was not reported')).verdict).toBe('inconclusive')
  })
})
