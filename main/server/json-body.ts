import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { decodeUtf8 } from '../core/base/plain-text.ts'

const DEEPEST = 32

/**
 * Parses a JSON body. Fails with input.refused where it is not UTF-8 or not JSON, is nested too deeply, or has an object with a duplicate key,
 * which readers interpret differently. The caller limits its size.
 */
export function readBody(bytes: Uint8Array): Outcome<unknown> {
  const text = decodeUtf8(bytes)
  if (text === null) return fail('input.refused', 'the body is not UTF-8')
  if (depthOf(text) > DEEPEST) return fail('input.refused', 'the body is nested too deeply')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fail('input.refused', 'the body is not JSON')
  }
  if (hasDuplicateKey(text)) return fail('input.refused', 'the body has an object with the same key twice')
  return ok(value)
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y

/** Calls `visit` with each bracket, comma and string of a text. */
function scan(text: string, visit: (token: string) => void): void {
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (char === '"') {
      STRING.lastIndex = at
      const [token] = STRING.exec(text) ?? ['']
      if (token === '') return
      visit(token)
      at += token.length - 1
    } else if ('{}[],:'.includes(char)) visit(char)
  }
}

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  scan(text, (token) => {
    if (token === '{' || token === '[') {
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (token === '}' || token === ']') depth -= 1
  })
  return deepest
}

/** Whether an object in a JSON text has a duplicate key: a string before a colon is a key of the innermost object. */
function hasDuplicateKey(text: string): boolean {
  const above: Set<string>[] = []
  let [found, last] = [false, '']
  scan(text, (token) => {
    if (token === '{' || token === '[') above.push(new Set())
    else if (token === '}' || token === ']') above.pop()
    else if (token === ':') {
      // Keys are compared after parsing, so that escapes make no difference.
      const key = JSON.parse(last) as string
      const keys = above.at(-1)
      if (keys?.has(key) === true) found = true
      keys?.add(key)
    } else if (token !== ',') last = token
  })
  return found
}
