import type { Exception } from '../../../schemas/types.ts'
import { standingWords } from '../../../schemas/words.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { isOnePerson, type Standing, standingOf } from '../register.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from './model.ts'
import { day, names, of, when } from './wording.ts'

/** What stands beside a contradicted finding that somebody accepts or accepted; the finding itself stays as it is. */
export function acceptance({ accepted }: Matter, node: string, check: string): readonly Line[] {
  const inForce = accepted.inForce(node, check)
  if (inForce !== null) return [{ text: `Accepted until ${whose(inForce)}` }]
  const ended = accepted.ended(node, check)
  return ended === null ? [] : [{ text: `Was accepted until ${whose(ended)}; that has ended` }]
}

const whose = ({ expiresAt, approvedBy }: Exception): string => `${day(expiresAt)} by ${oneLine(approvedBy, 80)}`

type Findings = readonly (readonly [node: string, check: string])[]

/** How many contradicted findings among these somebody accepts; nothing where nobody does. */
export function acceptedCount(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  return found.length === 0 ? [] : [{ text: `${found.length} accepted`, style: 'quiet' }]
}

/** As acceptedCount(), and until when and by whom where one acceptance covers them. */
export function acceptedBriefly(matter: Matter, findings: Findings): readonly Line[] {
  const found = acceptedAmong(matter, findings)
  const [first] = found
  if (first === undefined) return []
  const same = found.every((entry) => entry === first)
  const rest = same ? ` until ${whose(first)}` : '; see “Accepted exceptions”'
  return [{ text: `${of(found.length, findings.length)} accepted${rest}`, style: 'quiet' }]
}

const acceptedAmong = ({ tally, accepted }: Matter, findings: Findings): readonly Exception[] =>
  findings.flatMap(([node, check]) =>
    tally.verdict(node, check) === 'not-met' ? (accepted.inForce(node, check) ?? []) : [],
  )

/** What has ended stands first: it needs somebody. */
const GROUPS: readonly Standing[] = ['expired', 'in-force', 'withdrawn']

/** Every accepted exception, those that have ended first. */
export function exceptionSection(matter: Matter): Section {
  const { register, assessment } = matter
  const groups = GROUPS.map((standing) => ({
    title: standingWords[standing],
    entries: register.exceptions
      .filter((entry) => standingOf(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.check, b.check) || compare(a.id, b.id)),
  })).filter(({ entries }) => entries.length > 0)
  return {
    id: 'exceptions',
    title: 'Accepted exceptions',
    blocks: [
      text(
        'An accepted exception is a decision of people, for a time. It does not change any verdict: what is contradicted stays contradicted in every count of this report.',
      ),
      ...(groups.length === 0 ? [text('Nobody accepted a finding.')] : []),
      ...groups.flatMap(({ title, entries }): readonly Block[] => [
        heading(3, `${title} (${entries.length})`, true),
        ...entries.flatMap((entry) => entryBlocks(matter, entry)),
      ]),
    ],
  }
}

function entryBlocks(matter: Matter, entry: Exception): readonly Block[] {
  const { catalog, tally, assessment } = matter
  const { nodes, check, withdrawn } = entry
  const claim = catalog.checks.find(({ id }) => id === check)?.claim ?? plain(check, 100)
  const contradicted = nodes.filter((node) => tally.verdict(node, check) === 'not-met').length
  const run = entry.run === null ? '' : `, on what run ${plain(entry.run, 100)} found`
  const rows: readonly { readonly label: string; readonly value: Cell }[] = [
    { label: 'Standing', value: plainCell(lasts(entry, assessment.asOf)) },
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
    { label: 'Reason', value: plainCell(oneLine(entry.reason)) },
    { label: 'Measure in its place', value: plainCell(oneLine(entry.compensatingMeasure)) },
    { label: 'Owner', value: plainCell(oneLine(entry.owner)) },
    { label: 'Requested by', value: plainCell(oneLine(entry.requestedBy)) },
    {
      label: 'Approved by',
      value: [
        { text: oneLine(entry.approvedBy) },
        ...(isOnePerson(entry) ? [{ text: 'Requested and approved by the same person' } as const] : []),
      ],
    },
    { label: 'Accepted', value: plainCell(`${when(entry.acceptedAt)}${run}`) },
    ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
  ]
  return [heading(4, claim), { kind: 'facts', rows }]
}

const LASTS: Readonly<Record<Standing, string>> = {
  'in-force': 'In force until the end of',
  expired: 'Ended with',
  withdrawn: 'Withdrawn; it was to last until the end of',
}
const lasts = (entry: Exception, asOf: string): string =>
  `${LASTS[standingOf(entry, asOf)]} ${day(entry.expiresAt)}, UTC`

/** When something was taken back, by whom and why. */
export const withdrawal = ({ at, by, reason }: NonNullable<Exception['withdrawn']>): string =>
  `${when(at)}, by ${oneLine(by)}: ${oneLine(reason)}`
