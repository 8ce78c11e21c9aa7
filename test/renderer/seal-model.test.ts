import { describe, expect, test } from 'vitest'
import {
  buildInput,
  type Choices,
  compareFingerprint,
  controlsWithDeviations,
  findingCounts,
  firstChoices,
  frameworkGroups,
  inGroups,
  lossByNode,
  mayConfirm,
  nodesLine,
  problemAt,
  reEvaluationLine,
  resultsLine,
  reviewStep,
  sealProblem,
  signerName,
  signerParts,
  signerProblem,
} from '../../renderer/models/seal-model.ts'
import type { ExportPlan, IdentityView, PackReview } from '../../schemas/ipc-packs.ts'
import type { VerificationReport } from '../../schemas/verification.ts'

const identity: IdentityView = {
  name: 'default',
  kind: 'local',
  subject: 'Clinic',
  fingerprint: 'ab'.repeat(32),
  notAfter: '2031-01-01T00:00:00Z',
  keptHow: 'A passphrase that is asked for.',
  card: 'Signer: Clinic',
  retired: [],
}

const plan: ExportPlan = {
  run: 'r1',
  isShown: true,
  demo: false,
  declared: 12,
  missing: [{ node: 'bk-1', why: 'connection refused' }],
  captures: 900,
  results: {
    asOf: '2026-11-28T05:25:54.977Z',
    counts: { critical: 1, high: 0, medium: 2, low: 0, info: 4 },
    deviations: 7,
    deviatingNodes: 3,
    findings: [],
    frameworks: [],
  },
  frameworks: [
    { id: 'hipaa', title: 'HIPAA', chosen: true, kind: 'usual' },
    { id: 'soc2', title: 'SOC 2', chosen: false, kind: 'usual' },
    { id: 'csf', title: 'CSF', chosen: false, kind: 'more' },
    { id: 'house-rules', title: 'House rules', chosen: false, kind: 'own' },
  ],
  also: [
    { id: 'xlsx', title: 'Workbook', note: 'Sheets.', chosen: true },
    { id: 'hdf', title: 'HDF', note: 'For viewers.', chosen: false },
  ],
  acceptances: 1,
  attachments: 2,
  identities: [identity],
  organization: null,
  authority: null,
  redactable: [{ id: 'ipv4', title: 'IPv4 address' }],
}

const choices: Choices = { ...firstChoices(plan), copy: true, classes: ['ipv4'], who: ' M. Ortiz ', why: ' private ' }

describe('the signer', () => {
  const clinic = { organization: ' Clinic North ', person: 'M. Ortiz' }
  test('is an organization and a person, entered by a person', () => {
    expect(signerName(clinic)).toBe('Clinic North (M. Ortiz)')
    expect(signerProblem(clinic)).toBeNull()
  })

  test.each([
    [{ ...clinic, organization: ' ' }, 'Enter the organization that seals.'],
    [{ ...clinic, person: '' }, 'Enter the person or role that seals.'],
    [{ ...clinic, organization: 'C'.repeat(53) }, null],
    [{ ...clinic, organization: 'C'.repeat(55) }, 'Shorten the two names by 2 characters.'],
  ])('%j has the problem %j', (draft, problem) => {
    expect(signerProblem(draft)).toBe(problem)
  })

  test('is missing until there is an identity; a demo has its own key', () => {
    const none = { ...plan, identities: [] }
    expect(sealProblem(choices, none)).toBe('Create a signing identity first.')
    expect(sealProblem(choices, { ...none, demo: true })).toBeNull()
    expect(sealProblem(choices, plan)).toBeNull()
  })
})

describe('choices', () => {
  test('begin with the frameworks of the fleet, and redact nothing', () => {
    expect(firstChoices(plan)).toEqual({
      frameworks: ['hipaa'],
      also: ['xlsx'],
      copy: false,
      classes: [],
      who: '',
      why: '',
      identity: 'default',
      timestamp: false,
    })
    expect(firstChoices({ ...plan, identities: [], authority: 'http://tsa.example' })).toMatchObject({
      identity: null,
      timestamp: true,
    })
  })
  test('of frameworks: further ones lie behind one line, and the customer’s own do not', () => {
    const { usual, more } = frameworkGroups(plan)
    expect(usual.map(({ id }) => id)).toEqual(['hipaa', 'soc2', 'house-rules'])
    expect(more.map(({ id }) => id)).toEqual(['csf'])
  })
  test('become the input of a build', () => {
    expect(buildInput(choices, plan)).toEqual({
      frameworks: ['hipaa'],
      identity: 'default',
      timestamp: false,
      also: ['xlsx'],
      redact: { classes: ['ipv4'], who: 'M. Ortiz', why: 'private' },
    })
  })
  test('request no time-stamp where no authority is set, and never use a missing key', () => {
    const stale = { ...choices, copy: false, timestamp: true, identity: 'gone' }
    expect(buildInput(stale, plan)).toMatchObject({ timestamp: false, identity: 'default', redact: null })
    expect(buildInput(stale, { ...plan, authority: 'http://tsa.example' })).toMatchObject({ timestamp: true })
    expect(buildInput(stale, { ...plan, identities: [] })).toMatchObject({ identity: null })
  })
  test('report what a step needs', () => {
    expect(problemAt('scope', { ...choices, frameworks: [] })).toBe('Choose at least one framework.')
    expect(problemAt('redact', { ...choices, classes: [] })).toMatch(/what to redact/)
    expect(problemAt('redact', { ...choices, who: ' ' })).toMatch(/who/)
    expect(problemAt('redact', { ...choices, why: 'ab ' })).toMatch(/reason/)
    expect(problemAt('redact', choices)).toBeNull()
    expect(problemAt('redact', { ...choices, copy: false, classes: [] })).toBeNull()
    expect(problemAt('seal', choices)).toBeNull()
  })
})

test('what is missing stays in the denominator', () => {
  expect(nodesLine(plan)).toBe('11 of 12 nodes')
  expect(nodesLine({ ...plan, declared: 1, missing: [] })).toBe('1 of 1 node')
})

test('results name the levels that occur, and the run that other screens show only where it is another one', () => {
  const { results } = plan
  expect(findingCounts(results)).toBe('3 findings: 1 critical, 2 moderate')
  const none = { ...results, counts: { critical: 0, high: 0, medium: 0, low: 0, info: 4 }, deviations: 0 }
  expect(findingCounts(none)).toBe('0 findings')
  expect(resultsLine(plan)).toContain('7 deviations on 3 of 12 nodes.')
  expect(resultsLine({ ...plan, results: none })).not.toMatch(/\d deviation/)
  const missing = Array.from({ length: plan.declared }, (_, at) => ({ node: `n${at}`, why: 'w' }))
  expect(resultsLine({ ...plan, results: none, missing })).toContain('No node was tested.')
  expect(resultsLine({ ...plan, isShown: false })).toBe(`${resultsLine(plan)} The other screens show another run.`)
  const counts = { id: 'hipaa' as const, title: 'HIPAA', inScope: 72 }
  expect(controlsWithDeviations({ ...counts, states: [['deviations', 15]] })).toBe('HIPAA: 15 of 72 controls in scope')
  expect(controlsWithDeviations({ ...counts, states: [] })).toBe('HIPAA: 0 of 72 controls in scope')
})

test('a signer is split only where it has the known form', () => {
  const print = 'ab'.repeat(32)
  expect(signerParts(`Clinic, key of it, key ${print}`)).toEqual({ name: 'Clinic, key of it', fingerprint: print })
  expect(signerParts('Clinic, key abc')).toEqual({ name: 'Clinic, key abc', fingerprint: null })
})

test('what a copy loses is listed by node, most first', () => {
  const lost = [
    { node: 'b', check: 'one', why: 'w' },
    { node: 'a', check: 'one', why: 'w' },
    { node: 'c', check: 'one', why: 'w' },
    { node: 'c', check: 'two', why: 'w' },
  ]
  expect(lossByNode(lost).map(({ node, checks }) => [node, checks.length])).toEqual([
    ['c', 2],
    ['a', 1],
    ['b', 1],
  ])
})

describe('fingerprints', () => {
  const ours = '0123456789abcdef'.repeat(4)
  test('are shown in groups of four, and nothing is lost', () => {
    expect(inGroups('0123456789')).toEqual(['0123', '4567', '89'])
    expect(inGroups(ours).join('')).toBe(ours)
    expect(inGroups('')).toEqual([])
  })
  test.each([
    ['as we write it', ours, { is: 'same' }],
    ['in groups', inGroups(ours).join(' '), { is: 'same' }],
    ['as openssl prints it', `sha256 Fingerprint=${ours.toUpperCase().match(/../g)?.join(':')}`, { is: 'same' }],
    ['with a name before', `SHA-256: ${ours}\n`, { is: 'same' }],
    ['nothing', '  ', { is: 'empty' }],
    ['only the beginning', ours.slice(0, 60), { is: 'not-a-fingerprint', digits: 60 }],
    ['with more behind', `${ours}00`, { is: 'not-a-fingerprint', digits: 66 }],
    ['a word', 'trust me', { is: 'not-a-fingerprint', digits: 1 }],
    ['the last digit is another', `${ours.slice(0, 63)}0`, { is: 'different', group: 16 }],
    ['the first digit is another', `1${ours.slice(1)}`, { is: 'different', group: 1 }],
    ['a letter that looks alike', `${ours.slice(0, 10)}а${ours.slice(11)}`, { is: 'not-a-fingerprint', digits: 63 }],
  ])('%s', (_, received, found) => expect(compareFingerprint(ours, received)).toEqual(found))
})

test('re-evaluation has its denominator, or reports that there is none', () => {
  const review = {
    view: { catalog: { version: '1.4.0' } },
    verdicts: { stated: 131, identical: 130 },
  } as unknown as PackReview
  expect(reEvaluationLine(review)).toBe('130 of 131 verdicts identical with catalog 1.4.0.')
  expect(reEvaluationLine({ ...review, view: null })).toMatch(/No verdict/)
  expect(reEvaluationLine({ ...review, verdicts: { stated: 0, identical: 0 } })).toMatch(/No verdict/)
})

describe('the next step of a reader', () => {
  const signer = { subject: 'Clinic', fingerprint: 'ab'.repeat(32), trusted: false, trust: 'unknown', ended: false }
  const review = (tone: string, part: object = {}, view: object | null = {}): PackReview =>
    ({
      headline: { tone },
      view,
      report: { signer, demo: false, kind: 'pack', checks: [], ...part },
    }) as unknown as PackReview
  test.each([
    ['confirms the signer of contents that verify', review('open'), 'signer', false],
    ['replaces an altered pack, and confirms nobody for it', review('failed'), 'other-file', true],
    [
      'replaces a file that was not written by Barewitness',
      review('open', { kind: 'foreign-pdf' }, null),
      'other-file',
      false,
    ],
    [
      'samples the results of a trusted signer',
      review('passed', { signer: { ...signer, trust: 'pinned' } }),
      'worksheet',
      true,
    ],
    ['samples demo data', review('open', { demo: true }), 'worksheet', true],
  ])('%s', (_, given, next, hasWorksheet) => expect(reviewStep(given)).toEqual({ next, hasWorksheet }))
})

describe('the signer can be confirmed', () => {
  const signer = { subject: 'Clinic', fingerprint: 'ab'.repeat(32), trusted: false, trust: 'unknown', ended: false }
  const review = (part: Partial<VerificationReport>, outcome = 'indeterminate'): PackReview =>
    ({
      report: { signer, demo: false, checks: [{ check: 'signature', outcome, summary: '', details: [] }], ...part },
    }) as unknown as PackReview
  test.each([
    ['where nothing covers its key', review({}), true],
    ['not of a demo', review({ demo: true }), false],
    ['not of a seal that does not verify', review({}, 'failed'), false],
    ['not without a certificate', review({ signer: null }), false],
    ['not twice', review({ signer: { ...signer, trust: 'known' } as never }), false],
  ])('%s', (_, given, may) => expect(mayConfirm(given)).toBe(may))
})
