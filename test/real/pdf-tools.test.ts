import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { canonicalJson } from '../../main/core/base/canonical-json.ts'
import { buildBinder } from '../../main/present/report/controls/binder.ts'
import { buildAnnexes, buildReport } from '../../main/present/report.ts'
import { BANNED } from '../../schemas/words.ts'
import { isInstalled, testUnless, whyNo } from '../support/needing.ts'
import { linked, renderPlain } from '../support/report/made.ts'
import { SAMPLE_AS_OF, sampleInput } from '../support/report/sample.ts'
import { signWithOpenssl } from '../support/report/sign-with-openssl.ts'
import { type Flavour, validate, whyNoVeraPdf } from '../support/verapdf/verapdf.ts'

const exec = promisify(execFile)
const FLAVOURS: readonly Flavour[] = ['PDF/A-3a', 'PDF/UA-1']

const poppler = ['pdfinfo', 'pdfsig', 'pdfdetach', 'pdftotext'].every(isInstalled)
const openssl = isInstalled('openssl')
const noVeraPdf = await whyNoVeraPdf()

describe('the report in tools that are not ours', () => {
  const input = sampleInput()
  const results = new TextEncoder().encode(canonicalJson(input.assessment))
  let folder = ''
  let plain = ''
  let signed = ''
  let binder = ''
  let annexes = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'barewitness-pdf-'))
    const attachments = [{ name: 'assessment.json', bytes: results, description: 'Evaluated results' }]
    const render = (placeholder: boolean): Promise<Uint8Array> =>
      renderReport(buildReport(input), { attachments, created: SAMPLE_AS_OF, placeholder })
    plain = join(folder, 'plain.pdf')
    await writeFile(plain, await render(false))
    binder = join(folder, 'binder.pdf')
    const cut = { attachments: [], created: SAMPLE_AS_OF, placeholder: false }
    await writeFile(binder, await renderReport(buildBinder(input), cut))
    annexes = join(folder, 'annexes.pdf')
    await writeFile(annexes, await renderReport(buildAnnexes(input), cut))
    if (openssl) signed = await signWithOpenssl(await render(true), folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const flavour of FLAVOURS) {
    testUnless(noVeraPdf, `the binder, unsigned: ${flavour} in veraPDF`, async () => {
      const { passed, failures, checks } = await validate(binder, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
      expect(checks).toBeGreaterThan(10_000)
    })
    testUnless(noVeraPdf, `the annexes, unsigned: ${flavour} in veraPDF`, async () => {
      const { passed, failures } = await validate(annexes, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
    })
    testUnless(noVeraPdf, `links in every block: ${flavour} in veraPDF`, async () => {
      for (const more of [{ paper: 'letter', density: 'reading', demo: true }, {}] as const) {
        const file = join(folder, 'linked.pdf')
        await writeFile(file, await renderPlain(linked(more)))
        const { passed, failures } = await validate(file, flavour)
        expect(failures).toEqual([])
        expect(passed).toBe(true)
      }
    })
    const reason = noVeraPdf ?? (openssl ? null : 'openssl is not installed')
    testUnless(reason, `signed: ${flavour} in veraPDF`, async () => {
      const { passed, failures } = await validate(signed, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
    })
  }

  testUnless(noVeraPdf, 'the validator does refuse: an unfilled placeholder', async () => {
    const file = join(folder, 'unfilled.pdf')
    await writeFile(file, await renderReport(buildReport(input), { attachments: [], created: SAMPLE_AS_OF }))
    const { passed, failures } = await validate(file, 'PDF/A-3a')
    expect(passed).toBe(false)
    expect(failures.join('\n')).toMatch(/^6\.4\.3/m)
  })

  testUnless(
    poppler && openssl ? null : 'poppler-utils or openssl is not installed',
    'pdfsig finds one valid signature over the whole file',
    async () => {
      const { stdout } = await exec('pdfsig', ['-nocert', signed])
      expect(stdout.match(/Signature #/g)).toHaveLength(1)
      expect(stdout).toContain('Signature is Valid')
      expect(stdout).toContain('Total document signed')
      expect(stdout).toContain('ETSI.CAdES.detached')
    },
  )

  testUnless(
    openssl ? null : 'openssl is not installed',
    'the openssl steps printed in the report verify it',
    async () => {
      const howto = buildAnnexes(input).sections.find(({ id }) => id === 'howto')
      const steps = howto?.blocks.flatMap((block) =>
        block.kind === 'code' && block.lines[0]?.startsWith('set --') ? block.lines : [],
      )
      expect(steps?.length).toBe(5)
      const script = ['set -e', 'cp signed.pdf report.pdf', ...(steps ?? [])].join('\n')
      const { stderr } = await exec('bash', ['-c', script], { cwd: folder })
      expect(stderr).toContain('successful')
      expect((await readFile(join(folder, 'signer.pem'), 'utf8')).startsWith('-----BEGIN')).toBe(true)
      const altered = await readFile(signed)
      altered[2000] = (altered[2000] ?? 0) ^ 1
      await writeFile(join(folder, 'altered.pdf'), altered)
      const again = script.replace('cp signed.pdf', 'cp altered.pdf')
      await expect(exec('bash', ['-c', again], { cwd: folder })).rejects.toThrow()
    },
  )

  testUnless(whyNo('qpdf'), 'qpdf finds no error', async () => {
    for (const file of openssl ? [plain, signed] : [plain]) {
      const { stdout, stderr } = await exec('qpdf', ['--check', file])
      expect(stderr).toBe('')
      expect(stdout).toContain('No syntax or stream encoding errors found')
    }
  })

  const noPoppler = poppler ? null : 'poppler-utils is not installed'
  testUnless(noPoppler, 'pdfinfo reads title, tags and structure', async () => {
    const { stdout } = await exec('pdfinfo', [plain])
    expect(stdout).toMatch(/Title: +Evidence report: clinic-prod/)
    expect(stdout).toMatch(/Tagged: +yes/)
    expect(stdout).toMatch(/JavaScript: +no/)
    expect(stdout).toContain('(letter)')
    const { stdout: tree } = await exec('pdfinfo', ['-struct', plain], { maxBuffer: 1 << 26 })
    for (const kind of ['Document', 'Sect', 'H1', 'H2', 'H3', 'Table', 'THead', 'TH', 'Link'])
      expect(tree).toMatch(new RegExp(`^ *${kind}\\b`, 'm'))
    const { stdout: more } = await exec('pdfinfo', ['-struct', annexes], { maxBuffer: 1 << 26 })
    for (const kind of ['H4', 'TOC', 'Figure']) expect(more).toMatch(new RegExp(`^ *${kind}\\b`, 'm'))
  })

  testUnless(noPoppler, 'pdfdetach gives the embedded results back, byte for byte', async () => {
    const out = join(folder, 'detached.json')
    await exec('pdfdetach', ['-save', '1', '-o', out, plain])
    expect(new Uint8Array(await readFile(out))).toEqual(results)
  })

  testUnless(noPoppler, 'pdftotext reads every page, numbered, with the names and digests whole', async () => {
    const { stdout } = await exec('pdftotext', ['-layout', plain, '-'], { maxBuffer: 1 << 26 })
    const pages = stdout.split('\f').slice(0, -1)
    pages.forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
      expect(page).toContain('Not an audit opinion, attestation or legal advice.')
      for (const banned of BANNED) expect(page).not.toMatch(banned)
    })
    expect(stdout).toContain(input.evidenceDigest)
    const { stdout: more } = await exec('pdftotext', ['-layout', annexes, '-'], { maxBuffer: 1 << 26 })
    expect(more).toContain('\\u{202e}')
    for (const text of [stdout, more]) expect(text).not.toContain('\u202e')
  })
})
