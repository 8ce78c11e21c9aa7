import { Parser } from 'saxen'
import { err, ok, type Result } from '../../core/failure.ts'
import type { ObjectVersion } from '../../core/objects.ts'
import { decodeUtf8 } from '../../core/plain-text.ts'

/** An element below the root of an answer: its text, and the texts of the elements in it. */
interface Part {
  readonly name: string
  text: string
  readonly parts: Map<string, string>
}

const MOST_PARTS = 5000
const LONGEST_TEXT = 4096

/**
 * The parts of an answer of a store (XML), two levels deep; what is deeper is left out. The bytes are hostile: an answer that cannot be
 * read as a whole gives an error. Entities are not declared by any answer and not expanded.
 */
function partsOf(bytes: Uint8Array, root: string): Result<readonly Part[], string> {
  const text = decodeUtf8(bytes)
  if (text === null || /<!(DOCTYPE|ENTITY)/i.test(text)) return err('is not readable XML')
  const open: string[] = []
  const parts: Part[] = []
  let [isBroken, isWhole] = [false, false]
  const add = (piece: string): void => {
    const last = parts.at(-1)
    if (last === undefined || piece.length > LONGEST_TEXT) return
    if (open.length === 2) last.text += piece
    const inner = open[2]
    if (open.length === 3 && inner !== undefined) last.parts.set(inner, `${last.parts.get(inner) ?? ''}${piece}`)
  }
  new Parser()
    .on('openTag', (name) => {
      open.push(name)
      if (open.length === 1 && (name !== root || isWhole)) isBroken = true
      if (open.length === 2 && parts.length < MOST_PARTS) parts.push({ name, text: '', parts: new Map() })
      else if (open.length === 2) isBroken = true
    })
    .on('closeTag', (name) => {
      if (open.pop() !== name) isBroken = true
      if (open.length === 0) isWhole = true
    })
    .on('text', (piece, decode) => add(decode(piece)))
    .on('cdata', add)
    .on('error', () => {
      isBroken = true
    })
    .parse(text)
  return isBroken || !isWhole || open.length > 0 ? err('is not readable XML') : ok(parts)
}

const textOf = (parts: readonly Part[], name: string): string => parts.find((one) => one.name === name)?.text ?? ''

/** Whether a bucket keeps versions. */
export function isVersioned(bytes: Uint8Array): boolean {
  const parts = partsOf(bytes, 'VersioningConfiguration')
  return parts.ok && textOf(parts.value, 'Status') === 'Enabled'
}

/** Whether a bucket has Object Lock. */
export function hasObjectLock(bytes: Uint8Array): boolean {
  const parts = partsOf(bytes, 'ObjectLockConfiguration')
  return parts.ok && textOf(parts.value, 'ObjectLockEnabled') === 'Enabled'
}

/** The code of an error, or an empty text. */
export function errorCode(bytes: Uint8Array): string {
  const parts = partsOf(bytes, 'Error')
  const code = parts.ok ? textOf(parts.value, 'Code') : ''
  return /^[A-Za-z0-9]{1,60}$/.test(code) ? code : ''
}

/** A page of the list of versions. The newest of a key comes first, as the store lists them. */
export interface VersionPage {
  readonly versions: readonly Omit<ObjectVersion, 'hidden'>[]
  /** Keys with a delete marker as the latest version. */
  readonly marked: readonly string[]
  /** Where the next page begins; null on the last one. */
  readonly next: { readonly key: string; readonly version: string } | null
}

const VERSION = /^[A-Za-z0-9._-]{1,1024}$/

export function versionPage(bytes: Uint8Array): Result<VersionPage, string> {
  const parts = partsOf(bytes, 'ListVersionsResult')
  if (!parts.ok) return parts
  const versions: Omit<ObjectVersion, 'hidden'>[] = []
  const marked: string[] = []
  for (const { name, parts: of } of parts.value) {
    const [key = '', version = '', size = ''] = ['Key', 'VersionId', 'Size'].map((one) => of.get(one))
    if (name === 'DeleteMarker' && of.get('IsLatest') === 'true') marked.push(key)
    if (name !== 'Version') continue
    if (!VERSION.test(version) || version === 'null') return err('names a version that cannot be kept')
    if (!/^\d{1,15}$/.test(size)) return err('names an object without a size')
    versions.push({ key, version, size: Number(size) })
  }
  if (textOf(parts.value, 'IsTruncated') !== 'true') return ok({ versions, marked, next: null })
  const next = {
    key: textOf(parts.value, 'NextKeyMarker'),
    version: textOf(parts.value, 'NextVersionIdMarker'),
  }
  return next.key === '' ? err('does not state where its next page begins') : ok({ versions, marked, next })
}
