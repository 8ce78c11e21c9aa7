/** An assignment to TMOUT in a file that shells read, or an unset that takes one back. */
export interface IdleLimit {
  readonly path: string
  /** In seconds: 0 where it is switched off, null where it is no plain number. */
  readonly seconds: number | null
  /** It holds under a condition that was not read, or that is about other things than the session being at a terminal. */
  readonly conditional: boolean
}

interface FileLine {
  readonly path: string
  readonly line: string
}

/** A longer line is cut: what is behind is no setting that a person wrote. */
const LONGEST = 2000

/** What the lines with TMOUT set, in the order in which they are read. */
export function idleLimits(found: readonly FileLine[]): {
  readonly shell: readonly IdleLimit[]
  readonly readOnly: boolean
} {
  const guarded = new Set<string>()
  const statements = found.flatMap(({ path, line }) => {
    const code = line.slice(0, LONGEST).replace(/(?<=\s)#.*/, '')
    const read = statementsOf(code, guarded.has(path))
    if (OPENS.test(code)) guarded.add(path)
    return read.map((statement) => ({ path, ...statement }))
  })
  const readOnly = statements.some(({ kind, conditional }) => kind === 'read-only' && !conditional)
  const last = statements.findLastIndex(({ kind }) => kind !== 'read-only')
  return {
    shell: statements.flatMap(({ path, kind, seconds, conditional }, at) =>
      kind === 'set' || (kind === 'unset' && at === last && !readOnly) ? [{ path, seconds, conditional }] : [],
    ),
    readOnly,
  }
}

interface Statement {
  readonly kind: 'set' | 'unset' | 'read-only'
  readonly seconds: number | null
  readonly conditional: boolean
}

/** The word that a command begins with, after what may stand before it (bash(1), SHELL GRAMMAR). */
const COMMAND =
  /(?:^|[;&|(){}]|\b(?:then|do|else|builtin|command)\b)\s*(?:readonly(?!\s+-p)|(?:declare|typeset)(?:\s+-[a-zA-Z]+)*\s+-[a-zA-Z]*r[a-zA-Z]*)(?:\s+-[a-zA-Z]+)*\s+(?:[^;&|]*\s)?TMOUT\b/g

function statementsOf(line: string, isGuarded: boolean): readonly Statement[] {
  const at = (index: number | undefined): boolean => isConditional(line.slice(0, index ?? 0), isGuarded)
  return [
    ...[...line.matchAll(/\bTMOUT=["']?([^\s;"'&|]*)/g)].map(
      ({ index, 1: value = '' }): Statement => ({
        kind: 'set',
        // An empty value switches the limit off (bash(1), TMOUT).
        seconds: value === '' ? 0 : plainNumber(value),
        conditional: at(index),
      }),
    ),
    ...[...line.matchAll(/\bunset\s+(?:-v\s+)?TMOUT\b/g)].map(
      ({ index }): Statement => ({ kind: 'unset', seconds: 0, conditional: at(index) }),
    ),
    ...[...line.matchAll(COMMAND)].map(
      ({ index, 0: text }): Statement => ({
        kind: 'read-only',
        seconds: null,
        conditional: at(index + (/^\s*[;&|(){}]?\s*(?:then|do|else)?/.exec(text)?.[0].length ?? 0)),
      }),
    ),
  ]
}

const plainNumber = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)

/** A block that is about TMOUT itself: what it encloses sets a limit where there is none yet. */
const OPENS = /^if\b.*\bTMOUT\b/

const KEYWORD = /&&|\|\||\)|\b(if|elif|else|case|while|until|for|then)\b/

/**
 * Whether what is before a statement makes it hold for some sessions only. A line that begins with blanks is in a block that begins on a
 * line without TMOUT, which was not read. Conditions on the prompt, the terminal or TMOUT itself hold in every session that it is for.
 */
function isConditional(before: string, isGuarded: boolean): boolean {
  if (/^\s*\(?["']?\*i\*["']?\)/.test(before)) return false
  if (/^\s/.test(before)) return !isGuarded
  const names = [...before.matchAll(/`|\$[({]?[\w-]*/g)].map(([name]) => name.replace('{', ''))
  const isOfSession =
    names.length > 0
      ? names.every((name) => /^\$(TMOUT|PS1|-|BASH(_VERSION)?)$/.test(name))
      : /\[ -t [012] \]|\btty -s\b/.test(before)
  return /^else\b/.test(before) || (KEYWORD.test(before) && !isOfSession)
}
