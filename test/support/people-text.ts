import { parseSync } from 'vite'

/** A piece of text that people can read, and where it begins in its file. */
export interface PeopleText {
  readonly start: number
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Two words in a row, or one that begins like a label; identifiers, paths and enumerated values are neither. */
const isProse = (text: string): boolean =>
  /[\p{L}’]{2,}[\s,.:;“”]+[\p{L}’]{2,}/u.test(text) || /^.?[A-Z][a-z]+.?$/.test(text)

/** Where a string names a module or is a type, so it is no text. */
const NOT_TEXT = new Set(['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'TSLiteralType'])

/**
 * String literals, templates and JSX text of TypeScript. Expressions inside a template are blanked, so that offsets stay those of the file.
 * TypeScript 7 has no parser in its public interface; this is the one that the build uses. Throws where the source does not parse.
 */
function textsOfCode(file: string, source: string): readonly PeopleText[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const found: PeopleText[] = []
  const text = ({ type, start, end, value, expressions }: Node): string | null => {
    const raw = source.slice(start, end)
    if (type === 'JSXText') return /\p{L}/u.test(raw) ? raw : null
    if (type === 'Literal') return typeof value === 'string' && isProse(raw) ? raw : null
    if (type !== 'TemplateLiteral') return null
    const blanked = (expressions as readonly Node[]).reduce(
      (all, one) =>
        all.slice(0, one.start - start) +
        blank(all.slice(one.start - start, one.end - start)) +
        all.slice(one.end - start),
      raw,
    )
    return isProse(blanked) ? blanked : null
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one)
    if (!isNode(value)) return
    const own = text(value)
    if (own !== null) found.push({ start: value.start, text: own })
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' && !(NOT_TEXT.has(value.type) && (name === 'source' || name === 'literal')))
        walk(member)
  }
  walk(program)
  return found
}

/** Values of JSON that hold two words or more; names of members are not text. */
const textsOfJson = (source: string): readonly PeopleText[] =>
  [...source.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)]
    .filter(([, text = '', colon]) => colon === undefined && isProse(text))
    .map(({ index, 0: text }) => ({ start: index, text }))

/** Markdown without code, link targets and tags, at the offsets of the file. */
const textOfMarkdown = (source: string): readonly PeopleText[] => [
  {
    start: 0,
    text: source
      .replaceAll(/^```[\s\S]*?^```/gm, blank)
      .replaceAll(/`[^`\n]*`/g, blank)
      .replaceAll(/\]\([^)\n]*\)/g, blank),
  },
]

const textOfHtml = (source: string): readonly PeopleText[] => [
  { start: 0, text: source.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<!--[\s\S]*?-->|<[^>]*>/g, blank) },
]

/** What people can read in a file, by its ending. */
export function peopleTexts(file: string, source: string): readonly PeopleText[] {
  if (/\.tsx?$/.test(file)) return textsOfCode(file, source)
  if (file.endsWith('.json')) return textsOfJson(source)
  if (file.endsWith('.md')) return textOfMarkdown(source)
  return textOfHtml(source)
}
