import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { serviceIs, servicesState } from '../probes/services-state.ts'
import { type ChronyState, timeChrony } from '../probes/time-chrony.ts'
import { timeClock } from '../probes/time-clock.ts'
import { type TimesyncState, timeTimesyncd } from '../probes/time-timesyncd.ts'
import { count, leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

/** Beyond one second, records of different machines can no longer be put in order by their times. */
const LARGEST_OFFSET_SECONDS = 1

export const timeSync = defineCheck({
  id: 'time.sync',
  property: 'audit',
  claim: 'The clock is synchronized by a running time service, and within one second of its source.',
  limits:
    'The sources themselves are trusted: a wrong or forged source is followed. Whether answers are authenticated (NTS) was not read. Past drift is not shown.',
  needs: { clock: timeClock, services: servicesState },
  wants: { chrony: timeChrony, timesyncd: timeTimesyncd },
  evaluate({ clock, services }, { chrony, timesyncd }) {
    const flag = clock.synchronized
      ? speaksFor('The kernel considers its clock synchronized.', timeClock)
      : speaksAgainst('The kernel considers its clock not synchronized.', timeClock)
    if (serviceIs(services, 'chrony', 'active') || serviceIs(services, 'chronyd', 'active'))
      return weigh([flag, ...byChrony(chrony)])
    if (serviceIs(services, 'systemd-timesyncd', 'active')) return weigh([flag, ...byTimesyncd(timesyncd)])
    const other = (['ntp', 'ntpd', 'ntpsec', 'ptp4l'] as const).find((unit) => serviceIs(services, unit, 'active'))
    if (other !== undefined)
      return weigh([flag, leavesUnclear(`The time service “${other}” runs; its state was not read.`, servicesState)])
    return weigh([flag, speaksAgainst('No known time service is running.', servicesState)])
  },
})

function byChrony(chrony: Parsed<ChronyState>): readonly Step[] {
  if (!chrony.ok) return unclearAbout(timeChrony, chrony)
  const { synchronized, offsetSeconds, stratum, usableSources } = chrony.fact
  return [
    synchronized
      ? speaksFor(`chrony is synchronized (stratum ${stratum}).`, timeChrony, 'tracking')
      : speaksAgainst('chrony reports that it is not synchronized.', timeChrony, 'tracking'),
    offset(offsetSeconds, 'tracking'),
    usableSources === 0
      ? speaksAgainst('None of its time sources is usable.', timeChrony, 'sources')
      : speaksFor(`${count(usableSources, 'usable time source')}.`, timeChrony, 'sources'),
  ]
}

const offset = (seconds: number, command: string): Step =>
  seconds > LARGEST_OFFSET_SECONDS
    ? speaksAgainst(`The clock is ${seconds.toFixed(3)} seconds away from its source.`, timeChrony, command)
    : speaksFor(`The clock is ${seconds.toFixed(6)} seconds away from its source.`, timeChrony, command)

function byTimesyncd(timesyncd: Parsed<TimesyncState>): readonly Step[] {
  if (!timesyncd.ok) return unclearAbout(timeTimesyncd, timesyncd)
  const { server, offsetSeconds, packets } = timesyncd.fact
  if (packets === 0) return [speaksAgainst('No time server has answered since the service started.', timeTimesyncd)]
  return [
    speaksFor(`The time server ${quote(server)} has answered.`, timeTimesyncd),
    offsetSeconds === null
      ? leavesUnclear('The last answer does not say how far the clock was away.', timeTimesyncd)
      : offsetSeconds > LARGEST_OFFSET_SECONDS
        ? speaksAgainst(`The clock was about ${Math.round(offsetSeconds)} seconds away from the server.`, timeTimesyncd)
        : speaksFor('The clock was within a second of the server at its last answer.', timeTimesyncd),
  ]
}
