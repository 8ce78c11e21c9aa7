import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { DIALECT, REPLACED_NAMES, TERMS } from '../../schemas/terms.ts'
import { BANNED } from '../../schemas/words.ts'
import { type Hit, RULES, type Rule, wholeWords } from './words-lint.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Name {
  readonly name: string
  readonly start: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

/** Members of types and classes. */
const MEMBERS = new Set(['TSPropertySignature', 'TSMethodSignature', 'PropertyDefinition', 'MethodDefinition'])

const NAME_RULES: readonly Rule[] = [
  ...RULES,
  ...REPLACED_NAMES.map(({ avoid, instead }) => ({ pattern: wholeWords(avoid), instead })),
]

/** The words of a name: `saidOf`, `said-of` and `SAID_OF` are “said of”. */
export const wordsOfName = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[-_.]+/g, ' ')
    .toLowerCase()

/** Names that other files can use: of what a file exports, and of members of types. Throws where the source does not parse. */
export function namesOf(file: string, source: string): readonly Name[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: Name[] = []
  const add = (id: unknown): void => {
    if (!isNode(id)) return
    if (id.type === 'Identifier') found.push({ name: String(id.name), start: id.start })
    if (id.type === 'ObjectPattern') for (const one of id.properties as readonly Node[]) add(one.value)
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one)
    if (!isNode(value)) return
    if (MEMBERS.has(value.type) && value.computed !== true) add(value.key)
    if (value.type === 'ExportNamedDeclaration' && isNode(value.declaration)) {
      const { declaration } = value
      add(declaration.id)
      for (const one of (declaration.declarations ?? []) as readonly Node[]) add(one.id)
    }
    for (const member of Object.values(value)) if (typeof member === 'object') walk(member)
  }
  walk(program)
  return found
}

const ANY_NAME = wholeWords([...TERMS, ...DIALECT, ...REPLACED_NAMES].flatMap(({ avoid }) => avoid))

/** Most names use none of the words: all of them are looked for at once before each is. */
const isSuspect = (words: string): boolean =>
  words.search(ANY_NAME) >= 0 || BANNED.some(({ source }) => new RegExp(source, 'i').test(words))

const hitsInName = (file: string, line: number, name: string): readonly Hit[] =>
  (isSuspect(wordsOfName(name)) ? NAME_RULES : []).flatMap(({ pattern, instead }) =>
    [...wordsOfName(name).matchAll(pattern)].map(([word]) => ({ file, line, word: `${name}: ${word}`, instead })),
  )

/** Names in a source that use a replaced word, with their lines. */
export const nameHitsIn = (file: string, source: string): readonly Hit[] =>
  namesOf(file, source).flatMap(({ name, start }) => hitsInName(file, source.slice(0, start).split('\n').length, name))

/** Files and folders of code, with a slash behind the name of a folder. */
export const namedPlaces = (): readonly string[] =>
  ['main', 'renderer', 'schemas'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory() || /\.tsx?$/.test(entry.name))
      .map((entry) => `${relative(root, join(entry.parentPath, entry.name))}${entry.isDirectory() ? '/' : ''}`)
      .sort(),
  )

/** The last part of a path, if it uses a replaced word. */
export const placeHits = (path: string): readonly Hit[] =>
  hitsInName(
    path,
    0,
    path
      .replace(/\/$/, '')
      .replace(/^.*\//, '')
      .replace(/\.tsx?$/, ''),
  )

/** All names in a file or of a folder that use a replaced word. */
export const nameHitsOf = (path: string): readonly Hit[] => [
  ...placeHits(path),
  ...(path.endsWith('/') ? [] : nameHitsIn(path, readFileSync(join(root, path), 'utf8'))),
]
