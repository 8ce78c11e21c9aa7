import type { CheckOutcome, VerificationCheckResult } from '../../../schemas/verification.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import type { TimestampReading } from '../../core/ports/ports.ts'
import { checkResult } from './result.ts'
import { type Trust, trustOf } from './trust.ts'

/** Result of evaluating time-stamps. */
export interface ShownTime {
  /** The earliest confirmed time at which the seal existed: UTC, ISO 8601. Null when none is confirmed. */
  readonly at: string | null
  readonly authority: string
  /** Expiry of the outermost time-stamp; it must be renewed before. */
  readonly coverEnds: string | null
  /** Time-stamps that do not match the bytes or conflict with each other. */
  readonly problems: readonly string[]
  /** Why a valid time-stamp confirms no time. */
  readonly notes: readonly string[]
  /** A valid time-stamp is of an authority that the reader could trust, and does not. */
  readonly lacksAuthority: boolean
}

const SKEW_MS = 300_000

interface TimeJudgement {
  readonly trust: Trust
  readonly verifiedAt: string
  /** The file contains the authorities’ complete chains: an incomplete chain indicates tampering. */
  readonly wholeChains: boolean
  /** Fingerprint of the required root of the first time-stamp, where the sealed contents state one: authorities sign with several keys. */
  readonly firstRoot: string | null
}

/**
 * Evaluates time-stamps from the outermost to the first, each at the time confirmed by the outer ones (ETSI EN 319 102-1 §5.6.3). A
 * time-stamp confirms nothing where its certificate has expired or was revoked, or where the reader does not trust it.
 */
export function shownTime(
  stamps: readonly TimestampReading[],
  { trust, verifiedAt, wholeChains, firstRoot }: TimeJudgement,
): ShownTime {
  let now = verifiedAt
  let shown: TimestampReading | null = null
  let outermost: TimestampReading | null = null
  const problems: string[] = []
  const notes: string[] = []
  let lacksAuthority = false
  for (const [index, stamp] of [...stamps.entries()].reverse()) {
    const which = stamps.length === 1 ? 'The time-stamp' : `Time-stamp ${index + 1} of ${stamps.length}`
    const wrong = [...stamp.problems, ...(wholeChains && stamp.incomplete !== null ? [stamp.incomplete] : [])]
    if (wrong.length > 0) {
      problems.push(...wrong.map((problem) => `${which}: ${plain(problem)}`))
      continue
    }
    const who = quote(stamp.authority?.subject ?? 'unknown authority')
    const statement = `${which} states ${stamp.at}, by ${who}`
    const expected = index === 0 ? firstRoot : null
    if (expected !== null && stamp.root?.fingerprint !== expected)
      problems.push(`${statement}, but the seal requires a different authority.`)
    else if (stamp.demo) notes.push(`${statement}, a demo key that can never be trusted.`)
    else if (trustOf(trust.authorities, stamp.authority, stamp.root) === 'unknown') {
      lacksAuthority = true
      notes.push(
        `${statement}. The authority is not trusted: supply its root certificate${stamp.root === null ? '' : ` (${stamp.root.fingerprint})`}.${stamp.incomplete === null ? '' : ` ${stamp.incomplete}`}`,
      )
    } else if (Date.parse(stamp.at) > Date.parse(now) + SKEW_MS) problems.push(`${statement}, later than ${now}.`)
    else if (stamp.revoked !== null && stamp.revoked.at <= now)
      notes.push(`${statement}, whose certificate was revoked at ${stamp.revoked.at}.`)
    else if (stamp.until < now)
      notes.push(`${statement}, whose certificate expired on ${stamp.until}. No later time-stamp renews it.`)
    else {
      outermost ??= stamp
      shown = stamp
      now = stamp.at
    }
  }
  return {
    at: shown?.at ?? null,
    authority: shown?.authority?.subject ?? '',
    coverEnds: outermost?.until ?? null,
    problems,
    notes,
    lacksAuthority,
  }
}

const DAY_MS = 86_400_000

interface StatedTime {
  /** Number of time-stamps. */
  readonly stamps: number
  /** The sealed contents require a time-stamp over the seal: without one, it was removed. */
  readonly expected: boolean
  /** The evaluation date stated by the signer. */
  readonly statedAt: string | null
}

/** Time check: whether an independent time-stamp shows when the file existed. */
export function existedBy(time: ShownTime, { stamps, expected, statedAt }: StatedTime): VerificationCheckResult {
  const answer = (outcome: CheckOutcome, summary: string, details: readonly string[]): VerificationCheckResult =>
    checkResult('time', outcome, summary, details)
  const own = statedAt === null ? [] : [`Evaluation date stated by the signer: ${statedAt}.`]
  if (stamps === 0 && expected) return answer('failed', 'The time-stamp required by the seal is missing.', own)
  if (stamps === 0) return answer('indeterminate', 'No independent time-stamp; all times are the signer’s.', own)
  if (time.problems.length > 0) return answer('failed', 'A time-stamp is invalid.', [...time.problems, ...time.notes])
  if (time.at === null && time.lacksAuthority)
    return {
      ...answer('indeterminate', 'Time-stamp present; its authority is not trusted.', [...time.notes, ...own]),
      needs: 'authority',
    }
  if (time.at === null)
    return answer('indeterminate', 'Time-stamp present; it confirms no time.', [...time.notes, ...own])
  const late = statedAt === null ? 0 : Date.parse(time.at) - Date.parse(statedAt)
  if (late < -SKEW_MS)
    return answer(
      'failed',
      `Time-stamped ${time.at}, before the evaluation date stated by the signer: ${statedAt}.`,
      time.notes,
    )
  return answer('passed', `Time-stamped ${time.at} by ${quote(time.authority)}, an authority you trust.`, [
    ...own,
    ...(late > DAY_MS ? [`That is ${Math.floor(late / DAY_MS)} days before the time-stamp.`] : []),
    `The time-stamps can be verified until ${time.coverEnds}; renew them before.`,
    ...time.notes,
  ])
}
