import type { Area, Element } from './sheet.ts'

/** The parts of pdfkit that its types omit. */
interface Internals {
  readonly annotate: (x: number, y: number, width: number, height: number, options: object) => void
  readonly page: { readonly annotations: { data: object }[] }
}

/**
 * A link over an area of the current page, tagged and described in words (PDF/UA-1, 7.18.5). pdfkit would write its
 * action as a further object, and keep both in memory to the end; only the number of the annotation is needed later.
 */
export function annotateLink(
  doc: PDFKit.PDFDocument,
  element: Element,
  { x, y, width, height }: Area,
  place: string,
  contents: string,
): void {
  const { page, annotate } = doc as unknown as Internals
  const action = { S: 'GoTo', D: new String(place) }
  const options = { Subtype: 'Link', Contents: new String(contents), A: action, structParent: element }
  annotate.call(doc, x, y, width, height, options)
  const written = page.annotations.at(-1)
  if (written !== undefined) written.data = {}
}
