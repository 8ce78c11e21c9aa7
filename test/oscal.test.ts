import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EMPTY_REGISTER } from '../main/core/register.ts'
import type { FormatInput } from '../main/present/formats/input.ts'
import { isReviewed, statusOf } from '../main/present/formats/oscal/findings.ts'
import { controlTokens, MOST_NODES } from '../main/present/formats/oscal/naming.ts'
import { line, momentOf, tokenOf, uuidOf } from '../main/present/formats/oscal/words.ts'
import { oscalOf } from '../main/present/formats/oscal.ts'
import type { ControlAssessment, ControlCheck, Engagement } from '../schemas/types.ts'
import { enlarged, formatSample } from './support/format-sample.ts'

/** NIST's schema of OSCAL 1.2.2, which lies outside this repository. */
const SCHEMA = fileURLToPath(new URL('../../shared/data/oscal/oscal_complete_schema-1-2-2.json', import.meta.url))

const input = formatSample()

interface Uuid {
  readonly uuid: string
}
interface Finding {
  readonly title: string
  readonly target: {
    readonly 'target-id': string
    readonly status: { readonly state: string; readonly reason: string; readonly remarks: string }
  }
  readonly 'related-observations'?: readonly { readonly 'observation-uuid': string }[]
  readonly 'related-risks'?: readonly { readonly 'risk-uuid': string }[]
}
interface Observation extends Uuid {
  readonly collected: string
  readonly expires: string
  readonly subjects: readonly { readonly 'subject-uuid': string }[]
  readonly 'relevant-evidence'?: readonly {
    readonly href: string
    readonly props: readonly { readonly value: string }[]
  }[]
}
interface Result {
  readonly start: string
  readonly end: string
  readonly remarks: string
  readonly 'local-definitions': { readonly 'inventory-items': readonly (Uuid & { readonly remarks?: string })[] }
  readonly 'reviewed-controls': {
    readonly 'control-selections': readonly {
      readonly props?: readonly { readonly name: string; readonly value: string }[]
      readonly 'include-controls': readonly { readonly 'control-id': string }[]
    }[]
  }
  readonly observations: readonly Observation[]
  readonly risks: readonly Uuid[]
  readonly findings: readonly Finding[]
}
interface Document {
  readonly 'assessment-results': {
    readonly 'import-ap': { readonly href: string }
    readonly results: readonly [Result]
    readonly 'back-matter': {
      readonly resources: readonly (Uuid & {
        readonly rlinks: readonly { readonly hashes?: readonly { readonly value: string }[] }[]
      })[]
    }
  }
}
const documentOf = (one: FormatInput): Document['assessment-results'] =>
  (oscalOf(one) as Document)['assessment-results']
const document = documentOf(input)
const [result] = document.results

describe.skipIf(!existsSync(SCHEMA))('the schema of OSCAL 1.2.2 (skipped where ../shared/data/oscal is absent)', () => {
  const ajv = new Ajv({ strict: false, validateSchema: false, unicodeRegExp: true })
  formats.default(ajv)
  const validate = existsSync(SCHEMA) ? ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8'))) : () => false
  const problems = (value: unknown): unknown => (validate(value) ? [] : 'errors' in validate && validate.errors)

  const bare: FormatInput = {
    ...input,
    register: EMPTY_REGISTER,
    recordings: [],
    signer: null,
    assessment: { ...input.assessment, controls: [], nodes: [], scope: { fleet: '', population: [], frameworks: [] } },
  }
  const engagement: Engagement = { ...(input.assessment.scope.engagement as Engagement), entity: ' \n\u202e ' }
  const hostile: FormatInput = {
    ...input,
    run: ' run/../\u0000\ud800 ',
    packName: 'a b\ud800%.zip',
    recordings: input.recordings.map((one) => ({
      ...one,
      recording: { ...one.recording, startedAt: 'never', endedAt: '2026-11-20T25:00:00Z' },
    })),
    assessment: {
      ...input.assessment,
      scope: { ...input.assessment.scope, engagement, fleet: '\n' },
      nodes: input.assessment.nodes.map((node, index) => ({
        ...node,
        node: `\t${index} ../\ud83d "=`,
        observedAt: index % 2 === 0 ? '2026-11-20T25:00:00Z' : '9999-12-31T23:59:59Z',
        synthetic: '\n',
      })),
    },
  }

  test.each([
    ['the demo fleet', input],
    ['nothing at all', bare],
    ['texts and moments that are none', hostile],
    ['more nodes than get an observation each', enlarged(input, MOST_NODES + 1)],
  ])('takes %s', (_, one) => {
    expect(problems(oscalOf(one))).toEqual([])
  })

  test('would have found a mistake', () => {
    expect(problems({ 'assessment-results': { ...document, uuid: 'none' } })).not.toEqual([])
    expect(problems({ 'assessment-results': { ...document, results: [{ ...result, title: ' a\nb' }] } })).not.toEqual(
      [],
    )
  })
})

describe('the document', () => {
  test('refers only to what it holds, and every uuid is there once', () => {
    const all: string[] = []
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if ('uuid' in value) all.push(String(value.uuid))
      for (const part of Object.values(value)) collect(part)
    }
    collect(document)
    expect(new Set(all).size).toBe(all.length)
    const held = new Set(all)
    const referred = [
      document['import-ap'].href.slice(1),
      ...result.observations.flatMap(({ subjects }) => subjects.map((one) => one['subject-uuid'])),
      ...result.findings.flatMap((one) => [
        ...(one['related-observations'] ?? []).map((to) => to['observation-uuid']),
        ...(one['related-risks'] ?? []).map((to) => to['risk-uuid']),
      ]),
    ]
    expect(referred.filter((uuid) => !held.has(uuid))).toEqual([])
  })

  test('names the catalog by its digest, and answers by their path', () => {
    const [plan] = document['back-matter'].resources
    expect(plan?.rlinks[0]?.hashes?.[0]?.value).toBe(input.assessment.catalog.digest)
    const cited = result.observations.flatMap((one) => one['relevant-evidence'] ?? [])
    expect(cited.length).toBeGreaterThan(100)
    for (const { href, props } of cited)
      expect(href).toMatch(new RegExp(`^data/nodes/demo-[a-z0-9-]+/sha256/${props[0]?.value}$`))
  })

  test('evidence expires 30 days after it was collected', () => {
    expect(new Set(result.observations.map(({ collected, expires }) => [collected, expires].join()))).toEqual(
      new Set(['2026-11-20T09:12:00.000Z,2026-12-20T09:12:00.000Z']),
    )
  })

  test('a node that gave nothing has no observation and is named as a limitation', () => {
    const [missing] = result['local-definitions']['inventory-items'].filter(({ remarks }) =>
      remarks?.startsWith('Limitation: this node was not collected'),
    )
    expect(missing).toBeDefined()
    expect(result.observations.some(({ subjects }) => subjects[0]?.['subject-uuid'] === missing?.uuid)).toBe(false)
    expect(result.remarks).toContain('these controls have no finding')
  })

  test('a deviation with a risk acceptance stays not satisfied, beside the acceptance as a risk', () => {
    const risky = result.findings.filter((one) => one['related-risks'] !== undefined)
    expect(risky.length).toBeGreaterThan(0)
    for (const { target } of risky) expect(target.status.state).toBe('not-satisfied')
    expect(risky[0]?.target.status.remarks).toMatch(
      /deviations \d+ of \d+ tested[\s\S]*Risk accepted: vuln\.eol on 3 nodes/,
    )
  })

  test('reviews only rows with a tested required or counter check, and selections hold no outcome', () => {
    const selections = result['reviewed-controls']['control-selections']
    const selected = selections.flatMap((one) => one['include-controls'].map((control) => control['control-id']))
    const tokens = controlTokens(input.assessment)
    const reviewed = input.assessment.controls.filter(isReviewed)
    expect(selected).toEqual(reviewed.map(({ framework, control }) => tokens.get(`${framework}\n${control}`)))
    expect(selected.length).toBeGreaterThan(10)
    expect(selected.length).toBeLessThan(input.assessment.controls.length / 2)
    for (const { props = [] } of selections) {
      expect(props.map(({ name }) => name).filter((name) => name !== 'proposed')).toEqual([
        'framework',
        'rows',
        'controls',
      ])
    }
    const found = result.findings.map(({ target }) => target['target-id'])
    expect(found.filter((token) => !selected.includes(token))).toEqual([])
  })

  test('each finding prints both parts and the counts of its deciding checks', () => {
    const { remarks } = result.findings[0]?.target.status ?? { remarks: '' }
    expect(remarks).toMatch(/^Server part: .+: deviations on \d of 6 nodes tested; 1 not tested\.$/m)
    expect(remarks).toMatch(/^Document part: .+: \d of \d held\.$/m)
    expect(remarks).toMatch(/^Test: \S+ \(required\): recorded on 6 of 6 tested; not tested 1\.$/m)
    expect(remarks).toMatch(/^Document outstanding: ER-15 .*\(nothing on file\)\.$/m)
    for (const { target } of result.findings) expect(target.status.remarks).not.toMatch(/\b0 of \d+ supported/)
  })

  test('a reviewed row that is undecided has no finding, and is named as a limitation', () => {
    const undecided = input.assessment.controls.filter((one) => one.state === 'unable-to-conclude' && isReviewed(one))
    expect(undecided.length).toBeGreaterThan(0)
    const found = new Set(result.findings.map(({ target }) => target['target-id']))
    const tokens = controlTokens(input.assessment)
    for (const { framework, control } of undecided) {
      const token = tokens.get(`${framework}\n${control}`) ?? ''
      expect(found.has(token)).toBe(false)
      expect(result.remarks).toContain(token)
    }
  })

  test('of many nodes there is one observation for each check and verdict, and every node is a subject', () => {
    const many = enlarged(input, MOST_NODES + 1)
    const [grouped] = documentOf(many).results
    const subjects = grouped.observations.reduce((sum, one) => sum + one.subjects.length, 0)
    const verdicts = many.assessment.nodes
      .flatMap(({ results }) => results)
      .filter(({ verdict }) => verdict !== 'not-tested')
    expect(subjects).toBe(verdicts.length)
    expect(grouped.observations.length).toBeLessThan(many.catalog.checks.length * 5)
    expect(grouped.remarks).toContain(`more than ${MOST_NODES} nodes`)
  })
})

describe('a row as an objective’s status', () => {
  const check = (changes: Partial<ControlCheck> = {}): ControlCheck => ({
    check: 'a',
    role: 'required',
    decides: true,
    source: 'server',
    built: true,
    population: 4,
    tested: 4,
    satisfied: 0,
    notSatisfied: 0,
    inconclusive: 0,
    notTested: 0,
    notApplicable: 0,
    informational: 0,
    accepted: 0,
    answeredByDocument: 0,
    notRetested: 0,
    ...changes,
  })
  const server = (changes: Partial<ControlAssessment['server']> = {}): ControlAssessment['server'] => ({
    state: 'no-deviations',
    population: 4,
    tested: 4,
    deviating: 0,
    accepted: 0,
    notRetested: 0,
    ...changes,
  })
  const documents = (state: ControlAssessment['documents']['state']): ControlAssessment['documents'] => ({
    state,
    needed: 1,
    held: state === 'inspected' ? 1 : 0,
    outstanding: state === 'outstanding' ? [{ request: 'ER-01', title: 'x', level: null }] : [],
    deviations: state === 'deviations' ? ['ER-01'] : [],
  })
  const control = (changes: Partial<ControlAssessment>): ControlAssessment => ({
    framework: 'hipaa',
    control: 'a',
    state: 'supported',
    server: server(),
    documents: documents('inspected'),
    checks: [check({ satisfied: 4 })],
    rationale: null,
    ...changes,
  })

  test.each<[string, Partial<ControlAssessment>, string | null]>([
    ['supported, with server tests', {}, 'satisfied pass'],
    [
      'documents outstanding',
      { state: 'documents-outstanding', documents: documents('outstanding') },
      'satisfied other',
    ],
    [
      'supported by documents alone',
      { server: server({ state: 'no-server-test', population: 0, tested: 0 }), checks: [] },
      null,
    ],
    [
      'deviations',
      {
        state: 'deviations',
        server: server({ state: 'deviations', deviating: 1 }),
        checks: [check({ satisfied: 3, notSatisfied: 1 })],
      },
      'not-satisfied fail',
    ],
    [
      'deviations, all risk-accepted',
      {
        state: 'deviations',
        server: server({ state: 'deviations', deviating: 1, accepted: 1 }),
        checks: [check({ satisfied: 3, notSatisfied: 1, accepted: 1 })],
      },
      'not-satisfied fail',
    ],
    [
      'an addressable decision in place',
      {
        state: 'addressable-decision',
        server: server({ state: 'deviations', deviating: 1 }),
        checks: [check({ notSatisfied: 1 })],
      },
      'not-satisfied fail',
    ],
    [
      'deviations in documents alone',
      { state: 'deviations', documents: documents('deviations') },
      'not-satisfied fail',
    ],
    [
      'deviations in documents, and nothing tested',
      {
        state: 'deviations',
        server: server({ state: 'no-server-test', population: 0, tested: 0 }),
        documents: documents('deviations'),
        checks: [],
      },
      null,
    ],
    [
      'unable to conclude',
      {
        state: 'unable-to-conclude',
        server: server({ state: 'unable-to-conclude' }),
        checks: [check({ satisfied: 3, inconclusive: 1 })],
      },
      null,
    ],
    [
      'a scope limitation',
      {
        state: 'unable-to-conclude',
        server: server({ state: 'scope-limitation', tested: 3 }),
        checks: [check({ tested: 3, satisfied: 3, notTested: 1 })],
      },
      null,
    ],
    [
      'not tested',
      {
        state: 'unable-to-conclude',
        server: server({ state: 'not-tested', tested: 0 }),
        checks: [check({ tested: 0, notTested: 4 })],
      },
      null,
    ],
    [
      'not applicable by observation',
      { server: server({ state: 'not-applicable' }), checks: [check({ notApplicable: 4 })] },
      null,
    ],
    [
      'supporting checks alone',
      {
        checks: [check({ role: 'supporting', decides: false, notSatisfied: 4 })],
        server: server({ state: 'no-server-test' }),
      },
      null,
    ],
    ['an approved decision that it does not apply', { state: 'not-applicable' }, null],
    ['a category that was not elected', { state: 'out-of-scope' }, null],
  ])('%s', (_, changes, expected) => {
    const status = statusOf(control(changes))
    expect(status === null ? null : `${status.state} ${status.reason}`).toBe(expected)
  })
})

/** Any UTF-16, halves of pairs and all. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

describe('names', () => {
  test('a UUID comes from its names and nothing else', () => {
    expect(uuidOf('a', 'b')).toBe(uuidOf('a', 'b'))
    expect(new Set([uuidOf('a', 'b'), uuidOf('ab'), uuidOf('b', 'a'), uuidOf('a', 'b', '')]).size).toBe(4)
  })

  test.each([
    ['hipaa:164.308(a)(1)(i)', 'hipaa_164.308_a_1_i'],
    ['soc2:CC6.1', 'soc2_CC6.1'],
    ['8.3.1', '_8.3.1'],
    ['', '_'],
  ])('%s as a token', (text, token) => expect(tokenOf(text)).toBe(token))

  test('two keys never share a token', () => {
    const controls = ['1.1(a)', '1.1_a', '1.1[a]'].map(
      (control) => ({ framework: 'own', control }) as ControlAssessment,
    )
    expect(new Set(controlTokens({ controls }).values()).size).toBe(3)
  })

  test('whatever the text, tokens, lines, moments and UUIDs have their form', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string()), (text) => {
        expect(tokenOf(text)).toMatch(/^(\p{L}|_)(\p{L}|\p{N}|[.\-_])*$/u)
        expect(line(text)).toMatch(/^\S(.*\S)?$/u)
        expect(uuidOf(text)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        const moment = momentOf(text)
        if (moment !== null) expect(moment).toMatch(/^(19|2\d)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }),
    )
  })
})
