import PDFDocument from 'pdfkit'
import { fontFile } from '../../main/adapters/pdf/fonts.ts'

const LINES = 50
const WORDS = 'the node answered to a fixed list of read only questions at the times that are given here'

/** The least a document of so many pages takes: lines of plain text in one embedded font; no tags, bookmarks, marks or tables. */
export async function plainPages(pages: number): Promise<number> {
  const doc = new PDFDocument({ autoFirstPage: false, font: null as unknown as string })
  doc.registerFont('sans', fontFile('sans'))
  let size = 0
  const written = new Promise<void>((resolve) => doc.on('end', resolve))
  doc.on('data', (part: Uint8Array) => {
    size += part.length
  })
  for (let page = 0; page < pages; page += 1) {
    doc.addPage().font('sans').fontSize(9)
    for (let line = 0; line < LINES; line += 1)
      doc.text(`${page} ${line} ${WORDS}`, 50, 50 + line * 13, { lineBreak: false })
  }
  doc.end()
  await written
  return size
}
