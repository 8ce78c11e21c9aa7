import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DIALECT, TERMS } from '../../schemas/terms.ts'
import { BANNED } from '../../schemas/words.ts'
import { peopleTexts } from './people-text.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A word that people-facing text must not use, and what to write instead. */
export interface Rule {
  readonly pattern: RegExp
  readonly instead: string
}

export interface Hit {
  readonly file: string
  readonly line: number
  readonly word: string
  readonly instead: string
}

/** A place where a word may be, and why. `file` is a path or the beginning of one; `words` are matched against the text around it. */
interface Allowed {
  readonly file: string
  readonly words: RegExp
  readonly reason: string
}

export const ALLOWED: readonly Allowed[] = [
  {
    file: 'docs/auditor-guide.md',
    words: /what a SOC 2 report calls an exception/,
    reason: 'States the SOC 2 term once, so that auditors can relate it to ours.',
  },
  {
    file: 'main/present/html/page.ts',
    words: /[:( ]100%/,
    reason: 'Lengths of a style sheet, not text.',
  },
  {
    file: 'main/core/pack/verify-text.ts',
    words: /\bsay(?:\(\)| ["'“$])|\.\.\/said\b/,
    reason: 'A function and a scratch file of the shell script, not text.',
  },
  {
    file: 'main/catalog/definition/frameworks/nprm.json',
    words: /\bexceptions?\b/i,
    reason: 'The proposed rule calls them exceptions (proposed 45 CFR 164.312(b)(3)).',
  },
  {
    file: 'main/catalog/',
    words: /documented exception\b/,
    reason: 'Why a check is mapped to a specification of the proposed rule, which calls them exceptions.',
  },
  {
    file: 'main/catalog/definition/frameworks/nprm.json',
    words: /"Compliance audit"|compliance 180 days/,
    reason: 'Title of a proposed specification, and the compliance date of the proposal.',
  },
  {
    file: 'main/catalog/definition/frameworks/related.json',
    words: /Allow by Exception/,
    reason: 'Title of NIST SP 800-53 SC-7(5).',
  },
  {
    file: 'main/catalog/definition/frameworks/hipaa.json',
    words: /not proof of Security Rule compliance/,
    reason: 'States what the evidence does not show.',
  },
  {
    file: 'main/adapters/seal/pdf/first.ts',
    words: /that certifies it/,
    reason: 'A certification signature, as ISO 32000-2 names it.',
  },
]

/** Whole words, in any case. A space matches any white space, since texts are broken over lines. */
export const wholeWords = (phrases: readonly string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_-])(?:${phrases.map((phrase) => phrase.replaceAll(' ', '\\s+')).join('|')})(?![\\p{L}\\p{N}_-])`,
    'giu',
  )

export const RULES: readonly Rule[] = [
  ...TERMS.filter(({ avoid }) => avoid.length > 0).map(({ term, avoid }) => ({
    pattern: wholeWords(avoid),
    instead: `The term is “${term}”.`,
  })),
  ...DIALECT.map(({ avoid, instead }) => ({ pattern: wholeWords(avoid), instead })),
  ...BANNED.map(({ source }) => ({
    pattern: new RegExp(source, 'gi'),
    instead: 'Observed, supports, shows: no over-claims.',
  })),
]

const ANY = wholeWords([...TERMS, ...DIALECT].flatMap(({ avoid }) => avoid))
const NAMES = /^schemas\/(?:.*words|verification)\.ts$/

/** Files with text that people read. Kept rules are built code; schemas/terms.ts lists the words themselves. */
export function lintedFiles(): readonly string[] {
  const below = (folder: string, wanted: RegExp): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => wanted.test(path))
  return [
    'README.md',
    ...below('docs', /\.md$/),
    ...below('main', /\.ts$/),
    ...below('main/catalog', /\.json$/),
    ...below('renderer', /\.(tsx?|html)$/),
    ...below('schemas', NAMES),
  ].sort()
}

/** Parsing takes most of the time, so a file is parsed only where a word is in it outside lines of comments. */
function isCandidate(source: string): boolean {
  const code = source.replaceAll(/^ *(?:\/\*\*| \*|\/\/).*$/gm, '')
  return code.search(ANY) >= 0 || BANNED.some((banned) => banned.test(code))
}

/** Every word of a text that breaks a rule, with its line. */
export function hitsIn(file: string, source: string): readonly Hit[] {
  if (!isCandidate(source)) return []
  const hits: Hit[] = []
  for (const { start, text } of peopleTexts(file, source))
    for (const { pattern, instead } of RULES)
      for (const match of text.matchAll(pattern)) {
        const at = start + match.index
        const around = source.slice(Math.max(0, at - 40), at + 80)
        if (ALLOWED.some((one) => file.startsWith(one.file) && one.words.test(around))) continue
        hits.push({ file, line: source.slice(0, at).split('\n').length, word: match[0], instead })
      }
  return hits
}

export const hitsOf = (file: string): readonly Hit[] => hitsIn(file, readFileSync(join(root, file), 'utf8'))

/** Hits by file, of files that have any, in the order of their names. */
export function countHits(hits: readonly Hit[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { file } of hits) counts.set(file, (counts.get(file) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
