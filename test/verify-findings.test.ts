import { beforeAll, describe, expect, test } from 'vitest'
import { issueList, issuerOf, makeIdentity } from '../main/adapters/identity/certificates.ts'
import { signerOf } from '../main/adapters/identity/folder.ts'
import { OID } from '../main/adapters/seal/oids.ts'
import { readSeal } from '../main/adapters/seal/reader.ts'
import { storedResponse } from '../main/adapters/seal/tsp/client.ts'
import { namesOf, readRevocationList } from '../main/adapters/seal/x509.ts'
import { der, octets, oid, sequence, time } from '../main/core/der/read.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import { chainFiles } from '../main/core/run-chain/notes.ts'
import { VERSION } from '../schemas/version.ts'
import { realEntropy } from './support/deps.ts'
import { testTsa } from './support/lying-tsa.ts'
import { outcomes, samplePack, sealing, sourceOf, type VerifyChanges, verifySource } from './support/sample-pack.ts'

// What a hostile reading of the verifier found, one test each.
const LATER = '2026-11-22T12:00:00.000Z'
const YEARS = { from: '2025-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' }
const made = makeIdentity({
  commonName: 'Owner',
  rootCommonName: 'Owner (root)',
  now: '2026-11-20T09:00:00.000Z',
  entropy: realEntropy,
})
const owner = signerOf({ ...made, subject: 'Owner', key: made.leafKey })
const tsa = testTsa({ validity: YEARS, genTime: '2026-11-20T10:05:00Z' })
const rogue = testTsa({ validity: YEARS, genTime: '2026-11-20T10:05:00Z', name: 'Rogue' })
const verify = (files: ReadonlyMap<string, Uint8Array>, changes: VerifyChanges = {}, signers = [made.root]) =>
  verifySource(sourceOf(files), signers, { verifiedAt: LATER, authorities: [tsa.root], ...changes })

let files: Map<string, Uint8Array>
beforeAll(async () => {
  files = await samplePack({ signer: owner, authority: { name: 'Memory TSA', chain: tsa.chain, crls: tsa.crls } })
})
const stampedBy = (by: typeof tsa): Map<string, Uint8Array> =>
  new Map([...files, [PATHS.stamp, storedResponse(by.token(files.get(PATHS.seal) ?? new Uint8Array()))]])

describe('a pack that was sealed to carry a time-stamp', () => {
  test('is refused without it, and with one by any other authority', async () => {
    expect(outcomes(await verify(stampedBy(tsa))).time).toBe('passed')
    expect(outcomes(await verify(files)).time).toBe('failed')
    expect(outcomes(await verify(stampedBy(rogue))).time).toBe('failed')
  })

  test('takes one by another key of the same authority, which has several', async () => {
    const chain = [rogue.chain[0] ?? made.root, ...tsa.chain.slice(1)]
    const named = await samplePack({ signer: owner, authority: { name: 'Memory TSA', chain, crls: tsa.crls } })
    const stamp = storedResponse(tsa.token(named.get(PATHS.seal) ?? new Uint8Array()))
    expect(outcomes(await verify(new Map([...named, [PATHS.stamp, stamp]]))).time).toBe('passed')
  })
})

describe('revocation', () => {
  const listOf = (entries: readonly Uint8Array[], from: string, until: string): Uint8Array =>
    issueList(issuerOf(made.root, made.rootKey), {
      number: 2n,
      from: Date.parse(from),
      until: Date.parse(until),
      entries,
    })

  test('counts from the day the key was in other hands, where the list states it', () => {
    const invalid = der(0x18, new TextEncoder().encode('20261001000000Z'))
    const more = sequence(sequence(oid(OID.invalidityDate), octets(invalid)))
    const entry = sequence(namesOf(made.leaf).serial, time(new Date('2026-11-21T00:00:00Z')), more)
    const list = listOf([entry], '2026-11-21T00:00:00Z', '2028-01-01T00:00:00Z')
    expect(readRevocationList(list)?.revoked[0]?.at).toBe('2026-10-01T00:00:00.000Z')
  })

  test('by a list whose issuer was taken out of the seal still counts', async () => {
    const entry = sequence(namesOf(made.leaf).serial, time(new Date('2026-11-21T00:00:00Z')))
    const content = new TextEncoder().encode('x')
    const reading = readSeal({
      content,
      signature: await sealing.signDetached(owner, content),
      chain: [],
      crls: [],
      timestamps: [],
      tsaChain: [],
      tsaCrls: [],
      freshCrls: [listOf([entry], '2026-11-21T00:00:00Z', '2028-01-01T00:00:00Z')],
    })
    expect(reading.revoked).toEqual({ at: '2026-11-21T00:00:00.000Z' })
  })

  test('is not covered by a list that had run out before the certificate began', async () => {
    const content = new TextEncoder().encode('x')
    const read = async (crl: Uint8Array) =>
      readSeal({
        content,
        signature: await sealing.signDetached(owner, content),
        chain: [made.root],
        crls: [crl],
        timestamps: [],
        tsaChain: [],
        tsaCrls: [],
        freshCrls: [],
      })
    expect((await read(made.crl)).revocationCovered).toBe(true)
    const old = await read(listOf([], '2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z'))
    expect(old).toMatchObject({ problems: [], revocationCovered: false })
  })
})

describe('an assessment that names another engine', () => {
  test('is no way around a comparison with the same catalog', async () => {
    const forged = await samplePack({
      signer: owner,
      forge: (honest) => ({
        ...honest,
        engine: '9.9.9',
        nodes: honest.nodes.map((node) => ({
          ...node,
          results: node.results.map((found) => ({ ...found, verdict: 'satisfied' as const })),
        })),
      }),
    })
    const found = await verify(forged)
    expect(VERSION).not.toBe('9.9.9')
    expect(outcomes(found).reproducibility).toBe('failed')
  })
})

describe('the chain of runs', () => {
  const chain = { id: 'ab'.repeat(32), fleet: 'sample', entries: [] }
  test('is not called continuous, and no head is kept, for an unknown key', async () => {
    const pack = await samplePack({ signer: owner, extra: chainFiles(chain) as ReadonlyMap<string, Uint8Array> })
    const first = await verify(pack)
    expect(first.head?.size).toBe(1)
    const unknown = await verify(pack, {}, [])
    expect(unknown.head).toBeNull()
    const again = await verify(pack, first.head === null ? {} : { lastHead: first.head }, [])
    expect(outcomes(again).continuity).not.toBe('passed')
    expect(outcomes(await verify(pack, first.head === null ? {} : { lastHead: first.head })).continuity).toBe('passed')
  })
})
