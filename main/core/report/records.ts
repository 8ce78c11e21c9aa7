import type { Attachment, ControlAssessment } from '../../../schemas/types.ts'
import { methodWords, standingWords } from '../../../schemas/words.ts'
import type { Control } from '../framework.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { attachmentPath } from '../register/attachments.ts'
import { attachedTo, bears } from '../register/requests.ts'
import { byRow } from '../register/rows.ts'
import { type Standing, standingOf } from '../register.ts'
import { factBlock, furtherEntries, MOST_ENTRIES } from './declared.ts'
import { alike } from './grouping.ts'
import type { Matter } from './input.ts'
import { itemName, shortName } from './items.ts'
import { type Block, type Cell, heading, plainCell, quiet, type Section, text } from './model.ts'
import { askedWords, NOTHING, type Outstanding, outstandingOfItem, recordCounts } from './outstanding.ts'
import { withdrawal } from './signed.ts'
import { see, titles } from './titles.ts'
import { day, names, of, plural, when } from './wording.ts'

/** Which records items need from people: who is to bring what is outstanding, overdue first, then what is attached and who says what it shows. */
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
        'Records that no server can show, as people gave them. Nobody here judged what they say. They change no verdict of a check. The state of an item knows of them: a record counts as held while it is in force and somebody examined it or asked the people concerned. What was only received counts as outstanding. The files are in the evidence pack, under data/attachments.',
      ),
      ...outstandingBlocks(matter),
      ...(groups.length === 0 ? [heading(3, 'Attached', true), text('No record is attached.')] : []),
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
  const { name, kind, mediaType, size, sha256, controls, need, validUntil, withdrawn } = entry
  const items = controls.map((row) => itemName(catalog, row))
  return [
    heading(4, oneLine(name, 200)),
    factBlock([
      { label: 'What it shows', value: plainCell(oneLine(entry.shows)) },
      { label: 'Said by', value: plainCell(`${oneLine(entry.saidBy)}. ${methodWords[entry.method]}.`) },
      { label: 'Owner', value: plainCell(oneLine(entry.owner)) },
      {
        label: 'For',
        value: items.length === 0 ? plainCell('No item in particular') : items.map((item) => ({ text: item })),
      },
      ...(need === null ? [] : [{ label: 'Record needed', value: plainCell(oneLine(need)) }]),
      ...(need === null || standingOf(entry, assessment.asOf) !== 'in-force'
        ? []
        : [{ label: 'Counts as', value: plainCell(countsAs(entry, assessment.asOf)) }]),
      { label: 'Attached', value: plainCell(when(entry.attachedAt)) },
      {
        label: 'Valid until',
        value: plainCell(validUntil === null ? 'No end was given' : `The end of ${day(validUntil)}, UTC`),
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

function countsAs(entry: Attachment, asOf: string): string {
  if (bears(entry, asOf)) return 'Held'
  return entry.method === 'received'
    ? 'Outstanding: it was received, and nobody examined it'
    : 'Outstanding: it has no end of its own and is more than a year old'
}

/** What is outstanding: asked of somebody, overdue first; then what nobody is asked for, by item. */
function outstandingBlocks(matter: Matter): readonly Block[] {
  const { items, needed, held, overdue, ...counts } = recordCounts(matter)
  const asked = [...counts.asked].sort(
    (a, b) => compare(a.request?.due ?? '', b.request?.due ?? '') || compare(keyOf(a), keyOf(b)),
  )
  return [
    heading(3, 'Outstanding, and asked of somebody', true),
    text(
      `${of(held, needed)} records that items of the chosen frameworks need are held; a record that several items need counts at each. ${plural(overdue, 'request')} ${overdue === 1 ? 'is' : 'are'} overdue.`,
    ),
    asked.length === 0 ? text('Nobody is asked for a record that is still outstanding.') : askedTable(matter, asked),
    ...unasked(matter, items),
  ]
}

const keyOf = ({ framework, control, need }: Outstanding): string => `${framework}\n${control}\n${need}`

const askedTable = ({ catalog }: Matter, asked: readonly Outstanding[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Record', width: 32 },
    { title: 'Item', width: 26 },
    { title: 'Owner and due day', width: 18 },
    { title: 'Why outstanding', width: 24 },
  ],
  rows: asked.map((one): readonly Cell[] => [
    plainCell(oneLine(one.need)),
    plainCell(itemName(catalog, one)),
    [
      ...(one.overdue ? [{ text: 'Overdue', style: 'strong' } as const] : []),
      { text: oneLine(one.request?.owner ?? '', 200) },
      { text: day(one.request?.due ?? '') },
    ],
    plainCell(one.why),
  ]),
})

/** Rows of one framework that lack the same records stand together. */
function unasked(matter: Matter, items: readonly ControlAssessment[]): readonly Block[] {
  const { register, assessment } = matter
  const ofRow = byRow(register)
  const open = items.flatMap((item): readonly Lacking[] => {
    const words = outstandingOfItem(ofRow, item, assessment.asOf)
      .filter(({ request }) => request === null)
      .map(({ need, why }) => (why === NOTHING ? oneLine(need, 500) : `${oneLine(need, 500)} (${why})`))
    return words.length === 0 ? [] : [{ item, words }]
  })
  if (open.length === 0) return []
  return [
    heading(3, 'Outstanding, and nobody is asked', true),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Item', width: 36 },
        { title: 'Records without an owner', width: 64 },
      ],
      rows: alike(open, ({ item, words }) => [item.framework, ...words].join('\n')).map((group) =>
        unaskedRow(matter, group),
      ),
    },
  ]
}

interface Lacking {
  readonly item: ControlAssessment
  readonly words: readonly string[]
}

function unaskedRow({ catalog }: Matter, group: readonly Lacking[]): readonly Cell[] {
  const [first] = group
  if (first === undefined) return []
  const records = first.words.map((words) => ({ text: words }))
  if (group.length === 1) return [plainCell(itemName(catalog, first.item)), records]
  const known = new Map(
    catalog.frameworks.find(({ id }) => id === first.item.framework)?.controls.map(({ key, id }) => [key, id]),
  )
  const ids = group.map(({ item }) => known.get(item.control) ?? item.control)
  return [
    [
      { text: `${shortName(first.item.framework)}, ${plural(group.length, 'item')}` },
      { text: names(ids, 60), style: 'quiet' },
    ],
    records,
  ]
}

/** At one item: what is attached to it, and which records it still needs. */
export function recordLines(
  { register, assessment }: Matter,
  control: Control,
  item: ControlAssessment,
): readonly Block[] {
  const { asOf } = assessment
  const named = attachedTo(register, item.framework, control.key)
    .filter((entry) => standingOf(entry, asOf) === 'in-force')
    .map(({ name, need }) => `${oneLine(name, 80)}${need === null ? '' : ` (for: ${oneLine(need)})`}`)
  const missing = outstandingOfItem(() => register, item, asOf).map((one) =>
    one.request === null && one.why === NOTHING ? oneLine(one.need) : `${oneLine(one.need)} (${askedWords(one)})`,
  )
  return [
    ...(named.length === 0 ? [] : [quiet(`Attached for this item: ${named.join('; ')}. See ${see('records')}.`)]),
    ...(missing.length === 0 ? [] : [quiet(`Outstanding: ${missing.join('; ')}.`)]),
  ]
}
