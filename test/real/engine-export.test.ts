import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { pem } from '../../main/core/pem.ts'
import { lyingTsa, say } from '../support/lying-tsa.ts'
import { opensslTsa } from '../support/openssl-tsa.ts'
import { memoryVault, sealingKit, settingsWith, value } from '../support/sealing-kit.ts'

const missing = spawnSync('openssl', ['version'], { stdio: 'ignore' }).error !== undefined
const because = missing ? ' (skipped: openssl is not installed)' : ''

describe.skipIf(missing)(`an export with a time by openssl${because}`, () => {
  const kit = sealingKit({ vault: memoryVault() })
  afterAll(kit.remove)

  test('is time-stamped by the authority that was set and trusted', async () => {
    const tsa = opensslTsa(join(kit.folder, 'tsa'))
    const server = await lyingTsa(say(tsa.reply))
    try {
      writeFileSync(join(kit.folder, 'settings.json'), settingsWith(server.url))
      const path = join(kit.folder, 'root.pem')
      writeFileSync(path, pem('CERTIFICATE', tsa.root))
      const reason = { for: 'authorities' as const, howVerified: 'made for this test' }
      value(await kit.trust['trust.add-choose'](reason, { path }))
      const wanted = { frameworks: ['soc2' as const], identity: null, timestamp: true, also: [], redact: null }
      value(await kit.trust['identities.create']({ name: 'default', subject: 'Clinic (M. Ortiz)' }))
      const draft = value(await kit.exports['export.build'](wanted))
      expect(draft.notes).toContain('The pack has a time-stamp.')
      const { report } = value(await kit.exports['export.review']({ handle: draft.handle }))
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
