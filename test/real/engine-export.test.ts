import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pem } from '../../main/core/base/pem.ts'
import { lyingTsa, replyWith } from '../support/lying-tsa.ts'
import { describeUnless, whyNo } from '../support/needing.ts'
import { opensslTsa } from '../support/openssl-tsa.ts'
import { must } from '../support/outcomes.ts'
import { memoryVault, sealingKit, settingsWith } from '../support/sealing-kit.ts'

const missing = whyNo('openssl')

describeUnless(missing, 'an export with a time by openssl', () => {
  const kit = sealingKit({ vault: memoryVault() })
  afterAll(kit.remove)

  test('is time-stamped by the authority that was set and trusted', async () => {
    const tsa = opensslTsa(join(kit.folder, 'tsa'))
    const server = await lyingTsa(replyWith(tsa.reply))
    try {
      writeFileSync(join(kit.folder, 'settings.json'), settingsWith(server.url))
      const path = join(kit.folder, 'root.pem')
      writeFileSync(path, pem('CERTIFICATE', tsa.root))
      const reason = { for: 'authorities' as const, howVerified: 'made for this test' }
      must(await kit.trust['trust.add-choose'](reason, { path }))
      const wanted = { frameworks: ['soc2' as const], identity: null, timestamp: true, also: [], redact: null }
      must(await kit.trust['identities.create']({ name: 'default', subject: 'Clinic (M. Ortiz)' }))
      const draft = must(await kit.exports['export.build'](wanted))
      expect(draft.notes).toContain('The pack has a time-stamp.')
      const { report } = must(await kit.exports['export.review']({ handle: draft.handle }))
      expect(report.ok).toBe(true)
      expect(report.checks.find(({ check }) => check === 'time')).toMatchObject({
        outcome: 'passed',
        summary: expect.stringContaining('“Test TSA”, an authority you trust'),
      })
    } finally {
      await server.close()
    }
  })
})
