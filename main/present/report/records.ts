import { levelWords } from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment, ControlRef, EvidenceDocument } from '../../../schemas/types.ts'
import { periodCoverWords, statusWords } from '../../../schemas/words.ts'
import { alike } from '../../core/base/grouping.ts'
import { names, of, oneLine, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { compare } from '../../core/recording/recording.ts'
import { attachmentPath } from '../../core/register/attachments.ts'
import { levelOf, REQUESTS } from '../../core/register/documents.ts'
import { isOnePerson } from '../../core/register/register.ts'
import { type DocumentStatus, documentStatuses, supportingIn } from '../../core/register/requests.ts'
import { basisOf, effectiveText, periodCover, supersededIn, versionName } from '../../core/register/versions.ts'
import type { Control } from '../../core/rules/framework.ts'
import { withdrawal } from './cover.ts'
import type { Matter } from './parts/input.ts'
import { day, itemName, see, shortName, titles, when } from './parts/wording.ts'
import { byStatus, type FactRows, factBlock, furtherEntries, MOST_ENTRIES } from './scope/boundary.ts'
import { askedWords, documentCounts, type OutstandingRequest } from './scope/outstanding.ts'

/** Required documents: outstanding ones with owner and due date, overdue first; then documents on file with inspector and conclusion. */
export function recordSection(matter: Matter): Section {
  const { register, assessment } = matter
  const of = versionsIn(matter)
  const ordered = [...register.documents].sort((a, b) => compare(a.attachedAt, b.attachedAt) || compare(a.id, b.id))
  const groups = byStatus(ordered, assessment.asOf)
  return {
    id: 'records',
    title: titles.records,
    blocks: [
      text(
        'Documents are included as provided. This tool does not test their content, and they do not change any check result. A document counts for a control while it is in effect, at or above the level that its request requires, with a named inspector, the scope of the inspection, and a conclusion. Inquiry alone, or receipt without inspection, supports no control (AT-C 205). The files are in the evidence pack, under data/documents.',
      ),
      ...outstandingBlocks(matter),
      ...(groups.length === 0 ? [heading(3, 'On file', true), text('No documents on file.')] : []),
      ...groups.flatMap(({ status, entries }): readonly Block[] => [
        heading(3, `${statusWords[status]} (${entries.length})`, true),
        ...entries.slice(0, MOST_ENTRIES).flatMap((entry) => entryBlocks(matter, entry, of(entry))),
        ...furtherEntries(entries.length),
      ]),
    ],
  }
}

/** Facts about a document that its own entry does not state: whether it counts, and the versions before and after it. */
interface VersionFacts {
  readonly supports: boolean
  readonly later: EvidenceDocument | null
  readonly earlier: EvidenceDocument | null
}

function versionsIn({ register, assessment }: Matter): (entry: EvidenceDocument) => VersionFacts {
  const supporting = supportingIn(register, assessment.asOf, basisOf(assessment))
  const superseded = supersededIn(register, assessment.asOf)
  const byId = new Map(register.documents.map((one) => [one.id, one]))
  return ({ id, supersedes = '' }) => ({
    supports: supporting.has(id),
    later: superseded.get(id) ?? null,
    earlier: byId.get(supersedes) ?? null,
  })
}

/** Declared effective period, and whether it covers the period of the engagement. */
function effectiveRows({ assessment }: Pick<Matter, 'assessment'>, entry: EvidenceDocument): FactRows {
  const { effective } = entry
  if (effective === undefined) return []
  const cover = periodCover(entry, basisOf(assessment))
  return [
    {
      label: 'Effective period',
      value: [
        { text: `${effectiveText(effective)}, as declared` },
        ...(cover === null ? [] : [{ text: periodCoverWords[cover], ...(cover === 'covers' ? {} : STRONG) }]),
      ],
    },
  ]
}

const STRONG = { style: 'strong' } as const

function entryBlocks(
  { assessment, catalog }: Matter,
  entry: EvidenceDocument,
  { supports, later, earlier }: VersionFacts,
): readonly Block[] {
  const { name, kind, mediaType, size, sha256, controls, need, validUntil, withdrawn, inspection, answers } = entry
  const level = levelWords[levelOf(entry)]
  const isOwn = inspection !== undefined && isOnePerson({ requestedBy: entry.providedBy, approvedBy: inspection.by })
  return [
    heading(4, oneLine(name, 200)),
    factBlock([
      { label: 'Summary of evidence', value: plainCell(oneLine(entry.summary)) },
      { label: 'Provided by', value: plainCell(oneLine(entry.providedBy)) },
      { label: 'Owner', value: plainCell(oneLine(entry.owner)) },
      {
        label: 'Controls',
        value:
          controls.length === 0
            ? plainCell('Not assigned to a control')
            : controls.map((row) => ({ text: nameOf(catalog, row) })),
      },
      ...(need === null ? [] : [{ label: 'Required document', value: plainCell(oneLine(need)) }]),
      { label: 'Procedure', value: plainCell(`${level.label}. ${level.meaning}`) },
      ...(inspection === undefined
        ? []
        : [
            {
              label: 'Inspection',
              value: [
                { text: `${oneLine(inspection.by, 200)}, ${day(inspection.at)}` },
                ...(isOwn
                  ? [
                      {
                        text: 'Inspected by the person who provided it (no segregation of duties).',
                        style: 'strong',
                      } as const,
                    ]
                  : []),
                { text: oneLine(inspection.lookedAt, 2000) },
                {
                  text:
                    inspection.conclusion === 'supports'
                      ? 'Conclusion: supports the control'
                      : 'Conclusion: does not support the control',
                },
              ],
            },
          ]),
      ...(answers === undefined
        ? []
        : [
            {
              label: 'Alternative evidence for',
              value: plainCell(
                `${names(answers.checks, 10)} on ${names(answers.nodes, 10)}. The results remain as observed.`,
              ),
            },
          ]),
      { label: 'Counts as', value: plainCell(supports ? 'Supporting evidence' : 'Not counted as support') },
      ...effectiveRows({ assessment }, entry),
      ...(later === null ? [] : [{ label: 'Superseded by', value: versionCell(later) }]),
      ...(entry.supersedes === undefined
        ? []
        : [
            {
              label: 'Supersedes',
              value: earlier === null ? plainCell('A version outside of this pack') : versionCell(earlier),
            },
          ]),
      { label: 'Attached', value: plainCell(when(entry.attachedAt)) },
      {
        label: 'Valid until',
        value: plainCell(
          validUntil === null ? 'No expiry stated; counts for 366 days' : `End of ${day(validUntil)}, UTC`,
        ),
      },
      {
        label: kind === 'note' ? 'Note' : 'File',
        value: [
          { text: `${plain(mediaType, 100)}, ${plural(size, 'byte')}, SHA-256` },
          { text: plain(sha256, 64), style: 'mono' },
          withdrawn === null
            ? { text: attachmentPath(entry), style: 'quiet' }
            : { text: 'Withdrawn before sealing; not included in the pack', style: 'quiet' },
        ],
      },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

const versionCell = (version: EvidenceDocument): Cell => [
  { text: versionName(version) },
  { text: version.sha256, style: 'mono' },
]

/** An evidence request by its title, a control by its name. */
function nameOf(catalog: Matter['catalog'], row: ControlRef): string {
  if (row.framework !== REQUESTS) return itemName(catalog, row)
  const request = catalog.requests.find(({ id }) => id === row.control)
  return request === undefined ? plain(row.control, 100) : `${request.id} ${request.title}`
}

/** Outstanding documents, each once with the controls that require it: assigned requests by due date, then unassigned ones. */
function outstandingBlocks(matter: Matter): readonly Block[] {
  const { outstanding, needed, held, overdue } = documentCounts(matter)
  const ordered = [...outstanding].sort(
    (a, b) =>
      compare(a.status.request?.due ?? LAST, b.status.request?.due ?? LAST) ||
      compare(a.id ?? LAST, b.id ?? LAST) ||
      compare(a.status.document.title, b.status.document.title),
  )
  return [
    heading(3, 'Outstanding', true),
    text(
      `${of(held, needed)} documents required by the selected frameworks are on file; a document counts once, however many controls it serves. ${plural(overdue, 'request')} ${overdue === 1 ? 'is' : 'are'} overdue.`,
    ),
    ordered.length === 0
      ? text('No documents outstanding.')
      : table(
          { Document: 44, Controls: 32, Status: 24 },
          ordered.map((one) => outstandingRow(matter, one)),
        ),
  ]
}

/** Sorts after every date. */
const LAST = '~'

function outstandingRow(matter: Matter, { id, status, controls }: OutstandingRequest): readonly Cell[] {
  const { document, overdue } = status
  return [
    [
      { text: `${id === null ? '' : `${id} `}${oneLine(document.title, 500)}`, style: 'strong' },
      ...(document.request === null ? [] : [{ text: document.request.inspects, style: 'quiet' } as const]),
    ],
    [...byFramework(matter, controls)],
    [...(overdue ? [{ text: 'Overdue', style: 'strong' } as const] : []), { text: askedWords(status) }],
  ]
}

/** Controls of each framework in one line. */
const byFramework = ({ catalog }: Matter, controls: readonly ControlAssessment[]): Cell =>
  alike(controls, ({ framework }) => framework).map((group) => {
    const framework = group[0]?.framework ?? ''
    const ids = new Map(catalog.frameworks.find(({ id }) => id === framework)?.controls.map(({ key, id }) => [key, id]))
    return {
      text: `${shortName(framework)}: ${names(
        group.map(({ control }) => ids.get(control) ?? control),
        40,
      )}`,
    }
  })

/** The documents of one control, each with whether it is required and outstanding. */
export function documentsOf(
  { register, assessment, catalog }: Matter,
  control: Control,
  { framework, documents }: ControlAssessment,
): readonly (DocumentStatus & { readonly isOpen: boolean })[] {
  const open = new Set(documents.outstanding.map(({ request, title }) => request ?? title))
  return documentStatuses(catalog, register, { framework, control }, assessment.asOf, basisOf(assessment)).map(
    (status) => ({
      ...status,
      isOpen: status.document.mandatory && open.has(status.document.request?.id ?? status.document.title),
    }),
  )
}

/** For one control: documents on file, and required documents that are outstanding. */
export function documentLines(matter: Matter, control: Control, item: ControlAssessment): readonly Block[] {
  const statuses = documentsOf(matter, control, item)
  const named = (one: DocumentStatus): string =>
    `${one.document.request === null ? '' : `${one.document.request.id} `}${oneLine(one.document.title)}`
  const attached = statuses
    .filter((one) => one.attached.length > 0)
    .map((one) => `${named(one)} (${one.level === null ? 'on file' : levelWords[one.level].label.toLowerCase()})`)
  const missing = statuses.filter(({ isOpen }) => isOpen).map((one) => `${named(one)} (${askedWords(one)})`)
  const failing = statuses.filter(({ conclusion }) => conclusion === 'does-not-support').map(named)
  return [
    ...(attached.length === 0 ? [] : [quiet(`Documents on file: ${attached.join('; ')}. See ${see('records')}.`)]),
    ...(failing.length === 0 ? [] : [text(`Inspected; does not support the control: ${failing.join('; ')}.`)]),
    ...(missing.length === 0 ? [] : [quiet(`Outstanding: ${missing.join('; ')}.`)]),
  ]
}
