/**
 * Deduplicates plain data: each text, list and object is in memory once. The nodes of a fleet have mostly the same commands and outputs, so that with
 * a thousand of them this saves most of the memory of an export.
 */
export function shared(): <T>(value: T) => T {
  const texts = new Map<string, number>()
  const ownTexts: string[] = []
  const parts: Parts = { all: [], sameHash: [], lastOf: new Map() }
  /** Hash of the value that was copied last; equal values have the same. */
  let hash = 0

  const textOf = (text: string): string => {
    let id = texts.get(text)
    if (id === undefined) {
      const own = ownText(text)
      id = ownTexts.push(own) - 1
      // The key is the new string too, so that the text from which it was cut is not kept in memory.
      texts.set(own, id)
    }
    hash = id
    return ownTexts[id] as string
  }
  const listOf = (list: readonly unknown[]): unknown => {
    const items = new Array<unknown>(list.length)
    let whole = LIST
    for (let at = 0; at < list.length; at += 1) {
      items[at] = copied(list[at])
      whole = mixed(whole, hash)
    }
    hash = whole
    return found(parts, whole, (part) => isSameList(part, items)) ?? added(parts, whole, items)
  }
  const objectOf = (object: Readonly<Record<string, unknown>>): unknown => {
    const names = Object.keys(object)
    const members = new Array<unknown>(names.length)
    let whole = OBJECT
    for (let at = 0; at < names.length; at += 1) {
      members[at] = copied(object[names[at] as string])
      whole = mixed(whole, hash)
    }
    hash = whole
    const same = found(parts, whole, (part) => isSameObject(part, names, members))
    return same ?? added(parts, whole, objectWith(names, members))
  }
  const copied = (value: unknown): unknown => {
    if (typeof value === 'string') return textOf(value)
    if (typeof value === 'object' && value !== null)
      return Array.isArray(value) ? listOf(value) : objectOf(value as Readonly<Record<string, unknown>>)
    hash = typeof value === 'number' ? value | 0 : value === true ? 1 : 0
    return value
  }
  return <T>(value: T): T => copied(value) as T
}

/** Lists and objects in memory, found by a hash that equal ones share and few others have. */
interface Parts {
  readonly all: object[]
  /** For each part, the previous part with the same hash; -1 where there is none. */
  readonly sameHash: number[]
  readonly lastOf: Map<number, number>
}

function found({ all, sameHash, lastOf }: Parts, hash: number, isSame: (part: object) => boolean): object | null {
  let left = MOST_COMPARED
  for (let at = lastOf.get(hash) ?? -1; at !== -1 && left > 0; at = sameHash[at] as number) {
    const part = all[at] as object
    if (isSame(part)) return part
    left -= 1
  }
  return null
}

/** A pack can be crafted so that many different parts have one hash; beyond this many, parts are copied instead of searched. */
const MOST_COMPARED = 16

function added({ all, sameHash, lastOf }: Parts, hash: number, part: object): object {
  sameHash.push(lastOf.get(hash) ?? -1)
  lastOf.set(hash, all.push(part) - 1)
  return part
}

/** Initial hash values that distinguish lists from objects. */
const [LIST, OBJECT] = [0x2c1b3c6d, 0x297a2d39]

/** One step of FNV-1a (RFC 9923) over numbers of 32 bits instead of bytes. */
const mixed = (hash: number, more: number): number => {
  const next = Math.imul(hash ^ more, 0x01000193)
  return next ^ (next >>> 15)
}

const isSameList = (part: object, items: readonly unknown[]): boolean =>
  Array.isArray(part) && part.length === items.length && items.every((item, at) => Object.is(item, part[at]))

/** Compares the order of names too, because some output follows it. */
function isSameObject(part: object, names: readonly string[], members: readonly unknown[]): boolean {
  if (Array.isArray(part)) return false
  const own = Object.keys(part)
  if (own.length !== names.length) return false
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    if (own[at] !== name || !Object.is((part as Record<string, unknown>)[name], members[at])) return false
  }
  return true
}

function objectWith(names: readonly string[], members: readonly unknown[]): object {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string
    // An assignment would set the prototype of the object.
    if (name === '__proto__') Object.defineProperty(object, name, { ...PLAIN, value: members[at] })
    else object[name] = members[at]
  }
  return object
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const

/** The text in a separate string: a substring of a capture would keep the whole capture in memory. */
const ownText = (text: string): string => JSON.parse(JSON.stringify(text)) as string
