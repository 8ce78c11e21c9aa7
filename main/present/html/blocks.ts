import type { Block, Cell, Line, Section } from '../../core/base/report-document.ts'
import { figureHtml } from './figure.ts'
import { htmlText, idOf, mark } from './marks.ts'

/** The anchors of a document that a link can lead to. */
export interface Anchors {
  readonly has: (anchor: string) => boolean
}

/** A section of the report under a heading of level 2. */
export const sectionHtml = ({ id, title, blocks }: Section, anchors: Anchors): string =>
  `<section id="${idOf(id)}" aria-labelledby="${idOf(id)}-h"><h2 id="${idOf(id)}-h">${htmlText(title)}</h2>${blocksHtml(blocks, anchors, id)}</section>`

export const blocksHtml = (blocks: readonly Block[], anchors: Anchors, about: string): string =>
  blocks.map((block, at) => blockHtml(block, anchors, `${idOf(about)}-b${at}`)).join('')

function blockHtml(block: Block, anchors: Anchors, id: string): string {
  switch (block.kind) {
    case 'title':
    case 'contents':
      return ''
    case 'heading':
      return `<h${block.level}>${block.mark === undefined ? '' : mark(block.mark)}${htmlText(block.text)}</h${block.level}>`
    case 'text':
      return `<p${block.line.style === 'quiet' ? ' class="quiet"' : ''}>${lineHtml(block.line, anchors)}</p>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${lineHtml(item, anchors)}</li>`).join('')}</ul>`
    case 'facts':
      return factsHtml(block.rows, anchors)
    case 'table':
      return tableHtml(block, anchors)
    case 'code':
      return `<pre><code>${block.lines.map(htmlText).join('\n')}</code></pre>`
    case 'banner':
      return `<p class="banner"><strong>${htmlText(block.title)}</strong> ${htmlText(block.text)}</p>`
    case 'figure':
      return figureHtml(block.figure, id)
  }
}

export const factsHtml = (
  rows: readonly { readonly label: string; readonly value: Cell }[],
  anchors: Anchors,
): string =>
  `<dl class="facts">${rows.map(({ label, value }) => `<div><dt>${htmlText(label)}</dt><dd>${cellHtml(value, anchors)}</dd></div>`).join('')}</dl>`

/** A row of one cell is a heading over the rows that follow. */
function tableHtml({ columns, rows, rowHeaders }: Extract<Block, { kind: 'table' }>, anchors: Anchors): string {
  const head = columns.map(({ title }) => `<th scope="col">${htmlText(title)}</th>`).join('')
  const body = rows.map((row) => {
    if (row.length === 1 && columns.length > 1)
      return `<tr><th scope="colgroup" colspan="${columns.length}">${cellHtml(row[0] ?? [], anchors)}</th></tr>`
    return `<tr>${row
      .map((cell, at) => {
        const words = cellHtml(cell, anchors)
        const head = htmlText(columns[at]?.title ?? '')
        return at === 0 && rowHeaders === true ? `<th scope="row">${words}</th>` : `<td data-h="${head}">${words}</td>`
      })
      .join('')}</tr>`
  })
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`
}

export const cellHtml = (cell: Cell, anchors: Anchors): string => {
  const [only] = cell
  if (cell.length === 1 && only !== undefined) return lineHtml(only, anchors)
  return cell.map((line) => `<span class="line">${lineHtml(line, anchors)}</span>`).join('')
}

/** A link is printed as text where the document does not have what it leads to. */
function lineHtml({ text, style, mark: name, means, link }: Line, anchors: Anchors): string {
  const words = htmlText(text === '' && link !== undefined ? link : text)
  const linked = link !== undefined && anchors.has(link) ? `<a href="#${idOf(link)}">${words}</a>` : words
  const shown =
    name === undefined ? linked : `<span class="marked ${name}">${mark(name, means)}<span>${linked}</span></span>`
  if (style === 'mono') return `<code>${shown}</code>`
  return style === undefined ? shown : `<span class="${style}">${shown}</span>`
}
