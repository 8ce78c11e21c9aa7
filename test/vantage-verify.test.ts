import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { vantageProblems } from '../main/core/fleet/vantage.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { locationOfPack } from '../main/verify/steps/location.ts'
import type { DeclaredLocation, NodeAssessment, SiteList } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { folderOfTests } from './support/folders.ts'
import { answerOf } from './support/location.ts'
import {
  AS_OF,
  outcomes,
  sampleCatalog,
  samplePack,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'
import { unsignedVantage, vantageOf } from './support/vantage.ts'

const folder = folderOfTests('vantage-verify')
const NOW = new Date().toISOString()
let owner: Signer
let prober: Signer
beforeAll(async () => {
  owner = await sampleSigner(folder, 'owner')
  prober = await sampleSigner(folder, 'prober')
})

const population = ['node-a', 'node-b']
const recordings = population.map((node) => sampleRecording(node, ''))

/** A sealed pack whose scope has this location; it is judged honestly, by whoever made it. */
async function verified(location: DeclaredLocation, extra: ReadonlyMap<string, Uint8Array> = new Map()) {
  const scope = { fleet: 'sample', population, frameworks: ['soc2'], location }
  const pack = await samplePack({
    signer: owner,
    recordings,
    forge: () => assess({ catalog: sampleCatalog, scope, recordings, asOf: AS_OF }),
    extra,
  })
  const found = await verifySource(sourceOf(pack))
  const complete = found.report.checks.find(({ check }) => check === 'completeness')
  return { found, complete, details: (complete?.details ?? []).join('\n') }
}

test('a pack with a record verifies, and states who signed it and that its place is a declaration', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  const { found, details } = await verified({ vantages: [record] })
  expect(outcomes(found)).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
  expect(details).toContain(
    `“Sample prober”, key fingerprint ${prober.fingerprint}, signed vantage measurement vantage-one of “Office, Frankfurt”.`,
  )
  expect(details).toContain('was declared by “M. Ortiz” and not measured')
  expect(details).toContain(`was made after ${AS_OF} and is not used at that evaluation date`)
  for (const banned of BANNED) expect(details).not.toMatch(banned)
})

test('whether the reader trusts the signer of a record is stated beside it', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  const scope = { fleet: 'sample', population, frameworks: [], location: { vantages: [record] }, asOf: AS_OF }
  const firstNote = async (signers: readonly Uint8Array[]) => {
    const trust = { signers, authorities: [], lists: [] }
    const { problems, notes } = await locationOfPack(sourceOf(new Map()), { scope }, sealing.reader, trust)
    expect(problems).toEqual([])
    return notes[0]
  }
  expect(await firstNote([])).toContain('No trusted signers were supplied, so the signer is not confirmed')
  expect(await firstNote([owner.certificate])).toContain('The key is not among those you trust')
  expect(await firstNote([prober.certificate])).toContain('You trust this key.')
  const [root = new Uint8Array()] = prober.chain.slice(-1)
  expect(await firstNote([root])).toContain('issued under a root certificate that you trust')
  const demo = await vantageOf(unsignedVantage(NOW, population, { demo: true }), await sealing.demoSigner())
  const signer = await sealing.demoSigner()
  const shown = { ...scope, location: { vantages: [demo] } }
  const named = { signers: [signer.certificate], authorities: [], lists: [] }
  const { notes } = await locationOfPack(sourceOf(new Map()), { scope: shown }, sealing.reader, named)
  expect(notes[0]).toContain('a demo key, which can never be trusted')
})

test('a record from a place that is none to time from is refused, for any signer', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  const place = record.vantage
  for (const vantage of [
    { ...place, radiusKm: 0 },
    { ...place, radiusKm: 51 },
    { ...place, declaredBy: 'GeoIP' },
    { ...place, declaredBy: ' ' },
  ])
    expect(vantageProblems({ ...record, vantage }).join(' ')).toMatch(/^Its vantage point /)
  expect(vantageProblems(record)).toEqual([])
})

test('a pack with a changed sample, resealed by its owner, is refused', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  const text = JSON.stringify(record)
  const { found, complete, details } = await verified({ vantages: [JSON.parse(text.replaceAll('5.1,', '0.9,'))] })
  expect(found.report.ok).toBe(false)
  expect(complete?.outcome).toBe('failed')
  expect(details).toContain(
    'data/scope.json: vantage measurement vantage-one of “Office, Frankfurt”: Its signature is invalid:',
  )
})

test('one id twice, and a record that a demonstration key signed as none, are refused', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  expect((await verified({ vantages: [record, record] })).details).toContain('occurs twice')
  const demo = await vantageOf(unsignedVantage(NOW, population, { demo: true }), await sealing.demoSigner())
  expect((await verified({ vantages: [demo] })).details).toContain('demo data')
  expect((await verified({ vantages: [{ ...demo, demo: false }] })).complete?.outcome).toBe('failed')
})

test('the list of sites is stored as it was read', async () => {
  const bytes = new TextEncoder().encode('serial,site\nZX81-4711,Frankfurt\n')
  const sites: SiteList = {
    source: 'Provider',
    kind: 'csv',
    on: '2026-11-01',
    declaredBy: 'M. Ortiz',
    file: { name: 'sites.csv', size: bytes.length, sha256: sha256(bytes) },
    rows: [{ line: 2, serial: 'ZX81-4711', site: 'Frankfurt' }],
  }
  const problemsOf = async (location: DeclaredLocation, there: Uint8Array | null) => {
    const files = new Map(there === null ? [] : [[PATHS.sites, there] as const])
    const scope = { fleet: 'sample', population, frameworks: [], location, asOf: AS_OF }
    return (await locationOfPack(sourceOf(files), { scope }, sealing.reader)).problems
  }
  expect(await problemsOf({ sites }, bytes)).toEqual([])
  expect(await problemsOf({ sites }, null)).toEqual(['The site list “sites.csv” is missing: there is no data/sites.'])
  expect(await problemsOf({ sites }, bytes.slice(1))).toEqual([expect.stringContaining('a different digest or size')])
  expect(await problemsOf({}, bytes)).toEqual(['data/sites is present without a site list.'])
  const cms = Buffer.from(await sealing.signDetached(prober, bytes)).toString('base64')
  const { fingerprint } = prober
  const subject = `CN=${prober.subject}`
  expect(await problemsOf({ sites: { ...sites, signature: { subject, fingerprint, cms } } }, bytes)).toEqual([])
  const other = { ...sites, signature: { subject: 'CN=Somebody', fingerprint, cms } }
  expect(await problemsOf({ sites: other }, bytes)).toEqual([expect.stringContaining('a different signer is stated')])
  const wrong = Buffer.from(await sealing.signDetached(prober, bytes.slice(1))).toString('base64')
  const changed = { ...sites, signature: { subject, fingerprint, cms: wrong } }
  expect(await problemsOf({ sites: changed }, bytes)).toEqual([expect.stringContaining('is invalid')])
})

describe('what a pack states of where a node is', () => {
  const scope = { fleet: 'sample', population, frameworks: [] }
  const judged = assess({ catalog: sampleCatalog, scope, recordings, asOf: AS_OF })
  const packOf = async (location: (stated: NodeAssessment['location']) => NodeAssessment['location']) => {
    const nodes = judged.nodes.map(({ location: stated, ...node }) => {
      const changed = location(stated)
      return changed === undefined ? node : { ...node, location: changed }
    })
    return sourceOf(await samplePack({ signer: owner, recordings, forge: () => ({ ...judged, nodes }) }))
  }

  test('comes out otherwise where it was changed, and is reported by its verdict', async () => {
    const changed = await packOf((stated) =>
      stated == null ? stated : { ...stated, results: [answerOf({ result: 'bounded' })] },
    )
    const { report } = await verifySource(changed)
    expect(report.ok).toBe(false)
    expect(report.checks[4]?.details.join(' ')).toMatch(
      /Node “node-a”, location: stated “Ashburn: .*”, derived “nothing”/,
    )
  })

  test('may be missing in a pack of an earlier version, which is not called altered', async () => {
    const earlier = await packOf(() => undefined)
    const catalog = { ...sampleCatalog, version: 'sample-2' }
    const { report } = await verifySource(earlier, [], { catalog })
    expect(report.ok).toBe(true)
    expect(report.checks[4]?.outcome).toBe('indeterminate')
    expect(report.rules?.status).toBe('unknown')
  })
})

test('whatever a signature holds, nothing is thrown', async () => {
  const record = await vantageOf(unsignedVantage(NOW, population), prober)
  const any = fc.record({ at: fc.string(), fingerprint: fc.string(), cms: fc.string(), chain: fc.array(fc.string()) })
  const property = fc.asyncProperty(any, fc.string(), async (signature, at) => {
    const vantages = [{ ...record, startedAt: at, signature }]
    const scope = { fleet: 'sample', population, frameworks: [], location: { vantages }, asOf: AS_OF }
    const { problems } = await locationOfPack(sourceOf(new Map()), { scope }, sealing.reader)
    expect(problems).not.toEqual([])
  })
  await fc.assert(property, { numRuns: 200 })
})
