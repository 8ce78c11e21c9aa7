import type { Exception, PendingException } from '../../../schemas/types.ts'
import { standingWords } from '../../../schemas/words.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type PendingStanding, pendingOf, pendingStanding } from '../register/pending.ts'
import { type Standing, standingOf } from '../register.ts'
import { type FactRows, factBlock, furtherEntries, MOST_ENTRIES } from './declared.ts'
import { deviationBlocks } from './deviations.ts'
import type { Matter } from './input.ts'
import { type Block, heading, plainCell, type Section, text } from './model.ts'
import { lasts, peopleRows, withdrawal } from './signed.ts'
import { titles } from './titles.ts'
import { day, names, of, when } from './wording.ts'

/** What has ended stands first: it needs somebody. */
const GROUPS: readonly Standing[] = ['expired', 'in-force', 'not-begun', 'withdrawn']

/** Every accepted exception, those that have ended first, what was asked for and not approved, and the deviations they speak of. */
export function exceptionSection(matter: Matter): Section {
  const { register, assessment } = matter
  const groups = GROUPS.map((standing) => ({
    standing,
    entries: register.exceptions
      .filter((entry) => standingOf(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.check, b.check) || compare(a.id, b.id)),
  })).filter(({ entries }) => entries.length > 0)
  return {
    id: 'exceptions',
    title: titles.exceptions,
    blocks: [
      text(
        'An accepted exception is a decision of people, for a time. It does not change any verdict: what is contradicted stays contradicted in every count of this report. An item can be supported with accepted exceptions while they are in force.',
      ),
      ...(groups.length === 0 ? [text('Nobody accepted a finding.')] : []),
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

const ENDED = 'What has ended accepts nothing. Where its finding is still contradicted, that counts as a gap again.'

function entryBlocks(matter: Matter, entry: Exception): readonly Block[] {
  const { expiresAt, acceptedAt, withdrawn } = entry
  const run = entry.run === null ? '' : `, on what run ${plain(entry.run, 100)} found`
  return [
    heading(4, claimOf(matter, entry.check)),
    factBlock([
      { label: 'Standing', value: plainCell(lasts(standingOf(entry, matter.assessment.asOf), expiresAt)) },
      ...termRows(matter, entry),
      ...peopleRows(entry),
      { label: 'Accepted', value: plainCell(`${when(acceptedAt)}${run}`) },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

const claimOf = ({ catalog }: Matter, check: string): string =>
  catalog.checks.find(({ id }) => id === check)?.claim ?? plain(check, 100)

/** What an exception and a request for one say alike. */
function termRows({ tally, assessment }: Matter, { nodes, check, ...terms }: Exception | PendingException): FactRows {
  const contradicted = nodes.filter((node) => tally.verdict(node, check) === 'not-met').length
  return [
    { label: 'Check', value: plainCell(plain(check, 100)) },
    {
      label: 'Nodes',
      value: [
        { text: `${of(nodes.length, assessment.nodes.length)}: ${names(nodes, 40)}` },
        {
          text: `Contradicted now on ${of(contradicted, nodes.length)} of them`,
          mark: contradicted > 0 ? 'square-cross' : 'dot',
        },
      ],
    },
    { label: 'Reason', value: plainCell(oneLine(terms.reason)) },
    { label: 'Measure in its place', value: plainCell(oneLine(terms.compensatingMeasure)) },
    { label: 'Owner', value: plainCell(oneLine(terms.owner)) },
  ]
}

const STANDINGS: Readonly<Record<Exclude<PendingStanding, 'approved'>, string>> = {
  open: 'Asked for; nobody approved it. Until the end of',
  lapsed: 'Asked for and never approved; the end that was asked for has passed:',
  refused: 'Refused. It was asked for until the end of',
  withdrawn: 'Taken back before anybody approved it. It was asked for until the end of',
}
const PENDING: readonly Exclude<PendingStanding, 'approved'>[] = ['open', 'lapsed', 'refused', 'withdrawn']

/** Requests that became no exception: they accept nothing. */
function pendingBlocks(matter: Matter): readonly Block[] {
  const { register, assessment } = matter
  const requests = PENDING.flatMap((standing) =>
    pendingOf(register)
      .filter((entry) => pendingStanding(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.requestedAt, b.requestedAt) || compare(a.id, b.id))
      .map((entry) => ({ standing, entry })),
  )
  if (requests.length === 0) return []
  return [
    heading(3, `Asked for and not approved (${requests.length})`, true),
    text('A request accepts nothing. Its findings count as gaps.'),
    ...requests
      .slice(0, MOST_ENTRIES)
      .flatMap(({ standing, entry }): readonly Block[] => [
        heading(4, claimOf(matter, entry.check)),
        factBlock([
          { label: 'Standing', value: plainCell(`${STANDINGS[standing]} ${day(entry.expiresAt)}, UTC`) },
          ...termRows(matter, entry),
          ...peopleRows(entry),
          { label: 'Asked', value: plainCell(when(entry.requestedAt)) },
          ...(entry.settled === undefined ? [] : [{ label: 'Settled', value: plainCell(withdrawal(entry.settled)) }]),
        ]),
      ]),
    ...furtherEntries(requests.length),
  ]
}
