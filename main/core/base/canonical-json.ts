/** A value that JSON can represent. `undefined` members of objects are omitted, as in JSON.stringify. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

/**
 * JSON Canonicalization Scheme (RFC 8785): the one text of a JSON value, independent of key order, time zone and
 * locale. ECMAScript’s own serialization of numbers and strings is the one prescribed by RFC 8785 §3.2.2; keys are
 * sorted by UTF-16 code unit (§3.2.3). UTF-8 cannot encode a lone surrogate, and RFC 8785 §3.2.2.2 rejects it: U+FFFD
 * is written in its place, and a text that contains one is not canonical. Throws on values that JSON cannot
 * represent, which is a bug of ours.
 */
export function canonicalJson(value: unknown): string {
  // JSON.stringify is ten times as fast as our own writer, and keeps the order of members.
  const ordered = inOrder(value)
  return ordered === NOT_PLAIN ? written(value) : JSON.stringify(ordered)
}

/** Whether two values have the same canonical text. Equal plain data is recognized without being serialized. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  isEqual(one, other) || canonicalJson(one) === canonicalJson(other)

/**
 * Whether plain data without absent members is equal, regardless of the order of members. False is no proof of a
 * difference.
 */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return (
      one === other && (one === null || typeof one === 'string' || typeof one === 'boolean' || Number.isFinite(one))
    )
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    for (let at = 0; at < one.length; at += 1) if (!isEqual(one[at], other[at])) return false
    return true
  }
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  for (const name of names) {
    const [member, same] = [(one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]]
    if (!Object.hasOwn(other, name) || !isEqual(member, same)) return false
  }
  return true
}

/** Marks a value that JSON.stringify would serialize differently, or would accept although it must be rejected. */
const NOT_PLAIN = Symbol('not plain data')

/**
 * The value with the members of every object in canonical order: the same value where they are in order, otherwise
 * with copies of the objects that differ. NOT_PLAIN where an object cannot hold its members in that order, and for
 * everything that is not plain data.
 */
function inOrder(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed()
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : NOT_PLAIN
    case 'object':
      if (value === null) return value
      return Array.isArray(value) ? itemsInOrder(value) : membersInOrder(value as Record<string, unknown>)
    default:
      return NOT_PLAIN
  }
}

function itemsInOrder(items: readonly unknown[]): unknown {
  let copy: unknown[] | null = null
  for (let at = 0; at < items.length; at += 1) {
    const ordered = inOrder(items[at])
    if (ordered === NOT_PLAIN) return NOT_PLAIN
    if (copy === null && ordered !== items[at]) copy = items.slice(0, at)
    copy?.push(ordered)
  }
  return copy ?? items
}

function membersInOrder(object: Record<string, unknown>): unknown {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) return NOT_PLAIN
  const keys = Object.keys(object)
  if (!keys.every((key) => key.isWellFormed())) return NOT_PLAIN
  const isInOrder = keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key)
  if (!isInOrder) keys.sort()
  let copy: Record<string, unknown> | null = isInOrder ? null : {}
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] ?? ''
    const member = object[key]
    const ordered = member === undefined ? undefined : inOrder(member)
    if (ordered === NOT_PLAIN) return NOT_PLAIN
    if (copy === null && ordered !== member)
      copy = Object.fromEntries(keys.slice(0, at).map((before) => [before, object[before]]))
    if (copy === null) continue
    if (PLACED_OTHERWISE.test(key)) return NOT_PLAIN
    copy[key] = ordered
  }
  return copy ?? object
}

/** Integer-like names always come first in an object, and `__proto__` would set its prototype. */
const PLACED_OTHERWISE = /^[0-9]|^__proto__$/

/** Serializes any value, member by member. Throws on values that JSON cannot represent. */
function written(value: unknown): string {
  if (value === null || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error('canonicalJson: number is not finite')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    let items = ''
    for (const item of value) items += items === '' ? written(item) : `,${written(item)}`
    return `[${items}]`
  }
  if (typeof value === 'object') {
    const object = value as Record<string, unknown>
    const named = Object.entries(object).map(([key, member]) => [key.toWellFormed(), member] as const)
    named.sort(([one], [other]) => (one < other ? -1 : 1))
    let members = ''
    for (const [key, member] of named) {
      if (member === undefined) continue
      members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${written(member)}`
    }
    return `{${members}}`
  }
  throw new Error(`canonicalJson: ${typeof value} has no JSON form`)
}

/** A JSON document as files hold it: canonical text and a line end. */
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(`${canonicalJson(value)}\n`)
