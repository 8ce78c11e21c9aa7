import {
  documentStateWords,
  LIMITS_CONTROLS,
  rowStateWords,
  serverStateWords,
  severityWords,
} from '../../../schemas/conclusion-words.ts'
import type { ManagementResponse, RemediationVariant } from '../../../schemas/types.ts'
import { names, of, oneLine, plain, plural } from '../../core/base/plain-text.ts'
import type { MarkName } from '../../core/base/report-document.ts'
import type { Finding, FoundDeviation } from '../../core/finding/finding.ts'
import type { CheckRemediation } from '../../core/finding/work-order.ts'
import type { Framework } from '../../core/rules/framework.ts'
import { isObservation } from '../formats/row-counts.ts'
import { askText, familiesOf, partsOf } from '../formats/work-order-document.ts'
import { byCheck, remedyOf, severityCounts } from '../presentation.ts'
import type { ControlRow } from '../report/controls/control-detail.ts'
import { controlsInScope, listedTests, resultCell, SOURCES, testIntro } from '../report/controls/tests-of-controls.ts'
import { controlAnchor, controlName, severityReasons, statusText, untestedText, WHO } from '../report/findings.ts'
import { countWords, noFinding, ownerText, severityMark } from '../report/page-one.ts'
import { limitedControls } from '../report/parts/refused.ts'
import { CUSTOMER_MAPPING, day, isOfCustomer, shortName, stateMark, titles, when } from '../report/parts/wording.ts'
import { cellHtml } from './blocks.ts'
import { checkAnchor, nodeAnchor, type Page, resultId } from './context.ts'
import { type Citing, observationsBriefly, observationsHtml } from './evidence.ts'
import { htmlText, idOf, marked } from './marks.ts'

/**
 * Nodes of a finding whose captures open in place. The captures of further nodes are printed with the node; in a large fleet, their
 * observations too.
 */
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
    `<span class="meta">${htmlText(reference)} · ${htmlText(countWords(finding))}${open} · ${plural(controls.length, 'control')} · ${htmlText(ownerText(finding) === 'Not assigned' ? 'no owner' : ownerText(finding))} · ${htmlText(statusText(finding))}</span>`,
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
    ['Controls', findingControlsHtml(page, finding)],
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

function findingControlsHtml(page: Page, finding: Finding): string {
  const { controls } = finding
  if (controls.length === 0) {
    const limited = limitedControls(page.matter, finding)
    return limited.length === 0
      ? '<span class="quiet">Decides no control; an observation.</span>'
      : `<span class="quiet">${LIMITS_CONTROLS}</span>${controlListHtml(page, limited)}`
  }
  const settled = controls.filter(({ isSettled }) => isSettled).length
  return `${controlListHtml(page, controls)}<span class="quiet">Closing it settles the server part of ${of(settled, controls.length)}.</span>`
}

const controlListHtml = ({ matter, anchors }: Page, controls: ReturnType<typeof limitedControls>): string =>
  `<ul>${controls
    .map((one) => {
      const name = htmlText(controlName(matter.catalog, one))
      const linked = anchors.has(controlAnchor(one)) ? `<a href="#${idOf(controlAnchor(one))}">${name}</a>` : name
      return `<li>${linked}</li>`
    })
    .join('')}</ul>`

function responseHtml(finding: Finding, response: ManagementResponse | null): string {
  const owner = response?.owner == null ? 'Owner not assigned' : `Owner: ${ownerText(finding)}`
  const note =
    response === null
      ? ''
      : ` <span class="quiet">Stated by ${htmlText(oneLine(response.statedBy, 100))} on ${day(response.statedAt)}${(response.signatures ?? []).length === 0 ? ', not signed' : ''}.</span>`
  const plan = response?.plan == null ? '' : ` ${htmlText(oneLine(response.plan, 2000))}`
  return `<strong>${htmlText(statusText(finding))}.</strong> ${htmlText(owner)}.${plan}${note}`
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

/** For a large fleet: nodes whose observations are printed with the node. */
const furtherHtml = (page: Page, { check }: Finding, deviations: readonly FoundDeviation[]): string =>
  `<p>And ${plural(deviations.length, 'more node')}: ${deviations
    .map(({ subject }) => `<a href="#${resultId(page, subject, check)}">${htmlText(plain(subject, 80))}</a>`)
    .join(', ')}</p>`

/** Nodes of a finding that are inconclusive, not tested or satisfied. */
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

/** The controls of one framework: two parts for each, the tests with their results, and the findings that concern it. */
export function* controlsHtml(page: Page, framework: Framework): Generator<string> {
  const id = idOf(`tests-${framework.id}`)
  const rows = controlsInScope(page.matter, framework)
  yield `<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${htmlText(shortName(framework.id))}: tests of controls and results</h2><p>${htmlText(testIntro(page.matter, rows))}</p>`
  if (isOfCustomer(page.matter, framework))
    yield `<p><strong>Customer mapping.</strong> ${htmlText(CUSTOMER_MAPPING)}</p>`
  for (const row of rows) yield controlHtml(page, framework, row)
  yield '</section>'
}

function controlHtml(page: Page, framework: Framework, row: ControlRow): string {
  const { control, result } = row
  const { server, documents, state } = result
  const id = idOf(controlAnchor({ framework: framework.id, control: result.control }))
  const level = control.level === 'criterion' ? '' : ` <span class="quiet">${htmlText(control.level)}</span>`
  return [
    `<article class="control" id="${id}" aria-labelledby="${id}-h"><details><summary>`,
    `<h3 id="${id}-h">${htmlText(plain(control.id, 40))} ${htmlText(oneLine(control.title, 160))}${level}</h3>`,
    `<span class="meta">${marked(stateMark(state), rowStateWords[state].label)} · ${documents.needed === 0 ? 'no document needed' : `${of(documents.held, documents.needed)} documents inspected`}</span>`,
    `</summary><div class="body"><p>${htmlText(oneLine(control.summary, 800))}</p>`,
    `<h4>Server part: ${marked(serverStateWords[server.state].mark as MarkName, serverStateWords[server.state].label)}</h4>`,
    testsHtml(page, row),
    `<h4>Document part: ${marked(documentStateWords[documents.state].mark as MarkName, documentStateWords[documents.state].label)}</h4>`,
    documents.needed === 0
      ? '<p class="quiet">No document needed.</p>'
      : `<p>${of(documents.held, documents.needed)} inspected. ${documents.deviations.length === 0 ? '' : `Inspected, does not support: ${htmlText(names(documents.deviations, 12))}. `}<a href="#requests">Documents and risk acceptances</a></p>`,
    control.notCovered === '' ? '' : `<p class="quiet">Not covered: ${htmlText(oneLine(control.notCovered, 800))}</p>`,
    '</div></details></article>',
  ].join('')
}

function testsHtml(page: Page, { result }: ControlRow): string {
  const tests = listedTests(result)
  const observed = result.checks.filter(isObservation).flatMap(({ check }) => page.findings.get(check) ?? [])
  if (tests.length === 0 && observed.length === 0) return '<p class="quiet">No check of a server decides it.</p>'
  const severities = byCheck(page.matter.catalog.severities)
  const rows = tests.map((one) => {
    const test = severities.get(one.check)?.procedure ?? SOURCES[one.source]
    return `<tr><td data-h="Check">${checkLink(page, one.check)}</td><td data-h="Test performed">${htmlText(test)}</td><td data-h="Result of test">${cellHtml(resultCell(one, page.findings.get(one.check), page.matter.shown.figures.untested), page.anchors)}</td></tr>`
  })
  return [
    rows.length === 0
      ? ''
      : `<table><thead><tr><th scope="col">Check</th><th scope="col">Test performed</th><th scope="col">Result of test</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
    observed.length === 0
      ? ''
      : `<p>${plural(observed.length, 'other observation')}, which ${observed.length === 1 ? 'does' : 'do'} not change the result: ${observed
          .map(
            ({ reference, condition }) =>
              `<a href="#${idOf(reference)}">${htmlText(reference)} ${htmlText(condition)}</a>`,
          )
          .join('; ')}</p>`,
  ].join('')
}

/** The recommendation of a finding: who can change it, and the steps of each alternative. */
function remedyHtml(finding: Finding, remediation: CheckRemediation | undefined): string {
  if (remediation === undefined) return `${htmlText(remedyOf(finding, undefined))}.`
  const { steps, whoCanChange, sideEffects, alsoSettles } = remediation
  return [
    htmlText(WHO[whoCanChange]),
    ...steps.map(variantHtml),
    `<p class="quiet">Side effects: ${htmlText(sideEffects)}</p>`,
    alsoSettles.length === 0 ? '' : `<p class="quiet">Can settle as well: ${htmlText(alsoSettles.join(', '))}.</p>`,
  ].join('')
}

function variantHtml(variant: RemediationVariant): string {
  const { title, when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  const where = [familiesOf(variant), ...(when === undefined ? [] : [`where ${when}`])]
  return [
    `<details class="steps"><summary>${htmlText(title)} <span class="quiet">${htmlText(where.join(', '))}</span></summary>`,
    remedyListHtml(
      'Set first',
      inputs.map(({ name, is }) => `<code>${htmlText(name)}</code>: ${htmlText(is)}`),
    ),
    codeHtml('Prepare', prepare),
    ...files.map(({ path, content, mode }) => codeHtml(`File ${path}, mode ${mode}`, [content.replace(/\n$/, '')])),
    codeHtml('Run as root', commands),
    remedyListHtml(
      'Request',
      ask.map((one) => htmlText(`From the ${askText(one)}`)),
    ),
    note === undefined ? '' : `<p>${htmlText(note)}</p>`,
    verify.command === undefined
      ? `<p>Verify with ${htmlText(verify.inspect ?? '')}.</p>`
      : codeHtml('Verify', [verify.command]),
    `<p>Expected: ${htmlText(verify.expected)}</p></details>`,
  ].join('')
}

const remedyListHtml = (label: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<p>${label}:</p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`

const codeHtml = (label: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<p>${htmlText(label)}:</p><pre><code>${lines.map(htmlText).join('\n')}</code></pre>`
