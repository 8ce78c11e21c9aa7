import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { capturedTexts, MOST_OF_CAPTURE, MOST_OF_NODE } from '../main/present/html/captured.ts'
import { firstDifference } from '../main/present/html/evidence.ts'
import { htmlText, idOf } from '../main/present/html/marks.ts'
import { htmlBytes, htmlPieces } from '../main/present/html/page.ts'
import { controlAnchor } from '../main/present/report/findings.ts'
import { matterOf, type ReportInput } from '../main/present/report.ts'
import { htmlSample, largeHtmlSample } from './support/report/html-sample.ts'

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</pre></details><h1>',
  '<!-- -->',
  '&lt;b&gt; &amp; &#60;',
  'left \u202e right \u0000 \ufeff',
  ']]> {{}} `x`',
]

const written = (input: ReportInput): string => [...htmlPieces(input)].join('')
const all = (html: string, pattern: RegExp): readonly string[] =>
  [...html.matchAll(pattern)].map(([, found = '']) => found)
const idsOf = (html: string): readonly string[] => all(html, /\sid="([^"]*)"/g)
const decoded = (text: string): string =>
  text
    .replace(/&#39;/g, "'")
    .replace(/&#96;/g, '`')
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')

/** The tags of a document in order, without anything that text or a name could change. */
const tagsOf = (html: string): readonly string[] => all(html, /<(\/?[a-z][a-z0-9]*)/gi)

describe('text in the HTML report', () => {
  it('has no character with a meaning in HTML, and none that is invisible, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const html = htmlText(text)
        expect(html).not.toMatch(/[<>"'`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
        expect(html.replace(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toContain('&')
      }),
    )
  })

  it('reads as it was where every character is visible', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(decoded(htmlText(text))).toBe(text)
      }),
    )
  })

  it('gives two anchors two ids, each fit for an address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(idOf(one)).toMatch(/^[A-Za-z0-9.:_-]*$/)
        expect(idOf(one) === idOf(other)).toBe(one === other)
      }),
    )
  })

  it('from a node changes no tag', () => {
    const text = HOSTILE.join(' ')
    const renamed = (to: string): string => {
      const input = htmlSample()
      const from = input.assessment.nodes[0]?.node ?? ''
      // Every string of the sealed data that can come from a node or a person.
      const swap = <T>(value: T): T =>
        JSON.parse(
          JSON.stringify(value, (key, one: unknown) =>
            one === from || (key === 'text' && typeof one === 'string') || key === 'entity' || key === 'reason'
              ? to
              : one,
          ),
        )
      return written({
        ...input,
        assessment: swap(input.assessment),
        recordings: swap(input.recordings),
        register: swap(input.register),
        captured: new Map([
          [to, new Map([...(input.captured?.get(from) ?? [])].map(([digest]) => [digest, { text: to, printed: 1 }]))],
        ]),
      })
    }
    const [hostile, harmless] = [renamed(text), renamed('harmless')]
    expect(tagsOf(hostile)).toEqual(tagsOf(harmless))
    expect(hostile).not.toContain('\u202e')
    expect(all(hostile, /<(script)\b/g)).toHaveLength(1)
  })
})

describe('the HTML report', () => {
  const input = htmlSample()
  let html: string
  beforeAll(() => {
    html = written(input)
  })

  it('is the same bytes for the same input', () => {
    expect(sha256(htmlBytes(htmlSample()))).toBe(sha256(html))
  })

  it('has every id once, and everything that it refers to', () => {
    const ids = idsOf(html)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    const known = new Set(ids)
    const referred = [
      ...all(html, /href="#([^"]*)"/g),
      ...all(html, /url\(#([^)]*)\)/g),
      ...all(html, /aria-labelledby="([^"]*)"/g),
    ]
    expect(referred.length).toBeGreaterThan(1000)
    expect([...new Set(referred)].filter((id) => !known.has(id))).toEqual([])
  })

  it('has an anchor for every finding, control in scope, node, check and capture', () => {
    const { shown, assessment, catalog, recordings } = matterOf(input)
    const ids = new Set(idsOf(html))
    const wanted = [
      ...[...shown.findings, ...shown.informational].map(({ reference }) => reference),
      ...assessment.controls.filter(({ state }) => state !== 'out-of-scope').map((one) => idOf(controlAnchor(one))),
      ...assessment.nodes.map(({ node }) => idOf(`node-${node}`)),
      ...catalog.checks.map(({ id }) => idOf(`check-${id}`)),
    ]
    expect(shown.findings.length).toBeGreaterThan(20)
    expect(wanted.filter((id) => !ids.has(id))).toEqual([])
    for (const { captures } of recordings)
      for (const { meta } of captures) expect(html).toContain(`sha256/${meta.stdout.sha256}`)
  })

  it('leads from each finding to its controls, and from each test of a control to its finding', () => {
    const { shown } = matterOf(input)
    for (const { reference, controls } of shown.findings) {
      const article = html.slice(
        html.indexOf(`id="${reference}"`),
        html.indexOf('</article>', html.indexOf(`id="${reference}"`)),
      )
      for (const one of controls) {
        const id = idOf(controlAnchor(one))
        expect(article).toContain(`href="#${id}"`)
        const control = html.slice(html.indexOf(`id="${id}"`), html.indexOf('</article>', html.indexOf(`id="${id}"`)))
        expect(control).toContain(`href="#${reference}"`)
      }
    }
  })

  it('loads nothing, and its policy allows its own style and script alone', () => {
    expect(all(html, /\s(on[a-z]+|style|src|srcset|action|ping)=/g)).toEqual([])
    expect(all(html, /\shref="([^#][^"]*)"/g)).toEqual([])
    expect(html).not.toMatch(/@import|url\((?!#)/)
    const [style = ''] = all(html, /<style>([\s\S]*?)<\/style>/g)
    const [script = ''] = all(html, /<script>([\s\S]*?)<\/script>/g)
    const source = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    expect(all(html, /Content-Security-Policy" content="([^"]*)"/g)).toEqual([
      `default-src 'none'; style-src ${source(style)}; script-src ${source(script)}; img-src data:; base-uri 'none'; form-action 'none'`,
    ])
  })

  it('prints the text of cited captures, and states where one is cut or is not text', () => {
    expect(html).toMatch(/Truncated at \d+ of \d+ bytes/)
    const [node = '', texts] = [...(input.captured ?? [])][0] ?? []
    const short = [...(texts ?? [])].find(([, { text }]) => text !== null && /^[a-z0-9 ]{12,}\n$/.test(text))
    expect(short, node).toBeDefined()
    expect(html).toContain(`<pre><code>${htmlText(short?.[1].text ?? '')}</code></pre>`)
  })

  it('has headings in order, one h1, and marks with words', () => {
    const levels = all(html, /<h([1-6])\b/g).map(Number)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.filter((level, at) => at > 0 && level > (levels[at - 1] ?? 0) + 1)).toEqual([])
    for (const mark of all(html, /(<svg class="mark [^>]*>)/g))
      expect(mark).toMatch(/aria-hidden="true"|aria-label="[^"]+"/)
  })
})

describe('the HTML report of a large fleet', () => {
  const SIZE = 60
  it('has every node, its links lead somewhere, and captures are named by digest only', () => {
    const html = written(largeHtmlSample(SIZE))
    expect(all(html, /<(article) class="node"/g)).toHaveLength(SIZE)
    const ids = new Set(idsOf(html))
    expect(ids.size).toBe(idsOf(html).length)
    expect(all(html, /href="#([^"]*)"/g).filter((id) => !ids.has(id))).toEqual([])
    expect(all(html, /<(details) class="capture"/g)).toEqual([])
    expect(html).toMatch(/assessment\.json<\/code>, SHA-256 <code>[0-9a-f]{64}/)
  })
})

describe('the text of captures', () => {
  const recorded = (...outputs: readonly Uint8Array[]) => ({
    captures: outputs.map(
      (stdout) => ({ meta: { stdout: { sha256: sha256(stdout), size: stdout.length } }, stdout }) as never,
    ),
  })
  const text = (length: number, letter = 'ä'): Uint8Array => new TextEncoder().encode(letter.repeat(length))

  it('is cut after a whole character', () => {
    const long = new Uint8Array([0x61, ...text(MOST_OF_CAPTURE)])
    const found = capturedTexts(recorded(long)).get(sha256(long))
    expect(found?.printed).toBe(MOST_OF_CAPTURE - 1)
    expect(found?.text).not.toContain('\ufffd')
  })

  it('is null for other bytes, and is the same in any order of captures', () => {
    const [binary, short] = [new Uint8Array([0xff, 0xfe, 0x00]), text(3)]
    expect(capturedTexts(recorded(binary)).get(sha256(binary))?.text).toBeNull()
    expect([...capturedTexts(recorded(binary, short))]).toEqual([...capturedTexts(recorded(short, binary))])
  })

  it('is bounded for a node', () => {
    const many = Array.from({ length: 300 }, (_, at) => text(1000 + at, 'a'))
    const printed = [...capturedTexts(recorded(...many)).values()].reduce((sum, one) => sum + one.printed, 0)
    expect(printed).toBeLessThanOrEqual(MOST_OF_NODE)
    expect(printed).toBeGreaterThan(MOST_OF_NODE / 2)
  })
})

describe('a sealed HTML report against the one that the evidence gives', () => {
  const pieces = ['<p>Tests of 6', ' nodes</p>', '<p class="a">ü and more</p>']
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const sealed = pieces.join('')

  it('is the same', () => {
    expect(firstDifference(bytes(sealed), pieces)).toBeNull()
  })

  test.each([
    ['a number', sealed.replace('6', '8'), '“Tests of 8 nodes”', '“Tests of 6 nodes”'],
    [
      'a longer statement',
      sealed.replace('nodes', 'nodes, all of them'),
      '“Tests of 6 nodes, all of them”',
      '“Tests of 6 nodes”',
    ],
    ['a letter of two bytes', sealed.replace('ü', 'ö'), 'and more”', '“ü and more”'],
    ['an attribute', sealed.replace('"a"', '"b"'), '“<p class="b">”', '“<p class="a">”'],
    ['an end that was cut off', sealed.slice(0, -9), '', '“ü and more”'],
  ])('differs in %s', (_, changed, reads, gives) => {
    const found = firstDifference(bytes(changed), pieces) ?? ''
    expect(found).toContain(reads)
    expect(found).toContain(gives)
  })

  it('continues where the evidence gives no more', () => {
    expect(firstDifference(bytes(`${sealed}<p>more</p>`), pieces)).not.toBeNull()
    expect(firstDifference(new Uint8Array(), pieces)).not.toBeNull()
  })
})
