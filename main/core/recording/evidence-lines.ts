/** Captures are never longer; only this much of a longer text is searched. */
const LONGEST_TEXT = 1024 * 1024
const MOST_VALUES = 2000
const LONGEST_VALUE = 400
/** Limits on the values examined and on comparisons, so that no answer of a node causes unbounded work. */
const MOST_PARTS = 100_000
const MOST_COMPARISONS = 1_000_000

/**
 * Lines of a text, counted from 0, that contain a value of a parsed fact as a whole word: the lines that a person
 * looks for first in a long answer. Values are strings of 3 or more characters, each of their lines separately, and
 * numbers of 2 or more digits; names of fields do not count. This only guides the eye: no verdict rests on it. Never
 * throws; linear time in the text.
 */
export function markedLines(text: string, fact: unknown): readonly number[] {
  const byWord = keyed(valuesOf(fact))
  if (byWord.size === 0) return []
  const looked = text.slice(0, LONGEST_TEXT)
  const marked: number[] = []
  const word = new RegExp(WORD)
  let comparisons = 0
  let line = 0
  let end = lineEnd(looked, 0)
  for (let match = word.exec(looked); match !== null; match = word.exec(looked)) {
    while (match.index > end) {
      line += 1
      end = lineEnd(looked, end + 1)
    }
    for (const { value, at } of byWord.get(match[0]) ?? []) {
      comparisons += 1
      if (comparisons > MOST_COMPARISONS) return marked
      if (!standsAlone(looked, value, match.index - at)) continue
      marked.push(line)
      word.lastIndex = end + 1
      break
    }
  }
  return marked
}

const WORD = /[A-Za-z0-9_\u0080-\uffff]+/g
const IN_WORD = /[A-Za-z0-9_\u0080-\uffff]/

interface Keyed {
  readonly value: string
  /** Position of the key within the value. */
  readonly at: number
}

/**
 * Indexes values by that one of their words which the fewest values contain, since it distinguishes them best. Values
 * without any word are omitted.
 */
function keyed(values: ReadonlySet<string>): ReadonlyMap<string, readonly Keyed[]> {
  const worded = [...values].map((value) => ({ value, words: [...value.matchAll(WORD)] }))
  const uses = new Map<string, number>()
  for (const { words } of worded) for (const [word] of words) uses.set(word, (uses.get(word) ?? 0) + 1)
  const byWord = new Map<string, Keyed[]>()
  for (const { value, words } of worded) {
    const [rarest] = words.sort(([a], [b]) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0) || b.length - a.length)
    if (rarest === undefined) continue
    const others = byWord.get(rarest[0]) ?? []
    others.push({ value, at: rarest.index })
    byWord.set(rarest[0], others)
  }
  return byWord
}

/** Breadth first, so that values in cycles do not displace finite ones. */
function valuesOf(fact: unknown): ReadonlySet<string> {
  const values = new Set<string>()
  const parts: unknown[] = [fact]
  const add = (inner: Iterable<unknown>): void => {
    for (const part of inner) {
      if (parts.length === MOST_PARTS) return
      parts.push(part)
    }
  }
  for (const part of parts) {
    if (values.size >= MOST_VALUES) break
    if (typeof part === 'string') addLines(values, part)
    else if (typeof part === 'number' || typeof part === 'bigint') addNumber(values, String(part))
    else if (part instanceof Map || part instanceof Set || Array.isArray(part)) add(part.values())
    else if (typeof part === 'object' && part !== null && !ArrayBuffer.isView(part)) add(Object.values(part))
  }
  return values
}

function addLines(values: Set<string>, text: string): void {
  for (const line of text.slice(0, LONGEST_TEXT).split('\n')) {
    if (values.size >= MOST_VALUES) return
    const value = line.trim()
    if (value.length >= 3 && value.length <= LONGEST_VALUE) values.add(value)
  }
}

function addNumber(values: Set<string>, value: string): void {
  if (value.replaceAll(/\D/g, '').length >= 2) values.add(value)
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Letters and digits at the edges of the value must not continue in the text. */
function standsAlone(text: string, value: string, from: number): boolean {
  if (from < 0 || !text.startsWith(value, from)) return false
  const isInWord = (at: number): boolean => IN_WORD.test(text.charAt(at))
  const end = from + value.length
  return !(isInWord(from) && from > 0 && isInWord(from - 1)) && !(isInWord(end - 1) && isInWord(end))
}
