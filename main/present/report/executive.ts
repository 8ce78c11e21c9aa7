import { standingLimitation } from '../../../schemas/words.ts'
import { conditionFound } from '../../core/catalog.ts'
import { PATHS } from '../../core/pack-files.ts'
import { of, plural } from '../../core/phrases.ts'
import { type Block, type Cell, heading, type Line, quiet, text } from '../../core/report-document.ts'
import { matterOf, type ReportDocument, type ReportInput } from '../report.ts'
import { dayOf } from './declared.ts'
import type { Matter } from './input.ts'
import { isolationSentences } from './isolation.ts'
import { fitsOnePage, short } from './one-page.ts'
import { answeredLine, populationLine } from './population.ts'
import { profileCell } from './profile.ts'
import { contradicted, gapHeading, leading, noGap, summary } from './summary.ts'
import { see } from './titles.ts'
import { asExamined, when } from './wording.ts'

/** How much of each part is printed on the page; the remainder is counted. */
interface Detail {
  readonly gaps: number
  readonly frameworks: number
  /** Units of width that a name or a sentence may use. */
  readonly words: number
}
const LEAST: Detail = { gaps: 2, frameworks: 2, words: 40 }
/** A truncated sentence informs less than one row fewer, so rows are dropped before text is shortened. */
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
 * Executive summary on exactly one page: entity, population, conclusions by framework with denominators, the main findings,
 * outstanding evidence and upcoming expiries. Everything omitted is counted, and the page states where the full report is.
 */
export function buildExecutive(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { assessment, evidenceDigest } = input
  const pages = DETAILS.map((detail) => () => page(matter, detail))
  const blocks = pages.find((make) => fitsOnePage(make())) ?? (() => page(matter, LEAST))
  const fleet = short(assessment.scope.fleet, 40)
  return {
    title: `Executive summary: ${fleet}`,
    language: 'en',
    subject: `Evidence digest ${evidenceDigest}`,
    producer: input.producer,
    demo: input.demo,
    runningHead: `${fleet}, pack ${short(input.packName, 50)}`,
    runningFoot: `Evidence ${evidenceDigest.slice(0, 16)}, as of ${when(assessment.asOf)}`,
    sections: [{ id: 'page', title: 'Executive summary', blocks: blocks() }],
  }
}

function page(matter: Matter, detail: Detail): readonly Block[] {
  const gaps = contradicted(matter)
  const shown = leading(gaps, detail.gaps)
  const { engagement, fleet } = matter.assessment.scope
  return [
    {
      kind: 'title',
      over: 'Executive summary',
      text: short(engagement?.entity ?? fleet, 32),
      under: short(engagement?.purpose ?? 'Engagement not defined: no entity, purpose or boundary.', detail.words),
    },
    ...notes(matter),
    { kind: 'facts', rows: facts(matter, detail) },
    heading(3, 'Conclusions by framework'),
    ...frameworks(matter, detail),
    heading(3, gapHeading(gaps.length, shown.length, `all findings are in the report, ${see('gaps')}`)),
    gaps.length === 0
      ? text(noGap(matter))
      : {
          kind: 'table',
          columns: [
            { title: 'Condition found', width: 76 },
            { title: 'Deviations / tested', width: 24 },
          ],
          rows: shown.map(({ check, nodes }): readonly Cell[] => [
            [{ text: short(conditionFound(matter.catalog, check), detail.words) }],
            [{ text: of(nodes.length, matter.tally.testedOn(check.id)), mark: 'square-cross' }],
          ]),
        },
    heading(3, 'Outstanding evidence'),
    { kind: 'list', items: missing(matter, detail) },
    quiet(standingLimitation('page sums up')),
  ]
}

/** Reservations stated before any number. */
function notes({ demo, assessment }: Matter): readonly Block[] {
  const made = assessment.nodes.filter(({ synthetic }) => synthetic !== null)
  if (demo)
    return [
      {
        kind: 'banner',
        title: 'Demo data',
        text: 'Produced from the built-in demo fleet. It does not describe any real server and must not be used as evidence.',
      },
    ]
  return made.length === 0
    ? []
    : [
        {
          kind: 'banner',
          title: 'Contains synthetic recordings',
          text: `${of(made.length, assessment.nodes.length)} nodes have synthetic recordings. The report lists them under ${see('isolation')}.`,
        },
      ]
}

type Facts = Extract<Block, { kind: 'facts' }>['rows']

function facts(matter: Matter, { words }: Detail): Facts {
  const { assessment, signer, packName, evidenceDigest } = matter
  const { scope } = assessment
  const { engagement } = scope
  const isolated = isolationSentences(assessment.nodes)
  const framing = engagement?.reportingBasis
  const dated =
    framing === undefined
      ? ''
      : framing.kind === 'date'
        ? `${dayOf(framing.date)}. `
        : `${dayOf(framing.from)} to ${dayOf(framing.to)}, as planned; one collection shows one point in time. `
  const draft = engagement?.status === 'draft' ? 'Draft. ' : ''
  const lists = populationLine(matter) ?? 'Known from the fleet file only; not reconciled with any other list'
  return [
    { label: 'Date', value: [{ text: `${draft}${dated}Evaluated as of ${when(assessment.asOf)}` }] },
    {
      label: 'Population',
      value: [{ text: `${lists}. ${answeredLine(matter)}.` }],
    },
    ...(isolated.length === 0 ? [] : [{ label: 'Isolation', value: isolated.map((said) => ({ text: said })) }]),
    // Without an engagement the page title is the fleet’s name.
    ...(engagement === undefined
      ? []
      : [{ label: 'Audience', value: [{ text: short(engagement.audience, Math.min(words, 120)) }] }]),
    { label: 'Threshold profile', value: profileCell(matter) },
    {
      label: 'Signer',
      value:
        signer === null
          ? [{ text: 'None. This copy is not signed.' }]
          : [
              { text: `${short(signer.subject, Math.min(words, 100))}, certificate SHA-256` },
              { text: signer.fingerprint, style: 'mono' },
            ],
    },
    {
      label: 'Full report',
      value: [
        { text: `${PATHS.report} in ${short(packName, 60)}, evidence digest` },
        { text: evidenceDigest, style: 'mono' },
      ],
    },
  ]
}

/** Blocks of the summary section that this page reuses unchanged. */
const partsOf = <K extends Block['kind']>(matter: Matter, kind: K): readonly Extract<Block, { kind: K }>[] =>
  summary(matter).blocks.filter((block): block is Extract<Block, { kind: K }> => block.kind === kind)

function frameworks(matter: Matter, detail: Detail): readonly Block[] {
  const [table] = partsOf(matter, 'table')
  if (table === undefined) return []
  const left = table.rows.length - detail.frameworks
  const rows = table.rows.slice(0, detail.frameworks).map((row) =>
    row.map((cell, index) =>
      // Notes below a count are in the full report.
      index === 0 ? cell.map((line) => ({ ...line, text: short(asExamined(line.text), 26) })) : cell.slice(0, 1),
    ),
  )
  return [{ ...table, rows }, ...(left > 0 ? [quiet(`And ${plural(left, 'framework')} more, in the report.`)] : [])]
}

/** Nodes not collected, risk acceptances that expire soon, outstanding documents: one line each. */
const missing = (matter: Matter, { words }: Detail): readonly Line[] =>
  (partsOf(matter, 'list').at(-1)?.items ?? []).map((line) => ({
    ...line,
    text: short(line.text, Math.max(2 * words, 160)),
  }))
