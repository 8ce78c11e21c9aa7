import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { canonicalJson } from '../../main/core/canonical-json.ts'
import { buildBinder } from '../../main/present/report/binder.ts'
import { buildAnnexes, buildReport } from '../../main/present/report.ts'
import { BANNED } from '../../schemas/words.ts'
import { linked, renderPlain } from '../support/report/made.ts'
import { SAMPLE_AS_OF, sampleInput } from '../support/report/sample.ts'
import { signWithOpenssl } from '../support/report/sign-with-openssl.ts'
import { type Flavour, validate, whyNoVeraPdf } from '../support/verapdf/verapdf.ts'

const exec = promisify(execFile)
const FLAVOURS: readonly Flavour[] = ['PDF/A-3a', 'PDF/UA-1']

/** Installed at all: pdfdetach leaves with 99 even when it only prints its version. */
function has(tool: string, versionArgument: string): boolean {
  const { error } = spawnSync(tool, [versionArgument], { stdio: 'ignore' })
  return error === undefined
}

const poppler = has('pdfinfo', '-v') && has('pdfsig', '-v') && has('pdfdetach', '-v') && has('pdftotext', '-v')
const openssl = has('openssl', 'version')
const noVeraPdf = await whyNoVeraPdf()
const because = (reason: string | null): string => (reason === null ? '' : ` (skipped: ${reason})`)

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
    it.skipIf(noVeraPdf !== null)(`the binder, unsigned: ${flavour} in veraPDF${because(noVeraPdf)}`, async () => {
      const { passed, failures, checks } = await validate(binder, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
      expect(checks).toBeGreaterThan(10_000)
    })
    it.skipIf(noVeraPdf !== null)(`the annexes, unsigned: ${flavour} in veraPDF${because(noVeraPdf)}`, async () => {
      const { passed, failures } = await validate(annexes, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
    })
    it.skipIf(noVeraPdf !== null)(`links in every block: ${flavour} in veraPDF${because(noVeraPdf)}`, async () => {
      for (const more of [{ paper: 'letter', density: 'reading', demo: true }, {}] as const) {
        const file = join(folder, 'linked.pdf')
        await writeFile(file, await renderPlain(linked(more)))
        const { passed, failures } = await validate(file, flavour)
        expect(failures).toEqual([])
        expect(passed).toBe(true)
      }
    })
    const reason = noVeraPdf ?? (openssl ? null : 'openssl is not installed')
    it.skipIf(reason !== null)(`signed: ${flavour} in veraPDF${because(reason)}`, async () => {
      const { passed, failures } = await validate(signed, flavour)
      expect(failures).toEqual([])
      expect(passed).toBe(true)
    })
  }

  it.skipIf(noVeraPdf !== null)(`the validator does refuse: an unfilled placeholder${because(noVeraPdf)}`, async () => {
    const file = join(folder, 'unfilled.pdf')
    await writeFile(file, await renderReport(buildReport(input), { attachments: [], created: SAMPLE_AS_OF }))
    const { passed, failures } = await validate(file, 'PDF/A-3a')
    expect(passed).toBe(false)
    expect(failures.join('\n')).toMatch(/^6\.4\.3/m)
  })

  it.skipIf(!poppler || !openssl)(
    `pdfsig finds one valid signature over the whole file${because(poppler && openssl ? null : 'poppler-utils or openssl is not installed')}`,
    async () => {
      const { stdout } = await exec('pdfsig', ['-nocert', signed])
      expect(stdout.match(/Signature #/g)).toHaveLength(1)
      expect(stdout).toContain('Signature is Valid')
      expect(stdout).toContain('Total document signed')
      expect(stdout).toContain('ETSI.CAdES.detached')
    },
  )

  it.skipIf(!openssl)(
    `the openssl steps printed in the report verify it${because(openssl ? null : 'openssl is not installed')}`,
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

  const qpdf = has('qpdf', '--version')
  it.skipIf(!qpdf)(`qpdf finds no error${because(qpdf ? null : 'qpdf is not installed')}`, async () => {
    for (const file of openssl ? [plain, signed] : [plain]) {
      const { stdout, stderr } = await exec('qpdf', ['--check', file])
      expect(stderr).toBe('')
      expect(stdout).toContain('No syntax or stream encoding errors found')
    }
  })

  const noPoppler = because(poppler ? null : 'poppler-utils is not installed')
  it.skipIf(!poppler)(`pdfinfo reads title, tags and structure${noPoppler}`, async () => {
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

  it.skipIf(!poppler)(`pdfdetach gives the embedded results back, byte for byte${noPoppler}`, async () => {
    const out = join(folder, 'detached.json')
    await exec('pdfdetach', ['-save', '1', '-o', out, plain])
    expect(new Uint8Array(await readFile(out))).toEqual(results)
  })

  it.skipIf(!poppler)(
    `pdftotext reads every page, numbered, with the names and digests whole${noPoppler}`,
    async () => {
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
    },
  )
})
