import type { Resolution, SignOff, Withdrawal } from '../../../schemas/types.ts'
import { names, oneLine, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  monoCell,
  plainCell,
  quiet,
  type Section,
  text,
} from '../../core/base/report-document.ts'
import { reached } from '../../core/conclusion/tally.ts'
import { EMBEDDED_NAMES, type EmbeddedForm } from '../../core/pack/embedded.ts'
import { type EntryStatus, isOnePerson } from '../../core/register/register.ts'
import { type Approvable, keysProblem, signaturesOf } from '../../core/register/signatures.ts'
import type { Matter } from './parts/input.ts'
import { asExamined, collectedBetween, day, isOfCustomer, see, titles, when } from './parts/wording.ts'
import { byWhom, dayOf, type FactRows, typed } from './scope/boundary.ts'
import { profileCell } from './scope/method.ts'
import { answeredLine, populationLine } from './scope/population.ts'

/** Page 1: identifies the report, its nodes, times, signer and digests. */
export function cover(matter: Matter): Section {
  const { assessment, demo } = matter
  const synthetic = assessment.nodes.filter((node) => node.synthetic !== null)
  const blocks: Block[] = [
    {
      kind: 'title',
      over: 'Annexes to the evidence report',
      text: plain(assessment.scope.fleet, 80),
      under: 'Single tenancy, encryption, location and access control, as observed on dedicated servers',
    },
  ]
  if (demo) blocks.push(DEMO)
  if (synthetic.length > 0 && !demo)
    blocks.push({
      kind: 'banner',
      title: 'Contains synthetic recordings',
      text: `The recordings of these nodes were not captured unmodified from a real node: ${names(synthetic.map(({ node }) => node))}.`,
    })
  blocks.push(...fleetStatus(matter), { kind: 'facts', rows: facts(matter) })
  blocks.push(heading(3, 'Nature of this report'), text(IS), heading(3, 'Exclusions'), text(IS_NOT))
  blocks.push(heading(3, 'Contents'), { kind: 'contents' }, quiet(WHERE[matter.embeds ?? 'whole']))
  return { id: 'cover', title: titles.cover, blocks }
}

/** The sections of the report with their pages, and where the annexes are to which it refers. */
export const contentsSection = (): Section => ({
  id: 'contents',
  title: titles.contents,
  blocks: [
    { kind: 'contents' },
    quiet(
      'The annexes are a signed PDF of their own, next to this report where it was exported with them. The evidence pack contains all that they print, as data.',
    ),
  ],
})

/** A missing or draft engagement, stated before any result. */
function fleetStatus({ assessment }: Matter): readonly Block[] {
  const { engagement } = assessment.scope
  if (engagement === undefined) return [UNDECLARED]
  return engagement.status === 'draft' ? [DRAFT] : []
}

const UNDECLARED: Block = {
  kind: 'banner',
  title: 'Engagement not defined',
  text: 'This report therefore states no entity, purpose, audience, period, status, distribution limit, boundary, responsibilities or sign-off. The population is known from the fleet file only; it was not reconciled with a provider inventory.',
}

const DRAFT: Block = {
  kind: 'banner',
  title: 'Draft',
  text: 'The engagement is marked as a draft. Its declarations can still change.',
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'This report was produced from the built-in demo fleet. It does not describe any real server and must not be used as evidence.',
}

const IS =
  'An evaluation of the output that the declared servers returned to fixed, read-only probes at the times stated. Each result cites the node, the time, the privilege used and the captures that support it. Anyone who holds the evidence pack can re-evaluate the same captures and compare the results.'
const IS_NOT =
  'It is not an audit opinion, an attestation or legal advice, and it does not conclude whether the requirements of a law or a framework are satisfied. Controls that depend on policies, contracts or management decisions are listed as such. Supported means that the evidence supports the control, within the limitations printed next to it.'
const WHERE: Readonly<Record<EmbeddedForm, string>> = {
  whole: `The results are embedded in the report as ${EMBEDDED_NAMES.whole}. The captures (raw output) are in the evidence pack.`,
  index: `The results of this many nodes do not fit into the report. It embeds, as ${EMBEDDED_NAMES.index}, the state of each control and each node with the SHA-256 of its results. Those results and the captures (raw output) are in the evidence pack.`,
}

/** Entity, purpose, audience and reporting basis, as declared. */
function engagementRows({ assessment: { scope }, earlier }: Matter): FactRows {
  const { engagement } = scope
  if (engagement === undefined) return []
  const { reportingBasis, status, distribution } = engagement
  return [
    { label: 'Entity', value: typed(engagement.entity, 300) },
    { label: 'Purpose', value: typed(engagement.purpose, 1000) },
    { label: 'Audience', value: typed(engagement.audience, 500) },
    {
      label: reportingBasis.kind === 'date' ? 'Date' : 'Period',
      value:
        reportingBasis.kind === 'date'
          ? plainCell(dayOf(reportingBasis.date))
          : [
              { text: `${dayOf(reportingBasis.from)} to ${dayOf(reportingBasis.to)}, as planned` },
              { text: 'One collection shows one point in time, not the period.', style: 'quiet' },
              ...(earlier === undefined
                ? []
                : [
                    {
                      text: `Results of ${plural(earlier.runs.length, 'earlier run')} in this period: see ${see('acceptances')}.`,
                      style: 'quiet',
                    } as const,
                  ]),
            ],
    },
    { label: 'Status', value: plainCell(status === 'draft' ? 'Draft' : 'Final') },
    {
      label: 'Distribution',
      value: distribution === null ? plainCell('No limit declared') : typed(distribution, 500),
    },
    { label: 'Declared', value: plainCell(byWhom(engagement)) },
  ]
}

/** Bold where an inventory row is unreconciled, because it limits every conclusion about the population. */
const populationCell = (line: string, { reconciliation }: Matter['assessment']): Cell => [
  (reconciliation?.unreconciled ?? 0) > 0 ? { text: line, style: 'strong' } : { text: line },
]

function facts(matter: Matter): FactRows {
  const { assessment, recordings, signer } = matter
  const { nodes, scope, catalog } = assessment
  const silent = nodes.filter((node) => !reached(node))
  const reach: Cell = [
    { text: answeredLine(matter) },
    ...(silent.length > 0
      ? [
          {
            text: `Not collected: ${names(
              silent.map(({ node }) => node),
              6,
            )}`,
          },
        ]
      : []),
  ]
  const frameworks = matter.catalog.frameworks.filter(({ id }) => scope.frameworks.includes(id))
  const population = populationLine(matter)
  return [
    ...(matter.generatedFor === undefined
      ? []
      : [{ label: 'Prepared for', value: plainCell(plain(matter.generatedFor)) }]),
    ...engagementRows(matter),
    ...(population === null ? [] : [{ label: 'Population', value: populationCell(population, assessment) }]),
    { label: 'Nodes', value: reach },
    { label: 'Evidence collected', value: plainCell(collectedBetween(recordings)) },
    { label: 'Evaluated as of', value: plainCell(when(assessment.asOf)) },
    { label: 'Threshold profile', value: profileCell(matter) },
    {
      label: 'Frameworks',
      value: frameworks.map((framework) => ({
        text: `${asExamined(plain(framework.title))}${isOfCustomer(matter, framework) ? ' (customer mapping, not reviewed)' : ''}`,
      })),
    },
    { label: 'Produced by', value: plainCell(`${matter.producer}, rules engine ${plain(assessment.engine, 40)}`) },
    {
      label: 'Catalog',
      value: [{ text: `Version ${plain(catalog.version, 40)}, SHA-256` }, { text: catalog.digest, style: 'mono' }],
    },
    { label: 'Evidence pack', value: plainCell(plain(matter.packName)) },
    { label: 'Evidence digest', value: monoCell(matter.evidenceDigest) },
    {
      label: 'Signer',
      value: signerCell(signer),
    },
  ]
}

/** The signer as printed on a cover page, with the certificate fingerprint. */
export const signerCell = (signer: Matter['signer']): Cell =>
  signer === null
    ? plainCell('None. This copy is not signed.')
    : [
        { text: `${plain(signer.subject)}, certificate SHA-256` },
        { text: signer.fingerprint, style: 'mono' },
        { text: 'Compare this fingerprint with one obtained from the signer directly.', style: 'quiet' },
      ]

const ROLES = { requester: 'requester', approver: 'approver', respondent: 'respondent' } as const

/** Keys that signed an entry, or that it is not signed. Signatures are checked when the pack is verified, not here. */
function signatureCell(entry: Approvable): Cell {
  const signatures = signaturesOf(entry)
  if (signatures.length === 0) return plainCell('Not digitally signed; approval not independently evidenced.')
  const problem = keysProblem(entry)
  return [
    ...signatures.flatMap(({ role, fingerprint, at }): readonly Line[] => [
      { text: `By the ${ROLES[role]}, ${when(at)}, key of certificate SHA-256` },
      { text: plain(fingerprint, 64), style: 'mono' },
    ]),
    ...(problem === null ? [] : [{ text: `Signature mismatch: ${problem}.`, style: 'strong' } as const]),
  ]
}

/** Requester and approver of an entry, and the keys that signed it. */
export function peopleRows(entry: Approvable): FactRows {
  const approved: FactRows = 'approvedBy' in entry ? [{ label: 'Approved by', value: approverCell(entry) }] : []
  return [
    { label: 'Requested by', value: plainCell(oneLine(entry.requestedBy, 200)) },
    ...approved,
    { label: 'Signed', value: signatureCell(entry) },
  ]
}

type Approved = Extract<Approvable, { readonly approvedBy: string }>

function approverCell(entry: Approved): Cell {
  const role = entry.approverRole
  const name = oneLine(entry.approvedBy, 200)
  return [
    { text: role === undefined ? name : `${name}, ${oneLine(role, 200)}` },
    ...(isOnePerson(entry)
      ? [{ text: 'Requested and approved by the same person (no segregation of duties)', style: 'strong' } as const]
      : []),
  ]
}

const LASTS: Readonly<Record<EntryStatus, string>> = {
  'in-force': 'In effect until the end of',
  'not-begun': 'Not yet effective at the evaluation date; valid until the end of',
  expired: 'Expired at the end of',
  withdrawn: 'Withdrawn; was valid until the end of',
}

/** Status of a risk acceptance or decision, with its expiry. */
export const lasts = (status: EntryStatus, expiresAt: string): string => `${LASTS[status]} ${day(expiresAt)}, UTC`

/** When and by whom an entry was withdrawn or resolved, and the reason. */
export const withdrawal = ({ at, by, reason }: Withdrawal | Resolution): string =>
  `${when(at)}, by ${oneLine(by, 200)}${reason === null ? '' : `: ${oneLine(reason)}`}`

const SIGNING_ROLES: readonly (readonly [role: SignOff['role'], title: string, does: string])[] = [
  ['collector', 'Collector', 'Performed the collection'],
  ['reviewer', 'Reviewer', 'Reviewed the results against the evidence'],
  ['approver', 'Approver', 'Releases the report to its audience'],
  ['qualified-person', 'Qualified person', 'Authorized to act for the entity in the matters covered by this report'],
]

/** Blank line for a handwritten entry. */
const LINE = '_'.repeat(14)

/** Preparer, reviewer and approver. The auditor does not sign this report. */
export function signOffSection({ assessment }: Matter): Section {
  const { engagement } = assessment.scope
  const entries = engagement?.signOff ?? []
  return {
    id: 'sign-off',
    title: titles['sign-off'],
    blocks: [
      heading(3, 'Assertion of management'),
      text(
        `Text for management to confirm or change; the signature below is by a person. “We are responsible for the description of the system and its boundary, for the completeness of the declared population, for the declarations printed in this report as ours, and for the design and operation of the controls. The evidence was collected from the servers listed. The deviations, scope limitations and outstanding documents in this report are complete as far as we know. Known changes after ${when(assessment.asOf)} that would change its results are stated to its readers.”`,
      ),
      heading(3, 'Signatures'),
      text(
        'For signature by the entity. Auditors do not sign here; they issue their own report. Names in this table come from the engagement and are not signatures. The seal of this file identifies a key, not a role.',
      ),
      ...(engagement === undefined
        ? [
            text(
              'The engagement is not defined, so no names are printed. The lines are blank for handwritten signatures.',
            ),
          ]
        : []),
      signatureTable(entries),
    ],
  }
}

const signatureTable = (entries: readonly SignOff[]): Block => ({
  ...headedTable(
    { Role: 30, 'Name and title': 28, Date: 18, Signature: 24 },
    SIGNING_ROLES.flatMap(([role, title, does]): readonly (readonly Cell[])[] => {
      const named = entries.filter((entry) => entry.role === role)
      const roleCell: Cell = [
        { text: title, style: 'strong' },
        { text: does, style: 'quiet' },
      ]
      if (named.length === 0) return [[roleCell, blank(), blank(), blank()]]
      return named.map(({ name, title: held, on }) => [
        roleCell,
        [{ text: oneLine(name, 200) }, { text: oneLine(held, 200), style: 'quiet' } satisfies Line],
        on === null ? blank() : plainCell(dayOf(on)),
        blank(),
      ])
    }),
  ),
  isWhole: true,
})

const blank = (): Cell => plainCell(LINE)
