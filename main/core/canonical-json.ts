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
  // Text is added on, not gathered in lists: of a large fleet this writes hundreds of megabytes.
  if (Array.isArray(value)) {
    let items = ''
    for (const item of value) items += items === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
    return `[${items}]`
  }
  if (typeof value === 'object') {
    const object = value as Record<string, unknown>
    let members = ''
    for (const key of Object.keys(object).sort()) {
      const member = object[key]
      if (member === undefined) continue
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
    }
    return `{${members}}`
  }
  throw new Error(`canonicalJson: ${typeof value} has no JSON form`)
}
