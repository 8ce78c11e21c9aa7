import { nameUuid } from '../../../core/digest.ts'
import { oneLine } from '../../../core/plain-text.ts'

/** The namespace of every property that OSCAL itself does not define. */
export const NS = 'https://barewitness.dev/ns/oscal'

/** A Barewitness property. */
export interface Prop {
  readonly ns: string
  readonly name: string
  readonly value: string
  /** A token that distinguishes several properties of one name. */
  readonly class?: string
}

/** OSCAL’s StringDatatype: one line, not empty, no surrounding blanks. */
export const line = (text: string, max = 2000): string => oneLine(text, max).trim() || 'not stated'

export const prop = (name: string, value: string | number, of?: string): Prop => ({
  ns: NS,
  name,
  value: line(String(value)),
  ...(of === undefined ? {} : { class: tokenOf(of) }),
})

/** The namespace of our UUIDs: NS as a name in the namespace of URLs (RFC 9562, section 6.6). */
const NAMESPACE = nameUuid('6ba7b811-9dad-11d1-80b4-00c04fd430c8', NS)

/** A UUID from names and nothing else: the same names give the same UUID, in every document and every run. */
export const uuidOf = (...names: readonly string[]): string => nameUuid(NAMESPACE, JSON.stringify(names))

/** OSCAL's TokenDatatype from any text. Two texts can give the same one; see controlTokens(). */
export function tokenOf(text: string): string {
  const clean = text
    .replace(/[^\p{L}\p{N}.\-_]+/gu, '_')
    .replace(/_+$/, '')
    .slice(0, 200)
  return /^[\p{L}_]/u.test(clean) ? clean : `_${clean}`
}

/** A time as OSCAL’s DateTimeWithTimezoneDatatype; null for an invalid text. */
export function momentOf(text: string | null, plusDays = 0): string | null {
  const time = text === null ? Number.NaN : Date.parse(text) + plusDays * DAY_MS
  return time >= EARLIEST && time <= LATEST ? new Date(time).toISOString() : null
}

const DAY_MS = 86_400_000
// Years permitted by the pattern of the schema.
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2999, 11, 31)

/** A path or a file name as a URI reference. */
export const hrefOf = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(line(part)))
    .join('/')

/** A list that OSCAL permits only where it is not empty. */
export const some = <K extends string, T>(name: K, items: readonly T[]): { readonly [P in K]?: readonly T[] } =>
  items.length === 0 ? {} : ({ [name]: items } as { readonly [P in K]: readonly T[] })
