import { plain } from './plain-text.ts'

/** CommonMark 0.31, backslash escapes: what can begin markup inside a line; GitHub's autolinks, too, which need “://”, “www.” or “@”. */
const MARKUP = /[\\`*_{}[\]<>#|~&@]|(?<=:)\/\/|(?<=www)\./gi

/**
 * Text that may come from a node or a person, as text of a Markdown document: on one line, without invisible characters, and with no effect
 * on what surrounds it. A reader that also takes HTML sees no tag.
 */
export const markdownText = (text: string, max = 2000): string =>
  plain(text.trim(), max).replace(MARKUP, (found) => `\\${found.split('').join('\\')}`)

/** Lines of a program as a block. They are constant text of ours; a fence longer than any in them keeps them together all the same. */
export function codeBlock(lines: readonly string[], language = 'sh'): readonly string[] {
  const longest = Math.max(2, ...[...lines.join('\n').matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, ...lines, fence]
}
