import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess, assessNode, compareNodes } from '../main/core/conclusion/assess.ts'
import { readsOf } from '../main/core/conclusion/assessor.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import { disclosureAnswers } from '../main/verify/disclosure/answers.ts'
import { REDACTABLE } from '../main/verify/disclosure/cuts/classes.ts'
import { NOTES_PATH, notesBytes } from '../main/verify/disclosure/notes.ts'
import { type DisclosureReading, readDisclosure } from '../main/verify/disclosure/read.ts'
import { contentOf, loadedFrom } from '../main/verify/disclosure/rebuild.ts'
import type { DisclosurePolicy } from '../main/verify/disclosure/redact.ts'
import { underivable } from '../main/verify/disclosure/underivable.ts'
import type { Verdict } from '../schemas/words.ts'
import { copyOf, disclosablePack } from './support/disclosure.ts'
import { fixtures } from './support/evaluated.ts'
import { FIXTURE_TIME } from './support/fixtures.ts'
import {
  AS_OF,
  NO_KEPT_RULES,
  SAMPLE_RULES,
  sampleCatalog,
  sampleRecording,
  sampleSigner,
  sourceOf,
} from './support/sample-pack.ts'
import { sampled } from './support/thorough.ts'

type Files = ReadonlyMap<string, Uint8Array>

// One that answers everything, a guest, and one that was read without rights.
const demo = fixtures.filter(({ name }) => ['demo-gpu-01', 'demo-guest-03', 'demo-nosudo-06'].includes(name))
let folder: string
let signer: Signer
let pack: Files
let stated: ReadonlyMap<string, Verdict>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'barewitness-disclosed-'))
  signer = await sampleSigner(folder, 'owner')
  const recordings = demo.map(({ loaded }) => loaded)
  const population = [...demo.map(({ name }) => name), 'demo-lost-99']
  pack = await disclosablePack({ signer, catalog, recordings, population, asOf: FIXTURE_TIME })
  const { nodes } = assess({
    catalog,
    scope: { fleet: 'demo', population, frameworks: [] },
    recordings,
    asOf: FIXTURE_TIME,
  })
  stated = new Map(
    nodes.flatMap(({ node, results }) => results.map(({ check, verdict }) => [`${node} ${check}`, verdict] as const)),
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function disclosed(policy: Partial<DisclosurePolicy>): Promise<DisclosureReading> {
  const reading = await readDisclosure(sourceOf((await copyOf(pack, catalog, policy)).files))
  expect(reading.problems).toEqual([])
  return reading
}

describe('verdicts that can no longer be re-derived, tried out', () => {
  const policies: readonly Partial<DisclosurePolicy>[] = [
    ...REDACTABLE.map((one) => ({ classes: [one] })),
    { classes: REDACTABLE },
    { nodes: ['demo-gpu-01'] },
    { paths: ['data/nodes/demo-gpu-01/captures.jsonl'] },
    { paths: ['data/nodes/demo-gpu-01/recording.json'] },
    { paths: ['data/scope.json'] },
    { paths: ['data/nodes/demo-gpu-01/assessment.json'] },
  ]
  test.each(sampled(policies, 2).map((policy) => [JSON.stringify(policy), policy] as const))(
    '%s: every verdict that is not listed comes out the same, and none turns to met',
    async (_, policy) => {
      const content = contentOf((await disclosed(policy)).units)
      const listed = underivable(readsOf(catalog), content)
      const isListed = new Set(listed.verdicts.map(({ node, check }) => `${node} ${check}`))
      let same = 0
      const alone = content.nodes.map(({ label, recording }) =>
        assessNode(catalog, label, recording === null ? null : loadedFrom(recording), {
          asOf: FIXTURE_TIME,
          profile: undefined,
        }),
      )
      const compared = compareNodes(catalog, alone, FIXTURE_TIME)
      for (const [place, { label, entry }] of content.nodes.entries()) {
        const derived = compared[place]
        if (entry === null || derived === undefined) continue
        for (const { check, verdict } of derived.results) {
          const before = entry.results.find((found) => found.check === check)?.verdict
          if (stated.has(`${label} ${check}`)) expect(before).toBe(stated.get(`${label} ${check}`))
          if (verdict === 'satisfied') expect(before, `${label} ${check}`).toBe('satisfied')
          if (isListed.has(`${label} ${check}`)) continue
          expect(verdict, `${label} ${check}`).toBe(before)
          same += 1
        }
        if (!listed.isolation.includes(label) && !JSON.stringify(entry).includes('\ue000'))
          expect(derived.isolation).toEqual(entry.isolation)
      }
      const unstated = content.nodes.filter(({ entry }) => entry === null).length * catalog.checks.length
      expect(same + listed.verdicts.length + unstated).toBe(stated.size)
    },
    60_000,
  )

  test('redacting addresses leaves most verdicts, and names those that rest on them', async () => {
    const reading = await disclosed({ classes: ['ipv4'] })
    const listed = underivable(readsOf(catalog), contentOf(reading.units))
    expect(listed.verdicts.length).toBeGreaterThan(0)
    expect(listed.verdicts.length).toBeLessThan(stated.size / 2)
    expect(listed.unstated).toEqual([])
    // It reads every answer, so anything withheld of a node takes it away; and a node without a recording loses nothing.
    expect(listed.verdicts.filter(({ check }) => check === 'evidence.collection-completeness').length).toBeGreaterThan(
      0,
    )
    expect(listed.verdicts.filter(({ node }) => node === 'demo-lost-99')).toEqual([])
  })

  test('no verdict rests on the fields of a header that may be withheld', () => {
    for (const { loaded, name } of sampled(fixtures, 12)) {
      const { recording } = loaded
      const changed: LoadedRecording = {
        ...loaded,
        recording: {
          ...recording,
          run: 'other',
          id: 'other',
          synthetic: 'other',
          node: { ...recording.node, address: '203.0.113.254', port: 4022, role: 'other' },
          hostKey: { type: 'other', fingerprint: 'other', trust: { how: 'decision', detail: 'other' } },
          session: { transport: 'script', authMethod: 'other', privilege: recording.session?.privilege ?? 'none' },
          collector: { version: 'other', catalogVersion: 'other', catalogDigest: '1'.repeat(64) },
          continues: '2'.repeat(64),
        },
      }
      const [one, other] = [loaded, changed].map((which) =>
        assessNode(catalog, name, which, { asOf: FIXTURE_TIME, profile: undefined }),
      )
      expect(other?.results, name).toEqual(one?.results)
      expect(other?.isolation, name).toEqual(one?.isolation)
    }
  })
})

describe('what a verifier reports about a copy', () => {
  const sample = async (policy: Partial<DisclosurePolicy>): Promise<{ files: Files; reading: DisclosureReading }> => {
    const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/nbd0 file 1 0 10.1.1.9\n')]
    const made = await disclosablePack({ signer, catalog: sampleCatalog, recordings, asOf: AS_OF })
    const { files } = await copyOf(made, sampleCatalog, policy)
    return { files, reading: await readDisclosure(sourceOf(files)) }
  }

  test('one verdict rests on a withheld address, the other comes out the same', async () => {
    const { reading } = await sample({ classes: ['ipv4'] })
    const { verdicts, underivable: listed, ...found } = await disclosureAnswers(reading, SAMPLE_RULES, [])
    expect(listed).toEqual({
      verdicts: [{ node: 'node-b', check: 'encryption.at-rest.swap', verdict: 'not-satisfied' }],
      isolation: ['node-b'],
      unstated: [],
    })
    expect(verdicts).toEqual({ stated: 2, rederived: 1, identical: 1 })
    const { integrity, completeness, reproducibility } = found
    const checks = [integrity, completeness, reproducibility]
    expect(checks.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual([
      'integrity passed',
      'completeness indeterminate',
      'reproducibility indeterminate',
    ])
    expect(integrity.details).toContain('Redacted: IPv4 address, 5 places.')
    expect(reproducibility.details).toEqual([
      'Node “node-b”, check “encryption.at-rest.swap”: stated “Not satisfied”, depends on redacted parts.',
    ])
  })

  test('nothing that matters withheld: every verdict comes out the same', async () => {
    const { reading } = await sample({ classes: ['ssh-key'] })
    const { reproducibility } = await disclosureAnswers(reading, SAMPLE_RULES, [])
    expect(reproducibility).toMatchObject({ outcome: 'passed', details: [] })
  })

  test('without a seal that verifies, nothing is shown to be intact', async () => {
    const { reading } = await sample({ classes: ['ipv4'] })
    expect((await disclosureAnswers(reading, SAMPLE_RULES, null)).integrity.outcome).toBe('indeterminate')
    expect((await disclosureAnswers(reading, SAMPLE_RULES, ['wrong'])).integrity.outcome).toBe('indeterminate')
  })

  test('an owner who leaves a verdict off the list is contradicted', async () => {
    const { files, reading } = await sample({ classes: ['ipv4'] })
    if (reading.notes === null) throw new Error('no notes')
    const shorter = { ...reading.notes, underivable: { ...reading.notes.underivable, verdicts: [] } }
    const lying = await readDisclosure(sourceOf(new Map([...files, [NOTES_PATH, notesBytes(shorter)]])))
    expect((await disclosureAnswers(lying, SAMPLE_RULES, [])).completeness).toMatchObject({ outcome: 'failed' })
  })

  test('stated verdicts that do not follow from what is disclosed are named', async () => {
    const { reading } = await sample({ classes: ['ssh-key'] })
    const probe = sampleCatalog.checks[0]
    if (probe === undefined) throw new Error('no check')
    const other = {
      ...sampleCatalog,
      checks: [{ ...probe, evaluate: () => ({ verdict: 'informational' as const, observations: [] }) }],
    }
    const { reproducibility, differences } = await disclosureAnswers(
      reading,
      { catalog: other, kept: NO_KEPT_RULES },
      [],
    )
    expect(reproducibility.outcome).toBe('failed')
    expect(differences).toEqual([
      { node: 'node-a', check: 'encryption.at-rest.swap', stated: 'satisfied', derived: 'informational' },
      { node: 'node-b', check: 'encryption.at-rest.swap', stated: 'not-satisfied', derived: 'informational' },
    ])
  })
})
