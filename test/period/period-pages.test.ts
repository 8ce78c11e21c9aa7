import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportPeriod } from '../../main/app/export/period.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { ReportDocument } from '../../main/present/report.ts'
import { NO_TRUST } from '../../main/verify/steps/trust.ts'
import type { VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import { engagementOf } from '../support/engagement.ts'
import { must } from '../support/outcomes.ts'
import { type PeriodKit, periodKit } from '../support/period-kit.ts'
import { sampleCatalog } from '../support/sample-pack.ts'

let kit: PeriodKit
beforeAll(async () => {
  kit = await periodKit()
  await kit.plan()
  await kit.run(23)
  await kit.run(24, '/dev/vda2 partition 1 0 -2\n')
  kit.at('2026-11-28T09:00:00.000Z')
})
afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))

/** Someone who changes what the document of the report states, and seals that. */
const forging = (change: (document: ReportDocument) => ReportDocument): Ports => ({
  ...kit.ports,
  reports: { render: (document, options) => kit.ports.reports.render(change(document), options) },
})

let count = 0
async function verified(
  by: Ports,
  reader: Catalog = sampleCatalog,
  maker = sampleCatalog,
): Promise<VerificationReport> {
  count += 1
  const folder = join(kit.folder, `out-${count}`)
  const engagement = { ...engagementOf({ nodes: [] }), entity: 'Example Clinic' }
  must(
    await exportPeriod(by, maker, {
      root: kit.folder,
      chainFolder: kit.chainFolder,
      fleet: 'sample',
      from: '2026-11-23',
      to: '2026-11-25',
      samples: [],
      signer: kit.signer,
      stamping: null,
      folder,
      engagement,
    }),
  )
  const path = join(folder, 'period-2026-11-23-2026-11-25.barewitness.zip')
  return must(await reviewFile(kit.ports, reader, { path, trust: NO_TRUST, checkpoint: null, keep: false })).report
}

const complete = ({ checks }: VerificationReport): VerificationCheckResult | undefined =>
  checks.find(({ check }) => check === 'completeness')

describe('The pages of an account of a period', () => {
  test('follow from what is sealed, what was declared included', async () => {
    const report = await verified(kit.ports)
    expect(complete(report)).toMatchObject({
      outcome: 'passed',
      summary: expect.stringMatching(/Every report page/),
    })
    expect(report.ok).toBe(true)
  })

  test('with another number or another entity are rejected, with the page and both sentences', async () => {
    for (const [from, to] of [
      ['took place', 'were clean'],
      ['Example Clinic', 'Another Clinic'],
    ] as const) {
      const changed = (document: ReportDocument): ReportDocument =>
        JSON.parse(
          JSON.stringify(document, (_, value) => (typeof value === 'string' ? value.replaceAll(from, to) : value)),
        )
      const report = await verified(forging(changed))
      expect(report.ok).toBe(false)
      expect(complete(report)?.outcome).toBe('failed')
      expect(complete(report)?.details.join('\n')).toMatch(new RegExp(`^data/report\\.pdf: Page \\d+ reads “.*${to}`))
      expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1)
    }
  })

  test('that were left out are counted', async () => {
    const report = await verified(forging((document) => ({ ...document, sections: document.sections.slice(0, -1) })))
    expect(complete(report)?.outcome).toBe('failed')
  })

  test('by a program with other rules are not compared, and that is not a yes', async () => {
    const report = await verified(kit.ports, { ...sampleCatalog, version: '99.0.0' })
    expect(complete(report)).toMatchObject({ outcome: 'indeterminate', summary: expect.stringMatching(/not compared/) })
  })

  test('by a program that names a known version for other rules are rejected', async () => {
    const report = await verified(kit.ports, sampleCatalog, { ...sampleCatalog, module: sha256('other') })
    expect(complete(report)?.outcome).toBe('failed')
    expect(complete(report)?.details.join('\n')).toMatch(/The stated rules are not those of version/)
  })
})
