import type { ClaimResult, Observation, ProviderClaim } from '../../../schemas/types.ts'
import { claimAnswerWords } from '../../../schemas/words.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { alike } from '../../core/grouping.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { oneLine } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, plainCell, quiet, text } from '../../core/report-document.ts'
import { typed } from './declared.ts'
import { reasonLine, worstFirst } from './wording.ts'

export type Answer = ClaimResult['result']

/** One provider claim with its result on each node it applies to. */
export interface Answered {
  readonly claim: ProviderClaim
  /** Number of nodes the claim applies to. */
  readonly population: number
  readonly by: ReadonlyMap<Answer, readonly NodeAnswer[]>
}
export interface NodeAnswer {
  readonly node: string
  readonly reasons: readonly Observation[]
}

/** Groups of nodes and observations printed per table; the embedded file has all. */
const MOST_GROUPS = { contradicted: 30, undecided: 6 } as const
const MOST_REASONS = 6

/** Contradicted claims by node, inconclusive ones by reason, then documents required and claims not observable from nodes. */
export function claimDetails(answered: readonly Answered[]): readonly Block[] {
  const standing = (answer: Answer): readonly Answered[] => answered.filter(({ by }) => by.has(answer))
  return [
    ...detail(claimAnswerWords.contradicted.label, standing('contradicted'), contradictedTable),
    ...detail(claimAnswerWords.inconclusive.label, standing('inconclusive'), undecidedTable),
    ...detail(
      `${claimAnswerWords['document-required'].label}, with the facts collected`,
      standing('document-required').filter(({ by }) =>
        by.get('document-required')?.some(({ reasons }) => reasons.length > 0),
      ),
      recordTable,
    ),
    ...detail(claimAnswerWords['not-applicable'].label, standing('not-applicable'), notApplicableTable),
    ...records(answered),
    ...beyond(answered),
  ]
}

/** Claims tested by the same facts on the same nodes share one table. */
const detail = (title: string, some: readonly Answered[], table: (one: Answered) => Block): readonly Block[] =>
  some.length === 0
    ? []
    : [
        heading(3, `${title} (${some.length})`, true),
        ...alike(some, ({ claim: { tests, nodes, condition } }) =>
          canonicalJson({ tests, nodes: nodes ?? null, condition: condition?.tests ?? [] }),
        ).flatMap((group) => [
          ...group.map(({ claim }) => heading(4, oneLine(claim.text, 300))),
          ...group.slice(0, 1).map(table),
        ]),
      ]

/** Nodes that contradict a claim with the same observations are grouped, largest group first. */
const contradictedTable = (one: Answered): Block =>
  groupTable(one, 'contradicted', {
    why: 'Evidence',
    none: 'No observation was recorded.',
    most: MOST_GROUPS.contradicted,
  })

const undecidedTable = (one: Answered): Block =>
  groupTable(one, 'inconclusive', {
    why: 'Reason',
    none: 'No relevant capture was obtained.',
    most: MOST_GROUPS.undecided,
  })

const recordTable = (one: Answered): Block =>
  groupTable(one, 'document-required', {
    why: 'Facts collected (not decisive)',
    none: 'No relevant capture was obtained.',
    most: MOST_GROUPS.undecided,
  })

/** That the condition of a claim is absent is shown by a fact of each node. */
const notApplicableTable = (one: Answered): Block =>
  groupTable(one, 'not-applicable', {
    why: 'Reason for non-applicability',
    none: 'No observation was recorded.',
    most: MOST_GROUPS.undecided,
  })

/** Digests differ between nodes, so an observation cites them only in a group of one node. */
function groupTable(
  { by, population }: Answered,
  answer: Answer,
  { why, none, most }: { readonly why: string; readonly none: string; readonly most: number },
): Block {
  const groups = alike(by.get(answer) ?? [], ({ reasons }) =>
    reasons.map(({ direction, text: words }) => `${direction} ${words}`).join('\n'),
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
      ...(left > 0 ? [[plainCell(`${of(left, population)}`), plainCell('Other reasons; see the pack.')]] : []),
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
    ...(more > 0 ? [{ text: `And ${plural(more, 'more observation')}.`, style: 'quiet' } as const] : []),
  ]
}

/** Documents to request from the provider, once per claim. */
function records(answered: readonly Answered[]): readonly Block[] {
  const asked = answered.filter(({ claim }) => claim.documentRequired !== null)
  return [
    heading(3, 'Documents required', true),
    ...(asked.length === 0
      ? [text('The provider profile lists none.')]
      : [
          quiet(
            `${plural(asked.length, 'provider claim')} can be corroborated by a document rather than by node evidence.`,
          ),
          {
            kind: 'table',
            columns: [
              { title: 'Document', width: 50 },
              { title: 'Provider claim', width: 50 },
            ],
            rows: asked.map(({ claim }) => [typed(claim.documentRequired ?? '', 500), typed(claim.text, 500)]),
          } as const,
        ]),
  ]
}

/** Claims not observable from a node, with the reason. */
function beyond(answered: readonly Answered[]): readonly Block[] {
  const found = answered.filter(({ claim }) => claim.tests.length === 0 && claim.why !== null)
  return found.length === 0
    ? []
    : [
        heading(3, 'Claims not observable from nodes'),
        {
          kind: 'list',
          items: found.map(({ claim }) => ({ text: `${oneLine(claim.text, 500)} ${oneLine(claim.why ?? '', 1000)}` })),
        },
      ]
}
