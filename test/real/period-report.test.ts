import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { buildPeriodReport } from '../../main/present/period-report.ts'
import { BANNED } from '../../schemas/words.ts'
import { titled } from '../support/needing.ts'
import { PERIOD_AS_OF, samplePeriodInput } from '../support/report/period-sample.ts'
import { type Flavour, validate, whyNoVeraPdf } from '../support/verapdf/verapdf.ts'

const exec = promisify(execFile)
const FLAVOURS: readonly Flavour[] = ['PDF/A-3a', 'PDF/UA-1']
const noVeraPdf = await whyNoVeraPdf()
const noPoppler = spawnSync('pdftotext', ['-v'], { stdio: 'ignore' }).error !== undefined

describe('the period report in tools that are not ours', () => {
  let folder = ''
  let file = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'barewitness-period-'))
    file = join(folder, 'period.pdf')
    const document = buildPeriodReport(samplePeriodInput())
    await writeFile(file, await renderReport(document, { attachments: [], created: PERIOD_AS_OF, placeholder: false }))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const flavour of FLAVOURS)
    it.skipIf(noVeraPdf !== null)(titled(`${flavour} in veraPDF`, noVeraPdf), { timeout: 120_000 }, async () => {
      const { passed, failures, checks } = await validate(file, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
      expect(checks).toBeGreaterThan(5_000)
    })

  it.skipIf(noPoppler)('pdftotext reads every page, and no word that over-claims', async () => {
    const { stdout } = await exec('pdftotext', ['-layout', file, '-'], { maxBuffer: 1 << 26 })
    const pages = stdout.split('\f').slice(0, -1)
    expect(pages.length).toBeGreaterThan(8)
    for (const page of pages) {
      expect(page).toMatch(/Page \d+ of \d+/)
      for (const banned of BANNED) expect(page).not.toMatch(banned)
    }
    expect(pages[0]).toContain('89 of 92')
    expect(pages[0]).not.toMatch(/no exceptions noted/i)
  })
})
