import { standingLimitation } from '../../../schemas/words.ts'
import { PATHS } from '../pack-files.ts'
import { matterOf, type ReportDocument, type ReportInput } from '../report.ts'
import { dayOf } from './declared.ts'
import type { Matter } from './input.ts'
import { isolationSentences } from './isolation.ts'
import { type Block, type Cell, heading, type Line, quiet, text } from './model.ts'
import { fitsOnePage, short } from './one-page.ts'
import { answeredLine, populationLine } from './population.ts'
import { profileCell } from './profile.ts'
import { contradicted, gapHeading, leading, noGap, summary } from './summary.ts'
import { see } from './titles.ts'
import { asExamined, of, plural, when } from './wording.ts'

/** How much of everything stands on the page; what does not fit is counted. */
interface Detail {
  readonly gaps: number
  readonly frameworks: number
  /** Units of width that a name or a sentence may take. */
  readonly words: number
}
const LEAST: Detail = { gaps: 2, frameworks: 2, words: 40 }
/** A claim that breaks off says less than one line fewer: rows go before words do. */
const DETAILS: readonly Detail[] = [
  { gaps: 5, frameworks: 8, words: 240 },
  { gaps: 5, frameworks: 6, words: 140 },
  { gaps: 5, frameworks: 5, words: 110 },
  { gaps: 4, frameworks: 4, words: 110 },
  { gaps: 3, frameworks: 3, words: 110 },
  { gaps: 3, frameworks: 3, words: 60 },
  LEAST,
]

/**
 * The report on exactly one page, for who has a minute: whose servers, which of them, where each framework stands with its denominators,
 * the largest gaps, what is missing and what ends soon. Nothing is left out without a count, and it says where the whole report is.
 */
export function buildExecutive(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { assessment, evidenceDigest } = input
  const pages = DETAILS.map((detail) => () => page(matter, detail))
  const blocks = pages.find((make) => fitsOnePage(make())) ?? (() => page(matter, LEAST))
  const fleet = short(assessment.scope.fleet, 40)
  return {
    title: `Evidence report on one page: ${fleet}`,
    language: 'en',
    subject: `Evidence digest ${evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    runningHead: `${fleet}, pack ${short(input.packName, 50)}`,
    runningFoot: `Evidence ${evidenceDigest.slice(0, 16)}, as of ${when(assessment.asOf)}`,
    sections: [{ id: 'page', title: 'Evidence report on one page', blocks: blocks() }],
  }
}

function page(matter: Matter, detail: Detail): readonly Block[] {
  const gaps = contradicted(matter)
  const shown = leading(gaps, detail.gaps)
  const { engagement, fleet } = matter.assessment.scope
  return [
    {
      kind: 'title',
      over: 'Evidence report on one page',
      text: short(engagement?.entity ?? fleet, 32),
      under: short(engagement?.purpose ?? 'No engagement was declared: no entity, purpose or boundary.', detail.words),
    },
    ...notes(matter),
    { kind: 'facts', rows: facts(matter, detail) },
    heading(3, 'Controls by framework'),
    ...frameworks(matter, detail),
    heading(3, gapHeading(gaps.length, shown.length, `all are in the report, under ${see('gaps')}`)),
    gaps.length === 0
      ? text(noGap(matter))
      : {
          kind: 'table',
          columns: [
            { title: 'Contradicted claim', width: 76 },
            { title: 'Of nodes tested', width: 24 },
          ],
          rows: shown.map(({ check, nodes }): readonly Cell[] => [
            [{ text: short(check.claim, detail.words) }],
            [{ text: of(nodes.length, matter.tally.testedOn(check.id)), mark: 'square-cross' }],
          ]),
        },
    heading(3, 'Missing, and due'),
    { kind: 'list', items: missing(matter, detail) },
    quiet(standingLimitation('page sums up')),
  ]
}

/** What a reader has to know before any number. */
function notes({ demo, assessment }: Matter): readonly Block[] {
  const made = assessment.nodes.filter(({ synthetic }) => synthetic !== null)
  if (demo)
    return [
      {
        kind: 'banner',
        title: 'Demo data',
        text: 'Made from the built-in demo fleet. It says nothing about any real server and must not be used as evidence.',
      },
    ]
  return made.length === 0
    ? []
    : [
        {
          kind: 'banner',
          title: 'Contains recordings that were made up or edited',
          text: `${of(made.length, assessment.nodes.length)} nodes rest on them. The report names each, under ${see('isolation')}.`,
        },
      ]
}

type Facts = Extract<Block, { kind: 'facts' }>['rows']

function facts(matter: Matter, { words }: Detail): Facts {
  const { assessment, signer, packName, evidenceDigest } = matter
  const { scope } = assessment
  const { engagement } = scope
  const isolated = isolationSentences(assessment.nodes)
  const framing = engagement?.framing
  const dated =
    framing === undefined
      ? ''
      : framing.kind === 'date'
        ? `${dayOf(framing.date)}. `
        : `${dayOf(framing.from)} to ${dayOf(framing.to)}, as planned; one collection shows one moment of it. `
  const draft = engagement?.status === 'draft' ? 'Draft. ' : ''
  const lists = populationLine(matter) ?? 'Known from the fleet file alone, which was compared with no other list'
  return [
    { label: 'Date', value: [{ text: `${draft}${dated}Judged as of ${when(assessment.asOf)}` }] },
    {
      label: 'Population',
      value: [{ text: `${lists}. ${answeredLine(matter)}.` }],
    },
    ...(isolated.length === 0 ? [] : [{ label: 'Isolation', value: isolated.map((said) => ({ text: said })) }]),
    // The fleet's name stands at the head of the page.
    ...(engagement === undefined
      ? []
      : [{ label: 'Audience', value: [{ text: short(engagement.audience, Math.min(words, 120)) }] }]),
    { label: 'Compared against', value: profileCell(matter) },
    {
      label: 'Signer',
      value:
        signer === null
          ? [{ text: 'None. This copy carries no signature.' }]
          : [
              { text: `${short(signer.subject, Math.min(words, 100))}, certificate SHA-256` },
              { text: signer.fingerprint, style: 'mono' },
            ],
    },
    {
      label: 'Whole report',
      value: [
        { text: `${PATHS.report} in ${short(packName, 60)}, evidence digest` },
        { text: evidenceDigest, style: 'mono' },
      ],
    },
  ]
}

/** Parts of the summary, which this page takes over as they are. */
const partsOf = <K extends Block['kind']>(matter: Matter, kind: K): readonly Extract<Block, { kind: K }>[] =>
  summary(matter).blocks.filter((block): block is Extract<Block, { kind: K }> => block.kind === kind)

function frameworks(matter: Matter, detail: Detail): readonly Block[] {
  const [table] = partsOf(matter, 'table')
  if (table === undefined) return []
  const left = table.rows.length - detail.frameworks
  const rows = table.rows.slice(0, detail.frameworks).map((row) =>
    row.map((cell, index) =>
      // What stands below a count is in the report.
      index === 0 ? cell.map((line) => ({ ...line, text: short(asExamined(line.text), 26) })) : cell.slice(0, 1),
    ),
  )
  return [{ ...table, rows }, ...(left > 0 ? [quiet(`And ${plural(left, 'framework')} more, in the report.`)] : [])]
}

/** Nodes without evidence, risk acceptances that end soon, documents that are outstanding: one line each. */
const missing = (matter: Matter, { words }: Detail): readonly Line[] =>
  (partsOf(matter, 'list').at(-1)?.items ?? []).map((line) => ({
    ...line,
    text: short(line.text, Math.max(2 * words, 160)),
  }))
