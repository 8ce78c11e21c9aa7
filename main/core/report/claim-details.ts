import type { ClaimAnswer, ProviderClaim, Reason } from '../../../schemas/types.ts'
import { claimAnswerWords } from '../../../schemas/words.ts'
import { canonicalJson } from '../canonical-json.ts'
import { oneLine } from '../plain-text.ts'
import { typed } from './declared.ts'
import { alike } from './grouping.ts'
import { type Block, type Cell, heading, plainCell, quiet, text } from './model.ts'
import { names, of, plural, reasonLine, worstFirst } from './wording.ts'

export type Answer = ClaimAnswer['answer']

/** One promise with what each node it speaks of answered. */
export interface Answered {
  readonly claim: ProviderClaim
  /** Nodes that the claim speaks of. */
  readonly population: number
  readonly by: ReadonlyMap<Answer, readonly NodeAnswer[]>
}
export interface NodeAnswer {
  readonly node: string
  readonly reasons: readonly Reason[]
}

/** In one table so many groups of nodes stand with so many reasons; the embedded file has them all. */
const MOST_GROUPS = { contradicted: 30, undecided: 6 } as const
const MOST_REASONS = 6

/** Contradicted promises node by node, undecided ones by reason, then what to ask the provider for and what no node answers. */
export function claimDetails(answered: readonly Answered[]): readonly Block[] {
  const standing = (answer: Answer): readonly Answered[] => answered.filter(({ by }) => by.has(answer))
  return [
    ...detail(claimAnswerWords.contradicted.label, standing('contradicted'), contradictedTable),
    ...detail(claimAnswerWords['not-decided'].label, standing('not-decided'), undecidedTable),
    ...detail(
      `${claimAnswerWords['needs-record'].label}, with what was read`,
      standing('needs-record').filter(({ by }) => by.get('needs-record')?.some(({ reasons }) => reasons.length > 0)),
      recordTable,
    ),
    ...detail(claimAnswerWords['not-applicable'].label, standing('not-applicable'), notApplicableTable),
    ...records(answered),
    ...beyond(answered),
  ]
}

/** Promises that rest on the same readings of the same nodes share one table. */
const detail = (title: string, some: readonly Answered[], table: (one: Answered) => Block): readonly Block[] =>
  some.length === 0
    ? []
    : [
        heading(3, `${title} (${some.length})`, true),
        ...alike(some, ({ claim: { bears, nodes, condition } }) =>
          canonicalJson({ bears, nodes: nodes ?? null, condition: condition?.tests ?? [] }),
        ).flatMap((group) => [
          ...group.map(({ claim }) => heading(4, oneLine(claim.says, 300))),
          ...group.slice(0, 1).map(table),
        ]),
      ]

/** Nodes that contradict a promise for the same reasons stand together, most nodes first. */
const contradictedTable = (one: Answered): Block =>
  groupTable(one, 'contradicted', {
    why: 'What was observed',
    none: 'No reason was recorded.',
    most: MOST_GROUPS.contradicted,
  })

const undecidedTable = (one: Answered): Block =>
  groupTable(one, 'not-decided', {
    why: 'Why it is not decided',
    none: 'Nothing that bears on it was answered.',
    most: MOST_GROUPS.undecided,
  })

const recordTable = (one: Answered): Block =>
  groupTable(one, 'needs-record', {
    why: 'What was read, which does not decide it',
    none: 'Nothing that bears on it was answered.',
    most: MOST_GROUPS.undecided,
  })

/** A condition that is absent is shown by a fact of each node. */
const notApplicableTable = (one: Answered): Block =>
  groupTable(one, 'not-applicable', {
    why: 'Why it does not apply',
    none: 'No reason was recorded.',
    most: MOST_GROUPS.undecided,
  })

/** Digests differ between nodes: a reason names them only where one node stands alone. */
function groupTable(
  { by, population }: Answered,
  answer: Answer,
  { why, none, most }: { readonly why: string; readonly none: string; readonly most: number },
): Block {
  const groups = alike(by.get(answer) ?? [], ({ reasons }) =>
    reasons.map(({ says, text: words }) => `${says} ${words}`).join('\n'),
  )
  const ordered = [...groups].sort((some, others) => others.length - some.length)
  const left = ordered.slice(most).reduce((sum, group) => sum + group.length, 0)
  return {
    kind: 'table',
    columns: [
      { title: 'Nodes', width: 30 },
      { title: why, width: 70 },
    ],
    rows: [
      ...ordered
        .slice(0, most)
        .map((group): readonly Cell[] => [
          plainCell(`${of(group.length, population)}: ${names(group.map(({ node }) => node))}`),
          reasonCell(group, none),
        ]),
      ...(left > 0 ? [[plainCell(`${of(left, population)}`), plainCell('For other reasons; the pack has them.')]] : []),
    ],
  }
}

function reasonCell(group: readonly NodeAnswer[], none: string): Cell {
  const reasons = worstFirst(group[0]?.reasons ?? [])
  if (reasons.length === 0) return plainCell(none)
  const shown = reasons.slice(0, MOST_REASONS)
  const more = reasons.length - shown.length
  return [
    ...shown.map((reason) => reasonLine(group.length === 1 ? reason : { ...reason, captures: [] })),
    ...(more > 0 ? [{ text: `And ${plural(more, 'reason')} more.`, style: 'quiet' } as const] : []),
  ]
}

/** What to ask the provider for, once per promise. */
function records(answered: readonly Answered[]): readonly Block[] {
  const asked = answered.filter(({ claim }) => claim.bring !== null)
  return [
    heading(3, 'Records to bring', true),
    ...(asked.length === 0
      ? [text('The profile names none.')]
      : [
          quiet(`${plural(asked.length, 'promise')} would be borne out by a record rather than by a node’s answer.`),
          {
            kind: 'table',
            columns: [
              { title: 'Record', width: 50 },
              { title: 'For the promise', width: 50 },
            ],
            rows: asked.map(({ claim }) => [typed(claim.bring ?? '', 500), typed(claim.says, 500)]),
          } as const,
        ]),
  ]
}

/** Promises that no look from inside decides, and why. */
function beyond(answered: readonly Answered[]): readonly Block[] {
  const found = answered.filter(({ claim }) => claim.bears.length === 0 && claim.why !== null)
  return found.length === 0
    ? []
    : [
        heading(3, 'Why no node answers these'),
        {
          kind: 'list',
          items: found.map(({ claim }) => ({ text: `${oneLine(claim.says, 500)} ${oneLine(claim.why ?? '', 1000)}` })),
        },
      ]
}
