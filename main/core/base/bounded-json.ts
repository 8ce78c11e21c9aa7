import { DEEPEST_JSON, LARGEST_JSON, MOST_VALUES } from './budgets.ts'

const [QUOTE, ESCAPE, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Whether a JSON text is within the limits on size, nesting depth and number of values. The text is only scanned, so
 * that the parser never receives more; invalid JSON is left to the parser to reject.
 */
export function isWithinBudget(text: string): boolean {
  if (text.length > LARGEST_JSON) return false
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      at = endOfString(text, at + 1)
      if (at === -1) return true
    } else if (char === COMMA) values += 1
    else if (char === LIST || char === OBJECT) {
      depth += 1
      values += 1
    } else if (char === LIST_END || char === OBJECT_END) depth -= 1
    if (depth > DEEPEST_JSON || values > MOST_VALUES) return false
  }
  return true
}

/** Position of the closing quote of the string that began before `from`; -1 where it is missing. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return -1
}

/** Whether an object in a valid JSON text has a member twice: two readers can then see different values. */
export function hasRepeatedMember(text: string): boolean {
  // For each open object the names so far; null for a list.
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at + 1)
      if (end === -1) return false
      const names = isName(text, end + 1) ? open.at(-1) : null
      if (names != null) {
        const name = text.slice(at, end + 1)
        const read = name.includes('\\') ? String(jsonOrNull(name)) : name.slice(1, -1)
        if (names.has(read)) return true
        names.add(read)
      }
      at = end
    } else if (char === LIST) open.push(null)
    else if (char === OBJECT) open.push(new Set())
    else if (char === LIST_END || char === OBJECT_END) open.pop()
  }
  return false
}

const isName = (text: string, from: number): boolean => {
  let at = from
  while (SPACES.has(text.charCodeAt(at))) at += 1
  return text.charCodeAt(at) === COLON
}
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Parses JSON of foreign origin. Throws where it is invalid or exceeds the limits. */
export function parseBounded(text: string): unknown {
  if (!isWithinBudget(text)) throw new Error('the JSON is larger, deeper or has more values than is read')
  return JSON.parse(text)
}

/** The value of a text; null for one that is not JSON, where the value null is as unusable. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
