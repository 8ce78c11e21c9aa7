import { oneLine, plain } from '../../core/base/plain-text.ts'
import { htmlText } from '../html/marks.ts'
import { testsGrid } from './grids/audit.ts'
import { DEMO_NOTICE, type FormatInput, GENERAL_LIMITATION } from './input.ts'

const STYLE = 'body{font-family:sans-serif;font-size:10pt}th{text-align:left}th,td{vertical-align:top}'
/** Borders and widths are attributes, because word processors ignore most of a style sheet. */
const TABLE = '<table width="640" border="1" cellpadding="4" cellspacing="0">'
const COLUMNS = '<colgroup><col width="140"><col width="280"><col width="220"></colgroup>'

/**
 * The tests of controls as one plain HTML document, for a reader who opens it in a word processor or copies a table into a document: one
 * table for each framework, with the control once for its tests (control, test performed, result of test: the columns of section IV of a
 * SOC 2 report). No script, no link, no image; nothing is loaded. The rows are those of the workbook's sheet.
 */
export function testsPage(input: FormatInput): string {
  const { scope, asOf } = input.assessment
  const title = 'Tests of controls and results'
  const about = `${oneLine(scope.engagement?.entity ?? scope.fleet, 200)}. Evaluated ${asOf.slice(0, 16).replace('T', ' ')} UTC.`
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${title}</title><style>${STYLE}</style></head><body>\n<h1>${title}</h1>\n`,
    input.demo ? `<p><strong>${htmlText(DEMO_NOTICE)}</strong></p>\n` : '',
    `<p>${htmlText(about)} ${htmlText(GENERAL_LIMITATION)}</p>\n`,
    ...frameworksOf(input).map(
      ([framework, controls]) => `<h2>${htmlText(framework)}</h2>\n${tableHtml(framework, controls)}\n`,
    ),
    '</body></html>\n',
  ].join('')
}

interface Tested {
  readonly control: string
  readonly tests: readonly (readonly [performed: string, result: string])[]
}

function frameworksOf(input: FormatInput): readonly (readonly [framework: string, controls: readonly Tested[]])[] {
  const frameworks = new Map<string, Map<string, (readonly [string, string])[]>>()
  for (const row of testsGrid(input).rows) {
    const [framework = '', id = '', title = '', , check = '', performed = '', result = ''] = row.map((cell) =>
      plain(String(cell), 4000),
    )
    const controls = frameworks.get(framework) ?? new Map<string, (readonly [string, string])[]>()
    frameworks.set(framework, controls)
    const control = `${id} ${title}`
    const tests = controls.get(control) ?? []
    controls.set(control, tests)
    tests.push([`${performed} (${check})`, result])
  }
  return [...frameworks].map(([framework, controls]) => [
    framework,
    [...controls].map(([control, tests]) => ({ control, tests })),
  ])
}

function tableHtml(framework: string, controls: readonly Tested[]): string {
  const rows = controls.flatMap(({ control, tests }) =>
    tests.map(([performed, result], at) => {
      const first = at === 0 ? `<th scope="rowgroup" rowspan="${tests.length}">${htmlText(control)}</th>` : ''
      return `<tr>${first}<td>${htmlText(performed)}</td><td>${htmlText(result)}</td></tr>`
    }),
  )
  return [
    `${TABLE}<caption>${htmlText(framework)}: tests of controls</caption>${COLUMNS}`,
    '<thead><tr><th scope="col">Control</th><th scope="col">Test performed</th><th scope="col">Result of test</th></tr></thead>',
    `<tbody>${rows.join('')}</tbody></table>`,
  ].join('')
}
