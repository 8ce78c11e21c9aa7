import { severityWords } from '../../../schemas/conclusion-words.ts'
import type { ManagementResponse } from '../../../schemas/types.ts'
import type { Finding, FoundDeviation } from '../../core/finding/finding.ts'
import { names, of, oneLine, plain, plural } from '../../core/plain-text.ts'
import { severityCounts } from '../presentation.ts'
import { controlAnchor, controlName, severityReasons, statusText, untestedText } from '../report/findings.ts'
import { countText, noFinding, ownerText, severityMark } from '../report/page-one.ts'
import { day, titles, when } from '../report/wording.ts'
import { checkAnchor, nodeAnchor, type Page, resultId } from './context.ts'
import { type Citing, observationsBriefly, observationsHtml } from './evidence.ts'
import { htmlText, idOf, marked } from './marks.ts'
import { remedyHtml } from './remedy.ts'

/** Nodes of a finding whose captures open in place; those of further nodes are printed with the node, in a large fleet their observations too. */
const MOST_NODES = 8

/** Every finding: one line, which opens to condition, criterion, cause, effect, severity, recommendation, controls, response and evidence. */
export function* findingsHtml(page: Page): Generator<string> {
  const { matter } = page
  const { findings, informational, remediated, figures } = matter.shown
  const count =
    findings.length === 0
      ? noFinding(matter)
      : `${plural(findings.length, 'finding')}: ${severityCounts(figures.findings)}, with ${plural(figures.deviations, 'deviation')} in total. A finding is one check that is not satisfied, over the nodes that it concerns. Severity changes no verdict and no conclusion. The reference of a finding is the same in every run of this fleet. ${untestedText(matter)}`
  yield `<section id="findings" aria-labelledby="findings-h"><h2 id="findings-h">${titles.findings}</h2><p>${htmlText(count)}</p>`
  for (const finding of findings) yield* findingHtml(page, finding)
  yield '</section>'
  if (informational.length > 0) {
    yield '<section id="informational" aria-labelledby="informational-h"><h2 id="informational-h">Informational results that are not satisfied</h2><p class="quiet">Counted in no sum of findings.</p>'
    for (const finding of informational) yield* findingHtml(page, finding)
    yield '</section>'
  }
  if (remediated.length > 0)
    yield `<section id="remediated" aria-labelledby="remediated-h"><h2 id="remediated-h">Remediated in this period</h2><ul>${remediated
      .map(
        ({ reference, title, nodes, run, at }) =>
          `<li>${htmlText(title)}: ${htmlText(names(nodes, 40))}. <span class="quiet">${htmlText(reference)}, confirmed by run ${htmlText(plain(run, 60))} on ${day(at)}.</span></li>`,
      )
      .join('')}</ul></section>`
}

function* findingHtml(page: Page, finding: Finding): Generator<string> {
  const { reference, condition, severity, controls, deviations, status, inconclusive } = finding
  const { placeOf } = page
  const nodes = deviations.flatMap(({ subject }) => placeOf.get(subject) ?? [])
  const open = inconclusive.length === 0 ? '' : `, ${inconclusive.length} inconclusive`
  yield [
    `<article class="finding" id="${idOf(reference)}" aria-labelledby="${idOf(reference)}-h" data-severity="${severity.level}" data-status="${status}" data-nodes="${nodes.join(' ')}" data-controls="${controls.map((one) => idOf(controlAnchor(one))).join(' ')}"><details><summary>`,
    `<span class="rung">${marked(severityMark(severity.level), severityWords[severity.level])}</span>`,
    `<h3 id="${idOf(reference)}-h">${htmlText(condition)}</h3>`,
    `<span class="meta">${htmlText(reference)} · ${htmlText(countText(finding))} tested${open} · ${plural(controls.length, 'control')} · ${htmlText(ownerText(finding) === 'Not assigned' ? 'no owner' : ownerText(finding))} · ${htmlText(statusText(finding))}</span>`,
    '</summary><div class="body"><dl class="argument">',
    ...argumentRows(page, finding).map(([label, value]) => `<div><dt>${label}</dt><dd>${value}</dd></div>`),
    '</dl>',
    `<h4>Evidence by node</h4>`,
  ].join('')
  const first = deviations.slice(0, MOST_NODES)
  const further = deviations.slice(MOST_NODES)
  for (const one of first) yield deviationHtml(page, finding, one, 'in-place')
  if (!page.isLarge) for (const one of further) yield deviationHtml(page, finding, one, 'by-link')
  else if (further.length > 0) yield furtherHtml(page, finding, further)
  yield `${coverageHtml(page, finding)}</div></details></article>`
}

type Rows = readonly (readonly [label: string, html: string])[]

function argumentRows(page: Page, finding: Finding): Rows {
  const { criterion, cause, effect, severity, firstSeen, check, response } = finding
  const { matter } = page
  const remediation = matter.remediations.find((one) => one.check === check)
  const limits = criterion.thresholds.map(({ threshold, shown, source }) => `${threshold.title}: ${shown} (${source})`)
  const level = severityWords[severity.level]
  const reasons = severityReasons(finding)
  return [
    [
      'Criterion',
      `${htmlText(criterion.expected)}${listHtml(limits)} <span class="quiet">Check ${checkLink(page, check)}${criterion.source === '' ? '' : `. Source: ${htmlText(plain(criterion.source, 400))}`}</span>`,
    ],
    [
      'Cause',
      cause === null
        ? '<span class="quiet">Not stated by management.</span>'
        : htmlText(`As management states it: ${oneLine(cause, 2000)}`),
    ],
    ['Effect', htmlText(effect.join(' '))],
    [
      'Severity',
      `${marked(severityMark(severity.level), level)}${htmlText(reasons.length === 0 ? `, as rated for this check: ${severity.why}` : `. ${reasons.join(' ')}`)}${
        severity.notEvaluated.length === 0
          ? ''
          : ` <span class="quiet">Not evaluated, for a person to decide: ${htmlText(severity.notEvaluated.join('; '))}.</span>`
      }`,
    ],
    ['Recommendation', remedyHtml(finding, remediation)],
    ['Controls', controlsHtml(page, finding)],
    ['Response', responseHtml(finding, response)],
    [
      'Seen',
      htmlText(
        firstSeen === null
          ? 'Not dated.'
          : `First on ${day(firstSeen)}${finding.lastSeen === null ? '' : `, last on ${day(finding.lastSeen)}`}.`,
      ),
    ],
  ]
}

const listHtml = (items: readonly string[]): string =>
  items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${htmlText(item)}</li>`).join('')}</ul>`

export const checkLink = ({ anchors }: Page, check: string): string =>
  anchors.has(checkAnchor(check))
    ? `<a href="#${idOf(checkAnchor(check))}"><code>${htmlText(check)}</code></a>`
    : `<code>${htmlText(check)}</code>`

function controlsHtml({ matter, anchors }: Page, { controls }: Finding): string {
  if (controls.length === 0) return '<span class="quiet">Decides no control; an observation.</span>'
  const settled = controls.filter(({ isSettled }) => isSettled).length
  return `<ul>${controls
    .map((one) => {
      const name = htmlText(controlName(matter.catalog, one))
      const linked = anchors.has(controlAnchor(one)) ? `<a href="#${idOf(controlAnchor(one))}">${name}</a>` : name
      return `<li>${linked}</li>`
    })
    .join('')}</ul><span class="quiet">Closing it settles the server part of ${of(settled, controls.length)}.</span>`
}

function responseHtml(finding: Finding, response: ManagementResponse | null): string {
  const owner = response?.owner == null ? 'Owner not assigned' : `Owner: ${ownerText(finding)}`
  const said =
    response === null
      ? ''
      : ` <span class="quiet">Stated by ${htmlText(oneLine(response.statedBy, 100))} on ${day(response.statedAt)}${(response.signatures ?? []).length === 0 ? ', not signed' : ''}.</span>`
  const plan = response?.plan == null ? '' : ` ${htmlText(oneLine(response.plan, 2000))}`
  return `<strong>${htmlText(statusText(finding))}.</strong> ${htmlText(owner)}.${plan}${said}`
}

function deviationHtml(page: Page, { check, what }: Finding, deviation: FoundDeviation, citing: Citing): string {
  const { subject, observations, observedAt, accepted, acceptanceExpired, isStale } = deviation
  const notes = [
    ...(observedAt === null ? [] : [`Collected ${when(observedAt)}`]),
    ...(isStale ? ['not retested since'] : []),
    ...(accepted === null
      ? []
      : [`risk accepted until ${day(accepted.expiresAt)}, approved by ${oneLine(accepted.approvedBy, 80)}`]),
    ...(acceptanceExpired === null ? [] : [`risk acceptance expired on ${day(acceptanceExpired.expiresAt)}`]),
  ]
  const name = htmlText(plain(subject, 120))
  const title = what === 'inventory' ? name : `<a href="#${idOf(nodeAnchor(subject))}">${name}</a>`
  const result =
    what === 'inventory' || page.matter.tally.result(subject, check) === undefined
      ? ''
      : ` · <a href="#${resultId(page, subject, check)}">result</a>`
  return `<div class="on-node"><h5>${title}</h5><p class="quiet">${htmlText(notes.join(', '))}${result}</p>${page.isLarge ? `<p class="brief">${observationsBriefly(observations).trimStart()}</p>` : observationsHtml(page, subject, observations, citing)}</div>`
}

/** Of a large fleet: nodes whose observations are printed with the node. */
const furtherHtml = (page: Page, { check }: Finding, deviations: readonly FoundDeviation[]): string =>
  `<p>And ${plural(deviations.length, 'more node')}: ${deviations
    .map(({ subject }) => `<a href="#${resultId(page, subject, check)}">${htmlText(plain(subject, 80))}</a>`)
    .join(', ')}</p>`

/** What the finding does not cover, and which nodes are satisfied. */
function coverageHtml({ matter }: Page, { check, what, inconclusive, untested }: Finding): string {
  if (what === 'inventory') return ''
  const nodes = matter.assessment.nodes.map(({ node }) => node)
  const satisfied = nodes.filter((node) => matter.tally.verdict(node, check) === 'satisfied')
  const groups: readonly (readonly [string, readonly string[]])[] = [
    ['Inconclusive', inconclusive],
    ['Not tested', untested],
    ['Satisfied', satisfied],
  ]
  return `<ul class="coverage">${groups
    .filter(([, some]) => some.length > 0)
    .map(([label, some]) => `<li>${label} on ${of(some.length, nodes.length)}: ${htmlText(names(some, 20))}</li>`)
    .join('')}</ul>`
}
