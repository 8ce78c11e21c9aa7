import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../main/core/base/digest.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { PATHS } from '../main/core/pack/pack-files.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import { defineCheck } from '../main/core/rules/check.ts'
import type { RedactableClass } from '../main/verify/disclosure/cuts/classes.ts'
import { readDisclosure } from '../main/verify/disclosure/read.ts'
import type { DisclosurePolicy } from '../main/verify/disclosure/redact.ts'
import { type Place, revealSpan } from '../main/verify/disclosure/reveal.ts'
import { verifyDisclosure } from '../main/verify/excerpt.ts'
import type { AddressAnswer, DeclaredLocation, VantageRecord } from '../schemas/types.ts'
import { realClock, validator } from './support/deps.ts'
import { copyOf, disclosablePack } from './support/disclosure.ts'
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
import { measurementOf, unsignedVantage, vantageOf } from './support/vantage.ts'

const folder = folderOfTests('vantage-disclosed')
let owner: Signer
let record: VantageRecord
let pack: Map<string, Uint8Array>

/** A check that rests on what other machines timed. */
const timed = defineCheck({
  id: 'location.rtt-bound',
  property: 'location',
  expected: 'Other machines timed this node.',
  limitations: 'Nothing else.',
  requires: {},
  evaluate: (_, __, { location, hostKey, node }) => {
    const all = (location?.vantages ?? []).flatMap(({ measurements }) => measurements)
    const found = all.some((one) => one.hostKey === hostKey && one.node === node.name)
    return {
      verdict: found ? 'satisfied' : 'inconclusive',
      observations: [
        { direction: found ? 'supports' : 'unclear', text: found ? 'It was timed.' : 'It was not timed.', probe: null },
      ],
    }
  },
})
const catalog: Catalog = { ...sampleCatalog, checks: [...sampleCatalog.checks, timed] }
const recordings = ['node-a', 'node-b'].map((node) => {
  const loaded = sampleRecording(node, '')
  const address = node === 'node-a' ? '192.0.2.10' : '203.0.113.7'
  return { ...loaded, recording: { ...loaded.recording, node: { ...loaded.recording.node, address } } }
})
const LIST = new TextEncoder().encode('serial,site\nZX81-4711,Frankfurt\nQL90-0815,Berlin\n')

const answerOf = (address: string, network: string): AddressAnswer => ({
  address,
  network,
  country: 'DE',
  subdivision: null,
  city: null,
  latitude: null,
  longitude: null,
  radiusKm: null,
  asn: null,
  organisation: null,
  level: 'country',
})

beforeAll(async () => {
  owner = await sampleSigner(folder, 'owner')
  const at = new Date().toISOString()
  const path = { tcpMs: 5, keepaliveMs: [], jumps: 0 }
  const measurements = [
    measurementOf('node-a', at, { address: '192.0.2.10', path: { ...path, remoteAddress: '192.0.2.10' } }),
    measurementOf('node-b', at, { address: 'gw.clinic.example', path: { ...path, remoteAddress: '203.0.113.7' } }),
  ]
  record = await vantageOf(unsignedVantage(at, [], { measurements }), await sampleSigner(folder, 'prober'))
  const cms = Buffer.from(await sealing.signDetached(owner, LIST)).toString('base64')
  const location: DeclaredLocation = {
    vantages: [record],
    sites: {
      source: 'Provider',
      kind: 'csv',
      on: '2026-11-01',
      declaredBy: 'M. Ortiz',
      file: { name: 'sites.csv', size: LIST.length, sha256: sha256(LIST) },
      rows: [
        { line: 2, serial: 'ZX81-4711', site: 'Frankfurt' },
        { line: 3, serial: 'QL90-0815', site: 'Berlin' },
      ],
      signature: { subject: owner.subject, fingerprint: owner.fingerprint, cms },
    },
    databases: [
      {
        file: { name: 'db.csv', size: 1, sha256: sha256('db') },
        format: 'csv',
        type: 'sample',
        provenance: 'Sample',
        builtOn: null,
        families: [4],
        answers: [
          answerOf('192.0.2.10', '192.0.2.0/24'),
          answerOf('203.0.113.7', '203.0.113.0/24'),
          answerOf('198.51.100.9', '198.51.100.0/24'),
        ],
      },
    ],
  }
  const scope = { fleet: 'sample', population: ['node-a', 'node-b'], frameworks: ['soc2'], location }
  pack = await disclosablePack({
    signer: owner,
    catalog,
    recordings,
    asOf: AS_OF,
    extra: new Map([[PATHS.sites, LIST]]),
    forge: () => assess({ catalog, scope, recordings, asOf: AS_OF }),
  })
})

const textOf = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files].map(([path, bytes]) => `${path}\n${Buffer.from(bytes).toString('latin1')}`).join('\n')

async function copyWithout(policy: Partial<DisclosurePolicy>) {
  const { files, notes } = await copyOf(pack, catalog, policy)
  const report = await verifyDisclosure({
    validator,
    source: sourceOf(files),
    departures: [],
    seal: sealing.reader,
    catalog,
    kept: NO_KEPT_RULES,
    trust: { signers: [], authorities: [], lists: [] },
    verifiedAt: realClock.now(),
    file: 'copy.zip',
  })
  return { text: textOf(files), report, notes }
}

describe.each<[RedactableClass, readonly string[]]>([
  ['node', ['node-a', 'node-b', 'gw.clinic.example', '192.0.2.10', '203.0.113.7']],
  ['ipv4', ['192.0.2.10', '203.0.113.7', '198.51.100.9', '203.0.113.0']],
  ['serial', ['ZX81-4711', 'QL90-0815']],
  ['ssh-key', ['SHA256:aaaaa', 'SHA256:bbbbb']],
])('a copy without %s', (kind, values) => {
  test('holds none of them, nor a signature from whose digest they could be guessed; and verifies', async () => {
    expect(values.filter((value) => !textOf(pack).includes(value))).toEqual([])
    expect(textOf(pack)).toContain(record.signature.cms)
    const { text, report } = await copyWithout({ classes: [kind] })
    expect(values.filter((value) => text.toLowerCase().includes(value.toLowerCase()))).toEqual([])
    expect(text).not.toContain(record.signature.cms)
    expect(text).not.toContain('"cms":"M')
    if (kind === 'serial') expect(text).not.toContain(sha256(LIST))
    expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(report.differences).toEqual([])
  })
})

test('a copy without one node keeps the times of the other, and nothing by which that one is found', async () => {
  const { text, report, notes } = await copyWithout({ nodes: ['node-b'] })
  const away = [
    'node-b',
    '203.0.113.7',
    '203.0.113.0',
    'gw.clinic.example',
    'SHA256:bbbbb',
    '198.51.100.9',
    '198.51.100.0',
  ]
  expect(away.filter((value) => text.includes(value))).toEqual([])
  for (const value of ['node-a', '192.0.2.10', '192.0.2.0', 'SHA256:aaaaa']) expect(text).toContain(value)
  expect(text).not.toContain(record.signature.cms)
  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(notes.underivable.verdicts).toContainEqual({
    node: 'node-a',
    check: 'location.rtt-bound',
    verdict: 'satisfied',
  })
})

test('where nothing of the scope is withheld, what rests on it comes out again', async () => {
  const { text, report, notes } = await copyWithout({ paths: ['data/nodes/node-b/captures.jsonl'] })
  expect(text).toContain(record.signature.cms)
  const [a, b] = ['node-a', 'node-b'].map((node) => notes.underivable.verdicts.filter((one) => one.node === node))
  expect(a).toEqual([])
  expect(b?.map(({ check }) => check)).toContain('encryption.at-rest.swap')
  expect(report.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('a signature is not opened before what it is over', async () => {
  const { files } = await copyOf(pack, catalog, { classes: ['serial'] })
  const copy = await readDisclosure(sourceOf(files))
  const closed = copy.units.flatMap(({ content }, unit) =>
    content.flatMap((part, at): readonly (Place & { readonly class: string; readonly bucket: number })[] =>
      'commitment' in part && part.class !== 'file'
        ? [{ of: 'content', unit: unit + 1, part: at + 1, class: part.class, bucket: part.bucket }]
        : [],
    ),
  )
  // Nothing else of that class is so long.
  const signatures = closed.filter((one) => one.class === 'digest' && one.bucket > 512)
  expect(signatures).toHaveLength(4)
  for (const place of signatures)
    expect(await revealSpan(sourceOf(pack), copy, place)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  const serial = closed.find((one) => one.class === 'serial')
  expect(serial && (await revealSpan(sourceOf(pack), copy, serial)).ok).toBe(true)
})
