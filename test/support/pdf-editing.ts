import { Buffer } from 'node:buffer'

/** Ways of changing a PDF that know nothing of the code under test. Text is one character a byte. */
export const textOfPdf = (pdf: Uint8Array): string => Buffer.from(pdf).toString('latin1')
export const pdfOfText = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))

/** Replaces the one place where `from` stands; throws when there is none or more than one. */
export function replaceOnce(text: string, from: string | RegExp, to: string): string {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`${String(from)} is there ${parts.length - 1} times`)
  return `${parts[0]}${to}${parts[1]}`
}

/** A number in the last trailer, such as Root or Size. */
export function trailerNumber(text: string, key: string): number {
  const at = text.lastIndexOf('\ntrailer\n')
  return Number(new RegExp(`/${key} (\\d+)`).exec(text.slice(at))?.[1])
}

/** The body of the newest object of that number, from its value to before endobj. */
export function bodyOf(text: string, id: number): string {
  const head = `\n${id} 0 obj\n`
  const at = text.lastIndexOf(head)
  if (at === -1) throw new Error(`no object ${id}`)
  return text.slice(at + head.length, text.indexOf('\nendobj\n', at))
}

export const refIn = (body: string, key: string): number => Number(new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(body)?.[1])

/** Appends an incremental update in the usual form. `extra` goes into its trailer. */
export function appendUpdate(
  text: string,
  objects: readonly (readonly [id: number, body: string])[],
  extra = '',
): string {
  const offsets: (readonly [number, number])[] = []
  let all = text
  for (const [id, body] of objects) {
    offsets.push([id, all.length])
    all += `${id} 0 obj\n${body}\nendobj\n`
  }
  const lines = offsets.map(([id, at]) => `${id} 1\n${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = Math.max(trailerNumber(text, 'Size'), ...objects.map(([id]) => id + 1))
  const prev = /startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]
  const trailer = `<<\n/Size ${size}\n/Root ${trailerNumber(text, 'Root')} 0 R\n/Info ${trailerNumber(text, 'Info')} 0 R\n/Prev ${prev}\n${extra}>>`
  return `${all}xref\n${lines === '' ? '0 0\n' : lines}trailer\n${trailer}\nstartxref\n${all.length}\n%%EOF\n`
}

/** Writes the cross-reference table of a one-revision file anew, after its objects were changed. */
export function retable(text: string): string {
  const tableAt = text.lastIndexOf('\nxref\n') + 1
  const offsets = new Map<number, number>()
  for (const { 0: head, 1: id, index } of text.slice(0, tableAt).matchAll(/(?<=\n)([1-9]\d*) 0 obj\n/g))
    if (head !== '') offsets.set(Number(id), index)
  const ids = [...offsets.keys()].sort((a, b) => a - b)
  const lines = ids.map((id) => `${String(offsets.get(id)).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = text
    .slice(text.indexOf('trailer\n', tableAt))
    .replace(/\/Size \d+/, `/Size ${ids.length + 1}`)
    .replace(/startxref\n\d+/, `startxref\n${tableAt}`)
  return `${text.slice(0, tableAt)}xref\n0 ${ids.length + 1}\n0000000000 65535 f \n${lines}${trailer}`
}
