import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import type { RedactableClass } from '../main/verify/disclosure/cuts/classes.ts'
import { disclose } from '../main/verify/disclosure/disclose.ts'
import { verifyDisclosure } from '../main/verify/excerpt.ts'
import type { Assessment, InventoryRow } from '../schemas/types.ts'
import { realClock, validator } from './support/deps.ts'
import { copyOf, disclosablePack, WHO } from './support/disclosure.ts'
import { engagementOf, inventoryOf } from './support/engagement.ts'
import { folderOfTests } from './support/folders.ts'
import {
  AS_OF,
  NO_KEPT_RULES,
  sampleCatalog,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
} from './support/sample-pack.ts'

const folder = folderOfTests('disclosed-list')
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(folder, 'owner')
})

const ROWS: readonly InventoryRow[] = [
  { id: 'S-1', name: 'node-a', address: '203.0.113.7', serial: 'ZX81-4711' },
  { id: 'S-2', name: 'spare-cabinet', address: '198.51.100.9', serial: 'QL90-0815' },
]
const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '')]

function packOf(rows: readonly InventoryRow[] = ROWS, tells: readonly string[] = []) {
  const list = new TextEncoder().encode(
    `id,name,address,serial\n${rows.map(({ id, name, address, serial }) => `${id},${name},${address},${serial}\n`).join('')}`,
  )
  const named = { name: 'invoice.csv', size: list.length, sha256: sha256(list) }
  const population = ['node-a', 'node-b']
  const engagement = engagementOf({
    nodes: population,
    inventory: inventoryOf(rows, [{ id: 'S-2', why: 'Spare.' }], named),
  })
  const scope = { fleet: 'sample', population, frameworks: ['soc2'], inFleet: population, engagement }
  return disclosablePack({
    signer,
    catalog: sampleCatalog,
    recordings,
    asOf: AS_OF,
    extra: new Map([[PATHS.inventory, list]]),
    forge: (): Assessment => {
      const honest = assess({ catalog: sampleCatalog, scope, recordings, asOf: AS_OF })
      const nodes = honest.nodes.map((node) =>
        tells.length === 0 || node.machine === undefined
          ? node
          : { ...node, machine: { ...node.machine, serials: [...tells] } },
      )
      return { ...honest, nodes }
    },
  })
}

const bytesOf = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files].map(([path, bytes]) => `${path}\n${Buffer.from(bytes).toString('latin1')}`).join('\n')

test.each<[RedactableClass, readonly string[]]>([
  ['serial', ['ZX81-4711', 'QL90-0815', 'TOLD-123']],
  ['ipv4', ['203.0.113.7', '198.51.100.9']],
  ['node', ['node-a', 'node-b', 'spare-cabinet']],
])('of a pack with a provider’s list, a copy without %s holds none of them anywhere', async (kind, values) => {
  const pack = await packOf(ROWS, ['TOLD-123'])
  expect(values.filter((value) => !bytesOf(pack).includes(value))).toEqual([])
  const { files } = await copyOf(pack, sampleCatalog, { classes: [kind] })
  const text = bytesOf(files).toLowerCase()
  expect(values.filter((value) => text.includes(value.toLowerCase()))).toEqual([])
})

test.each<RedactableClass>(['serial', 'ipv4', 'node'])('an honest copy without %s verifies', async (kind) => {
  const { files } = await copyOf(await packOf(), sampleCatalog, { classes: [kind] })
  const report = await verifyDisclosure({
    validator,
    source: sourceOf(files),
    departures: [],
    seal: sealing.reader,
    catalog: sampleCatalog,
    kept: NO_KEPT_RULES,
    trust: { signers: [], authorities: [], lists: [] },
    verifiedAt: realClock.now(),
    file: 'copy.zip',
  })
  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test.each(['AB12', 'SERIALWORD'])(
  'a serial number that cannot be cut everywhere, %s, keeps a copy from being made',
  async (serial) => {
    const [first] = ROWS
    if (first === undefined) throw new Error('no row')
    const made = await disclose({
      source: sourceOf(await packOf([{ ...first, serial }, ...ROWS.slice(1)])),
      policy: { classes: ['serial'], nodes: [], paths: [] },
      catalog: sampleCatalog,
      ...WHO,
    })
    expect(made).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  },
)

describe('a node called by a word that the catalog has', () => {
  const made = async (catalog: Catalog) =>
    await disclose({
      source: sourceOf(await packOf(ROWS.map((row) => ({ ...row, name: row.id === 'S-2' ? 'times' : row.name })))),
      policy: { classes: ['node'], nodes: [], paths: [] },
      catalog,
      ...WHO,
    })

  test('does not keep a copy from being made: every pack has that text', async () => {
    expect(await made(sampleCatalog)).toMatchObject({ ok: true })
  })

  test('does where the text is not that of every pack', async () => {
    const checks = sampleCatalog.checks.map((check) => ({ ...check, limitations: 'None.' }))
    expect(await made({ ...sampleCatalog, checks })).toMatchObject({
      ok: false,
      error: { code: 'input.refused', detail: expect.stringMatching(/“times” would remain in “data\/catalog\.json”/) },
    })
  })
})
