// C0 and C1 controls, bidirectional controls (UAX #9), zero-width and other invisible format characters, and lone
// surrogates.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu

/**
 * Makes text from a node displayable: invisible and direction-changing characters become `\u{hex}`, and the text is
 * cut to `max` characters.
 */
export function plain(text: string, max = 200): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text
  return cut.replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Text that a person typed, as one displayable line. */
export const oneLine = (text: string, max = 2000): string => plain(text.trim().replace(/\s+/g, ' '), max)

/**
 * Text that a person typed, displayable, with its line breaks. Every kind of line end becomes one line feed; a tab
 * becomes a space.
 */
export function plainLines(text: string, max: number): string {
  const typed = text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .trim()
  const cut = typed.length > max ? `${typed.slice(0, max)}…` : typed
  return cut
    .split('\n')
    .map((line) => plain(line, line.length))
    .join('\n')
}

/** Text of a node within one of our sentences, marked as a quotation. */
export const quote = (text: string, max = 120): string => `“${plain(text.trim(), max)}”`

/** Decodes UTF-8, keeping a byte order mark; null where the bytes are invalid. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * CommonMark 0.31, backslash escapes: characters that can begin markup inside a line, and those of GitHub’s
 * autolinks, which need “://”, “www.” or “@”.
 */
const MARKUP = /[\\`*_{}[\]<>#|~&@]|(?<=:)\/\/|(?<=www)\./gi

/**
 * Text that may come from a node or a person, for a Markdown document: one line, without invisible characters, and
 * without effect on its surroundings. A renderer that also accepts HTML sees no tag.
 */
export const markdownText = (text: string, max = 2000): string =>
  plain(text.trim(), max).replace(MARKUP, (found) => `\\${found.split('').join('\\')}`)

/**
 * Lines of a program as a code block. They are constant text of ours; the fence is longer than any in them
 * regardless.
 */
export function codeBlock(lines: readonly string[], language = 'sh'): readonly string[] {
  const longest = Math.max(2, ...[...lines.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}

/** “3 of 12”. */
export const of = (part: number, whole: number): string => `${part} of ${whole}`
/** “3 of 12 nodes”, “1 of 1 node”: the noun agrees with the whole. */
export const outOf = (part: number, whole: number, one: string): string =>
  `${of(part, whole)} ${whole === 1 ? one : `${one}s`}`

/** A number with its noun in singular or plural. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A list of names, truncated so that it remains readable for hundreds. */
export function names(all: readonly string[], most = 12): string {
  const shown = all.slice(0, most).map((name) => plain(name, 80))
  const more = all.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
