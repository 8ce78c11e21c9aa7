import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DIALECT, TERM_GROUPS, TERMS } from '../schemas/terms.ts'
import { glossaryPage } from './support/glossary.ts'
import { ALLOWED, countHits, type Hit, hitsIn, hitsOf, lintedFiles } from './support/words-lint.ts'

const baseline = JSON.parse(readFileSync(new URL('words-lint.baseline.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, number>
>

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
    const avoided = [...TERMS, ...DIALECT].flatMap(({ avoid }) => avoid)
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

// The counts may only shrink: `npx tsx test/support/write-words.ts` writes them anew once words are replaced.
test('people-facing text uses the settled words, but for a count that only shrinks', () => {
  const files = lintedFiles()
  expect(files.length).toBeGreaterThan(1000)
  const hits = files.flatMap(hitsOf)
  const counts = countHits(hits)
  expect(hits.filter(({ file }) => (counts[file] ?? 0) > (baseline[file] ?? 0)).map(line)).toEqual([])
  const tooHigh = Object.keys(baseline).filter((file) => (counts[file] ?? 0) < (baseline[file] ?? 0))
  expect(tooHigh, 'the baseline is higher than the truth: run npx tsx test/support/write-words.ts').toEqual([])
})
