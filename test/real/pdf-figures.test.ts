import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { buildReport } from '../../main/present/report.ts'
import { pictured } from '../support/figures.ts'
import { testUnless } from '../support/needing.ts'
import { SAMPLE_AS_OF, sampleInput } from '../support/report/sample.ts'
import { type Flavour, validate, whyNoVeraPdf } from '../support/verapdf/verapdf.ts'

const FLAVOURS: readonly Flavour[] = ['PDF/A-3a', 'PDF/UA-1']
const noVeraPdf = await whyNoVeraPdf()

describe('a report with pictures in a validator that is not ours', () => {
  let folder = ''
  let file = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'barewitness-figures-'))
    file = join(folder, 'report.pdf')
    const input = sampleInput()
    const drawn = ['demo-gpu-01', 'demo-metal-04', 'fx-storage-lab'].map((name) => pictured(name).figures)
    const figures = new Map(input.assessment.nodes.map(({ node }, index) => [node, drawn[index % 3] ?? []]))
    const document = buildReport({ ...input, figures })
    await writeFile(file, await renderReport(document, { attachments: [], created: SAMPLE_AS_OF, placeholder: false }))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const flavour of FLAVOURS)
    testUnless(noVeraPdf, `is ${flavour} in veraPDF`, async () => {
      const { passed, failures } = await validate(file, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
    })
})
