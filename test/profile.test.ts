import { beforeAll, describe, expect, test } from 'vitest'
import { parseFleet } from '../main/adapters/fleet-file.ts'
import { summaryText } from '../main/app/evaluate/summary.ts'
import { THRESHOLDS } from '../main/catalog/base/thresholds.ts'
import { catalog as wholeCatalog } from '../main/catalog/definition/index.ts'
import { REMEDIATIONS } from '../main/catalog/definition/remediation.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { profileOf } from '../main/core/fleet/fleet.ts'
import { PATHS } from '../main/core/pack/pack.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { Catalog } from '../main/core/rules/catalog.ts'
import { isChosenProfile, type Threshold, thresholdValues } from '../main/core/rules/profile.ts'
import { documentText } from '../main/present/report.ts'
import type { Assessment, ChosenProfile } from '../schemas/types.ts'
import { BANNED } from '../schemas/words.ts'
import { FIXTURE_TIME, fixtureRecording } from './support/fixtures.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { wholeReport } from './support/report/whole.ts'
import {
  inHand,
  outcomes,
  type SampleOptions,
  samplePack,
  sampleSigner,
  sourceOf,
  verifySource,
} from './support/sample-pack.ts'

/** The checks that are asked about here, and what they read: judging everything would only take longer. */
const CHECKS = ['access.session-timeout', 'access.sshd.connection-limits', 'access.pam.lockout', 'vuln.patch-level']
const checks = wholeCatalog.checks.filter(({ id }) => CHECKS.includes(id))
const catalog: Catalog = {
  ...wholeCatalog,
  checks,
  probes: [
    ...new Set(
      checks.flatMap(({ requires, optional }) => [...Object.values(requires), ...Object.values(optional ?? {})]),
    ),
  ],
}

const CIS: ChosenProfile = { name: 'cis', changes: [] }
const STIG: ChosenProfile = { name: 'stig', changes: [] }
const lower: Threshold = {
  id: 'most',
  title: 'Most',
  unit: 'tries',
  stricter: 'lower',
  values: { baseline: { value: 6, source: 'b' }, cis: { value: 4, source: 'c' }, stig: null },
}

const higher: Threshold = {
  id: 'least',
  title: 'Least',
  unit: 'bits',
  stricter: 'higher',
  values: { baseline: { value: 0, source: 'b', words: 'none' }, cis: null, stig: { value: 9, source: 's' } },
}

const changed = (threshold: string, value: number, name: ChosenProfile['name'] = 'baseline'): ChosenProfile =>
  ({ name, changes: [{ threshold, value, reason: 'so it was decided' }] }) as ChosenProfile
const limit = (chosen: ChosenProfile | undefined, id: string) => thresholdValues([lower, higher], chosen).get(id)

describe('limits', () => {
  test('are the profile’s, and the baseline’s where the profile sets none', () => {
    const values = (chosen?: ChosenProfile) => ['most', 'least'].map((id) => limit(chosen, id)?.value)
    expect([values(), values(CIS), values(STIG)]).toEqual([
      [6, 0],
      [4, 0],
      [6, 9],
    ])
    expect(limit(STIG, 'most')).toMatchObject({ source: 'b', moved: 'not', shown: '6 tries' })
    expect(limit(undefined, 'least')?.shown).toBe('none')
  })

  test.each([
    ['most', 3, 'stricter'],
    ['most', 9, 'looser'],
    ['most', 6, 'not'],
    ['least', 3, 'stricter'],
    ['least', -1, 'looser'],
  ])('%s moved to %d is %s', (id, value, moved) => {
    expect(limit(changed(id, value), id)).toMatchObject({ value, moved })
  })

  test('a move is from the chosen profile’s value, and carries the reason given', () => {
    expect(limit(changed('most', 5, 'cis'), 'most')).toMatchObject({
      moved: 'looser',
      before: 4,
      shownBefore: '4 tries',
    })
    expect(limit(changed('least', 2), 'least')).toMatchObject({ source: 'so it was decided', shownBefore: 'none' })
  })

  test('of two changes the last holds, and one that names no threshold moves nothing', () => {
    const both = { name: 'baseline', changes: [...changed('most', 2).changes, ...changed('most', 8).changes] } as const
    expect(limit(both, 'most')).toMatchObject({ value: 8, moved: 'looser' })
    expect([...thresholdValues([lower], changed('other', 1)).keys()]).toEqual(['most'])
  })

  test('every threshold has a source for every value, a unit and a title', () => {
    for (const { id, title, unit, values } of THRESHOLDS) {
      const all = Object.values(values).flatMap((value) => value ?? [])
      for (const text of [title, unit, ...all.map(({ source }) => source)]) expect(text.trim(), id).not.toBe('')
      for (const { source } of all) for (const word of BANNED) expect(source).not.toMatch(word)
      expect(all.every(({ value }) => Number.isInteger(value) && value >= 0 && value <= 1_000_000)).toBe(true)
    }
  })

  test('a chosen profile is known by its form', () => {
    expect([CIS, changed('x', 1)].every(isChosenProfile)).toBe(true)
    const wrong = [null, 5, {}, { name: 'own', changes: [] }, { name: 'cis' }, { name: 'cis', changes: [null] }]
    expect(wrong.some(isChosenProfile)).toBe(false)
    expect(isChosenProfile({ name: 'cis', changes: [{ threshold: 'x', value: Number.NaN, reason: '' }] })).toBe(false)
  })
})

describe('a fleet file', () => {
  const text = (lines: string): string => `name: x\n${lines}\nnodes:\n  - { name: a, address: a }\n`
  const refused = (lines: string): string => {
    const read = parseFleet(text(lines), 'fleet.yaml')
    return read.ok ? 'accepted' : read.error.detail
  }

  test.each([
    [
      'thresholds:\n  - { threshold: ssh.idel, value: 1, reason: x }',
      'fleet.yaml:3:7: thresholds[0].threshold must be one of ssh.auth-tries, ',
    ],
    ['thresholds:\n  - { threshold: ssh.idle, value: 1 }', 'fleet.yaml:3:5: thresholds[0] lacks “reason”'],
    [
      'thresholds:\n  - { threshold: ssh.idle, value: 1, reason: "" }',
      'fleet.yaml:3:38: thresholds[0].reason must not be empty',
    ],
    [
      'thresholds:\n  - { threshold: ssh.idle, value: -1, reason: x }',
      'fleet.yaml:3:28: thresholds[0].value must be at least 0',
    ],
    ['thresholds:\n  - { threshold: ssh.idle, value: .nan, reason: x }', 'fleet.yaml:3:28: thresholds[0].value '],
    ['profile: own', 'fleet.yaml:2:1: profile must be one of baseline, cis, stig'],
  ])('%j is refused by line and field', (lines, problem) => expect(refused(lines)).toContain(problem))

  test('that moves a number without a profile moves the baseline’s; one with neither leaves the scope as it was', () => {
    const read = must(parseFleet(text('thresholds: [{ threshold: ssh.idle, value: 60, reason: x }]'), 'fleet.yaml'))
    expect(profileOf(read.fleet)).toEqual({
      profile: { name: 'baseline', changes: [{ threshold: 'ssh.idle', value: 60, reason: 'x' }] },
    })
    const plain = parseFleet(text(''), 'fleet.yaml')
    expect(plain.ok && profileOf(plain.value.fleet)).toEqual({})
  })
})

const judged = (node: string, profile?: ChosenProfile): Assessment =>
  assess({
    catalog,
    scope: { fleet: 'fixtures', population: [node], frameworks: ['hipaa'], ...(profile && { profile }) },
    recordings: [fixtureRecording(node, catalog.probes)],
    asOf: FIXTURE_TIME,
  })
const verdictIn = (assessment: Assessment, check: string): string | undefined =>
  assessment.nodes[0]?.results.find((found) => found.check === check)?.verdict
const under = (node: string, check: string): readonly (string | undefined)[] =>
  [undefined, CIS, STIG].map((profile) => verdictIn(judged(node, profile), check))

describe('the same recording', () => {
  test('is judged by the chosen numbers', () => {
    expect(under('fx-access-hardened', 'access.session-timeout')).toEqual(['satisfied', 'satisfied', 'not-satisfied'])
    expect(under('fx-access-hardened', 'access.sshd.connection-limits')).toEqual([
      'satisfied',
      'not-satisfied',
      'satisfied',
    ])
    expect(under('demo-gpu-01', 'access.session-timeout')).toEqual(['satisfied', 'satisfied', 'not-satisfied'])
    expect(under('demo-gpu-01', 'access.pam.lockout')).toEqual(['satisfied', 'satisfied', 'not-satisfied'])
  })

  test('is judged the same twice, and otherwise without the profile, which is in the scope', () => {
    const first = canonicalJson(judged('demo-gpu-01', CIS))
    expect(canonicalJson(judged('demo-gpu-01', structuredClone(CIS)))).toBe(first)
    expect(canonicalJson(judged('demo-gpu-01'))).not.toBe(first)
    expect(JSON.parse(first)).toMatchObject({ scope: { profile: CIS } })
  })

  test('under a moved number states in its reasons what was moved', () => {
    const moved = judged('demo-gpu-01', {
      name: 'stig',
      changes: [{ threshold: 'lockout.failures', value: 5, reason: 'the help desk asked' }],
    })
    const said = moved.nodes[0]?.results.find(({ check }) => check === 'access.pam.lockout')?.observations ?? []
    expect(said.map(({ text }) => text)).toContain(
      'An account locks after 4 failures (at most 5 failures, looser than the profile’s 3 failures).',
    )
  })
})

describe('what people read', () => {
  const profile: ChosenProfile = {
    name: 'cis',
    changes: [
      { threshold: 'shell.idle', value: 3600, reason: 'long\nruns \u202e' },
      { threshold: 'ssh.sessions', value: 2, reason: 'no multiplexing' },
    ],
  }
  const read = (assessment: Assessment): ReturnType<typeof wholeReport> =>
    wholeReport({
      assessment,
      catalog,
      recordings: [],
      producer: 'test',
      remediations: REMEDIATIONS,
      evidenceDigest: '0'.repeat(64) as never,
      packName: 'x',
      signer: null,
      demo: false,
      register: EMPTY_REGISTER,
    })
  const section = (document: ReturnType<typeof wholeReport>, id: string): string =>
    documentText({ ...document, sections: document.sections.filter((one) => one.id === id) }).join('\n')

  test('the report names the profile on its first page, what was relaxed in its summary, and every number with its source', () => {
    const report = read(judged('demo-gpu-01', profile))
    expect(section(report, 'cover')).toContain('Profile: CIS Benchmarks\n1 threshold relaxed, 1 threshold tightened')
    expect(section(report, 'summary')).toContain('One threshold was relaxed')
    expect(section(report, 'summary')).toContain(
      '3600 seconds, looser than the profile’s 900 seconds. Reason: long runs \\u{202e}',
    )
    expect(section(report, 'summary')).not.toContain('no multiplexing')
    const compared = section(report, 'compared')
    for (const text of [
      'looser than the profile’s 900 seconds',
      'stricter than the profile’s 10 sessions',
      'no multiplexing',
    ])
      expect(compared).toContain(text)
    const used = new Set(catalog.checks.flatMap(({ thresholds = [] }) => thresholds))
    for (const id of used) expect(compared).toContain(`\n${id}\n`)
  })

  test('without a choice it is the baseline, and nothing is reported as relaxed', () => {
    const report = read(judged('demo-gpu-01'))
    expect(section(report, 'cover')).toContain('Profile: Baseline')
    expect(section(report, 'summary')).not.toMatch(/relaxed|loosened/)
  })

  test('the summary text names them too', () => {
    const text = summaryText({
      assessment: judged('demo-gpu-01', profile),
      catalog,
      register: EMPTY_REGISTER,
      recordings: [],
    })
    expect(text).toContain('threshold profile: CIS Benchmarks')
    expect(text).toContain(
      'relaxed threshold: Longest time an idle shell may stay open: 3600 seconds instead of 900 seconds',
    )
    expect(text).not.toContain('\u202e')
  })
})

describe('a pack', () => {
  const folder = folderOfTests('profile')
  let signer: Signer
  beforeAll(async () => {
    signer = await sampleSigner(folder, 'signer')
  })
  const verified = async (options: Omit<SampleOptions, 'signer'>) =>
    await verifySource(
      sourceOf(await samplePack({ signer, catalog, ...options })),
      [signer.chain[0] ?? new Uint8Array()],
      { catalog },
    )
  const demo = () => [fixtureRecording('demo-gpu-01', catalog.probes)]
  const population = ['demo-gpu-01']
  const reproducible = ({ report }: Awaited<ReturnType<typeof verified>>) =>
    report.checks.find(({ check }) => check === 'reproducibility')

  test('sealed under a profile verifies, reproduces, and names the profile', async () => {
    const found = await verified({ recordings: demo(), population, profile: CIS })
    expect(outcomes(found)).toMatchObject({ integrity: 'passed', completeness: 'passed', reproducibility: 'passed' })
    expect(reproducible(found)?.summary).toContain('Threshold profile: “CIS Benchmarks”.')
    expect(found.contents.scope).toMatchObject({ profile: CIS })
  })

  test('that was judged by looser numbers reproduces too, so the reader is shown them', async () => {
    const changes = [{ threshold: 'shell.idle', value: 90_000, reason: 'we never log off' }] as const
    const found = await verified({ recordings: demo(), population, profile: { name: 'stig', changes: [...changes] } })
    expect(reproducible(found)).toMatchObject({
      outcome: 'passed',
      summary: expect.stringContaining('“DISA STIG”, with one threshold relaxed'),
      details: [
        'Relaxed threshold: Longest time an idle shell may stay open: 90000 seconds instead of 600 seconds. Reason: “we never log off”.',
      ],
    })
  })

  test('whose stated profile was exchanged and sealed again does not reproduce', async () => {
    const asCis = (assessment: Assessment): Assessment => ({
      ...assessment,
      scope: { ...assessment.scope, profile: STIG },
    })
    const found = await verified({ recordings: demo(), population, forge: asCis })
    expect(reproducible(found)).toMatchObject({ outcome: 'failed' })
    expect(found.report.differences.map(({ check }) => check)).toContain('access.session-timeout')
  })

  test('whose scope file alone was exchanged does not reproduce either', async () => {
    const files = inHand(await samplePack({ signer, catalog, recordings: demo(), population }))
    const scope = JSON.parse(new TextDecoder().decode(files.get(PATHS.scope))) as object
    files.set(PATHS.scope, new TextEncoder().encode(`${canonicalJson({ ...scope, profile: CIS })}\n`))
    const found = await verifySource(sourceOf(files), [], { catalog })
    expect(outcomes(found)).toMatchObject({ integrity: 'failed', completeness: 'failed', reproducibility: 'failed' })
  })
})
