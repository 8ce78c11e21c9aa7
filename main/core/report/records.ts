import { levelWords } from '../../../schemas/conclusion-words.ts'
import type { Attachment, ControlAssessment, ControlRef } from '../../../schemas/types.ts'
import { standingWords } from '../../../schemas/words.ts'
import { levelOf, REQUESTS } from '../conclusion/documents.ts'
import type { Control } from '../framework.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { attachmentPath } from '../register/attachments.ts'
import { type DocumentStatus, documentStatuses, supports } from '../register/requests.ts'
import { type Standing, standingOf } from '../register.ts'
import { factBlock, furtherEntries, MOST_ENTRIES } from './declared.ts'
import { alike } from './grouping.ts'
import type { Matter } from './input.ts'
import { itemName, shortName } from './items.ts'
import { type Block, type Cell, heading, plainCell, quiet, type Section, text } from './model.ts'
import { askedWords, documentCounts, type OutstandingRequest } from './outstanding.ts'
import { withdrawal } from './signed.ts'
import { see, titles } from './titles.ts'
import { day, names, of, plural, when } from './wording.ts'

/** Which documents controls need: what is outstanding, with owner and due day, overdue first; then what is attached, who inspected it, and the conclusion. */
export function recordSection(matter: Matter): Section {
  const { register, assessment } = matter
  const groups = GROUPS.map((standing) => ({
    title: standingWords[standing],
    entries: register.attachments
      .filter((entry) => standingOf(entry, assessment.asOf) === standing)
      .sort((a, b) => compare(a.attachedAt, b.attachedAt) || compare(a.id, b.id)),
  })).filter(({ entries }) => entries.length > 0)
  return {
    id: 'records',
    title: titles.records,
    blocks: [
      text(
        'Documents as people provided them. This tool did not test their content, and they change no result of a check. A document counts for a control while it is in force, at or above the level that its request needs, with a named inspector, what was looked at, and a conclusion. Inquiry alone, and documents that were only received, support nothing (AT-C 205). The files are in the evidence pack, under data/attachments.',
      ),
      ...outstandingBlocks(matter),
      ...(groups.length === 0 ? [heading(3, 'Attached', true), text('No document is attached.')] : []),
      ...groups.flatMap(({ title, entries }): readonly Block[] => [
        heading(3, `${title} (${entries.length})`, true),
        ...entries.slice(0, MOST_ENTRIES).flatMap((entry) => entryBlocks(matter, entry)),
        ...furtherEntries(entries.length),
      ]),
    ],
  }
}

const GROUPS: readonly Standing[] = ['expired', 'in-force', 'not-begun', 'withdrawn']

function entryBlocks({ assessment, catalog }: Matter, entry: Attachment): readonly Block[] {
  const { name, kind, mediaType, size, sha256, controls, need, validUntil, withdrawn, inspection, answers } = entry
  const level = levelWords[levelOf(entry)]
  const isOwn = inspection !== undefined && isSameName(inspection.by, entry.saidBy)
  return [
    heading(4, oneLine(name, 200)),
    factBlock([
      { label: 'What it shows', value: plainCell(oneLine(entry.shows)) },
      { label: 'Provided by', value: plainCell(oneLine(entry.saidBy)) },
      { label: 'Owner', value: plainCell(oneLine(entry.owner)) },
      {
        label: 'For',
        value:
          controls.length === 0
            ? plainCell('No control in particular')
            : controls.map((row) => ({ text: nameOf(catalog, row) })),
      },
      ...(need === null ? [] : [{ label: 'Document needed', value: plainCell(oneLine(need)) }]),
      { label: 'Level', value: plainCell(`${level.label}. ${level.meaning}`) },
      ...(inspection === undefined
        ? []
        : [
            {
              label: 'Inspection',
              value: [
                { text: `${oneLine(inspection.by, 200)}, ${day(inspection.at)}` },
                ...(isOwn ? [{ text: 'Inspected by the person who provided it.', style: 'strong' } as const] : []),
                { text: oneLine(inspection.lookedAt, 2000) },
                {
                  text: inspection.conclusion === 'supports' ? 'Conclusion: supports' : 'Conclusion: does not support',
                },
              ],
            },
          ]),
      ...(answers === undefined
        ? []
        : [
            {
              label: 'Answers',
              value: plainCell(
                `${names(answers.checks, 10)} on ${names(answers.nodes, 10)}. The results stay as observed.`,
              ),
            },
          ]),
      {
        label: 'Counts as',
        value: plainCell(supports(entry, assessment.asOf) ? 'Supporting evidence' : 'No support'),
      },
      { label: 'Attached', value: plainCell(when(entry.attachedAt)) },
      {
        label: 'Valid until',
        value: plainCell(
          validUntil === null ? 'No end was given; it counts for 366 days' : `The end of ${day(validUntil)}, UTC`,
        ),
      },
      {
        label: kind === 'note' ? 'Note' : 'File',
        value: [
          { text: `${plain(mediaType, 100)}, ${plural(size, 'byte')}, SHA-256` },
          { text: plain(sha256, 64), style: 'mono' },
          withdrawn === null
            ? { text: attachmentPath(entry), style: 'quiet' }
            : { text: 'Withdrawn before this pack was sealed, so it is not in it', style: 'quiet' },
        ],
      },
      ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
    ]),
  ]
}

const isSameName = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()

/** An evidence request by its title, a control by its name. */
function nameOf(catalog: Matter['catalog'], row: ControlRef): string {
  if (row.framework !== REQUESTS) return itemName(catalog, row)
  const request = catalog.requests.find(({ id }) => id === row.control)
  return request === undefined ? plain(row.control, 100) : `${request.id} ${request.title}`
}

/** What is outstanding, each document once with the controls that wait for it: those with an owner by due day, then the others. */
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
      `${of(held, needed)} documents that controls of the chosen frameworks need are held; one document counts once, however many controls it serves. ${plural(overdue, 'request')} ${overdue === 1 ? 'is' : 'are'} overdue.`,
    ),
    ordered.length === 0
      ? text('No document is outstanding.')
      : {
          kind: 'table',
          columns: [
            { title: 'Document', width: 44 },
            { title: 'Controls', width: 32 },
            { title: 'Status', width: 24 },
          ],
          rows: ordered.map((one) => outstandingRow(matter, one)),
        },
  ]
}

/** Behind every day. */
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

/** The controls of each framework in one line. */
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

/** At one control: what is attached for it, and which documents it still needs. */
export function documentLines(
  { register, assessment, catalog }: Matter,
  control: Control,
  item: ControlAssessment,
): readonly Block[] {
  const { asOf } = assessment
  const statuses = documentStatuses(catalog, register, { framework: item.framework, control }, asOf)
  const open = new Set(item.documents.outstanding.map(({ request, title }) => request ?? title))
  const named = (one: DocumentStatus): string =>
    `${one.document.request === null ? '' : `${one.document.request.id} `}${oneLine(one.document.title)}`
  const attached = statuses
    .filter((one) => one.attached.length > 0)
    .map((one) => `${named(one)} (${one.level === null ? 'on file' : levelWords[one.level].label.toLowerCase()})`)
  const missing = statuses
    .filter(({ document }) => document.mandatory && open.has(document.request?.id ?? document.title))
    .map((one) => `${named(one)} (${askedWords(one)})`)
  const failing = statuses.filter(({ conclusion }) => conclusion === 'does-not-support').map(named)
  return [
    ...(attached.length === 0 ? [] : [quiet(`Documents on file: ${attached.join('; ')}. See ${see('records')}.`)]),
    ...(failing.length === 0 ? [] : [text(`Inspected and not supporting: ${failing.join('; ')}.`)]),
    ...(missing.length === 0 ? [] : [quiet(`Outstanding: ${missing.join('; ')}.`)]),
  ]
}
