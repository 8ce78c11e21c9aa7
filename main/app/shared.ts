import { sha256 } from '../core/digest.ts'

/**
 * Copies of plain data in which each text, and each part above a size, is in memory once. The nodes of a fleet have
 * mostly the same commands and outputs: with a thousand of them this is most of what an export holds.
 */
export function shared(): <T>(value: T) => T {
  const texts = new Map<string, string>()
  const parts = new Map<string, unknown>()
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share)
    if (typeof value !== 'object' || value === null) return share(value)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, share(part)]))
  }
  const share = (value: unknown): unknown => {
    if (typeof value === 'string') return firstOf(texts, value, () => value)
    if (typeof value !== 'object' || value === null) return value
    const text = JSON.stringify(value)
    const isPart = text.length >= SMALLEST && text.length <= LARGEST
    return isPart ? firstOf(parts, sha256(text), () => copied(value)) : copied(value)
  }
  return <T>(value: T): T => copied(value) as T
}

/**
 * Of a part, in characters of JSON. Tracking smaller parts takes more memory than it saves; larger ones rarely repeat.
 */
const SMALLEST = 80
const LARGEST = 4000

function firstOf<T>(known: Map<string, T>, key: string, make: () => T): T {
  const first = known.get(key)
  if (first !== undefined) return first
  const made = make()
  known.set(key, made)
  return made
}
