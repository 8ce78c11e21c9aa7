import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { storageMounts } from '../../data-protection/mounts/probes.ts'
import { type NodeNow, timeNow } from '../../operations/time/probes.ts'
import { storageBirth } from '../drives/first-use.ts'
import { redundancyState } from '../redundancy/index.ts'
import data from './checks.json' with { type: 'json' }
import {
  type BtrfsScrubs,
  type ChecksumState,
  type ComparedArray,
  type ScrubTimers,
  storageBtrfsScrubs,
  storageChecksumState,
  storageDmIntegrity,
  storageScrubTimers,
  storageZfsStatus,
  type ZfsPoolStatus,
} from './probes.ts'

/** 45 CFR 164.312(c)(2) requires a mechanism to corroborate that ePHI was not altered; sums and comparisons find decay, not intent. */
export const integrityStorageChecksums = defineCheck({
  id: 'integrity.storage-checksums',
  property: 'integrity',
  expected: 'Storage with checksums or copies of data was scrubbed recently, and no differences were counted.',
  limitations:
    'Checksums detect decay and faulty drives, not a change made with administrator rights. Counters may have been reset, LVM’s own RAID and hardware controllers are not queried, dates are those of the node, and an array’s date is that of the timer that starts its check. File systems without checksums are not evaluated.',
  thresholds: ['storage.scrub-days'],
  requires: { mounts: storageMounts, state: storageChecksumState },
  optional: {
    zfs: storageZfsStatus,
    scrubs: storageBtrfsScrubs,
    integrity: storageDmIntegrity,
    timers: storageScrubTimers,
    now: timeNow,
    birth: storageBirth,
    kernel: redundancyState,
  },
  evaluate({ mounts: { mounts }, state }, { zfs, scrubs, integrity, timers, now, birth, kernel }, context) {
    const at: Moment = { now, rootBorn: birth.ok ? (birth.fact.born.get('/') ?? null) : null, context }
    // A pool with volumes only is not mounted anywhere; the kernel lists it regardless.
    const hasPool = kernel.ok && kernel.fact.pools.length > 0
    const hasZfs = hasPool || mounts.some(({ fsType }) => fsType === 'zfs')
    const hasBtrfs = mounts.some(({ fsType }) => fsType === 'btrfs')
    const because = [
      ...(zfs.ok ? zfs.fact.pools.flatMap((pool) => arguePool(pool, at)) : []),
      ...(hasZfs ? unclearAbout(storageZfsStatus, zfs) : []),
      ...(zfs.ok ? [] : unclearAbout(redundancyState, kernel)),
      ...(hasBtrfs ? argueBtrfs(state, scrubs, at) : []),
      ...state.arrays.flatMap((array) => argueArray(array, timers, at)),
      ...(integrity.ok
        ? integrity.fact.layers.map(({ name, mismatches }) =>
            mismatches === 0
              ? supports(
                  `${quote(name)} keeps sums of its sectors (dm-integrity) and counted no difference.`,
                  storageDmIntegrity,
                )
              : contradicts(
                  `${quote(name)}: ${count(mismatches, 'sector')} did not match (dm-integrity).`,
                  storageDmIntegrity,
                ),
          )
        : unclearAbout(storageDmIntegrity, integrity)),
    ]
    if (because.length > 0) return decide(because)
    return {
      verdict: 'not-applicable',
      observations: [
        unclear('No ZFS or btrfs file system is mounted, and no ZFS pool is in use.', storageMounts),
        unclear('The kernel runs no array that could compare its members.', storageChecksumState),
        unclear('No layer keeps sums of sectors.', storageDmIntegrity),
      ],
    }
  },
})

/**
 * Dates on the node, and therefore ages, are by its own clock; the accuracy of that clock is the subject of another
 * check.
 */
interface Moment {
  readonly now: Parsed<NodeNow>
  /** When the root file system was made, in seconds since 1970; null where that is not known. */
  readonly rootBorn: number | null
  readonly context: Context
}

const DAY = 86_400

/**
 * Whether a check on `day` (YYYY-MM-DD) is recent enough. One day ahead is within the difference of time zones; more
 * is not a valid date.
 */
function dated(what: string, day: string, probe: Probe<unknown>, { now, context }: Moment): DraftObservation {
  if (!now.ok) return unclear(`${what} on ${quote(day)}; its age is unknown: ${now.reason}.`, probe)
  const limit = limitOf(context, 'storage.scrub-days')
  const days = Math.floor((now.fact.seconds - Date.parse(`${day}T00:00:00Z`) / 1000) / DAY)
  if (Number.isNaN(days) || days < -1) return unclear(`${what} on ${quote(day)}, which is no date before now.`, probe)
  const text = `${what} on ${day}, ${count(Math.max(days, 0), 'day')} before this collection (limit: ${limitText(limit)})`
  return days <= limit.value ? supports(`${text}.`, probe) : contradicts(`${text}.`, probe)
}

/** No scrub at all: none is due yet on a system that is younger than the limit. Storage from an earlier system may be older. */
function unscrubbed(text: string, probe: Probe<unknown>, { now, rootBorn, context }: Moment): DraftObservation {
  const limit = limitOf(context, 'storage.scrub-days')
  const days = now.ok && rootBorn !== null ? Math.floor((now.fact.seconds - rootBorn) / DAY) : null
  return days !== null && days >= 0 && days <= limit.value
    ? unclear(
        `${text}; the root file system of this server is ${count(days, 'day')} old, within the limit (${limitText(limit)}).`,
        probe,
      )
    : contradicts(`${text}.`, probe)
}

function arguePool(
  { name, state, scan, scrubbed, hasFound, counted, hasKnownErrors }: ZfsPoolStatus,
  at: Moment,
): readonly DraftObservation[] {
  const pool = `ZFS pool ${quote(name)}`
  const health =
    hasKnownErrors || (counted ?? 0) > 0
      ? contradicts(`${pool} counted errors, or has data that does not match its sums.`, storageZfsStatus)
      : state === 'ONLINE' && counted !== null
        ? supports(`${pool} is online and counted no errors.`, storageZfsStatus)
        : unclear(`${pool} is in the state ${quote(state)}.`, storageZfsStatus)
  if (hasFound)
    return [health, contradicts(`${pool}: its last scrub found differences: ${quote(scan)}.`, storageZfsStatus)]
  if (scrubbed !== null) return [health, dated(`${pool} was last scrubbed`, scrubbed, storageZfsStatus, at)]
  return [
    health,
    scan === 'none requested' || scan === ''
      ? unscrubbed(`${pool} was never scrubbed`, storageZfsStatus, at)
      : unclear(`${pool}: the date of its last scrub is not shown: ${quote(scan)}.`, storageZfsStatus),
  ]
}

function argueBtrfs({ btrfs }: ChecksumState, scrubs: Parsed<BtrfsScrubs>, at: Moment): readonly DraftObservation[] {
  if (btrfs.length === 0)
    return [unclear('btrfs is mounted, but its error counters were not shown.', storageChecksumState)]
  return btrfs.flatMap(({ id, errors }) => {
    const system = `btrfs ${quote(id)}`
    const counted =
      errors === 0
        ? supports(`${system} counted no errors.`, storageChecksumState)
        : contradicts(`${system} counted ${count(errors, 'error')}.`, storageChecksumState)
    if (!scrubs.ok) return [counted, ...unclearAbout(storageBtrfsScrubs, scrubs)]
    const scrub = scrubs.fact.scrubs.find((one) => one.id === id)
    if (scrub === undefined) return [counted, unscrubbed(`${system} has no record of a scrub`, storageBtrfsScrubs, at)]
    if (scrub.errors > 0)
      return [
        counted,
        contradicts(`${system}: its last scrub found ${count(scrub.errors, 'error')}.`, storageBtrfsScrubs),
      ]
    if (!scrub.isFinished) return [counted, unclear(`${system}: its last scrub did not end.`, storageBtrfsScrubs)]
    return [counted, dated(`${system} was last scrubbed`, dayOf(scrub.startedAt), storageBtrfsScrubs, at)]
  })
}

/** Seconds since 1970 as a day; empty where they are beyond what a date can hold. */
const dayOf = (seconds: number): string =>
  seconds < 8.64e12 ? new Date(seconds * 1000).toISOString().slice(0, 10) : ''

/** Differences on mirrors can come from swap and from pages changed while they were written (md(4), "mismatch_cnt"). */
function argueArray(
  { name, level, mismatches, lastAction, degraded }: ComparedArray,
  timers: Parsed<ScrubTimers>,
  at: Moment,
): readonly DraftObservation[] {
  const array = `Array ${quote(name)} (${quote(level)})`
  if (degraded !== null && degraded > 0)
    return [contradicts(`${array} lacks a member, so there is not all to compare with.`, storageChecksumState)]
  if (mismatches !== null && mismatches > 0) {
    const text = `${array}: ${count(mismatches, 'sector')} differed at the last check`
    return [
      /^raid(1|10)$/.test(level)
        ? unclear(`${text}; on a mirror this may be harmless.`, storageChecksumState)
        : contradicts(`${text}.`, storageChecksumState),
    ]
  }
  if (mismatches === null || !/^(check|repair)$/.test(lastAction))
    return [unclear(`${array} was not compared since it was assembled.`, storageChecksumState)]
  const compared = supports(`${array} was compared since it was assembled, and nothing differed.`, storageChecksumState)
  if (!timers.ok) return [compared, ...unclearAbout(storageScrubTimers, timers)]
  const starters = timers.fact.timers.filter(({ unit, isActive }) => isActive && unit !== 'btrfs-scrub.timer')
  const last = starters
    .flatMap(({ last }) => (last === null ? [] : [last]))
    .sort()
    .at(-1)
  return [
    compared,
    last === undefined
      ? unclear(`${array}: when it was compared is not known; no timer that starts it has run.`, storageScrubTimers)
      : dated(
          `The timer that compares arrays (${named(starters.map(({ unit }) => unit))}) last ran`,
          last,
          storageScrubTimers,
          at,
        ),
  ]
}

export const storageIntegritySubject = defineSubject({
  id: 'storage-integrity',
  title: 'Checksums of stored data',
  probes: [storageChecksumState, storageZfsStatus, storageBtrfsScrubs, storageDmIntegrity, storageScrubTimers],
  checks: [integrityStorageChecksums],
  data,
})
