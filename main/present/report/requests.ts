import { statusWords } from '../../../schemas/words.ts'
import { names, of } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { statusOf } from '../../core/register.ts'
import { type Block, type Cell, heading, type Section, text } from '../../core/report-document.ts'
import { alike } from '../../core/tally.ts'
import type { Matter } from './input.ts'
import { askedWords, documentCounts, type OutstandingRequest } from './outstanding.ts'
import { titles } from './titles.ts'
import { day } from './wording.ts'

/** Documents that are outstanding, each once however many controls need it; and risk acceptances, expired ones first. */
export function requestSection(matter: Matter): Section {
  const { outstanding, needed, overdue } = documentCounts(matter)
  return {
    id: 'requests',
    title: titles.requests,
    flows: true,
    blocks: [
      text(
        `${of(outstanding.length, needed)} requested documents are outstanding, ${overdue} of them overdue. One document answers its request in every control that needs it. A document counts when a named person inspected it and recorded a conclusion; inquiry and receipt alone do not (AT-C 205).`,
      ),
      ...(outstanding.length === 0 ? [] : [outstandingTable(outstanding)]),
      heading(3, 'Risk acceptances', true),
      acceptances(matter),
    ],
  }
}

type Outstanding = readonly OutstandingRequest[]

/** One table in groups of the same status: what is overdue first, what has no owner last. */
function outstandingTable(outstanding: Outstanding): Block {
  const urgency = ([first]: Outstanding): string => {
    const asked = first?.status.request ?? null
    return asked === null ? '2' : `${first?.status.overdue === true ? 0 : 1} ${asked.due}`
  }
  const groups = [...alike(outstanding, ({ status }) => askedWords(status))].sort((some, others) =>
    compare(urgency(some), urgency(others)),
  )
  return {
    kind: 'table',
    rowHeaders: true,
    columns: [
      { title: 'Request', width: 12 },
      { title: 'Document', width: 76 },
      { title: 'Controls', width: 12 },
    ],
    rows: groups.flatMap((group): readonly (readonly Cell[])[] => [
      [[{ text: `${sentence(group)} (${group.length})`, style: 'strong' }]],
      ...group.map(({ id, status, controls }): readonly Cell[] => [
        [{ text: id ?? '–' }],
        [{ text: oneLine(status.document.title, 240) }],
        [{ text: String(controls.length) }],
      ]),
    ]),
  }
}

const sentence = ([first]: Outstanding): string => {
  const words = first === undefined ? '' : askedWords(first.status)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Acceptances of the register by status. They change no verdict; the annex has each in full. */
function acceptances({ register, assessment, tally }: Matter): Block {
  const order = ['expired', 'in-force', 'not-begun', 'withdrawn'] as const
  const entries = order.flatMap((status) =>
    register.riskAcceptances
      .filter((entry) => statusOf(entry, assessment.asOf) === status)
      .map((entry) => ({ status, entry })),
  )
  if (entries.length === 0) return text('None.')
  return {
    kind: 'table',
    columns: [
      { title: 'Check', width: 28 },
      { title: 'Nodes', width: 26 },
      { title: 'Status', width: 22 },
      { title: 'Approved by, reason', width: 24 },
    ],
    rows: entries.map(({ status, entry: { check, nodes, expiresAt, approvedBy, reason } }): readonly Cell[] => {
      const open = nodes.filter((node) => tally.verdict(node, check) === 'not-satisfied').length
      return [
        [{ text: plain(check, 100) }],
        [{ text: names(nodes, 4) }, { text: `Deviations now on ${of(open, nodes.length)}`, style: 'quiet' }],
        [
          {
            text: `${statusWords[status]}: ${status === 'expired' ? 'ended' : 'until'} ${day(expiresAt)}`,
            mark: status === 'expired' ? 'square-cross' : 'dot',
          },
        ],
        [{ text: oneLine(approvedBy, 80) }, { text: oneLine(reason, 160), style: 'quiet' }],
      ]
    }),
  }
}
