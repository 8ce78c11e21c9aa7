import { type FigureMark, type FigureTone, HATCHES, type Figure as Picture, TINT } from '../../../schemas/figure.ts'
import { htmlText } from './marks.ts'

/** A figure as inline SVG with its legend, and its table for readers who do not see the picture. `id` makes the ids of its parts unique. */
export function figureHtml(figure: Picture, id: string): string {
  const { title, caption, width, height, marks, legend, table } = figure
  const parts = partIds(id)
  return [
    `<figure id="${id}" aria-labelledby="${id}-t"><figcaption><span id="${id}-t" class="strong">${htmlText(title)}</span> <span class="quiet">${htmlText(caption)}</span></figcaption>`,
    `<div class="scroll" tabindex="0" role="region" aria-label="${htmlText(`Figure: ${title}`)}"><svg class="figure" role="img" aria-label="${htmlText(`${title}. The table below contains the same values.`)}" viewBox="0 0 ${width} ${height}" width="${width * 1.45}">${marks.map((one) => markSvg(one, parts)).join('')}</svg></div>`,
    legend.length === 0
      ? ''
      : `<ul class="keys" aria-label="Legend">${legend
          .map(
            ({ sample, text }) =>
              `<li><svg class="figure key" viewBox="0 0 24 10" aria-hidden="true" focusable="false">${sample.map((one) => markSvg(one, parts)).join('')}</svg> ${htmlText(text)}</li>`,
          )
          .join('')}</ul>`,
    `<details><summary>Show as table</summary><div class="scroll" tabindex="0" role="region" aria-label="${htmlText(`Table: ${title}`)}"><table><caption class="unseen">${htmlText(title)}</caption><thead><tr>${table.head
      .map((head) => `<th scope="col">${head === '' ? '<span class="unseen">Item</span>' : htmlText(head)}</th>`)
      .join('')}</tr></thead><tbody>${table.rows.map(rowHtml).join('')}</tbody></table></div></details></figure>`,
  ].join('')
}

const rowHtml = ([name = '', ...cells]: readonly string[]): string =>
  `<tr><th scope="row">${htmlText(name)}</th>${cells.map((cell) => `<td>${htmlText(cell)}</td>`).join('')}</tr>`

/** Ids of clips and hatchings, one after the other. */
function partIds(id: string): () => string {
  let count = 0
  return () => {
    count += 1
    return `${id}-p${count}`
  }
}

function markSvg(one: FigureMark, nextId: () => string): string {
  switch (one.is) {
    case 'box':
      return boxSvg(one)
    case 'area':
      return areaSvg(one, nextId)
    case 'line':
      return `<polyline class="f-line ${tone(one.tone)} w${one.weight}${one.dashed ? ' dashed' : ''}" points="${one.points.map(([x, y]) => `${x},${y}`).join(' ')}"/>`
    case 'text':
      return `<text class="f-text ${tone(one.tone)} s${one.size}${one.bold ? ' bold' : ''}${one.mono ? ' mono' : ''}${one.rimmed === true ? ' rimmed' : ''}" x="${one.x}" y="${one.y}" text-anchor="${one.anchor}">${htmlText(one.text)}</text>`
  }
}

const tone = (name: FigureTone): string => `t-${name}`

/** A filled box for a deviation has a cross, so that it differs without color. */
function boxSvg({ x, y, width, height, tone: own, filled }: Extract<FigureMark, { is: 'box' }>): string {
  const rect = `<rect class="f-box ${tone(own)}${filled ? ' filled' : ''}" x="${x}" y="${y}" width="${width}" height="${height}"/>`
  if (!filled || own !== 'against') return rect
  const [left, right] = [x + width / 4, x + (width * 3) / 4]
  const [top, bottom] = [y + height / 4, y + (height * 3) / 4]
  return `${rect}<path class="f-cut" d="M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}"/>`
}

type Area = Extract<FigureMark, { is: 'area' }>

/** Tint or hatching, then outline, both clipped to all of `within`. */
function areaSvg({ rings, within = [], tone: own, fill, outline }: Area, nextId: () => string): string {
  const shape = pathOf(rings)
  const solid =
    fill === 'solid'
      ? `<path class="f-area ${tone(own)} solid" d="${shape}" fill-rule="evenodd" fill-opacity="${TINT}"/>`
      : ''
  const hatched = fill === 'hatched' ? hatchedSvg(shape, own, nextId()) : ''
  const line =
    outline === 'none'
      ? ''
      : `<path class="f-area ${tone(own)} outlined${outline === 'dashed' ? ' dashed' : ''}" d="${shape}"/>`
  return within.reduceRight(
    (inner, outlines) => {
      const id = nextId()
      return `<clipPath id="${id}"><path d="${pathOf(outlines)}" clip-rule="evenodd"/></clipPath><g clip-path="url(#${id})">${inner}</g>`
    },
    solid + hatched + line,
  )
}

function hatchedSvg(shape: string, own: FigureTone, id: string): string {
  const { degrees, apart, width } = HATCHES[own]
  return `<pattern id="${id}" width="${apart}" height="${apart}" patternUnits="userSpaceOnUse" patternTransform="rotate(${degrees})"><line class="f-hatch ${tone(own)}" x2="${apart}" y1="${apart / 2}" y2="${apart / 2}" stroke-width="${width}"/></pattern><path d="${shape}" fill="url(#${id})" fill-rule="evenodd"/>`
}

const pathOf = (rings: Area['rings']): string =>
  rings.map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join('L')}Z`).join('')
