import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DIALECT, REPLACED_NAMES, TERM_GROUPS, TERMS } from '../schemas/terms.ts'
import { glossaryPage } from './support/glossary.ts'
import { namedPlaces, nameHitsIn, nameHitsOf, placeHits, wordsOfName } from './support/names-lint.ts'
import { ALLOWED, countHits, type Hit, hitsIn, hitsOf, lintedFiles } from './support/words-lint.ts'

type Counts = Readonly<Record<string, number>>
const baselineIn = (name: string): Counts => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Counts

/** Counts may only shrink: `npx tsx test/support/write-words.ts` writes them anew once words are replaced. */
function expectNoMore(hits: readonly Hit[], baseline: Counts): void {
  const counts = countHits(hits)
  expect(hits.filter(({ file }) => (counts[file] ?? 0) > (baseline[file] ?? 0)).map(line)).toEqual([])
  const tooHigh = Object.keys(baseline).filter((file) => (counts[file] ?? 0) < (baseline[file] ?? 0))
  expect(tooHigh, 'the baseline is higher than the truth: run npx tsx test/support/write-words.ts').toEqual([])
}

const line = ({ file, line: at, word, instead }: Hit): string => `${file}:${at}: “${word}”. ${instead}`

describe('the vocabulary', () => {
  test('each term has one definition and a source', () => {
    expect(new Set(TERMS.map(({ term }) => term)).size).toBe(TERMS.length)
    expect(new Set(TERMS.map(({ group }) => group))).toEqual(new Set(TERM_GROUPS))
    for (const { term, definition, source } of TERMS) {
      expect(definition, term).toMatch(/^[A-Z].*\.$/)
      expect(source, term).not.toBe('')
    }
  })

  test('no word is both a term and a word to avoid, and none is listed twice', () => {
    const avoided = [...TERMS, ...DIALECT, ...REPLACED_NAMES].flatMap(({ avoid }) => avoid)
    expect(avoided.filter((word, at) => avoided.indexOf(word) !== at)).toEqual([])
    expect(avoided.filter((word) => TERMS.some(({ term }) => term === word))).toEqual([])
    expect(avoided.filter((word) => word !== word.toLowerCase())).toEqual([])
  })

  test('docs/glossary.md is up to date (npx tsx test/support/write-words.ts)', () => {
    expect(readFileSync(new URL('../docs/glossary.md', import.meta.url), 'utf8')).toBe(glossaryPage())
  })
})

describe('the lint finds words in', () => {
  test.each([
    ['a string', 'a.ts', "const a = 1\nexport const b = 'Nobody has approved this.'", 2, 'Nobody'],
    ['a template', 'a.ts', 'export const b = (n: number) => `$' + '{n} nodes\n  are told of it`', 2, 'told'],
    ['a phrase around a line break', 'docs/a.md', 'The register speaks\nfor the node.', 1, 'speaks\nfor'],
    ['JSX', 'a.tsx', 'export const A = () => <p>\n  Whoever seals it\n</p>', 2, 'Whoever'],
    ['a label of one word', 'a.ts', "export const label = 'Exceptions'", 1, 'Exceptions'],
    ['JSON', 'a.json', '{\n  "title": "What was promised here"\n}', 2, 'promised'],
    ['HTML', 'a.html', '<p title="told">\nSomebody asks</p>', 2, 'Somebody'],
    ['an over-claim', 'docs/a.md', '# Nodes\n\nEach node is compliant.', 3, 'compliant'],
  ])('%s', (_, file, source, at, word) => {
    const found = hitsIn(file, source)
    expect(found.map((hit) => [hit.line, hit.word])).toContainEqual([at, word])
  })

  test.each([
    ['comments', 'a.ts', '// nobody is told\nexport const a = 1 /* stands in a list */'],
    ['identifiers and imports', 'a.ts', "import { said } from './said and told.ts'\nexport const exceptions = said"],
    ['values', 'a.ts', "export const a = ['except', 'stands', 'in-force']"],
    ['code in Markdown', 'docs/a.md', 'Run `said told` or:\n\n```sh\nnobody said so\n```\n'],
    ['names of members', 'a.json', '{ "said and told": 1 }'],
    ['longer words', 'docs/a.md', 'Sayings, outstanding documents, and the bringing of essays.'],
  ])('and not in %s', (_, file, source) => {
    expect(hitsIn(file, source)).toEqual([])
  })

  test('every allowed place gives a reason', () => {
    for (const { file, reason } of ALLOWED) {
      expect(reason).toMatch(/\.$/)
      expect(
        lintedFiles().some((path) => path.startsWith(file)),
        file,
      ).toBe(true)
    }
  })
})

test('people-facing text uses the settled words, but for a count that only shrinks', () => {
  const files = lintedFiles()
  expect(files.length).toBeGreaterThan(1000)
  expectNoMore(files.flatMap(hitsOf), baselineIn('words-lint.baseline.json'))
})

describe('the lint of names finds words in', () => {
  test.each([
    ['an exported function', 'export function saidOf() {}', 'saidOf: said'],
    ['an exported constant', 'const a = 1\nexport const TOLD_PROBLEM = a', 'TOLD_PROBLEM: told'],
    ['an exported type', 'export type RiskException = string', 'RiskException: exception'],
    ['a member of a type', 'interface A { readonly nodesLeftOut: number }', 'nodesLeftOut: left out'],
    ['a method of a class', 'class A { judge() {} }', 'judge: judge'],
    ['a phrase', 'export interface ChainHead { id: string }', 'ChainHead: chain head'],
  ])('%s', (_, source, word) => {
    expect(nameHitsIn('a.ts', source).map((hit) => hit.word)).toEqual([word])
  })
  test.each([
    ['main/app/withheld-parts.ts', 'withheld-parts: withheld'],
    ['main/catalog/locality/', 'locality: locality'],
  ])('the name of %s', (path, word) => {
    expect(placeHits(path).map((hit) => hit.word)).toEqual([word])
  })
  test.each([
    ['names of one function', 'function a(said: string) { const told = said; return told }'],
    ['texts and comments', "// said\nexport const text = 'said and told'"],
    ['longer words', 'export const essay = 1, outstanding = 2, exceptionally = 3'],
  ])('and not in %s', (_, source) => {
    expect(nameHitsIn('a.ts', source)).toEqual([])
  })
  test('names are split into words', () => {
    expect(['readTLSListeners', 'tls-listeners', 'TLS_LISTENERS', 'TracedNode2'].map(wordsOfName)).toEqual([
      'read tls listeners',
      'tls listeners',
      'tls listeners',
      'traced node2',
    ])
  })
})

test('names in code use the settled words, but for a count that only shrinks', () => {
  const places = namedPlaces()
  expect(places.length).toBeGreaterThan(1000)
  expectNoMore(places.flatMap(nameHitsOf), baselineIn('names-lint.baseline.json'))
})
