import { deflateSync, inflateSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDemoSigner } from '../main/adapters/identity/folder.ts'
import { renderReport } from '../main/adapters/pdf/index.ts'
import { comparePages } from '../main/adapters/seal/pdf/compare.ts'
import { signPdf } from '../main/adapters/seal/reader.ts'
import type { ReportDocument } from '../main/present/report.ts'
import { realClock, realEntropy } from './support/deps.ts'
import { pdfOfText, retable, textOfPdf } from './support/pdf-editing.ts'
import { SAMPLE_AS_OF, sampleInput } from './support/report/sample.ts'
import { wholeReport } from './support/report/whole.ts'

const options = { attachments: [], created: SAMPLE_AS_OF }
const honest = wholeReport(sampleInput())

/** The same report with one string replaced wherever it stands. */
const forged = (from: RegExp, to: string): ReportDocument =>
  JSON.parse(
    JSON.stringify(honest, (_, value: unknown) => (typeof value === 'string' ? value.replace(from, to) : value)),
  )

/** Every stream deflated at another level, as another release of zlib may do it. */
function deflatedAgain(pdf: Uint8Array, hidden = ''): Uint8Array {
  const text = textOfPdf(pdf)
  const streams = [...text.matchAll(/\/Length (\d+)\n\/Filter \/FlateDecode\n>>\nstream\n/g)]
  let [done, from] = ['', 0]
  for (const { 0: head, 1: length, index } of streams) {
    const start = index + head.length
    const content = inflateSync(Buffer.from(text.slice(start, start + Number(length)), 'latin1'))
    const stored = deflateSync(content, { level: 1 }).toString('latin1') + hidden
    done += text.slice(from, index) + head.replace(/\d+/, String(stored.length)) + stored
    from = start + Number(length)
  }
  return pdfOfText(retable(done + text.slice(from)))
}

describe('the pages of a sealed report against the same report written again', () => {
  let again: Uint8Array
  const sealed = async (document: ReportDocument): Promise<Uint8Array> =>
    await signPdf(await renderReport(document, options), await createDemoSigner(realClock, realEntropy))
  beforeAll(async () => {
    again = await renderReport(honest, options)
  })

  it('finds nothing where they are the same', async () => {
    expect(comparePages(await sealed(honest), again)).toEqual([])
  })

  it('names the page and the passage that reads otherwise', async () => {
    const found = comparePages(await sealed(forged(/\bresulted in 4 findings\b/, 'resulted in 0 findings')), again)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^Page 1 .*“.*0 findings.*“.*4 findings/)
  })

  it('names a page that draws another mark beside the same words', async () => {
    const found = comparePages(await sealed(forged(/^square-cross$/, 'ring-tick')), again)
    expect(found.length).toBeGreaterThan(0)
    expect(found[0]).toMatch(/^Page \d+ /)
  })

  it('counts pages that were left out', async () => {
    const short = { ...honest, sections: honest.sections.slice(0, -1) }
    const found = comparePages(await sealed(short), again)
    expect(found[0]).toMatch(/^It has \d+ pages; the evidence gives \d+\./)
  })

  it('finds another embedded file, and other data of the file, where every page is the same', async () => {
    const attachment = { name: 'assessment.json', bytes: new TextEncoder().encode('{}\n'), description: 'Results' }
    const more = await signPdf(
      await renderReport(honest, { ...options, attachments: [attachment] }),
      await createDemoSigner(realClock, realEntropy),
    )
    expect(comparePages(more, again)).toHaveLength(1)
    expect(comparePages(await sealed({ ...honest, producer: 'Somebody else' }), again)).toHaveLength(1)
  })

  it('takes no content that is merely deflated otherwise for another one', async () => {
    const other = await signPdf(deflatedAgain(again), await createDemoSigner(realClock, realEntropy))
    expect(other.length).not.toBe(again.length)
    expect(comparePages(other, again)).toEqual([])
  })

  it('finds bytes after the end of a deflated stream, which readers pass over', async () => {
    const other = await signPdf(deflatedAgain(again, 'hidden'), await createDemoSigner(realClock, realEntropy))
    expect(comparePages(other, again)).not.toEqual([])
  })

  it('answers for whatever else it is given', async () => {
    expect(comparePages(new Uint8Array(), again)).toHaveLength(1)
    expect(comparePages(again.subarray(0, 5000), again)).toHaveLength(1)
  })
})
