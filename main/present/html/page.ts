import { SEVERITIES, severityWords } from '../../../schemas/conclusion-words.ts'
import { sha256 } from '../../core/base/digest.ts'
import { oneLine, plain, plural } from '../../core/base/plain-text.ts'
import type { Block, Section } from '../../core/base/report-document.ts'
import type { ReportInput } from '../input.ts'
import { verificationSection } from '../report/custody.ts'
import { requestSection } from '../report/decisions.ts'
import { pageOne, severityMark } from '../report/page-one.ts'
import { chosenFrameworks, shortName, titles, when } from '../report/parts/wording.ts'
import { recordSection } from '../report/records.ts'
import { ceilingSection, limitSection } from '../report/scope/limits.ts'
import { matterOf } from '../report.ts'
import { blocksHtml, sectionHtml } from './blocks.ts'
import { type Page, pageOf } from './context.ts'
import { controlsHtml, findingsHtml } from './findings.ts'
import { htmlText, idOf, marked, SPRITE } from './marks.ts'
import { checksHtml, nodesHtml } from './nodes.ts'
import { SCRIPT } from './script.ts'

/** The style of the HTML report, as text: its digest is in the content security policy. Colors as in the window, for light and dark. */
const STYLE = `
:root{color-scheme:light dark;--page:#fff;--raised:#f6f7f4;--ink:#14191f;--quiet:#4b5560;--rule:#dcdfd9;--edge:#7d868f;--selected:#e6edf4;--link:#17508a;--focus:#0067b8;--demo:#fff4cf;--demo-ink:#4a3a00;--satisfied:#0067b8;--not-satisfied:#7f1d1d;--inconclusive:#806000;--other:#374151}
@media (prefers-color-scheme:dark){:root{--page:#12161b;--raised:#191e25;--ink:#e7ebee;--quiet:#a8b1bb;--rule:#2c343d;--edge:#76818c;--selected:#1f2c3a;--link:#8cc0f5;--focus:#6cb6ff;--demo:#33290a;--demo-ink:#ffe28a;--satisfied:#6cb6ff;--not-satisfied:#f0736a;--inconclusive:#ffd866;--other:#9aa4af}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{max-width:72rem;margin:0 auto;padding:0 1.25rem 3rem;background:var(--page);color:var(--ink);font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif;overflow-wrap:anywhere}
h1{margin:.15rem 0;font-size:1.75rem;line-height:1.25;font-weight:600}
h2{margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:2px solid var(--ink);font-size:1.25rem;line-height:1.3;font-weight:600}
h3{margin:1.5rem 0 .4rem;font-size:1rem;line-height:1.4;font-weight:600}
h4{margin:1.25rem 0 .3rem;font-size:.9375rem;font-weight:600}
h5{margin:.75rem 0 0;font-size:.9375rem;font-weight:600}
p{margin:.35rem 0;max-width:56rem}
ul{margin:.35rem 0;padding-left:1.25rem}
a{color:var(--link);text-underline-offset:.15em}
code,pre{font:.8125rem/1.5 ui-monospace,"SF Mono",Consolas,"DejaVu Sans Mono",monospace}
pre{margin:.35rem 0;padding:.5rem .75rem;border-left:3px solid var(--edge);background:var(--raised);white-space:pre-wrap}
pre code{font:inherit}
code{overflow-wrap:anywhere}
small{font-size:.8125rem;color:var(--quiet)}
table{width:100%;margin:.5rem 0;border-collapse:collapse}
th,td{overflow-wrap:break-word;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top;font-weight:400}
thead th{border-color:var(--edge);color:var(--quiet);font-size:.8125rem}
.strong,strong,b{font-weight:600}
.quiet{color:var(--quiet);font-size:.875rem}
.line{display:block}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.sprite{position:absolute;width:0;height:0}
.skip{position:absolute;left:-100rem}
.skip:focus{position:static;display:inline-block;padding:.5rem}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
[tabindex="-1"]:focus{outline:none}
[hidden]{display:none}
.top{padding-top:1.25rem}
.banner{max-width:none;margin:0 0 1rem;padding:.6rem .9rem;border-left:8px double var(--demo-ink);background:var(--demo);color:var(--demo-ink)}
.contents ul{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;margin:1rem 0 0;padding:.6rem 0;border-block:1px solid var(--rule);list-style:none}
.contents a{display:inline-block;padding:.15rem 0}
.facts,.argument{margin:.5rem 0}
.facts>div,.argument>div{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:0 1rem;padding:.2rem 0}
dt{color:var(--quiet);font-size:.875rem}
dd{margin:0}
dd>p:first-child,dd>ul:first-child{margin-top:0}
.marked{display:inline-flex;gap:.35rem;align-items:baseline}
.mark{flex:none;width:.9em;height:.9em;transform:translateY(.1em);fill:none;stroke:currentColor;stroke-width:1.5;color:var(--other)}
.mark .solid,symbol .solid{fill:currentColor;stroke:none}
symbol .cut{stroke:var(--page);stroke-width:1.7}
.ring-tick,.ring-tick>.mark{color:var(--satisfied)}
.square-cross,.square-cross>.mark,.severity-critical,.severity-critical>.mark{color:var(--not-satisfied)}
.diamond-question,.diamond-question>.mark{color:var(--inconclusive)}
.severity-critical>span{font-weight:600}
.marked>span>a{color:var(--link)}
td .marked>span,li .marked>span,.line .marked>span{color:var(--ink)}
.figures{display:flex;flex-wrap:wrap;gap:.35rem 2rem;margin:.75rem 0;padding:0;list-style:none;font-size:1.0625rem}
.filters{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:end;margin-top:2rem;padding:.75rem;border:1px solid var(--edge);border-radius:3px;background:var(--page)}
.filters label{display:grid;gap:.1rem;min-width:0;flex:1 1 9rem;color:var(--quiet);font-size:.8125rem}
.filters input,.filters select{width:100%;min-width:0}
input,select,button{min-height:2rem;padding:.2rem .5rem;border:1px solid var(--edge);border-radius:3px;background:var(--page);color:var(--ink);font:inherit;font-size:.875rem}
button{padding:.2rem .75rem;cursor:pointer}
button:hover{background:var(--selected)}
.live{flex:1 0 100%;margin:0;font-weight:600}
article{border-bottom:1px solid var(--rule)}
article.node{content-visibility:auto;contain-intrinsic-height:auto 4rem}
article>details>summary{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:0 .75rem;padding:.55rem .25rem .55rem 1.5rem;position:relative;cursor:pointer;list-style:none}
article.control>details>summary,article.node>details>summary{grid-template-columns:minmax(0,1fr)}
article>details>summary::-webkit-details-marker{display:none}
article>details>summary::before{content:"";position:absolute;left:.4rem;top:.95rem;width:.4rem;height:.4rem;border:solid var(--quiet);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
article>details[open]>summary::before{transform:rotate(45deg)}
article>details>summary:hover,article>details[open]>summary{background:var(--selected)}
article h3{margin:0}h3 .quiet{font-weight:400}
.rung{grid-row:span 2}
.meta{color:var(--quiet);font-size:.875rem}
.meta>.line{display:inline-block;margin-right:1.25rem}
.body{padding:.25rem .25rem 1.25rem 1.5rem}
.copy{float:right;margin:.25rem 0 .5rem .75rem}
.on-node{margin-top:.75rem;padding-top:.25rem;border-top:1px solid var(--rule)}
.observations{margin:.25rem 0;padding:0;list-style:none}
.observations>li{padding:.25rem 0}
.observations .marked{min-width:7rem}
.observations .square-cross>span{color:var(--not-satisfied);font-weight:600}
.results .observations{padding-left:1rem}
p.brief,.brief>li{white-space:pre-line}
details details{margin:.25rem 0}
details details>summary{padding:.2rem 0;cursor:pointer}
.capture{margin-left:1.25rem;font-size:.875rem}
.capture[open],.result[open],.steps[open]{padding-bottom:.5rem;border-bottom:1px solid var(--rule)}
.verdicts>.result,.captures>.capture{margin-left:1.25rem}
.coverage{margin-top:1rem;color:var(--quiet);font-size:.875rem}
figure{margin:1rem 0}
.scroll{overflow-x:auto}
.figure{display:block;max-width:max(100%,44rem);height:auto;font-family:inherit}
.key{display:inline-block;width:2.4rem;height:1rem;vertical-align:middle}
.keys{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;list-style:none;color:var(--quiet);font-size:.875rem}
.t-plain{--stroke:var(--ink)}.t-quiet{--stroke:var(--quiet)}.t-for{--stroke:var(--satisfied)}.t-against{--stroke:var(--not-satisfied)}.t-unclear{--stroke:var(--inconclusive)}
.f-box{fill:none;stroke:var(--stroke);stroke-width:.75px}.f-box.t-against{stroke-width:1.6px}.f-box.t-unclear{stroke-dasharray:1.8 1.4}.f-box.filled{fill:var(--stroke);stroke:none}
.f-cut{fill:none;stroke:var(--page);stroke-width:1.1px}
.f-line{fill:none;stroke:var(--stroke);stroke-width:.75px}.f-line.t-quiet{stroke:var(--rule)}.w2{stroke-width:1.5px}.w3{stroke-width:2.25px}.dashed{stroke-dasharray:2 2}.w3.dashed{stroke-dasharray:5 3}
.f-area{fill:none;stroke:none}.f-area.solid{fill:var(--stroke)}.f-area.outlined{stroke:var(--stroke);stroke-width:.75px}.f-area.outlined.t-quiet{stroke:var(--rule);stroke-width:.5px}
.f-hatch{stroke:var(--stroke)}
.f-text{fill:var(--stroke);white-space:pre}.s8{font-size:8px}.s9{font-size:9px}.s11{font-size:11px}.bold{font-weight:600}.mono{font-family:ui-monospace,Consolas,"DejaVu Sans Mono",monospace}.rimmed{stroke:var(--page);stroke-width:2.4px;stroke-linejoin:round;paint-order:stroke}
footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid var(--rule);color:var(--quiet);font-size:.875rem}
@media (min-width:60rem) and (min-height:40rem){.filters{position:sticky;top:0;z-index:1}html{scroll-padding-top:9rem}}
@media (max-width:44rem){body{padding-inline:.75rem}.facts>div,.argument>div,article>details>summary{grid-template-columns:minmax(0,1fr)}.rung{grid-row:auto}.body{padding-left:.5rem}.copy{float:none;margin:.25rem 0}.capture,.verdicts>.result,.captures>.capture{margin-left:.25rem}figure .scroll table{width:auto}:not(.scroll)>table,:not(.scroll)>table>tbody,:not(.scroll)>table>tbody>tr,:not(.scroll)>table>tbody>tr>*{display:block}:not(.scroll)>table>thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}:not(.scroll)>table td{border:0;padding:.1rem 0}:not(.scroll)>table td:not(:empty)::before{content:attr(data-h);display:block;color:var(--quiet);font-size:.8125rem}:not(.scroll)>table tr{padding:.4rem 0;border-bottom:1px solid var(--rule)}:not(.scroll)>table tbody th{border:0;padding:.1rem 0}}
@media (forced-colors:active){.t-plain,.t-quiet,.t-for,.t-against,.t-unclear{--stroke:CanvasText}.f-line.t-quiet,.f-area.outlined.t-quiet{stroke:GrayText}.f-cut,.rimmed,symbol .cut{stroke:Canvas}.mark{color:CanvasText}article>details>summary::before{border-color:CanvasText}}
@media (prefers-reduced-motion:no-preference){article>details>summary::before{transition:transform .1s}}
@media print{:root{color-scheme:light;--page:#fff;--raised:#fff;--ink:#000;--quiet:#444;--rule:#bbb;--edge:#777;--selected:#fff;--link:#000;--satisfied:#0067b8;--not-satisfied:#7f1d1d;--inconclusive:#806000;--other:#374151}body{max-width:none;padding:0;font-size:9.5pt}.filters,.copy,.skip,.contents{display:none}article{break-inside:auto}summary,h2,h3,h4,h5,figure{break-inside:avoid;break-after:avoid}figure{break-after:auto}}
`

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

/** Page 1 without the parts that a file does not need: a second heading with the same words, and page numbers. */
function inFile(block: Block): readonly Block[] {
  if (block.kind === 'heading' && block.text === titles.summary) return []
  if (block.kind !== 'table') return [block]
  const columns = block.columns.map((column) => (column.title === 'Page' ? { ...column, title: 'Finding' } : column))
  return [{ ...block, columns }]
}

const footer = ({ matter }: Page): string =>
  `<footer><p>Not an audit opinion, attestation or legal advice. This file is not signed by itself: it is data/report.html of the pack ${htmlText(plain(matter.packName, 120))}, and the seal of the pack covers it. Evidence digest <code>${htmlText(matter.evidenceDigest)}</code>. ${htmlText(matter.producer)}.</p></footer>`
