import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { FigureView } from '../../renderer/parts/Figure.tsx'
import type { Figure, FigureMark } from '../../schemas/figure.ts'
import { pictured } from '../support/figures.ts'

const word = (text: string): FigureMark => ({
  is: 'text',
  x: 5,
  y: 9,
  text,
  size: 8,
  anchor: 'start',
  bold: true,
  mono: false,
  tone: 'against',
})
const figure: Figure = {
  kind: 'block-stack',
  title: 'Where data lies',
  caption: 'Layers as listed.',
  width: 200,
  height: 40,
  marks: [
    { is: 'box', x: 0, y: 0, width: 8, height: 8, tone: 'against', filled: true },
    { is: 'box', x: 20, y: 0, width: 8, height: 8, tone: 'for', filled: true },
    {
      is: 'line',
      points: [
        [8, 4],
        [20, 4],
      ],
      tone: 'against',
      weight: 3,
      dashed: true,
    },
    word('<b>not</b> encrypted'),
  ],
  legend: [
    {
      sample: [
        {
          is: 'line',
          points: [
            [0, 5],
            [24, 5],
          ],
          tone: 'for',
          weight: 1,
          dashed: false,
        },
      ],
      text: 'Encrypted',
    },
  ],
  table: {
    head: ['Holds data', 'State'],
    rows: [
      ['“/\u202e”', 'Not encrypted'],
      ['“/data”', 'Encrypted'],
    ],
  },
}

const html = renderToStaticMarkup(createElement(FigureView, { figure }))

/** An area is drawn once for its tint or hatching and once for its outline. */
const paints = (marks: readonly FigureMark[]): number =>
  marks.reduce(
    (sum, mark) => (mark.is === 'area' ? sum + Number(mark.fill !== 'none') + Number(mark.outline !== 'none') : sum),
    0,
  )

describe('an area', () => {
  const ring = [
    [0, 0],
    [10, 0],
    [10, 10],
  ] as const
  const area: FigureMark = {
    is: 'area',
    rings: [ring],
    within: [[ring], [ring]],
    tone: 'for',
    fill: 'hatched',
    outline: 'dashed',
  }
  const html = renderToStaticMarkup(createElement(FigureView, { figure: { ...figure, marks: [area, area] } }))
  test('is cut to every one of its outlines, each by a name of its own', () => {
    const ids = [...html.matchAll(/<clipPath id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(html).toContain(`<g clip-path="url(#${id})">`)
  })
  test('is hatched by a pattern, with no style of its own', () => {
    const [, id] = /<pattern id="([^"]+)"/.exec(html) ?? []
    expect(html).toContain(`fill="url(#${id})"`)
    expect(html).toContain('M0 0L10 0L10 10Z')
    expect(html).not.toMatch(/ style=/)
  })
})

describe('a picture in the window', () => {
  test('is one image with a name and a description', () => {
    const [, ids = ''] = /<svg[^>]*role="img" aria-labelledby="([^"]+)"/.exec(html) ?? []
    const [title = '', desc = ''] = ids.split(' ')
    expect(html).toContain(`<title id="${title}">Where data lies</title>`)
    expect(html).toContain(`<desc id="${desc}">Layers as listed. The table below contains the same values.</desc>`)
    expect(html).toMatch(/^<figure class="figure" aria-labelledby="[^"]+-name"><figcaption>/)
  })
  test('draws marks by class, with no style of its own', () => {
    expect(html).toContain(
      '<rect class="figure-box figure-against filled" x="0" y="0" width="8" height="8"></rect><path class="figure-cut"',
    )
    expect(html).toContain('<polyline class="figure-line figure-against weight-3 dashed" points="8,4 20,4"></polyline>')
    expect(html.match(/figure-cut/g)).toHaveLength(1)
    expect(html).not.toMatch(/ style="/)
  })
  test('shows words of a node as text', () => expect(html).toContain('>&lt;b&gt;not&lt;/b&gt; encrypted</text>'))
  test('is scrolled in a region of its own that the keyboard reaches', () =>
    expect(html).toContain('<section class="figure-scroll" aria-label="Figure: Where data lies" tabindex="0">'))
  test('has its key, each with a sample that is only decoration', () =>
    expect(html).toMatch(
      /<li><svg class="figure-sample" viewBox="0 0 24 10" aria-hidden="true"[^>]*>.*<\/svg><span>Encrypted<\/span><\/li>/,
    ))
  test('has a table of the same values, with invisible characters made visible', () => {
    expect(html).toContain('Show as table')
    expect(html).toContain('<th scope="col">Holds data</th><th scope="col">State</th>')
    expect(html).toContain('<th scope="row">“/⟦U+202E⟧”</th><td>Not encrypted</td>')
  })
  test('holds every mark and every row of a real node', () => {
    for (const real of pictured('demo-shared-05').figures) {
      const shown = renderToStaticMarkup(createElement(FigureView, { figure: real }))
      const drawn = [...real.marks, ...real.legend.flatMap(({ sample }) => sample)]
      const plain = drawn.filter(({ is }) => is !== 'area')
      expect(shown.match(/<(rect|polyline|text) /g)).toHaveLength(plain.length)
      expect(shown.match(/<path class="figure-area|<pattern /g) ?? []).toHaveLength(paints(drawn))
      expect(shown.match(/<th scope="row">/g)).toHaveLength(real.table.rows.length)
    }
  })
})
