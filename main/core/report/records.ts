import type { Attachment, ControlAssessment, RecordRequest } from '../../../schemas/types.ts'
import { methodWords, standingWords } from '../../../schemas/words.ts'
import type { Control } from '../framework.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { attachmentPath } from '../register/attachments.ts'
import { attachedTo, recordsOf } from '../register/requests.ts'
import { type Standing, standingOf } from '../register.ts'
import { withdrawal } from './exceptions.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, plainCell, quiet, type Section, text } from './model.ts'
import { day, plural, when } from './wording.ts'

/** What people attached, each with what it shows and who says so, and who is to bring what is still missing. */
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
    title: 'Attached records',
    blocks: [
      text(
        'Records that no server can show, as people gave them. Nobody here judged what they say, and they change no verdict and no state. The files are in the evidence pack, under data/attachments.',
      ),
      ...(groups.length === 0 ? [text('No record is attached.')] : []),
      ...groups.flatMap(({ title, entries }): readonly Block[] => [
        heading(3, `${title} (${entries.length})`, true),
        ...entries.flatMap((entry) => entryBlocks(matter, entry)),
      ]),
      heading(3, 'Records asked for and not attached'),
      ...requestBlocks(matter),
    ],
  }
}

const GROUPS: readonly Standing[] = ['expired', 'in-force', 'withdrawn']

function entryBlocks(matter: Matter, entry: Attachment): readonly Block[] {
  const { name, kind, mediaType, size, sha256, controls, need, validUntil, withdrawn } = entry
  const items = controls.map(({ framework, control }) => itemName(matter, framework, control))
  const rows: readonly { readonly label: string; readonly value: Cell }[] = [
    { label: 'What it shows', value: plainCell(oneLine(entry.shows)) },
    { label: 'Said by', value: plainCell(`${oneLine(entry.saidBy)}. ${methodWords[entry.method]}.`) },
    { label: 'Owner', value: plainCell(oneLine(entry.owner)) },
    {
      label: 'For',
      value: items.length === 0 ? plainCell('No item in particular') : items.map((item) => ({ text: item })),
    },
    ...(need === null ? [] : [{ label: 'Record needed', value: plainCell(oneLine(need)) }]),
    { label: 'Attached', value: plainCell(when(entry.attachedAt)) },
    {
      label: 'Valid until',
      value: plainCell(validUntil === null ? 'No end was given' : `The end of ${day(validUntil)}, UTC`),
    },
    {
      label: kind === 'note' ? 'Note' : 'File',
      value: [
        { text: `${plain(mediaType, 100)}, ${plural(size, 'byte')}, SHA-256` },
        { text: sha256, style: 'mono' },
        withdrawn === null
          ? { text: attachmentPath(entry), style: 'quiet' }
          : { text: 'Withdrawn before this pack was sealed, so it is not in it', style: 'quiet' },
      ],
    },
    ...(withdrawn === null ? [] : [{ label: 'Withdrawn', value: plainCell(withdrawal(withdrawn)) }]),
  ]
  return [heading(4, oneLine(name, 200)), { kind: 'facts', rows }]
}

function itemName({ catalog }: Matter, framework: string, control: string): string {
  const found = catalog.frameworks.find(({ id }) => id === framework)
  const item = found?.controls.find(({ key }) => key === control)
  const name = item === undefined ? plain(control, 100) : `${item.id} ${item.title}`
  return `${SHORT[framework] ?? plain(framework, 40)} ${name}`
}

const SHORT: Readonly<Record<string, string>> = { hipaa: 'HIPAA', soc2: 'SOC 2', nprm: 'HIPAA (proposed)' }

function requestBlocks(matter: Matter): readonly Block[] {
  const { asOf, scope } = matter.assessment
  const open = matter.register.requests
    .filter(({ framework }) => scope.frameworks.includes(framework))
    .map((request) => ({ request, state: recordsOf(matter.register, { ...request, needs: [request.need] }, asOf)[0] }))
    .filter(({ state }) => state?.attached.length === 0)
    .sort((a, b) => compare(a.request.due, b.request.due) || compare(keyOf(a.request), keyOf(b.request)))
  if (open.length === 0) return [text('None: nobody is asked for a record that is still missing.')]
  return [
    {
      kind: 'table',
      columns: [
        { title: 'Record', width: 40 },
        { title: 'Item', width: 30 },
        { title: 'Owner', width: 15 },
        { title: 'Due', width: 15 },
      ],
      rows: open.map(({ request, state }) => [
        plainCell(oneLine(request.need)),
        plainCell(itemName(matter, request.framework, request.control)),
        plainCell(oneLine(request.owner)),
        [
          ...(state?.overdue === true ? [{ text: 'Overdue', style: 'strong' } as const] : []),
          { text: day(request.due) },
        ],
      ]),
    },
  ]
}

const keyOf = ({ framework, control, need }: RecordRequest): string => `${framework}\n${control}\n${need}`

/** At one item: what is attached to it, and which records it still needs. */
export function recordLines(
  { register, assessment }: Matter,
  control: Control,
  { framework, outstanding }: ControlAssessment,
): readonly Block[] {
  const standing = attachedTo(register, framework, control.key).filter(
    (entry) => standingOf(entry, assessment.asOf) === 'in-force',
  )
  const named = standing.map(
    ({ name, need }) => `${oneLine(name, 80)}${need === null ? '' : ` (for: ${oneLine(need)})`}`,
  )
  const states = recordsOf(register, { framework, control: control.key, needs: outstanding }, assessment.asOf)
  const missing = states
    .filter(({ attached }) => attached.length === 0)
    .map(({ need, request, overdue }) =>
      request === null
        ? need
        : `${need} (${overdue ? 'overdue: ' : ''}asked of ${oneLine(request.owner)}, due ${day(request.due)})`,
    )
  return [
    ...(named.length === 0 ? [] : [quiet(`Attached for this item: ${named.join('; ')}. See “Attached records”.`)]),
    ...(missing.length === 0
      ? []
      : [
          quiet(`Also needed, not attached: ${missing.join('; ')}. Responsible: ${control.responsibility.join(', ')}.`),
        ]),
  ]
}
