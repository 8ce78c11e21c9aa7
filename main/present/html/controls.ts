import { documentStateWords, rowStateWords, serverStateWords } from '../../../schemas/conclusion-words.ts'
import type { Framework } from '../../core/framework.ts'
import { of, oneLine, plain, plural } from '../../core/plain-text.ts'
import type { MarkName } from '../../core/report-document.ts'
import { isObservation } from '../formats/row-counts.ts'
import { controlAnchor } from '../report/findings.ts'
import { type ControlRow, controlsInScope, resultCell, SOURCES, testIntro } from '../report/tests-of-controls.ts'
import { shortName, stateMark } from '../report/wording.ts'
import { cellHtml } from './blocks.ts'
import type { Page } from './context.ts'
import { checkLink } from './findings.ts'
import { htmlText, idOf, marked } from './marks.ts'

/** The controls of one framework: two parts for each, the tests with their results, and the findings that concern it. */
export function* controlsHtml(page: Page, framework: Framework): Generator<string> {
  const id = idOf(`tests-${framework.id}`)
  const rows = controlsInScope(page.matter, framework)
  yield `<section id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${htmlText(shortName(framework.id))}: tests of controls and results</h2><p>${htmlText(testIntro(page.matter, rows))}</p>`
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
      : `<p>${of(documents.held, documents.needed)} inspected. <a href="#requests">Documents and risk acceptances</a></p>`,
    control.notCovered === '' ? '' : `<p class="quiet">Not covered: ${htmlText(oneLine(control.notCovered, 800))}</p>`,
    '</div></details></article>',
  ].join('')
}

function testsHtml(page: Page, { result }: ControlRow): string {
  const deciding = result.checks.filter(({ decides }) => decides)
  const observed = result.checks.filter(isObservation).flatMap(({ check }) => page.findings.get(check) ?? [])
  if (deciding.length === 0 && observed.length === 0) return '<p class="quiet">No check of a server decides it.</p>'
  const severities = new Map(page.matter.catalog.severities.map((one) => [one.check, one]))
  const rows = deciding.map((one) => {
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
