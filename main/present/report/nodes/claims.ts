import type {
  ClaimResult,
  ClaimSource,
  ClaimTestReference,
  Observation,
  ProviderClaim,
  ProviderProfile,
} from '../../../../schemas/types.ts'
import { CLAIM_ANSWERS, claimAnswerWords } from '../../../../schemas/words.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { alike } from '../../../core/base/grouping.ts'
import { names, of, oneLine, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  list,
  type MarkName,
  plainCell,
  quiet,
  type Section,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { compare } from '../../../core/recording/recording.ts'
import { claimsOf } from '../../../core/rules/claim.ts'
import { sourceCitation, sourceName } from '../../../core/rules/provider.ts'
import type { Matter } from '../parts/input.ts'
import { reasonLine, titles, worstFirst } from '../parts/wording.ts'
import { dayOf, factBlock, typed } from '../scope/boundary.ts'

type Answer = ClaimResult['result']

/** One provider claim with its result on each node it applies to. */
interface Answered {
  readonly claim: ProviderClaim
  /** Number of nodes the claim applies to. */
  readonly population: number
  readonly by: ReadonlyMap<Answer, readonly NodeAnswer[]>
}

interface NodeAnswer {
  readonly node: string
  readonly reasons: readonly Observation[]
}

const MOST_REASONS = 6

/** Contradicted claims by node, inconclusive ones by reason, then documents required and claims not observable from nodes. */
function claimDetails(answered: readonly Answered[]): readonly Block[] {
  const withAnswer = (answer: Answer): readonly Answered[] => answered.filter(({ by }) => by.has(answer))
  return [
    ...detail(claimAnswerWords.contradicted.label, withAnswer('contradicted'), 'contradicted'),
    ...detail(claimAnswerWords.inconclusive.label, withAnswer('inconclusive'), 'inconclusive'),
    ...detail(
      `${claimAnswerWords['document-required'].label}, with the facts collected`,
      withAnswer('document-required').filter(({ by }) =>
        by.get('document-required')?.some(({ reasons }) => reasons.length > 0),
      ),
      'document-required',
    ),
    ...detail(claimAnswerWords['not-applicable'].label, withAnswer('not-applicable'), 'not-applicable'),
    ...records(answered),
    ...beyond(answered),
  ]
}

/** Claims tested by the same facts on the same nodes share one table. */
const detail = (title: string, some: readonly Answered[], answer: DetailedAnswer): readonly Block[] =>
  some.length === 0
    ? []
    : [
        heading(3, `${title} (${some.length})`, true),
        ...alike(some, ({ claim: { tests, nodes, condition } }) =>
          canonicalJson({ tests, nodes: nodes ?? null, condition: condition?.tests ?? [] }),
        ).flatMap((group) => [
          ...group.map(({ claim }) => heading(4, oneLine(claim.text, 300))),
          ...group.slice(0, 1).map((one) => groupTable(one, answer)),
        ]),
      ]

/** Title of the column of reasons, the text where there is none, and how many groups are printed; the embedded file has all. */
const DETAILS = {
  contradicted: { why: 'Evidence', none: 'No observation was recorded.', most: 30 },
  inconclusive: { why: 'Reason', none: 'No relevant capture was obtained.', most: 6 },
  'document-required': { why: 'Facts collected (not decisive)', none: 'No relevant capture was obtained.', most: 6 },
  'not-applicable': { why: 'Reason for non-applicability', none: 'No observation was recorded.', most: 6 },
} as const
type DetailedAnswer = keyof typeof DETAILS

/**
 * Nodes with the same observations on a claim in one row, the largest group first. Digests differ between nodes, so an observation cites them
 * only in a group of one node.
 */
function groupTable({ by, population }: Answered, answer: DetailedAnswer): Block {
  const { why, none, most } = DETAILS[answer]
  const groups = alike(by.get(answer) ?? [], ({ reasons }) =>
    reasons.map(({ direction, text: words }) => `${direction} ${words}`).join('\n'),
  )
  const ordered = [...groups].sort((some, others) => others.length - some.length)
  const left = ordered.slice(most).reduce((sum, group) => sum + group.length, 0)
  return table({ Nodes: 30, [why]: 70 }, [
    ...ordered
      .slice(0, most)
      .map((group) => [
        plainCell(`${of(group.length, population)}: ${names(group.map(({ node }) => node))}`),
        reasonCell(group, none),
      ]),
    ...(left > 0 ? [[plainCell(of(left, population)), plainCell('Other reasons; see the pack.')]] : []),
  ])
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
          table(
            { Document: 50, 'Provider claim': 50 },
            asked.map(({ claim }) => [typed(claim.documentRequired ?? '', 500), typed(claim.text, 500)]),
          ),
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
        list(found.map(({ claim }) => ({ text: `${oneLine(claim.text, 500)} ${oneLine(claim.why ?? '', 1000)}` }))),
      ]
}

const rank = (answer: Answer): number => CLAIM_ANSWERS.indexOf(answer)

/** Each provider claim compared with node evidence, contradicted ones first. */
export function claimSection(matter: Matter): Section {
  const { provider } = matter.assessment.scope
  return { id: 'claims', title: titles.claims, blocks: provider === undefined ? NONE : blocks(matter, provider) }
}

const NONE: readonly Block[] = [text('No provider claims were declared, so none was compared with node evidence.')]

function blocks(matter: Matter, provider: ProviderProfile): readonly Block[] {
  const answered = answeredOf(matter, provider)
  return [
    text(
      'Review your contract first: its terms prevail. A public page can change, can describe another product, and may not be part of the agreement. “Contradicted” means that a statement and the evidence differ. Raise the difference with the provider; it does not show a breach of contract.',
    ),
    text(
      'Contractual and public statements compared with node evidence. Bandwidth claims are compared with the nominal link state reported by nodes; no load was placed on any link. Results apply to the nodes and times stated, not to other times.',
    ),
    ...profileBlocks(provider),
    ...conflictBlocks(provider),
    heading(3, 'Claims and results', true),
    answered.length === 0 ? text('The provider profile lists no claims.') : claimTable(matter, provider, answered),
    ...claimDetails(answered),
  ]
}

const KINDS: Readonly<Record<ProviderProfile['sources'][number]['kind'], string>> = {
  page: 'Public page',
  contract: 'Contract',
  order: 'Order',
}

const profileBlocks = ({ id, name, asOf, notes, sources }: ProviderProfile): readonly Block[] => [
  factBlock([
    { label: 'Provider', value: plainCell(`${oneLine(name, 200)} (${plain(id, 40)})`) },
    { label: 'Profile as of', value: plainCell(dayOf(asOf)) },
    ...(notes.length === 0 ? [] : [{ label: 'Notes', value: notes.map((note) => ({ text: oneLine(note, 1000) })) }]),
  ]),
  ...(sources.length === 0
    ? []
    : [table({ Source: 40, 'Location in source': 44, 'Retrieved on': 16 }, sources.map(sourceRow))]),
]

const sourceRow = (source: ProviderProfile['sources'][number]): readonly Cell[] => [
  [
    { text: oneLine(source.title ?? 'Title not recorded', 300) },
    { text: `${KINDS[source.kind]}, cited as ${plain(source.id, 40)}`, style: 'quiet' },
  ],
  [...typed(source.where, 500), ...placeLines(source)],
  plainCell(dayOf(source.on)),
]

const placeLines = ({ kind, publisher, address, sha256 }: ClaimSource): readonly Line[] => [
  ...(publisher === undefined ? [] : [{ text: `Publisher: ${oneLine(publisher, 200)}`, style: 'quiet' } as const]),
  { text: address === undefined ? NO_ADDRESS[kind] : oneLine(address, 500), style: 'quiet' },
  {
    text: sha256 === undefined ? NO_COPY[kind] : `SHA-256 of the retained copy: ${plain(sha256, 64)}`,
    style: 'quiet',
  },
]
const NO_ADDRESS: Readonly<Record<ClaimSource['kind'], string>> = {
  page: 'The address was not recorded.',
  contract: 'No web address.',
  order: 'No web address.',
}

const NO_COPY: Readonly<Record<ClaimSource['kind'], string>> = {
  page: 'No copy of the page is retained.',
  contract: 'No copy of the document is retained.',
  order: 'No copy of the document is retained.',
}

/** Conflicting statements of one provider: to be clarified with the provider, and not a result of any node. */
const conflictBlocks = ({ conflicts = [], sources }: ProviderProfile): readonly Block[] =>
  conflicts.length === 0
    ? []
    : [
        heading(3, `Conflicting statements (${conflicts.length})`, true),
        quiet('Compared with each other, not with any node.'),
        table(
          { Statement: 28, 'Conflicting statement': 28, 'Difference and document to request': 44 },
          conflicts.map(({ text, source, against, againstSource, why, documentRequired }) => [
            [{ text: oneLine(text, 500) }, { text: sourceWords(sources, source), style: 'quiet' }],
            [{ text: oneLine(against, 500) }, { text: sourceWords(sources, againstSource), style: 'quiet' }],
            [{ text: oneLine(why, 1000) }, { text: `Request: ${oneLine(documentRequired, 500)}` }],
          ]),
        ),
      ]

function answeredOf({ assessment }: Matter, provider: ProviderProfile): readonly Answered[] {
  const byClaim = new Map(provider.claims.map(({ id }) => [id, new Map<Answer, NodeAnswer[]>()]))
  const population = new Map<string, number>()
  for (const { node, claims = [] } of assessment.nodes) {
    for (const { id } of claimsOf(provider, node)) population.set(id, (population.get(id) ?? 0) + 1)
    for (const { claim, result, observations } of claims) {
      const by = byClaim.get(claim)
      const group = by?.get(result)
      if (group === undefined) by?.set(result, [{ node, reasons: observations }])
      else group.push({ node, reasons: observations })
    }
  }
  return provider.claims
    .map((claim) => ({ claim, population: population.get(claim.id) ?? 0, by: byClaim.get(claim.id) ?? new Map() }))
    .sort(worstClaimFirst)
}

const worstOf = ({ by }: Answered): number => Math.min(CLAIM_ANSWERS.length, ...[...by.keys()].map(rank))

function worstClaimFirst(a: Answered, b: Answered): number {
  const most = ({ by }: Answered): number => by.get('contradicted')?.length ?? 0
  return worstOf(a) - worstOf(b) || most(b) - most(a) || compare(a.claim.id, b.claim.id)
}

const claimTable = (matter: Matter, { sources }: ProviderProfile, answered: readonly Answered[]): Block =>
  table(
    { 'Provider claim': 40, 'Compared with': 32, Results: 28 },
    answered.map((one) => [
      [
        { text: oneLine(one.claim.text, 500) },
        ...(one.claim.quote === undefined
          ? []
          : [{ text: `In the provider’s words: “${oneLine(one.claim.quote, 200)}”`, style: 'quiet' } as const]),
        { text: `${plain(one.claim.id, 60)}, ${sourceWords(sources, one.claim.source)}`, style: 'quiet' },
      ],
      comparedWith(matter, one.claim),
      answerCell(one),
    ]),
  )

function sourceWords(sources: ProviderProfile['sources'], id: string): string {
  const source = sources.find((one) => one.id === id)
  if (source === undefined) return `source ${plain(id, 40)}, not listed`
  // Address and digest are in the table of sources; here the source is cited in one line.
  const { address: _, publisher: __, ...short } = source
  return sourceCitation({ ...short, title: oneLine(sourceName(source), 300) }, dayOf(source.on))
}

function comparedWith(matter: Matter, { tests, condition }: ProviderClaim): Cell {
  const only: readonly Line[] =
    condition === undefined ? [] : [{ text: `Applies only: ${oneLine(condition.text, 300)}`, style: 'quiet' }]
  return tests.length === 0
    ? [...only, { text: 'None (not observable from nodes)' }]
    : [...only, ...tests.flatMap((bearing) => bearingLines(matter, bearing))]
}

function bearingLines({ catalog }: Matter, bearing: ClaimTestReference): readonly Line[] {
  if ('check' in bearing) {
    const check = catalog.checks.find(({ id }) => id === bearing.check)
    return [
      { text: check?.expected ?? `${plain(bearing.check, 100)}: not in this catalog` },
      ...(bearing.supportsOnly === true
        ? [{ text: 'A deviation of this check does not contradict the provider.', style: 'quiet' } as const]
        : []),
    ]
  }
  const test = catalog.claimTests.find(({ id }) => id === bearing.test)
  if (test === undefined) return [{ text: `${plain(bearing.test, 60)}: not in this catalog` }]
  const value = bearing.value === null ? '' : ` Claimed: ${promised(bearing.value, test.takes.unit)}.`
  return [
    { text: `${test.title.replace(/\.$/, '')}.${value}` },
    { text: `Limitations: ${test.limitations}`, style: 'quiet' },
  ]
}

/** A value with its unit; a unit of several words is printed in parentheses. */
function promised(value: string | number, unit: string | undefined): string {
  const shown = plain(String(value), 100)
  if (unit === undefined) return shown
  return /\s/.test(unit) ? `${shown} (${unit})` : `${shown} ${unit}`
}

function answerCell({ by, population }: Answered): Cell {
  const lines = CLAIM_ANSWERS.flatMap((answer): readonly Line[] => {
    const count = by.get(answer)?.length ?? 0
    const { label, mark } = claimAnswerWords[answer]
    return count === 0 ? [] : [{ text: `${label}: ${of(count, population)}`, mark: mark as MarkName }]
  })
  return lines.length === 0 ? plainCell('Applies to no declared node') : lines
}
