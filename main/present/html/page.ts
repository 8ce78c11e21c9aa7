import { SEVERITIES, severityWords } from '../../../schemas/conclusion-words.ts'
import { sha256 } from '../../core/digest.ts'
import { plural } from '../../core/phrases.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import type { Block, Section } from '../../core/report-document.ts'
import type { ReportInput } from '../input.ts'
import { chosenFrameworks, shortName } from '../report/items.ts'
import { ceilingSection, limitSection } from '../report/limits.ts'
import { pageOne, severityMark } from '../report/page-one.ts'
import { recordSection } from '../report/records.ts'
import { requestSection } from '../report/requests.ts'
import { titles } from '../report/titles.ts'
import { verificationSection } from '../report/verification.ts'
import { when } from '../report/wording.ts'
import { matterOf } from '../report.ts'
import { blocksHtml, sectionHtml } from './blocks.ts'
import { type Page, pageOf } from './context.ts'
import { controlsHtml } from './controls.ts'
import { findingsHtml } from './findings.ts'
import { htmlText, idOf, marked, SPRITE } from './marks.ts'
import { checksHtml, nodesHtml } from './nodes.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

/**
 * The report of one run as a single HTML file, in pieces: findings, controls, nodes, documents, limitations and verification, each opening down
 * to the captures and their digests. It loads nothing, and its content security policy refuses everything but its own style and script. All
 * content is in the document; the script adds filters. Pure: the same input gives the same bytes.
 */
export function* htmlPieces(input: ReportInput): Generator<string> {
  const page = pageOf(matterOf(input))
  yield head(page)
  yield header(page)
  yield '<main id="main">'
  yield summary(page)
  yield* findingsHtml(page)
  for (const framework of chosenFrameworks(page.matter).current) yield* controlsHtml(page, framework)
  yield* nodesHtml(page)
  yield* checksHtml(page)
  for (const section of closing(page)) yield sectionHtml(section, page.anchors)
  yield `</main>${footer(page)}<script>${SCRIPT}</script></body></html>\n`
}

/** The pieces as one file. */
export const htmlBytes = (input: ReportInput): Uint8Array => {
  const encoder = new TextEncoder()
  return Buffer.concat([...htmlPieces(input)].map((piece) => encoder.encode(piece)))
}

const closing = ({ matter }: Page): readonly Section[] => [
  requestSection(matter),
  recordSection(matter),
  limitSection(),
  ceilingSection(matter),
  verificationSection(matter),
]

/** A source of a content security policy (CSP Level 3, section 2.3.1): the digest of exactly this text. */
const sourceOf = (text: string): string => `'sha256-${Buffer.from(sha256(text), 'hex').toString('base64')}'`

const POLICY = `default-src 'none'; style-src ${sourceOf(STYLE)}; script-src ${sourceOf(SCRIPT)}; img-src data:; base-uri 'none'; form-action 'none'`

function head({ matter }: Page): string {
  const { assessment, demo } = matter
  const entity = htmlText(entityOf(matter))
  return [
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
    `<title>${demo ? 'Demo data: ' : ''}Evidence report: ${entity}, as of ${when(assessment.asOf)}</title>`,
    `<style>${STYLE}</style></head><body>${SPRITE}<a class="skip" href="#main">Skip to content</a>`,
  ].join('')
}

const entityOf = ({ assessment }: ReportInput): string =>
  oneLine(assessment.scope.engagement?.entity ?? assessment.scope.fleet, 100)

function header({ matter }: Page): string {
  const { assessment, demo, packName } = matter
  const { engagement } = assessment.scope
  const system = engagement?.boundary.system ?? 'Engagement not defined: no entity, system, period or boundary.'
  const parts: readonly (readonly [string, string])[] = [
    ['summary', titles.summary],
    ['findings', titles.findings],
    ...chosenFrameworks(matter).current.map(({ id }) => [`tests-${id}`, `${shortName(id)} controls`] as const),
    ['nodes', titles.nodes],
    ['checks', titles.checks],
    ['requests', titles.requests],
    ['limits', titles.limits],
    ['verification', titles.verification],
  ]
  return [
    '<header class="top">',
    demo ? '<p class="banner"><strong>Demo data: not evidence.</strong> Recorded or synthetic nodes.</p>' : '',
    `<p class="quiet">Evidence report${engagement?.status === 'draft' ? ', draft' : ''}, as of ${when(assessment.asOf)}. Pack ${htmlText(plain(packName, 120))}</p>`,
    `<h1>${htmlText(entityOf(matter))}</h1><p>${htmlText(oneLine(system, 400))}</p></header>`,
    `<nav class="contents" aria-label="Contents"><ul>${parts.map(([id, title]) => `<li><a href="#${idOf(id)}">${htmlText(title)}</a></li>`).join('')}</ul></nav>`,
  ].join('')
}

function summary({ matter, anchors }: Page): string {
  const { figures, informational } = matter.shown
  const counts = SEVERITIES.filter((level) => level !== 'info').map(
    (level) =>
      `<li>${marked(severityMark(level), severityWords[level])} <strong>${figures.findings[level]}</strong></li>`,
  )
  return [
    `<section id="summary" aria-labelledby="summary-h"><h2 id="summary-h">${titles.summary}</h2>`,
    `<ul class="figures" aria-label="Findings by severity">${counts.join('')}</ul>`,
    `<p class="quiet">${plural(figures.deviations, 'deviation')}${informational.length === 0 ? '' : `; ${plural(informational.length, 'informational result')} listed apart`}.</p>`,
    blocksHtml(pageOne(matter).blocks.flatMap(inFile), anchors, 'summary'),
    '</section>',
  ].join('')
}

/** Page 1 without what a file has no use for: a second heading of the same words, and numbers of pages. */
function inFile(block: Block): readonly Block[] {
  if (block.kind === 'heading' && block.text === titles.summary) return []
  if (block.kind !== 'table') return [block]
  const columns = block.columns.map((column) => (column.title === 'Page' ? { ...column, title: 'Finding' } : column))
  return [{ ...block, columns }]
}

const footer = ({ matter }: Page): string =>
  `<footer><p>Not an audit opinion, attestation or legal advice. This file is not signed by itself: it is data/report.html of the pack ${htmlText(plain(matter.packName, 120))}, and the seal of the pack covers it. Evidence digest <code>${htmlText(matter.evidenceDigest)}</code>. ${htmlText(matter.producer)}.</p></footer>`
