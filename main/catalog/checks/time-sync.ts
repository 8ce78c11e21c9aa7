import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import type { ThresholdValue } from '../../core/profile.ts'
import { serviceIs, servicesState } from '../probes/services-state.ts'
import { type ChronyState, timeChrony } from '../probes/time-chrony.ts'
import { type NtpPeers, timeNtpq } from '../probes/time-ntpq.ts'
import { type TimeSources, timeSources } from '../probes/time-sources.ts'
import { type TimesyncState, timeTimesyncd } from '../probes/time-timesyncd.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

export const timeSync = defineCheck({
  id: 'time.sync',
  property: 'audit',
  expected: 'The clock is synchronized by a running time service and is within the limit of its source.',
  limitations:
    'The sources themselves are trusted: a wrong or forged source is followed where its responses are not authenticated, and one source alone cannot be checked against others. Past drift is not shown. Whether the clock is synchronized is read from the service that keeps it; the kernel’s own flag is not read, since reading it would start a service.',
  requires: { services: servicesState },
  optional: { chrony: timeChrony, timesyncd: timeTimesyncd, ntpq: timeNtpq, sources: timeSources },
  thresholds: ['time.offset'],
  evaluate({ services }, { chrony, timesyncd, ntpq, sources }, context) {
    const limit = limitOf(context, 'time.offset')
    if (serviceIs(services, 'chrony', 'active') || serviceIs(services, 'chronyd', 'active'))
      return decide([...byChrony(chrony, limit), ...authentication(sources)])
    if (serviceIs(services, 'systemd-timesyncd', 'active')) return decide(byTimesyncd(timesyncd, limit))
    const other = (['ntp', 'ntpd', 'ntpsec', 'ptp4l'] as const).find((unit) => serviceIs(services, unit, 'active'))
    if (other === undefined) return decide([contradicts('No known time service is running.', servicesState)])
    if (other !== 'ptp4l' && ntpq.ok) return decide(byNtpd(ntpq.fact, limit))
    return decide([unclear(`The time service “${other}” runs; its state was not read.`, servicesState)])
  },
})

function byChrony(chrony: Parsed<ChronyState>, limit: ThresholdValue): readonly DraftObservation[] {
  if (!chrony.ok) return unclearAbout(timeChrony, chrony)
  const { synchronized, offsetSeconds, stratum, usableSources } = chrony.fact
  return [
    synchronized
      ? supports(`chrony is synchronized (stratum ${stratum}).`, timeChrony, 'tracking')
      : contradicts('chrony reports that it is not synchronized.', timeChrony, 'tracking'),
    away(offsetSeconds * 1000, limit, timeChrony, 'tracking'),
    usableSources === 0
      ? contradicts('None of its time sources is usable.', timeChrony, 'sources')
      : supports(usable(usableSources), timeChrony, 'sources'),
  ]
}

const usable = (sources: number): string =>
  sources === 1 ? '1 usable time source, so nothing to compare it with.' : `${count(sources, 'usable time source')}.`

const away = (
  milliseconds: number,
  limit: ThresholdValue,
  probe: typeof timeChrony | typeof timeNtpq,
  ...commands: readonly string[]
): DraftObservation =>
  milliseconds > limit.value
    ? contradicts(
        `The clock is ${(milliseconds / 1000).toFixed(3)} seconds away from its source (at most ${limitText(limit)}).`,
        probe,
        ...commands,
      )
    : supports(`The clock is ${(milliseconds / 1000).toFixed(6)} seconds away from its source.`, probe, ...commands)

// Unauthenticated responses are the rule and contradict nothing that is claimed; the limits of the check state this.
function authentication(sources: Parsed<TimeSources>): readonly DraftObservation[] {
  const all = sources.ok ? sources.fact.sources : []
  const authenticated = all.filter((source) => source.authentication !== 'none').length
  return authenticated === 0
    ? []
    : [
        supports(
          `Responses are authenticated (NTS or a key) for ${authenticated} of ${count(all.length, 'source')} in its settings.`,
          timeSources,
        ),
      ]
}

function byNtpd({ sources }: NtpPeers, limit: ThresholdValue): readonly DraftObservation[] {
  const reference = sources.find(({ use }) => use === 'reference')
  if (reference === undefined) return [contradicts('The time service follows none of its sources.', timeNtpq)]
  return [
    supports(`The time service follows a source of stratum ${reference.stratum}.`, timeNtpq),
    away(reference.offsetMilliseconds, limit, timeNtpq),
    supports(usable(sources.filter(({ use }) => use !== 'unused').length), timeNtpq),
  ]
}

function byTimesyncd(timesyncd: Parsed<TimesyncState>, limit: ThresholdValue): readonly DraftObservation[] {
  if (!timesyncd.ok) return unclearAbout(timeTimesyncd, timesyncd)
  const { server, offsetSeconds, packets, marked } = timesyncd.fact
  if (packets === 0)
    return [contradicts('No time server has responded since the service started.', timeTimesyncd, 'state')]
  return [
    supports(`The time server ${quote(server)} has responded.`, timeTimesyncd, 'state'),
    marked
      ? supports('The time service has marked the clock as synchronized since this start.', timeTimesyncd, 'mark')
      : unclear('The time service has not marked the clock as synchronized.', timeTimesyncd, 'mark'),
    offsetSeconds === null
      ? unclear('The last response does not state the clock offset.', timeTimesyncd)
      : offsetSeconds * 1000 > limit.value
        ? contradicts(
            `The clock was about ${Math.round(offsetSeconds)} seconds away from the server (at most ${limitText(limit)}).`,
            timeTimesyncd,
          )
        : supports('The clock was within the limit of the server at its last response.', timeTimesyncd),
  ]
}
