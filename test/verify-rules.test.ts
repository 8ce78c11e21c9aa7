import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeExcerpts } from '../main/app/export/excerpt.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import { defineCheck } from '../main/core/rules/check.ts'
import type { Threshold } from '../main/core/rules/profile.ts'
import { verifyDisclosure } from '../main/verify/excerpt.ts'
import { lackingIn } from '../main/verify/steps/complete.ts'
import { assessorOfPack, profileNotes, rulesAtHand, statusOfRules } from '../main/verify/steps/rules.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { validator } from './support/deps.ts'
import { copyOf, disclosablePack } from './support/disclosure.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { type PeriodKit, periodKit, reviewedWith } from './support/period-kit.ts'
import {
  AS_OF,
  NO_KEPT_RULES,
  sampleCatalog,
  samplePack,
  sampleRecording,
  sampleSigner,
  sealing,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

const NOTHING = { signers: true, authorities: false, checkpoint: false }
const [one, other] = [sha256('one'), sha256('other')]

test.each([
  ['1', one, one, 'same'],
  ['1', other, one, 'falsified'],
  ['1', one, other, 'falsified'],
  ['1', other, other, 'falsified'],
  ['2', one, one, 'unknown'],
  ['2', other, other, 'unknown'],
  ['1 ', one, one, 'unknown'],
] as const)('rules named as version %j, catalog %s, module %s are %s', (version, digest, module, expected) => {
  expect(statusOfRules({ version, digest, module }, { version: '1', digest: one, module: one })).toBe(expected)
})

test.each([
  [[10, 5], 'Threshold profile: “Baseline”.', 0],
  [[9, 6], 'Threshold profile: “Baseline”.', 0],
  [[11, 5], 'Threshold profile: “Baseline”, with one threshold relaxed.', 1],
  [[11, 4], 'Threshold profile: “Baseline”, with 2 thresholds relaxed.', 2],
])('thresholds of %j instead of 10 at most and 5 at least: %s', ([most, least], sentence, relaxed) => {
  const threshold = (id: string, stricter: Threshold['stricter'], value: number): Threshold => ({
    ...{ id, title: id, unit: 'days', stricter },
    values: { baseline: { value, source: 'x' }, cis: null, stig: null },
  })
  const changes = [
    { threshold: 'most', value: most, reason: 'r' },
    { threshold: 'least', value: least, reason: 'r' },
  ] as never
  const notes = profileNotes([threshold('most', 'lower', 10), threshold('least', 'higher', 5)], {
    name: 'baseline',
    changes,
  })
  expect(notes).toMatchObject({ sentence, relaxed: { length: relaxed } })
})

/** Rules of the signer's own making: whatever is found, the check is met. */
const forgiving = (changes: Partial<Catalog>): Catalog => ({
  ...sampleCatalog,
  checks: sampleCatalog.checks.map((check) =>
    defineCheck({
      ...check,
      evaluate: () => ({
        verdict: 'satisfied',
        observations: [{ direction: 'supports', text: 'No swap area is in use.', probe: null }],
      }),
    } as Parameters<typeof defineCheck>[0]),
  ),
  ...changes,
})

describe('rules that the signer made up', () => {
  const folder = folderOfTests('rules')
  let signer: Signer
  beforeAll(async () => {
    signer = await sampleSigner(folder, 'owner')
  })
  const verified = async (catalog: Catalog): Promise<VerificationReport> =>
    (await verifySource(sourceOf(await samplePack({ signer, catalog })), [signer.certificate])).report
  const answer = ({ checks }: VerificationReport) => checks.find(({ check }) => check === 'reproducibility')

  test('under the name of a known version, with a module of their own, are rejected', async () => {
    const report = await verified(forgiving({ module: other }))
    expect(report).toMatchObject({ ok: false, rules: { status: 'falsified', results: 2, unconfirmed: 1 } })
    expect(answer(report)).toMatchObject({ outcome: 'failed' })
    expect(answer(report)?.summary).toContain(other)
    expect(answer(report)?.summary).toContain(sampleCatalog.module)
  })

  test('under the name of a known version and its module are rejected by what comes out', async () => {
    const report = await verified(forgiving({}))
    expect(report).toMatchObject({ ok: false, rules: { status: 'same', unconfirmed: 1 } })
    expect(answer(report)?.outcome).toBe('failed')
  })

  test('with another catalog under the name of a known version are rejected, though every verdict is right', async () => {
    const report = await verified({ ...sampleCatalog, signals: [{ id: 'x', title: 'y' }] as never })
    expect(report).toMatchObject({ ok: false, rules: { status: 'falsified', unconfirmed: 0 } })
  })

  test('as a version that is unknown here are a result of their own, with what could not be confirmed', async () => {
    const report = await verified(forgiving({ version: 'sample-9', module: other }))
    expect(report).toMatchObject({
      ok: true,
      rules: { status: 'unknown', version: 'sample-9', results: 2, unconfirmed: 1 },
    })
    expect(answer(report)).toMatchObject({ outcome: 'indeterminate' })
    expect(answer(report)?.summary).toMatch(/^1 of 2 results not confirmed/)
    expect(lackingIn(report, NOTHING)).toContain('reproducibility')
  })

  test('as an unknown version leave the results open even where every verdict comes out the same', async () => {
    const report = await verified({ ...sampleCatalog, version: 'sample-9', module: other })
    expect(report).toMatchObject({ ok: true, rules: { status: 'unknown', unconfirmed: 0 } })
    expect(answer(report)?.summary).toMatch(/^No result is confirmed: .* 2 of 2 verdicts are reproduced/)
    expect(lackingIn(report, NOTHING)).toContain('reproducibility')
  })

  test('are distinguished in a copy with parts withheld', async () => {
    const copied = async (catalog: Catalog): Promise<VerificationReport> => {
      const recordings = [sampleRecording('node-a', ''), sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n')]
      const pack = await disclosablePack({ signer, catalog, recordings, asOf: AS_OF })
      const { files } = await copyOf(pack, catalog, { classes: ['ipv4'] })
      return await verifyDisclosure({
        validator,
        source: sourceOf(files),
        departures: [],
        seal: sealing.reader,
        catalog: sampleCatalog,
        kept: NO_KEPT_RULES,
        trust: { signers: [signer.certificate], authorities: [], lists: [] },
        verifiedAt: new Date().toISOString(),
        file: 'copy',
      })
    }
    expect(await copied(sampleCatalog)).toMatchObject({ ok: true, rules: { status: 'same' } })
    expect(await copied(forgiving({ module: other }))).toMatchObject({ ok: false, rules: { status: 'falsified' } })
    const unknown = await copied(forgiving({ version: 'sample-9', module: other }))
    expect(unknown).toMatchObject({ ok: true, rules: { status: 'unknown', unconfirmed: 1 } })
    expect(lackingIn(unknown, NOTHING)).toContain('reproducibility')
  })
})

describe('an account of a period, and an excerpt of it, to a reader with other rules', () => {
  let kit: PeriodKit
  let paths: readonly [period: string, excerpt: string]
  beforeAll(async () => {
    kit = await periodKit()
    await kit.plan()
    await kit.run(23)
    await kit.run(24, '/dev/vda2 partition 1 0 -2\n')
    kit.at('2026-11-28T09:00:00.000Z')
    must(await kit.account('2026-11-23', '2026-11-24', [{ population: 'node-runs', size: 1, seed: 'spring' }]))
    const pack = join(kit.folder, 'out', 'period-2026-11-23-2026-11-24.barewitness.zip')
    const [excerpt] = must(await writeExcerpts(kit.ports, { pack, folder: join(kit.folder, 'excerpts') }))
    paths = [pack, excerpt?.path ?? '']
  })
  afterAll(() => rmSync(kit.folder, { recursive: true, force: true }))
  const reviewed = (path: string, catalog: Catalog): Promise<VerificationReport> => reviewedWith(kit, path, catalog)

  test.each([0, 1])('file %i of the same version with another module is rejected', async (index) => {
    const path = paths[index] ?? ''
    expect((await reviewed(path, sampleCatalog)).ok).toBe(true)
    const report = await reviewed(path, { ...sampleCatalog, module: other })
    expect(report.ok).toBe(false)
    expect(report.checks.find(({ check }) => check === 'reproducibility')?.outcome).toBe('failed')
  })

  test.each([0, 1])('file %i of a version that is not known leaves its results open', async (index) => {
    const report = await reviewed(paths[index] ?? '', { ...sampleCatalog, version: 'sample-9', module: other })
    expect(report).toMatchObject({ ok: true, rules: { status: 'unknown', version: 'sample-1' } })
    expect(lackingIn(report, NOTHING)).toContain('reproducibility')
  })
})

describe('the rules applied to a pack', () => {
  const scope = { fleet: 'f', population: ['a'], frameworks: ['soc2'], asOf: AS_OF } as const
  const assessment = {} as Parameters<typeof assessorOfPack>[1]['assessment']
  const rules = async () =>
    await rulesAtHand({ catalog: sampleCatalog, kept: NO_KEPT_RULES }, {
      catalog: { version: 'sample-1', module: one, digest: one },
      scope,
    } as never)

  test('need rules, a scope and an assessment', async () => {
    const at = await rules()
    expect(await assessorOfPack(at, { scope, assessment })).not.toBeNull()
    expect(await assessorOfPack(null, { scope, assessment })).toBeNull()
    expect(await assessorOfPack(at, { scope: null, assessment })).toBeNull()
    expect(await assessorOfPack(at, { scope, assessment: null })).toBeNull()
  })
})
