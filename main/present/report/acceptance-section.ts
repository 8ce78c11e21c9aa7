import type { AcceptanceRequest, RiskAcceptance } from '../../../schemas/types.ts'
import { statusWords } from '../../../schemas/words.ts'
import { names, of, oneLine, plain } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  plainCell,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { compare } from '../../core/recording/recording.ts'
import {
  type AcceptanceRequestStatus,
  acceptanceRequestStatus,
  acceptanceRequestsOf,
} from '../../core/register/decisions.ts'
import { statusOf } from '../../core/register/register.ts'
import { lasts, peopleRows, withdrawal } from './cover.ts'
import { deviationsOverRuns } from './findings.ts'
import { noFinding } from './page-one.ts'
import type { Matter } from './parts/input.ts'
import { deviatingOf, refusedLines } from './parts/refused.ts'
import { day, moment, see, titles, when } from './parts/wording.ts'
import { byStatus, type FactRows, factBlock, furtherEntries, MOST_ENTRIES } from './scope/boundary.ts'

/** Risk acceptances, expired ones first, then requests that were not approved, then all deviations. */
export function acceptanceSection(matter: Matter): Section {
  const { register, assessment } = matter
  const ordered = [...register.riskAcceptances].sort(
    (a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.check, b.check) || compare(a.id, b.id),
  )
  const groups = byStatus(ordered, assessment.asOf)
  return {
    id: 'acceptances',
    title: titles.acceptances,
    blocks: [
      text(
        'A risk acceptance is a management decision to accept a deviation until a date. It does not change the verdict: every deviation remains in all counts of this report, and an acceptance never makes a control supported.',
      ),
      ...(groups.length === 0 ? [text('No risk acceptances.')] : []),
      ...groups.flatMap(({ status, entries }): readonly Block[] => [
        heading(3, `${statusWords[status]} (${entries.length})`, true),
        ...(status === 'expired' ? [text(ENDED)] : []),
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
      { label: 'Status', value: plainCell(lasts(statusOf(entry, matter.assessment.asOf), expiresAt)) },
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
  const requests = PENDING.flatMap((status) =>
    acceptanceRequestsOf(register)
      .filter((entry) => acceptanceRequestStatus(entry, assessment.asOf) === status)
      .sort((a, b) => compare(a.requestedAt, b.requestedAt) || compare(a.id, b.id))
      .map((entry) => ({ status, entry })),
  )
  if (requests.length === 0) return []
  return [
    heading(3, `Requests without approval (${requests.length})`, true),
    text('Requests have no effect until approved. Their deviations are not accepted.'),
    ...requests
      .slice(0, MOST_ENTRIES)
      .flatMap(({ status, entry }): readonly Block[] => [
        heading(4, claimOf(matter, entry.check)),
        factBlock([
          { label: 'Status', value: plainCell(`${STANDINGS[status]} ${day(entry.expiresAt)}, UTC`) },
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

/**
 * Deviations in the form used for SOC 2 evidence: how many of the nodes tested, when found, when remediated, and whether
 * open at the end. One run shows all but remediation, at one point in time; with earlier runs of the period, all are shown.
 */
function deviationBlocks(matter: Matter): readonly Block[] {
  const { assessment, earlier } = matter
  if (earlier !== undefined) return deviationsOverRuns(matter, earlier)
  const gaps = [...matter.shown.findings, ...matter.shown.informational]
  const asOf = when(assessment.asOf)
  return [
    heading(3, `Deviations as of ${asOf}`, true),
    text(
      `Results are as of ${asOf}, not over a period. One collection shows which deviations existed and were open at that time. Remediation and recurrence require later collections and are not shown. A risk acceptance does not remove a deviation.`,
    ),
    gaps.length === 0
      ? text(noFinding(matter))
      : table(
          { 'Expected condition': 56, 'Deviations / tested': 12, 'Found (UTC)': 20, 'Open at evaluation': 12 },
          gaps.map(row),
        ),
  ]
}

function row(finding: Finding): readonly Cell[] {
  const { check, criterion, deviations } = finding
  const found = deviations.flatMap(({ observedAt }) => observedAt ?? []).sort(compare)
  const [first] = found
  const last = found.at(-1)
  const excepted = deviations.filter(({ accepted }) => accepted !== null).length
  const foundLines: readonly Line[] =
    first === undefined || last === undefined
      ? [{ text: 'Time unknown' }]
      : when(first) === when(last)
        ? [{ text: moment(first) }]
        : [{ text: moment(first) }, { text: `to ${moment(last)}` }]
  return [
    [{ text: criterion.expected }, { text: check, style: 'quiet' }, ...refusedLines(finding)],
    [{ text: deviatingOf(finding), mark: 'square-cross' }],
    foundLines,
    [
      { text: of(deviations.length, deviations.length) },
      ...(excepted === 0 ? [] : [{ text: `${excepted} risk-accepted`, style: 'quiet' } as const]),
    ],
  ]
}

/** Note on a deviation whose risk is or was accepted; the verdict is unchanged. */
export function acceptance({ accepted }: Matter, node: string, check: string): readonly Line[] {
  const inForce = accepted.inForce(node, check)
  if (inForce !== null) return [{ text: `Risk accepted until ${whose(inForce)}` }]
  const ended = accepted.ended(node, check)
  return ended === null ? [] : [{ text: `Risk acceptance expired on ${whose(ended)}` }]
}

const whose = ({ expiresAt, approvedBy }: RiskAcceptance): string =>
  `${day(expiresAt)}, approved by ${oneLine(approvedBy, 80)}`

type Findings = readonly (readonly [node: string, check: string])[]

/** The number of these deviations that are risk-accepted; no line where none is. */
export function acceptedCount(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  return found.length === 0 ? [] : [{ text: `${found.length} accepted`, style: 'quiet' }]
}

/** As acceptedCount(), with expiry and approver where a single acceptance covers all. */
export function acceptedBriefly(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  const [first] = found
  if (first === undefined) return []
  const same = found.every((entry) => entry === first)
  const rest = same ? ` until ${whose(first)}` : `; see ${see('acceptances')}`
  return [{ text: `Risk accepted on ${of(found.length, findings.length)}${rest}`, style: 'quiet' }]
}

const acceptedAmong = ({ tally, accepted }: Matter, findings: Findings): readonly RiskAcceptance[] =>
  findings.flatMap(([node, check]) =>
    tally.verdict(node, check) === 'not-satisfied' ? (accepted.inForce(node, check) ?? []) : [],
  )
