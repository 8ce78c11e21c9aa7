import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { readSites } from '../main/adapters/declarations/sites-file.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { PATHS, payloadFiles } from '../main/core/pack/pack-files.ts'
import type { PackSource, Signer } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { locationOfPack } from '../main/verify/steps/location.ts'
import type { SiteList } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { AS_OF, sampleCatalog, sampleSigner, sealing } from './support/sample-pack.ts'

const folder = folderOfTests('sites-pack')
let provider: Signer
beforeAll(async () => {
  provider = await sampleSigner(folder, 'provider')
})

const TABLE = 'serial,site,country\nSN-1001,FRA-2,DE\n'

async function read(table: string, signed: string): Promise<Awaited<ReturnType<typeof readSites>>> {
  writeFileSync(join(folder, 'sites.csv'), table)
  writeFileSync(join(folder, 'sites.p7s'), await sealing.signDetached(provider, new TextEncoder().encode(signed)))
  const declared = { source: 'Hostrunway', on: '2026-11-01', declaredBy: 'M. Ortiz' }
  return await readSites({ ...declared, file: 'sites.csv', signature: 'sites.p7s' }, join(folder, 'fleet.yaml'))
}

const packed = (files: ReadonlyMap<string, Uint8Array>): PackSource => ({
  paths: [...files.keys()],
  sha256: async (path) => sha256(files.get(path) ?? ''),
  size: (path) => files.get(path)?.length ?? null,
  read: async (path) => files.get(path) ?? new Uint8Array(),
})

function problemsOf(sites: SiteList, bytes: Uint8Array | null): Promise<readonly string[]> {
  const scope = { fleet: 'test', population: [], frameworks: [], location: { sites } }
  const assessment = assess({ catalog: sampleCatalog, scope, recordings: [], asOf: AS_OF })
  const payload = payloadFiles({
    assessment,
    catalog: sampleCatalog,
    register: EMPTY_REGISTER,
    sites: bytes,
  })
  const source = packed(payload as ReadonlyMap<string, Uint8Array>)
  const reading = { scope: { ...scope, asOf: AS_OF } } as unknown as Parameters<typeof locationOfPack>[1]
  return locationOfPack(source, reading, sealing.reader).then(({ problems }) => problems)
}

it('a record that its provider signed names the signer, is in the pack, and fits there again', async () => {
  const sites = await read(TABLE, TABLE)
  if (!sites.ok) throw new Error(sites.error.detail)
  expect(sites.value.sites.signature).toMatchObject({
    subject: `CN=${provider.subject}`,
    fingerprint: provider.fingerprint,
  })
  expect(PATHS.sites).toBe('data/sites')
  expect(await problemsOf(sites.value.sites, sites.value.bytes)).toEqual([])
})

it('one that was changed since it was signed is refused', async () => {
  const sites = await read(TABLE.replace('DE', 'US'), TABLE)
  expect(sites).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  expect(sites.ok ? '' : sites.error.detail).toContain('the signature is invalid')
})

it('many rows of one long line are compared in little time', async () => {
  const line = Array.from({ length: 100_000 }, (_, at) => `w${at}`).join(' ')
  const bytes = new TextEncoder().encode(`serial,site\n${line}\n`)
  const rows = Array.from({ length: 500 }, (_, at) => ({ line: 2, serial: `w${at}`, site: 'w1' }))
  const file = { name: 'sites.csv', size: bytes.length, sha256: sha256(bytes) }
  const list = { source: 'Host', kind: 'csv', on: '2026-11-01', declaredBy: 'M. Ortiz', file, rows } as const
  const before = performance.now()
  expect(await problemsOf(list as unknown as SiteList, bytes)).toEqual([])
  expect(performance.now() - before).toBeLessThan(5000)
})

it('a pack whose record is missing, or states something else, or whose rows do, does not verify', async () => {
  const sites = await read(TABLE, TABLE)
  if (!sites.ok) throw new Error(sites.error.detail)
  const { sites: list, bytes } = sites.value
  expect((await problemsOf(list, null)).join(' ')).toContain('is missing')
  expect((await problemsOf(list, new TextEncoder().encode(TABLE.replace('DE', 'US')))).join(' ')).toContain(
    'a different digest',
  )
  const moved = { ...list, rows: list.rows.map((row) => ({ ...row, serial: 'SN-2002' })) }
  expect((await problemsOf(moved, bytes)).join(' ')).toContain('“SN-2002”')
  const more = { ...list, rows: [...list.rows, { line: 3, serial: 'SN-3003', site: 'FRA-2' }] }
  expect((await problemsOf(more, bytes)).join(' ')).toContain('“SN-3003”')
})

it('a pack that names another signer than signed, or a signature that is of other bytes, does not verify', async () => {
  const sites = await read(TABLE, TABLE)
  if (!sites.ok) throw new Error(sites.error.detail)
  const { sites: list, bytes } = sites.value
  const { signature } = list
  if (signature === undefined) throw new Error('it is not signed')
  const problemText = async (more: Partial<SiteList>): Promise<string> =>
    (await problemsOf({ ...list, ...more }, bytes)).join(' ')
  expect(await problemText({ signature: { ...signature, subject: 'CN=Somebody else' } })).toContain(
    'a different signer is stated',
  )
  expect(await problemText({ signature: { ...signature, fingerprint: 'ab'.repeat(32) } })).toContain(
    'a different signer is stated',
  )
  expect(await problemText({ signature: { ...signature, cms: 'AAAA' } })).toContain('unsupported format')
  const { signature: _, ...unsigned } = list
  expect((await problemsOf({ ...unsigned, signer: 'ab'.repeat(32) }, bytes)).join(' ')).toContain('is not signed')
  const other = TABLE.replace('DE', 'US')
  const [size, digest] = [Buffer.byteLength(other), sha256(other)]
  const moved = {
    ...list,
    file: { ...list.file, size, sha256: digest },
    rows: list.rows.map((row) => ({ ...row, country: 'US' })),
  }
  expect((await problemsOf(moved, new TextEncoder().encode(other))).join(' ')).toContain('is over other bytes')
})
