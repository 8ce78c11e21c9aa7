import { levelWords } from '../../../schemas/conclusion-words.ts'
import type { ControlAssessment, EvidenceDocument, RiskAcceptance } from '../../../schemas/types.ts'
import { standingWords } from '../../../schemas/words.ts'
import { levelOf } from '../../core/conclusion/documents.ts'
import type { Control } from '../../core/framework.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { attachmentPath } from '../../core/register/attachments.ts'
import { documentStatuses } from '../../core/register/requests.ts'
import { standingOf } from '../../core/register.ts'
import { type Block, type Cell, heading, quiet, text } from '../../core/report-document.ts'
import type { Matter } from './input.ts'
import { askedWords } from './outstanding.ts'
import { lasts } from './signed.ts'
import { day } from './wording.ts'

/** Risk acceptances printed at one control; the others are counted. */
const MOST_EXCEPTIONS = 20

/** Risk acceptances by check, the earliest expiry first. */
export function exceptionsByCheck({ register }: Matter): ReadonlyMap<string, readonly RiskAcceptance[]> {
  const found = new Map<string, RiskAcceptance[]>()
  for (const entry of [...register.riskAcceptances].sort(
    (a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.id, b.id),
  ))
    found.set(entry.check, [...(found.get(entry.check) ?? []), entry])
  return found
}

/** Risk acceptances for the checks of this control. */
export function exceptionBlocks(
  matter: Matter,
  exceptions: ReadonlyMap<string, readonly RiskAcceptance[]>,
  { checks }: ControlAssessment,
): readonly Block[] {
  const all = checks.flatMap(({ check }) => exceptions.get(check) ?? [])
  if (all.length === 0) return []
  const left = all.length - MOST_EXCEPTIONS
  return [
    heading(3, 'Risk acceptances'),
    {
      kind: 'table',
      columns: [
        { title: 'Check and nodes', width: 34 },
        { title: 'Status', width: 26 },
        { title: 'Reason and compensating control', width: 40 },
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
        [{ text: oneLine(entry.reason, 600) }, { text: oneLine(entry.compensatingControl, 600), style: 'quiet' }],
      ]),
    },
    ...(left > 0 ? [quiet(`And ${plural(left, 'more risk acceptance')}, in the report.`)] : []),
  ]
}

/** Documents of this control: on file with level, inspection and digest, and outstanding with owner and due date. */
export function documentBlocks(matter: Matter, control: Control, item: ControlAssessment): readonly Block[] {
  const { assessment, register, catalog } = matter
  const { asOf } = assessment
  const statuses = documentStatuses(catalog, register, { framework: item.framework, control }, asOf)
  const open = new Set(item.documents.outstanding.map(({ request, title }) => request ?? title))
  const rows = statuses.map((status): readonly Cell[] => {
    const { document, attached, conclusion } = status
    const isOpen = document.mandatory && open.has(document.request?.id ?? document.title)
    const mark = conclusion === 'does-not-support' ? 'square-cross' : isOpen ? 'dotted-ring' : 'ring-tick'
    return [
      [
        { text: `${document.request === null ? '' : `${document.request.id} `}${oneLine(document.title, 500)}`, mark },
        ...document.needs.map((need) => ({ text: oneLine(need, 500), style: 'quiet' as const })),
      ],
      [
        {
          text: isOpen
            ? `Outstanding: ${askedWords(status)}.`
            : conclusion === 'does-not-support'
              ? 'Inspected; does not support the control.'
              : document.mandatory
                ? 'On file.'
                : 'Optional: supports, not required.',
        },
        ...attached.flatMap((entry) => attachedLines(entry, asOf)),
      ],
    ]
  })
  return rows.length === 0
    ? [text('No documents required.')]
    : [
        {
          kind: 'table',
          columns: [
            { title: 'Document', width: 42 },
            { title: 'Status', width: 58 },
          ],
          rows,
        },
      ]
}

const attachedLines = (entry: EvidenceDocument, asOf: string): Cell => [
  {
    text: `${oneLine(entry.name, 200)}: ${levelWords[levelOf(entry)].label.toLowerCase()}${entry.inspection === undefined ? '' : ` by ${oneLine(entry.inspection.by, 200)} on ${day(entry.inspection.at)}`}; ${standingWords[standingOf(entry, asOf)].toLowerCase()}; ${entry.validUntil === null ? 'no expiry stated' : `valid until the end of ${day(entry.validUntil)}`}.`,
  },
  { text: entry.sha256, style: 'mono' },
  ...(entry.withdrawn === null ? [{ text: attachmentPath(entry), style: 'quiet' } as const] : []),
]
