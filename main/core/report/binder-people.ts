import type { Attachment, ControlAssessment, Exception } from '../../../schemas/types.ts'
import { methodWords, standingWords } from '../../../schemas/words.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { attachmentPath } from '../register/attachments.ts'
import { attachedTo } from '../register/requests.ts'
import type { RowRegister } from '../register/rows.ts'
import { standingOf } from '../register.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, quiet, text } from './model.ts'
import { outstandingOfItem } from './outstanding.ts'
import { lasts } from './signed.ts'
import { day, names, of, plural } from './wording.ts'

/** Exceptions that stand at one control; the others are counted. */
const MOST_EXCEPTIONS = 20

/** What people said, sorted out by check: those that end first stand first. */
export function exceptionsByCheck({ register }: Matter): ReadonlyMap<string, readonly Exception[]> {
  const found = new Map<string, Exception[]>()
  for (const entry of [...register.exceptions].sort((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.id, b.id)))
    found.set(entry.check, [...(found.get(entry.check) ?? []), entry])
  return found
}

/** Exceptions that people accepted for checks of this control. */
export function exceptionBlocks(
  matter: Matter,
  exceptions: ReadonlyMap<string, readonly Exception[]>,
  { checks }: ControlAssessment,
): readonly Block[] {
  const all = checks.flatMap(({ check }) => exceptions.get(check) ?? [])
  if (all.length === 0) return []
  const left = all.length - MOST_EXCEPTIONS
  return [
    heading(3, 'Exceptions'),
    {
      kind: 'table',
      columns: [
        { title: 'Check and nodes', width: 34 },
        { title: 'Standing', width: 26 },
        { title: 'Reason, and measure in its place', width: 40 },
      ],
      rows: all.slice(0, MOST_EXCEPTIONS).map((entry): readonly Cell[] => [
        [
          { text: plain(entry.check, 100), style: 'strong' },
          { text: `${of(entry.nodes.length, matter.assessment.nodes.length)} nodes: ${names(entry.nodes, 5)}` },
        ],
        [
          { text: lasts(standingOf(entry, matter.assessment.asOf), entry.expiresAt) },
          { text: `Approved by ${oneLine(entry.approvedBy, 80)}, owner ${oneLine(entry.owner, 80)}`, style: 'quiet' },
        ],
        [{ text: oneLine(entry.reason, 600) }, { text: oneLine(entry.compensatingMeasure, 600), style: 'quiet' }],
      ]),
    },
    ...(left > 0 ? [quiet(`And ${plural(left, 'exception')} more, in the report.`)] : []),
  ]
}

/** Records at this control: what is there with its digest, and what is outstanding with owner and day. */
export function recordBlocks({ assessment }: Matter, ofRow: RowRegister, item: ControlAssessment): readonly Block[] {
  const { asOf } = assessment
  const held = attachedTo(ofRow(item), item.framework, item.control)
  const open = outstandingOfItem(ofRow, item, asOf)
  const rows = [
    ...held.map((entry): readonly Cell[] => [heldCell(entry), heldHow(entry, asOf)]),
    ...open.map(({ need, request, overdue, why }): readonly Cell[] => [
      [{ text: oneLine(need, 500), mark: 'dotted-ring' }],
      [
        { text: `Outstanding. ${why}.` },
        request === null
          ? { text: 'Nobody is asked for it' }
          : {
              text: `${overdue ? 'Overdue: asked' : 'Asked'} of ${oneLine(request.owner, 200)}, due ${day(request.due)}`,
              style: overdue ? 'strong' : 'quiet',
            },
      ],
    ]),
  ]
  return rows.length === 0
    ? [text('None is needed, and none is attached.')]
    : [
        {
          kind: 'table',
          columns: [
            { title: 'Record', width: 42 },
            { title: 'How it stands', width: 58 },
          ],
          rows,
        },
      ]
}

const heldCell = ({ name, shows, need }: Attachment): Cell => [
  { text: oneLine(name, 200), style: 'strong', mark: 'ring-tick' },
  { text: oneLine(shows, 600) },
  ...(need === null ? [] : [{ text: `For: ${oneLine(need, 500)}`, style: 'quiet' } as const]),
]

const heldHow = (entry: Attachment, asOf: string): Cell => [
  {
    text: `${standingWords[standingOf(entry, asOf)]}. ${methodWords[entry.method]}: ${oneLine(entry.saidBy, 200)}. Owner: ${oneLine(entry.owner, 200)}. ${entry.validUntil === null ? 'No end was given' : `Valid until the end of ${day(entry.validUntil)}`}.`,
  },
  { text: entry.sha256, style: 'mono' },
  ...(entry.withdrawn === null ? [{ text: attachmentPath(entry), style: 'quiet' } as const] : []),
]
