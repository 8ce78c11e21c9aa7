import type { AcceptanceRequest, RiskAcceptance } from '../../../schemas/types.ts'
import { standingWords } from '../../../schemas/words.ts'
import { names, of } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import {
  type AcceptanceRequestStatus,
  acceptanceRequestStatus,
  acceptanceRequestsOf,
} from '../../core/register/pending.ts'
import { type Standing, standingOf } from '../../core/register.ts'
import { type Block, heading, plainCell, type Section, text } from '../../core/report-document.ts'
import { type FactRows, factBlock, furtherEntries, MOST_ENTRIES } from './declared.ts'
import { deviationBlocks } from './deviations.ts'
import type { Matter } from './input.ts'
import { lasts, peopleRows, withdrawal } from './signed.ts'
import { titles } from './titles.ts'
import { day, when } from './wording.ts'

/** Expired acceptances first, because they require action. */
const GROUPS: readonly Standing[] = ['expired', 'in-force', 'not-begun', 'withdrawn']

/** Risk acceptances, expired ones first, then requests that were not approved, then all deviations. */
export function exceptionSection(matter: Matter): Section {
  const { register, assessment } = matter
  const groups = GROUPS.map((standing) => ({
    standing,
    entries: register.riskAcceptances
      .filter((entry) => standingOf(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.check, b.check) || compare(a.id, b.id)),
  })).filter(({ entries }) => entries.length > 0)
  return {
    id: 'acceptances',
    title: titles.acceptances,
    blocks: [
      text(
        'A risk acceptance is a management decision to accept a deviation until a date. It does not change the verdict: every deviation remains in all counts of this report, and an acceptance never makes a control supported.',
      ),
      ...(groups.length === 0 ? [text('No risk acceptances.')] : []),
      ...groups.flatMap(({ standing, entries }): readonly Block[] => [
        heading(3, `${standingWords[standing]} (${entries.length})`, true),
        ...(standing === 'expired' ? [text(ENDED)] : []),
        ...entries.slice(0, MOST_ENTRIES).flatMap((entry) => entryBlocks(matter, entry)),
        ...furtherEntries(entries.length),
      ]),
      ...pendingBlocks(matter),
      ...deviationBlocks(matter),
    ],
  }
}

const ENDED = 'Expired risk acceptances have no effect. Deviations that remain are no longer accepted.'

function entryBlocks(matter: Matter, entry: RiskAcceptance): readonly Block[] {
  const { expiresAt, acceptedAt, withdrawn } = entry
  const run = entry.run === null ? '' : `, based on run ${plain(entry.run, 100)}`
  return [
    heading(4, claimOf(matter, entry.check)),
    factBlock([
      { label: 'Status', value: plainCell(lasts(standingOf(entry, matter.assessment.asOf), expiresAt)) },
      ...termRows(matter, entry),
      ...peopleRows(entry),
      { label: 'Accepted', value: plainCell(`${when(acceptedAt)}${run}`) },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

const claimOf = ({ catalog }: Matter, check: string): string =>
  catalog.checks.find(({ id }) => id === check)?.expected ?? plain(check, 100)

/** Terms that a risk acceptance and an acceptance request have in common. */
function termRows(
  { tally, assessment }: Matter,
  { nodes, check, ...terms }: RiskAcceptance | AcceptanceRequest,
): FactRows {
  const contradicted = nodes.filter((node) => tally.verdict(node, check) === 'not-satisfied').length
  return [
    { label: 'Check', value: plainCell(plain(check, 100)) },
    {
      label: 'Nodes',
      value: [
        { text: `${of(nodes.length, assessment.nodes.length)}: ${names(nodes, 40)}` },
        {
          text: `Currently not satisfied on ${of(contradicted, nodes.length)} of them`,
          mark: contradicted > 0 ? 'square-cross' : 'dot',
        },
      ],
    },
    { label: 'Reason', value: plainCell(oneLine(terms.reason)) },
    { label: 'Compensating control', value: plainCell(oneLine(terms.compensatingControl)) },
    { label: 'Owner', value: plainCell(oneLine(terms.owner)) },
  ]
}

const STANDINGS: Readonly<Record<Exclude<AcceptanceRequestStatus, 'approved'>, string>> = {
  open: 'Pending approval. Requested until the end of',
  lapsed: 'Expired without a decision. Requested until the end of',
  rejected: 'Rejected. Requested until the end of',
  withdrawn: 'Withdrawn before approval. Requested until the end of',
}
const PENDING: readonly Exclude<AcceptanceRequestStatus, 'approved'>[] = ['open', 'lapsed', 'rejected', 'withdrawn']

/** Acceptance requests without approval: they have no effect. */
function pendingBlocks(matter: Matter): readonly Block[] {
  const { register, assessment } = matter
  const requests = PENDING.flatMap((standing) =>
    acceptanceRequestsOf(register)
      .filter((entry) => acceptanceRequestStatus(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.requestedAt, b.requestedAt) || compare(a.id, b.id))
      .map((entry) => ({ standing, entry })),
  )
  if (requests.length === 0) return []
  return [
    heading(3, `Requests without approval (${requests.length})`, true),
    text('Requests have no effect until approved. Their deviations are not accepted.'),
    ...requests
      .slice(0, MOST_ENTRIES)
      .flatMap(({ standing, entry }): readonly Block[] => [
        heading(4, claimOf(matter, entry.check)),
        factBlock([
          { label: 'Status', value: plainCell(`${STANDINGS[standing]} ${day(entry.expiresAt)}, UTC`) },
          ...termRows(matter, entry),
          ...peopleRows(entry),
          { label: 'Requested', value: plainCell(when(entry.requestedAt)) },
          ...(entry.resolved === undefined
            ? []
            : [{ label: 'Resolved', value: plainCell(withdrawal(entry.resolved)) }]),
        ]),
      ]),
    ...furtherEntries(requests.length),
  ]
}
