import { diagnoseUpdate } from './diagnose.ts'
import type { FirstRevision } from './first.ts'
import { type PdfObject, readObject } from './objects.ts'
import { contentsOf, type FileState, type Gap } from './state.ts'
import { buildUpdate } from './update.ts'
import { entriesOf, nameOf, refsOf } from './values.ts'

/** One revision after the first: its time-stamp and what it adds to the security store. */
export interface Stamped {
  readonly gap: Gap
  /** Null while it is prepared but not yet time-stamped. */
  readonly token: Uint8Array | null
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

interface Updates {
  readonly stamps: readonly Stamped[]
  /** After the last revision in our form. */
  readonly state: FileState
  readonly problems: readonly string[]
}

const MOST_STAMPS = 32
const MOST_OBJECTS = 10_000

/** Reads every revision after the first up to the file's end. Each is built again from its parts, and must be the same bytes. */
export function readUpdates(pdf: Uint8Array, text: string, first: FirstRevision): Updates {
  const stamps: Stamped[] = []
  let state = first.state
  while (state.length < text.length) {
    const problem = (sentences: readonly string[]): Updates => ({ stamps, state, problems: sentences })
    if (stamps.length === MOST_STAMPS) return problem([`The report has more than ${MOST_STAMPS} time-stamps.`])
    const read = readUpdate(pdf, text, state)
    if (read === null) return problem(diagnoseUpdate(text, state, first))
    stamps.push(read.stamp)
    state = read.next
  }
  return { stamps, state, problems: [] }
}

function readUpdate(
  pdf: Uint8Array,
  text: string,
  state: FileState,
): { readonly stamp: Stamped; readonly next: FileState } | null {
  const objects = objectsAt(text, state.length)
  const store = objects.find((object) => typeOf(object) === 'DSS')
  const contents = entriesOf(objects.find((object) => typeOf(object) === 'DocTimeStamp')?.value).get('Contents')
  if (store === undefined || contents?.kind !== 'hex') return null
  const streams = objects.flatMap(({ stream }) => (stream === null ? [] : [pdf.slice(stream.start, stream.end)]))
  const count = refsOf(entriesOf(store.value).get('Certs')).length - (state.store?.certificates.length ?? 0)
  if (count < 0) return null
  const parts = { certificates: streams.slice(0, count), crls: streams.slice(count) }
  const token = contentsOf(contents.hex)
  const again = buildUpdate(state, { ...parts, token: token ?? new Uint8Array() })
  if (again === null || !text.startsWith(again.text, state.length)) return null
  return { stamp: { ...parts, gap: again.gap, token }, next: again.next }
}

const typeOf = ({ value }: PdfObject): string | null => nameOf(entriesOf(value).get('Type'))

function objectsAt(text: string, start: number): readonly PdfObject[] {
  const objects: PdfObject[] = []
  for (let at = start; objects.length < MOST_OBJECTS; ) {
    const read = readObject(text, at)
    if (read === null) break
    objects.push(read.value)
    at = read.end
  }
  return objects
}
