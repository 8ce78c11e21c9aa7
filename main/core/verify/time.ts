import type { VerificationAnswer } from '../../../schemas/verification.ts'
import { plain, quote } from '../plain-text.ts'
import type { TimestampReading } from '../ports.ts'
import { standingOf, type Trust } from './trust.ts'

/** What time-stamps show, and what they only say. */
export interface ShownTime {
  /** The earliest moment at which the seal is shown to have existed: UTC, ISO 8601. Null when none is shown. */
  readonly at: string | null
  readonly authority: string
  /** Until when the outermost time-stamp can be checked: a newer one over it is due before. */
  readonly coverEnds: string | null
  /** A time-stamp that does not fit the bytes, or contradicts another. */
  readonly problems: readonly string[]
  /** Why a time-stamp that verifies shows nothing here. */
  readonly notes: readonly string[]
}

const SKEW_MS = 300_000

export interface TimeJudgement {
  readonly trust: Trust
  readonly verifiedAt: string
  /** The file brings the authorities' chains up to their roots: one that is cut short was tampered with. */
  readonly wholeChains: boolean
  /** Fingerprint of the root that the first time-stamp must lead to, where what was sealed names one: authorities sign with several keys. */
  readonly firstRoot: string | null
}

/**
 * Judges time-stamps from the outermost to the first, each at the moment that the ones over it show (ETSI EN 319 102-1 §5.6.3): one whose
 * certificate has ended, was revoked, or is of nobody the reader trusts, shows nothing by itself.
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
  for (const [index, stamp] of [...stamps.entries()].reverse()) {
    const which = stamps.length === 1 ? 'The time-stamp' : `Time-stamp ${index + 1} of ${stamps.length}`
    const wrong = [...stamp.problems, ...(wholeChains && stamp.incomplete !== null ? [stamp.incomplete] : [])]
    if (wrong.length > 0) {
      problems.push(...wrong.map((problem) => `${which}: ${plain(problem)}`))
      continue
    }
    const who = quote(stamp.authority?.subject ?? 'nobody')
    const says = `${which} says ${stamp.at}, by ${who}`
    const expected = index === 0 ? firstRoot : null
    if (expected !== null && stamp.root?.fingerprint !== expected)
      problems.push(`${says}, and the pack was sealed to carry one by another authority.`)
    else if (stamp.demo) notes.push(`${says}, a demonstration key that nobody may trust.`)
    else if (standingOf(trust.authorities, stamp.authority, stamp.root) === 'unknown')
      notes.push(
        `${says}. Whether to believe it is not shown: name its root certificate${stamp.root === null ? '' : ` (${stamp.root.fingerprint})`}.${stamp.incomplete === null ? '' : ` ${stamp.incomplete}`}`,
      )
    else if (Date.parse(stamp.at) > Date.parse(now) + SKEW_MS) problems.push(`${says}, which is later than ${now}.`)
    else if (stamp.revoked !== null && stamp.revoked.at <= now)
      notes.push(`${says}, whose certificate was revoked at ${stamp.revoked.at}.`)
    else if (stamp.until < now)
      notes.push(`${says}, whose certificate ended on ${stamp.until}. No later time-stamp renews it.`)
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
  }
}

const DAY_MS = 86_400_000

export interface StatedTime {
  /** How many time-stamps there are. */
  readonly stamps: number
  /** What was sealed names the authority of a time-stamp over the seal: without one, somebody took it away. */
  readonly expected: boolean
  /** The moment of evaluation that the signer states. */
  readonly statedAt: string | null
}

/** By when it existed, according to somebody else's clock. */
export function existedBy(time: ShownTime, { stamps, expected, statedAt }: StatedTime): VerificationAnswer {
  const answer = (
    outcome: VerificationAnswer['outcome'],
    summary: string,
    details: readonly string[],
  ): VerificationAnswer => ({ question: 'existed-by', outcome, summary, details })
  const own = statedAt === null ? [] : [`The signer states that it was evaluated as of ${statedAt}.`]
  if (stamps === 0 && expected)
    return answer('no', 'It was sealed to carry a time-stamp, and the time-stamp is gone.', own)
  if (stamps === 0)
    return answer('not-shown', 'No time-stamp by somebody else. All times in it are the signer’s own.', own)
  if (time.problems.length > 0) return answer('no', 'A time-stamp does not verify.', [...time.problems, ...time.notes])
  if (time.at === null)
    return answer('not-shown', 'There is a time-stamp, and nothing shows that it can be believed.', [
      ...time.notes,
      ...own,
    ])
  const late = statedAt === null ? 0 : Date.parse(time.at) - Date.parse(statedAt)
  if (late < -SKEW_MS)
    return answer(
      'no',
      `It existed at ${time.at}, and the signer states a later evaluation: as of ${statedAt}.`,
      time.notes,
    )
  return answer('yes', `It existed at ${time.at}, says ${quote(time.authority)}, whom you trust for this.`, [
    ...own,
    ...(late > DAY_MS ? [`That is ${Math.floor(late / DAY_MS)} days before the time-stamp.`] : []),
    `The time-stamps can be checked until ${time.coverEnds}; a newer one over them is due before.`,
    ...time.notes,
  ])
}
