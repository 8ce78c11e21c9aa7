import { inflateSync } from 'node:zlib'
import type { FirstRevision } from './first.ts'
import { objectOf, type PdfObject } from './objects.ts'
import { entriesOf, itemsOf, nameOf, refOf, textOf } from './values.ts'

const LARGEST_FILE = 64 * 1024 * 1024
const LARGEST_TOGETHER = 256 * 1024 * 1024
const MOST_FILES = 1000
/**
 * Embedded results shrink to a tenth to a twentieth, and a report is mostly its pages: they may be that many times the
 * whole file.
 */
const MOST_TIMES = 10
const ALWAYS_ROOM = 16 * 1024 * 1024

interface Attachments {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly problems: readonly string[]
}

/** The embedded files of the first revision, by the name in their list (ISO 32000-1, 7.11.4). */
export function readAttachments(pdf: Uint8Array, text: string, { offsets, state }: FirstRevision): Attachments {
  const files = new Map<string, Uint8Array>()
  const names = entriesOf(objectOf(text, offsets, refOf(state.catalog.entries.get('Names')))?.value)
  const listed = itemsOf(entriesOf(names.get('EmbeddedFiles')).get('Names'))
  let room = Math.min(LARGEST_TOGETHER, Math.max(ALWAYS_ROOM, MOST_TIMES * pdf.length))
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const name = textOf(listed[at])
    const specification = entriesOf(objectOf(text, offsets, refOf(listed[at + 1]))?.value)
    const object = objectOf(text, offsets, refOf(entriesOf(specification.get('EF')).get('F')))
    if (name === null || files.has(name) || files.size === MOST_FILES)
      return {
        files,
        problems: ['The list of embedded files has a duplicate, too many entries, or one without a name.'],
      }
    const bytes = object === null ? null : inflate(pdf, object, Math.min(LARGEST_FILE, room))
    if (bytes === null) return { files, problems: ['An embedded file is damaged, or larger than the limit.'] }
    room -= bytes.length
    files.set(name, bytes)
  }
  return { files, problems: [] }
}

function inflate(pdf: Uint8Array, { value, stream }: PdfObject, most: number): Uint8Array | null {
  if (stream === null) return null
  const stored = pdf.slice(stream.start, stream.end)
  const filter = nameOf(entriesOf(value).get('Filter'))
  if (filter === null) return stored.length <= most ? stored : null
  try {
    return new Uint8Array(inflateSync(stored, { maxOutputLength: Math.max(1, most) }))
  } catch {
    return null
  }
}

/** The evidence digest in the file's information; null when there is none. */
export function evidenceDigestIn(text: string, { offsets, state }: FirstRevision): string | null {
  const subject = entriesOf(objectOf(text, offsets, state.info)?.value).get('Subject')
  const words = textOf(objectOf(text, offsets, refOf(subject))?.value) ?? textOf(subject) ?? ''
  return /^Evidence digest ([0-9a-f]{64})$/.exec(words)?.[1] ?? null
}
