/** Kind of a masked secret, as its marker states it. */
export type RedactionClass =
  | 'account-comment'
  | 'cloud-key'
  | 'command-arguments'
  | 'dm-key'
  | 'key-option'
  | 'password'
  | 'password-hash'
  | 'private-key'
  | 'server-setting'
  | 'token'
  | 'url-credentials'
  | 'wireguard-key'
/** Counts a secret of this length and returns its marker. */
export type Mark = (kind: RedactionClass, length: number) => string

/** A pattern of secrets. Its first group is kept before the marker and its second one after it; the rest of the match is the secret. */
export interface Rule {
  readonly class: RedactionClass
  /** Every match contains one of these literals, without regard to case: the rule runs only on texts with one. */
  readonly needs: readonly string[]
  readonly pattern: RegExp
  /**
   * For values of unlimited length, by the text before the value: a sticky pattern of the continuation after the match, applied repeatedly.
   * The pattern of the rule then ends with the value. A repetition takes memory for each iteration, and the engine has some megabytes of it.
   */
  readonly rest?: (head: string) => RegExp
}

/** Maximum iterations of one repetition. */
export const MANY = '{1,4096}'
export const ESCAPED = new RegExp(`(?:[^"\\\\\\n]|\\\\[^\\n])${MANY}`, 'y')
/** A backslash and the character after it, if any, are one piece. */
export const DOUBLE_QUOTED = String.raw`(?:[^"\\\n]|\\[^\n]|\\(?![^\n]))`
export const QUOTED = new RegExp(`${DOUBLE_QUOTED}${MANY}`, 'y')
export const UP_TO_LINE_END = new RegExp(`[^\\n]${MANY}`, 'y')
export const UP_TO_BLANK = new RegExp(`[^\\s]${MANY}`, 'y')
export const UP_TO_SPACE = new RegExp(`[^\\s"',;]${MANY}`, 'y')
export const TOKEN = new RegExp(`[A-Za-z0-9_-]${MANY}`, 'y')

/** Pieces of a quoted value: behind an escaped quotation mark, as in a text inside another, a double one, `$'` and a single one. */
const QUOTED_VALUES: readonly (readonly [begin: string, piece: string])[] = [
  [String.raw`(?<=\\")`, String.raw`[^"\\\n]`],
  [String.raw`(?<=\\')`, String.raw`[^'\\\n]`],
  [String.raw`(?<=(?<!\\)")`, DOUBLE_QUOTED],
  [String.raw`(?<=\$')`, String.raw`(?:[^'\\\n]|\\[^\n]|\\(?![^\n]))`],
  [String.raw`(?<=(?<![\\$])')`, String.raw`[^'\n]`],
]
/** Pieces of an unquoted value: a blank behind a backslash belongs to it, and so does a quotation mark inside a word, as in it's. */
const BARE = String.raw`(?:\\ |[^\s"',;]|["'](?=\w))`
/** Pieces of an unquoted value of an environment variable: commas and semicolons belong to it, unless a further variable or statement follows. */
const BARE_OF_VARIABLE = String.raw`(?:${BARE}|[,;](?=[^\s"',;=])(?!(?:[A-Za-z_][\w.-]{0,40}=|(?:readonly|export|typeset|declare|unset)\s)))`
const NOT_QUOTED = String.raw`(?<!["'])(?![\\$]{0,3}["'])`

const withPieces = (least: number, bare: string): string =>
  `(?:${[...QUOTED_VALUES, [NOT_QUOTED, bare]].map(([begin, piece]) => `${begin}${piece}{${least},4096}`).join('|')})`
/** A value with or without quotation marks before it, of at least `least` pieces. */
export const anyValue = (least: number): string => withPieces(least, BARE)
export const VARIABLE_VALUE = withPieces(1, BARE_OF_VARIABLE)

const AFTER_QUOTE = QUOTED_VALUES.map(
  ([begin, piece]) => [new RegExp(`${begin}$`), new RegExp(`${piece}${MANY}`, 'y')] as const,
)
const restOf = (bare: string): ((head: string) => RegExp) => {
  const afterNone = new RegExp(`${bare}${MANY}`, 'y')
  return (head) => AFTER_QUOTE.find(([begin]) => begin.test(head))?.[1] ?? afterNone
}
export const ofAssignment = restOf(BARE)
export const ofVariable = restOf(BARE_OF_VARIABLE)

/** A value that an earlier pass has replaced is not replaced again. */
export const NEW = '(?![\\s=]{0,20}\\[redacted:)'
