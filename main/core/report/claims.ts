import type { ProviderClaim, ProviderProfile } from '../../../schemas/types.ts'
import { CLAIM_ANSWERS, claimAnswerWords } from '../../../schemas/words.ts'
import { claimsOf } from '../claim.ts'
import { oneLine, plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type Answer, type Answered, claimDetails, type NodeAnswer } from './claim-details.ts'
import { dayOf, factBlock, typed } from './declared.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, type MarkName, plainCell, type Section, text } from './model.ts'
import { titles } from './titles.ts'
import { of } from './wording.ts'

const rank = (answer: Answer): number => CLAIM_ANSWERS.indexOf(answer)

/** Each promise of the provider against what the nodes answered, contradicted ones first. */
export function claimSection(matter: Matter): Section {
  const { provider } = matter.assessment.scope
  return { id: 'claims', title: titles.claims, blocks: provider === undefined ? NONE : blocks(matter, provider) }
}

const NONE: readonly Block[] = [
  text('No promises of a provider were declared, so none was compared with what the nodes answered.'),
]

function blocks(matter: Matter, provider: ProviderProfile): readonly Block[] {
  const answered = answeredOf(matter, provider)
  return [
    text(
      'What was promised, in a contract or on a page, against what the nodes told. Answered from what nodes tell of nominal link state; no load was put on any link. “Observed” says what was read, on which nodes and when. It is no promise for other times.',
    ),
    ...profileBlocks(provider),
    heading(3, 'Promises and answers', true),
    answered.length === 0 ? text('The profile has no promise.') : claimTable(matter, provider, answered),
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
    : [
        {
          kind: 'table',
          columns: [
            { title: 'Source', width: 42 },
            { title: 'Where it stands', width: 40 },
            { title: 'Read on', width: 18 },
          ],
          rows: sources.map(sourceRow),
        } as const,
      ]),
]

const sourceRow = (source: ProviderProfile['sources'][number]): readonly Cell[] => [
  [
    { text: oneLine(source.title, 300) },
    { text: `${KINDS[source.kind]}, called ${plain(source.id, 40)} below`, style: 'quiet' },
  ],
  typed(source.where, 500),
  plainCell(dayOf(source.on)),
]

function answeredOf({ assessment }: Matter, provider: ProviderProfile): readonly Answered[] {
  const byClaim = new Map(provider.claims.map(({ id }) => [id, new Map<Answer, NodeAnswer[]>()]))
  const population = new Map<string, number>()
  for (const { node, claims = [] } of assessment.nodes) {
    for (const { id } of claimsOf(provider, node)) population.set(id, (population.get(id) ?? 0) + 1)
    for (const { claim, answer, reasons } of claims) {
      const by = byClaim.get(claim)
      const group = by?.get(answer)
      if (group === undefined) by?.set(answer, [{ node, reasons }])
      else group.push({ node, reasons })
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

const claimTable = (matter: Matter, { sources }: ProviderProfile, answered: readonly Answered[]): Block => ({
  kind: 'table',
  columns: [
    { title: 'Promise', width: 40 },
    { title: 'Compared with', width: 32 },
    { title: 'Answers of nodes', width: 28 },
  ],
  rows: answered.map((one) => [
    [
      { text: oneLine(one.claim.says, 500) },
      { text: `${plain(one.claim.id, 60)}, ${sourceWords(sources, one.claim.source)}`, style: 'quiet' },
    ],
    comparedWith(matter, one.claim),
    answerCell(one),
  ]),
})

function sourceWords(sources: ProviderProfile['sources'], id: string): string {
  const source = sources.find((one) => one.id === id)
  return source === undefined ? `source ${plain(id, 40)}, not listed` : `source ${plain(id, 40)} of ${dayOf(source.on)}`
}

function comparedWith({ catalog }: Matter, { bears }: ProviderClaim): Cell {
  if (bears.length === 0) return plainCell('Nothing that a node answers')
  return bears.flatMap((bearing): readonly Line[] => {
    if ('check' in bearing) {
      const check = catalog.checks.find(({ id }) => id === bearing.check)
      return [{ text: check?.claim ?? `${plain(bearing.check, 100)}: not in this catalog` }]
    }
    const test = catalog.claimTests.find(({ id }) => id === bearing.test)
    if (test === undefined) return [{ text: `${plain(bearing.test, 60)}: not in this catalog` }]
    const value = bearing.value === null ? '' : ` Promised: ${promised(bearing.value, test.takes.unit)}.`
    return [
      { text: `${test.title.replace(/\.$/, '')}.${value}` },
      { text: `Not shown: ${test.limits}`, style: 'quiet' },
    ]
  })
}

/** A value with its unit; where that takes several words, they explain it in brackets. */
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
  return lines.length === 0 ? plainCell('It speaks of no declared node') : lines
}
