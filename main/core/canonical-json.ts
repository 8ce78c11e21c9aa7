/** A value JSON can hold. `undefined` members of objects are left out, as JSON.stringify does. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

/**
 * JSON Canonicalization Scheme (RFC 8785): the one text of a JSON value, independent of key order, time zone and locale.
 * ECMAScript's own number and string serialization is the one RFC 8785 §3.2.2 prescribes; keys sort by UTF-16 code unit (§3.2.3).
 * Throws on values that JSON cannot hold, which is our bug.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error('canonicalJson: number is not finite')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') {
    const object = value as Record<string, unknown>
    const members = Object.keys(object)
      .filter((key) => object[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`)
    return `{${members.join(',')}}`
  }
  throw new Error(`canonicalJson: ${typeof value} has no JSON form`)
}
