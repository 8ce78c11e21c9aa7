import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { disclosureTag } from '../main/app/export/export.ts'
import { reportInputOf } from '../main/app/export/report-input.ts'
import { reviewFile } from '../main/app/export/review.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import type { ReportDocument } from '../main/present/report.ts'
import { SEED_PATH } from '../main/verify/disclosure/cuts/parts.ts'
import { earlierProblems, readEarlier } from '../main/verify/steps/pages.ts'
import { NO_TRUST } from '../main/verify/steps/trust.ts'
import type { VerificationCheckResult, VerificationReport } from '../schemas/verification.ts'
import { realClock } from './support/deps.ts'
import { engagementOf } from './support/engagement.ts'
import { folderOfTests } from './support/folders.ts'
import { collected, exported, packOf, portsAt, recordingsOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { relist, reseal } from './support/pack-attacks.ts'
import { sampleCatalog, sampleRecording, sampleSigner } from './support/sample-pack.ts'

describe('PDFs in a pack, by a signer who writes other pages than the evidence gives', () => {
  const folder = folderOfTests('forged-pages')
  const ports = portsAt({ now: realClock.now() })
  let signer: Signer
  beforeAll(async () => {
    signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'keeper')
  })

  /** The ports of someone who changes each document before it is drawn and signed. */
  const forging = (change: (document: ReportDocument) => ReportDocument): Ports => ({
    ...ports,
    reports: { render: (document, options) => ports.reports.render(change(document), options) },
  })
  const replacing =
    (from: string, to: string, isIn: (document: ReportDocument) => boolean = () => true) =>
    (document: ReportDocument): ReportDocument =>
      isIn(document)
        ? JSON.parse(
            JSON.stringify(document, (_, value) => (typeof value === 'string' ? value.replaceAll(from, to) : value)),
          )
        : document

  let count = 0
  async function verified(
    by: Ports,
    catalog: Catalog = sampleCatalog,
    reader: Catalog = catalog,
  ): Promise<VerificationReport> {
    count += 1
    const root = join(folder, `root-${count}`)
    await collected(ports, root, 'run-1')
    await exported(by, root, 'run-1', signer, { catalog })
    const path = packOf(root, 'run-1')
    return must(await reviewFile(ports, reader, { path, trust: NO_TRUST, checkpoint: null, keep: false })).report
  }
  const complete = ({ checks }: VerificationReport): VerificationCheckResult | undefined =>
    checks.find(({ check }) => check === 'completeness')

  test('pages that follow from the evidence are shown to', async () => {
    const report = await verified(ports)
    expect(complete(report)).toMatchObject({ outcome: 'passed' })
    expect(report.ok).toBe(true)
  })

  test('a report that states another result is rejected, with the page and both sentences', async () => {
    const report = await verified(forging(replacing('Not satisfied', 'Satisfied')))
    expect(report.ok).toBe(false)
    expect(complete(report)?.outcome).toBe('failed')
    expect(complete(report)?.details[0]).toMatch(
      /^data\/report\.pdf: Page \d+ reads “.*Satisfied.*”; the evidence gives “.*Not satisfied/,
    )
    // Everything else about it is as it should be: only the pages lie.
    expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1)
  })

  test('an executive page that states another result is rejected', async () => {
    const isPage = ({ title }: ReportDocument): boolean => title.startsWith('Executive summary')
    const report = await verified(forging(replacing('resulted in', 'did not result in', isPage)))
    expect(report.ok).toBe(false)
    expect(complete(report)?.details[0]).toMatch(/^data\/report-executive\.pdf: Page 1 reads /)
  })

  test('an HTML report that states another result is rejected, with both statements', async () => {
    count += 1
    const root = join(folder, `root-${count}`)
    await collected(ports, root, 'run-1')
    await exported(ports, root, 'run-1', signer, {})
    const opened = must(await ports.packs.open(packOf(root, 'run-1')))
    const files = new Map<string, Uint8Array>()
    for (const path of opened.paths) files.set(path, await opened.read(path))
    await opened.close()
    const html = new TextDecoder().decode(files.get(PATHS.html))
    const forged = html.replace('resulted in 1 finding', 'resulted in 0 findings')
    expect(forged).not.toBe(html)
    const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
    const changed = new Map([...files, [PATHS.html, utf8(forged)]])
    const payload = new Map([...changed].filter(([path]) => path.startsWith('data/')))
    const seed = new Uint8Array(Buffer.from(new TextDecoder().decode(files.get(SEED_PATH)).trim(), 'hex'))
    const listed = relist(new Map([...changed, ...(await disclosureTag(payload, seed))]))
    const manifest = (of: ReadonlyMap<string, Uint8Array>): string => sha256(of.get(PATHS.manifest) ?? '')
    const statement = new TextDecoder()
      .decode(files.get(PATHS.statement))
      .replace(sha256(html), sha256(forged))
      .replace(manifest(files), manifest(listed))
    const again = await reseal(new Map([...listed, [PATHS.statement, utf8(statement)]]), signer)
    const path = join(root, 'forged.barewitness.zip')
    must(await ports.packs.write(path, again))
    const { report } = must(
      await reviewFile(ports, sampleCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }),
    )
    expect(complete(report)).toMatchObject({ outcome: 'failed' })
    expect(complete(report)?.details[0]).toMatch(
      /^data\/report\.html: It reads “.*resulted in 0 findings.*” where the evidence gives “.*resulted in 1 finding/,
    )
  })

  test('a page that was left out is counted', async () => {
    const report = await verified(
      forging((one) => ({ ...one, sections: one.sections.slice(0, Math.max(1, one.sections.length - 1)) })),
    )
    expect(complete(report)).toMatchObject({ outcome: 'failed' })
  })

  test('what earlier runs found is sealed with the report that states it, and each has to be in the chain', async () => {
    const root = join(folder, 'period')
    const today = ports.clock.now().slice(0, 10)
    const engagement = {
      ...engagementOf({ nodes: [] }),
      reportingBasis: { kind: 'period' as const, from: today, to: today },
    }
    for (const run of ['run-1', 'run-2']) {
      await collected(ports, root, run, recordingsOf(run))
      await exported(ports, root, run, signer, { engagement })
    }
    const path = packOf(root, 'run-2')
    const opened = must(await ports.packs.open(path))
    const { earlier, problems } = await readEarlier(opened, ports.validator)
    await opened.close()
    expect(problems).toEqual([])
    expect(earlier?.runs.map(({ run }) => run)).toEqual(['run-1'])
    const { report } = must(
      await reviewFile(ports, sampleCatalog, { path, trust: NO_TRUST, checkpoint: null, keep: false }),
    )
    expect(complete(report)).toMatchObject({ outcome: 'passed' })
    if (earlier !== null) expect(earlierProblems(earlier, null)).toHaveLength(1)
  })

  test('the order in which a store gives answers makes no difference to the pages', async () => {
    const { recording, captures } = sampleRecording('node-a', '')
    const metas = ['b', 'a'].flatMap((probe) => captures.map(({ meta }) => ({ meta: { ...meta, probe } })))
    const assessment = assess({
      catalog: sampleCatalog,
      scope: { fleet: 'f', population: ['node-a'], frameworks: ['soc2'] },
      recordings: [{ recording, captures }],
      asOf: ports.clock.now(),
    })
    const read = async (order: typeof metas) => {
      const parts = {
        assessment,
        catalog: sampleCatalog,
        outlines: [{ recording, captures: order }],
        figures: new Map(),
        captured: new Map(),
        sudo: new Map(),
        recordings: [],
        register: EMPTY_REGISTER,
        earlier: null,
        payload: new Map(),
        evidenceDigest: sha256(''),
        packName: 'p',
        signer: null,
      }
      return must(await reportInputOf(parts)).about.recordings[0]?.captures.map(({ meta }) => meta.probe)
    }
    expect(await read(metas)).toEqual(['a', 'b'])
    expect(await read([...metas].reverse())).toEqual(['a', 'b'])
  })

  test('pages by rules that are not those here are not compared, and that is not a yes', async () => {
    const report = await verified(ports, sampleCatalog, { ...sampleCatalog, version: 'another' })
    expect(complete(report)?.outcome).toBe('indeterminate')
  })
})
