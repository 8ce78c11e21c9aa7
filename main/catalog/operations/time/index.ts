import { DEMO_SERVER } from '../../../../schemas/version.ts'
import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import type { ThresholdValue } from '../../../core/rules/profile.ts'
import { type Processes, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { serviceIs, servicesState } from '../auditd/index.ts'
import { type SshSession, sshSession } from '../evidence/probes.ts'
import { momentSeconds } from '../logs/journal.ts'
import { type JournalState, journalState } from '../logs/probes.ts'
import data from './checks.json' with { type: 'json' }
import {
  type ChronyState,
  type NodeNow,
  type NtpPeers,
  type TimeSources,
  type TimesyncState,
  timeChrony,
  timeNow,
  timeNtpq,
  timeSources,
  timeTimesyncd,
} from './probes.ts'

const timeSync = defineCheck({
  id: 'time.sync',
  property: 'audit',
  expected: 'The clock is synchronized by a running time service and is within the limit of its source.',
  limitations:
    'The sources themselves are trusted: a wrong or forged source is followed where its responses are not authenticated, and one source alone cannot be checked against others. Past drift is not shown. Whether the clock is synchronized is read from the service that keeps it; the kernel’s own flag is not read, since reading it would start a service.',
  requires: { services: servicesState },
  optional: {
    chrony: timeChrony,
    timesyncd: timeTimesyncd,
    ntpq: timeNtpq,
    sources: timeSources,
    processes: tenancyProcesses,
    now: timeNow,
  },
  thresholds: ['time.offset'],
  evaluate({ services }, { chrony, timesyncd, ntpq, sources, processes, now }, context) {
    const limit = limitOf(context, 'time.offset')
    if (serviceIs(services, 'chrony', 'active') || serviceIs(services, 'chronyd', 'active'))
      return decide([...byChrony(chrony, limit, now), ...authentication(sources)])
    if (serviceIs(services, 'systemd-timesyncd', 'active')) return decide(byTimesyncd(timesyncd, limit, now))
    const other = (['ntp', 'ntpd', 'ntpsec', 'ptp4l'] as const).find((unit) => serviceIs(services, unit, 'active'))
    if (other === undefined) return decide(withoutUnit(processes))
    if (other !== 'ptp4l' && ntpq.ok) return decide(byNtpd(ntpq.fact, limit))
    return decide([unclear(`The time service “${other}” runs; its state was not read.`, servicesState)])
  },
})

// Names of programs that keep a clock, as the kernel cuts them (15 characters): of chrony, systemd, NTP, OpenNTPD, ntpd-rs, linuxptp, ptpd
// and Solarflare. Their units have other names than those asked for, such as openntpd or ptp4l@eth0.
const KEEPERS = /^(chronyd|systemd-timesyn|ntpd|ntp-daemon|ptp4l|phc2sys|ts2phc|ptpd2?|sfptpd)$/

/** None of the units asked for runs: whether anything else keeps the clock is shown by the processes. */
function withoutUnit(processes: Parsed<Processes>): readonly DraftObservation[] {
  const none = 'None of the time services asked for is running'
  if (!processes.ok) return [unclear(`${none}.`, servicesState), ...unclearAbout(tenancyProcesses, processes)]
  const { processes: all, isComplete } = processes.fact
  const keepers = [...new Set(all.map(({ command }) => command))].filter((command) => KEEPERS.test(command))
  if (keepers.length > 0)
    return [unclear(`${none}; ${named(keepers)} runs, and its state was not read.`, tenancyProcesses)]
  return isComplete
    ? [contradicts('No known time service is running.', servicesState)]
    : [unclear(`${none}; not every process is listed, so that another may run.`, tenancyProcesses)]
}

/**
 * Both services keep what they measured last, however long ago, and systemd-timesyncd its mark as well. They ask again within the hour unless
 * they are set to wait longer (chrony.conf(5), maxpoll; timesyncd.conf(5), PollIntervalMaxSec=).
 */
const LAST_SECONDS = 86_400

/** The step about a last measurement that is too long ago; empty for a recent one. */
function longAgo(
  at: number,
  now: Parsed<NodeNow>,
  probe: typeof timeChrony | typeof timeTimesyncd,
): readonly DraftObservation[] {
  if (!now.ok) return unclearAbout(timeNow, now)
  const ago = now.fact.seconds - at
  return ago <= LAST_SECONDS
    ? []
    : [unclear(`Its last measurement is ${duration(ago)} old; how far away the clock is now is not known.`, probe)]
}

function byChrony(
  chrony: Parsed<ChronyState>,
  limit: ThresholdValue,
  now: Parsed<NodeNow>,
): readonly DraftObservation[] {
  if (!chrony.ok) return unclearAbout(timeChrony, chrony)
  const { synchronized, measuredAt, offsetSeconds, stratum, usableSources } = chrony.fact
  return [
    synchronized
      ? supports(`chrony is synchronized (stratum ${stratum}).`, timeChrony, 'tracking')
      : contradicts('chrony reports that it is not synchronized.', timeChrony, 'tracking'),
    ...(synchronized ? longAgo(measuredAt, now, timeChrony) : []),
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
  if (reference === undefined)
    return [
      contradicts(
        sources.some(({ use }) => use === 'own')
          ? 'The time service follows the clock of the node itself, which no source keeps right.'
          : 'The time service follows none of its sources.',
        timeNtpq,
      ),
    ]
  return [
    supports(`The time service follows a source of stratum ${reference.stratum}.`, timeNtpq),
    away(reference.offsetMilliseconds, limit, timeNtpq),
    supports(usable(sources.filter(({ use }) => use !== 'unused').length), timeNtpq),
  ]
}

function byTimesyncd(
  timesyncd: Parsed<TimesyncState>,
  limit: ThresholdValue,
  now: Parsed<NodeNow>,
): readonly DraftObservation[] {
  if (!timesyncd.ok) return unclearAbout(timeTimesyncd, timesyncd)
  const { server, offsetSeconds, packets, respondedAt, marked } = timesyncd.fact
  if (packets === 0)
    return [contradicts('No time server has responded since the service started.', timeTimesyncd, 'state')]
  return [
    supports(`The time server ${quote(server)} has responded.`, timeTimesyncd, 'state'),
    ...(respondedAt === null ? [] : longAgo(respondedAt, now, timeTimesyncd)),
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

/**
 * In seconds. The collection ends some minutes after the clock was read; a larger difference is not explained by
 * that.
 */
const SESSION_SECONDS = 900
/** Log entries are written all the time; the newest is the collection's own. */
const NEWEST_SECONDS = 600

const timeAuditTimestamps = defineCheck({
  id: 'time.audit-timestamps',
  property: 'audit',
  expected:
    'The node’s time zone is known, its clock agrees with the collecting computer’s within the duration of the collection, and its newest log entry is from that time.',
  limitations:
    'The clocks are compared to within a quarter of an hour, since only the end of the collection is at hand here; the time service’s own measure is finer. Past entries may have been written by a wrong clock, and text log files may use another zone than the system’s.',
  requires: { now: timeNow },
  optional: { session: sshSession, journal: journalState },
  evaluate: ({ now }, { session, journal }, { observedAt }) =>
    decide([zone(now), clocks(now, session, observedAt), ...newest(journal, now)]),
})

function zone({ zone: { minutes, name } }: NodeNow): DraftObservation {
  const off = `${minutes < 0 ? '-' : '+'}${String(Math.abs(Math.trunc(minutes / 60))).padStart(2, '0')}:${String(Math.abs(minutes % 60)).padStart(2, '0')}`
  return supports(`Local times on this node are ${quote(name)}, ${off} from UTC.`, timeNow)
}

// A printed script is transferred by hand, and a demo node replays recorded answers: neither has a common time to
// compare.
function clocks(now: NodeNow, session: Parsed<SshSession>, observedAt: string): DraftObservation {
  if (!session.ok) return unclear('There was no session of ours in which both clocks could be read.', sshSession)
  if (session.fact.serverVersion.endsWith(DEMO_SERVER))
    return unclear(
      'This is a demo node: its captures were recorded earlier, so its clock was not compared.',
      sshSession,
    )
  const apart = Math.abs(Date.parse(observedAt) / 1000 - now.seconds)
  return apart <= SESSION_SECONDS
    ? supports('The node’s clock and the collecting computer’s agree within the time of the collection.', timeNow)
    : contradicts(`The node’s clock is ${duration(apart)} away from the collecting computer’s.`, timeNow)
}

const duration = (seconds: number): string =>
  seconds < 7200
    ? count(Math.round(seconds / 60), 'minute')
    : seconds < 172_800
      ? count(Math.round(seconds / 3600), 'hour')
      : count(Math.round(seconds / 86_400), 'day')

function newest(journal: Parsed<JournalState>, now: NodeNow): readonly DraftObservation[] {
  if (!journal.ok) return unclearAbout(journalState, journal)
  const latest = Math.max(0, ...journal.fact.files.map((file) => momentSeconds(file.newest, now.zone) ?? 0))
  if (latest === 0) return [unclear('The time of the newest log entry could not be read.', journalState, 'header')]
  const apart = now.seconds - latest
  return [
    Math.abs(apart) <= NEWEST_SECONDS
      ? supports(
          'The newest entry of the journal is less than ten minutes from the node’s present.',
          journalState,
          'header',
        )
      : apart < 0
        ? contradicts('The journal has entries from the future.', journalState, 'header')
        : unclear(`The newest entry of the journal is ${duration(apart)} old.`, journalState, 'header'),
  ]
}

export const timeSubject = defineSubject({
  id: 'time',
  title: 'Time synchronization',
  probes: [timeChrony, timeTimesyncd, timeNow, timeSources, timeNtpq],
  checks: [timeSync, timeAuditTimestamps],
  data,
})
