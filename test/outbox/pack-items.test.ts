import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { matterOfPack } from '../../main/app/outbox/send.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { NO_TRUST, type Trust } from '../../main/verify/steps/trust.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { packOf } from '../support/kept-runs.ts'
import { sampleCatalog } from '../support/sample-pack.ts'

const kit = keepingKit()
const asked = (path: string, trust: Trust) => ({ path, sender: 'clinic-2026', trust, allowsDemo: false })
const trusted = (): Trust => ({ ...NO_TRUST, signers: [kit.signer().certificate] })

async function packMade(): Promise<string> {
  await kit.run('run-1', '2027-01-05T10:00:00.000Z')
  return packOf(kit.root(), 'run-1')
}

test('a pack of a trusted signer gives its source and its results', async () => {
  const path = await packMade()
  expect(await matterOfPack(kit.ports, sampleCatalog, asked(path, trusted()))).toMatchObject({
    ok: true,
    value: {
      source: {
        schema: 'barewitness.item/1',
        sender: 'clinic-2026',
        fleet: 'sample fleet',
        run: 'run-1',
        pack: { name: 'run-1.barewitness.zip', sha256: sha256(readFileSync(path)) },
        asOf: '2027-01-05T10:00:00.000Z',
        demo: false,
      },
      assessment: { nodes: [{ node: 'node-a' }, { node: 'node-b' }] },
    },
  })
})

test('refused: a signer that is not trusted, rules that are not known here, and what is no file', async () => {
  const path = await packMade()
  const refused = async (...of: Parameters<typeof matterOfPack>) => {
    const outcome = await matterOfPack(...of)
    return outcome.ok ? null : outcome.error
  }
  expect(await refused(kit.ports, sampleCatalog, asked(path, NO_TRUST))).toMatchObject({
    code: 'pack.unverified',
    detail: expect.stringContaining('signature indeterminate'),
  })
  expect(await refused(kit.ports, catalog, asked(path, trusted()))).toMatchObject({
    code: 'pack.unverified',
    detail: expect.stringContaining('reproducibility'),
  })
  expect(await refused(kit.ports, sampleCatalog, asked(join(kit.root(), 'run-1'), trusted()))).not.toBeNull()
  expect(await refused(kit.ports, sampleCatalog, asked(join(kit.root(), 'none.zip'), trusted()))).toMatchObject({
    code: 'input.not-found',
  })
})
