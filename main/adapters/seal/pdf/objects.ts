import { numberOf, type PdfValue, type Read, readValue } from './values.ts'

/** An indirect object (ISO 32000-1, 7.3.10) and its position. */
export interface PdfObject {
  readonly id: number
  readonly value: PdfValue
  /** Position of the bytes of its stream, as stored. */
  readonly stream: { readonly start: number; readonly end: number } | null
  readonly start: number
}

const HEAD = /([1-9]\d{0,9}) 0 obj\n/y

/** Reads the object that starts at `at`, in the one layout of our writer; null when there is none. */
export function readObject(text: string, at: number): Read<PdfObject> | null {
  HEAD.lastIndex = at
  const head = HEAD.exec(text)
  const read = head && readValue(text, HEAD.lastIndex)
  if (!head || !read) return null
  const { value, end } = read
  const object = { id: Number(head[1]), value, start: at }
  if (text.startsWith('\nendobj\n', end)) return { value: { ...object, stream: null }, end: end + '\nendobj\n'.length }
  const length = value.kind === 'dictionary' ? numberOf(value.entries.get('Length')) : null
  if (length === null || !text.startsWith('\nstream\n', end)) return null
  const start = end + '\nstream\n'.length
  const tail = '\nendstream\nendobj\n'
  if (!Number.isSafeInteger(length) || length < 0 || !text.startsWith(tail, start + length)) return null
  return { value: { ...object, stream: { start, end: start + length } }, end: start + length + tail.length }
}

/**
 * One line of a cross-reference table for an object in use (ISO 32000-1, 7.5.4): twenty bytes, our line ends being "
 * \n".
 */
export const tableLine = (offset: number): string => `${String(offset).padStart(10, '0')} 00000 n \n`

/** The lines after a cross-reference table and its trailer. */
export const fileEnd = (tableAt: number): string => `\nstartxref\n${tableAt}\n%%EOF\n`

/** The object with a number, by the offsets of all objects; null when there is none. */
export const objectOf = (text: string, offsets: readonly number[], id: number | null): PdfObject | null =>
  id === null ? null : (readObject(text, offsets[id] ?? text.length)?.value ?? null)
