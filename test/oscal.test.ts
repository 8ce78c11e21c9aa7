import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameUuid } from '../main/core/base/digest.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import type { FormatInput } from '../main/present/formats/input.ts'
import { isReviewed, statusOf } from '../main/present/formats/oscal/findings.ts'
import { controlTokens, line, MOST_NODES, momentOf, tokenOf, uuidOf } from '../main/present/formats/oscal/head.ts'
import { oscalFiles } from '../main/present/formats/oscal.ts'
import type { ControlAssessment, ControlCheck, Engagement } from '../schemas/types.ts'
import { enlarged, formatSample, shownAgain } from './support/format-sample.ts'
import { NO_RESULTS } from './support/rollup-kit.ts'

/** NIST's schema of OSCAL 1.2.2, which lies outside this repository. */
const SCHEMA = fileURLToPath(new URL('../../shared/data/oscal/oscal_complete_schema-1-2-2.json', import.meta.url))

const input = formatSample()

interface Uuid {
  readonly uuid: string
}

interface Finding extends Uuid {
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

interface Property {
  readonly name: string
  readonly value: string
}

interface Risk extends Uuid {
  readonly title: string
  readonly status: string
  readonly deadline?: string
  readonly props: readonly Property[]
  readonly characterizations?: readonly { readonly facets: readonly Property[] }[]
  readonly remediations?: readonly {
    readonly lifecycle: string
    readonly title: string
    readonly description: string
    readonly tasks?: readonly { readonly type: string; readonly title: string }[]
  }[]
  readonly 'risk-log': { readonly entries: readonly { readonly title: string }[] }
  readonly 'mitigating-factors'?: readonly Uuid[]
  readonly 'related-observations'?: readonly { readonly 'observation-uuid': string }[]
}

interface Result {
  readonly start: string
  readonly end: string
  readonly remarks: string
  readonly 'local-definitions': { readonly 'inventory-items': readonly (Uuid & { readonly remarks?: string })[] }
  readonly 'reviewed-controls': {
    readonly 'control-selections': readonly {
      readonly props?: readonly { readonly name: string; readonly value: string }[]
      readonly 'include-controls'?: readonly { readonly 'control-id': string }[]
      readonly 'exclude-controls'?: readonly { readonly 'control-id': string }[]
    }[]
  }
  readonly observations: readonly Observation[]
  readonly risks: readonly Risk[]
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

/** The documents of an export by their model. */
const documentsOf = (one: FormatInput): ReadonlyMap<string, unknown> =>
  new Map([...oscalFiles(one)].map(([, document]) => Object.entries(document as object)[0] as [string, unknown]))
const documentOf = (one: FormatInput): Document['assessment-results'] =>
  documentsOf(one).get('assessment-results') as Document['assessment-results']
const documents = documentsOf(input)
const document = documentOf(input)
const [result] = document.results

describe.skipIf(!existsSync(SCHEMA))('the schema of OSCAL 1.2.2 (skipped where ../shared/data/oscal is absent)', () => {
  const ajv = new Ajv({ strict: false, validateSchema: false, unicodeRegExp: true })
  formats.default(ajv)
  const validate = existsSync(SCHEMA) ? ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8'))) : () => false
  const problems = (value: unknown): unknown => (validate(value) ? [] : 'errors' in validate && validate.errors)

  const bare = shownAgain({
    ...input,
    register: EMPTY_REGISTER,
    recordings: [],
    signer: null,
    assessment: { ...input.assessment, controls: [], nodes: [], scope: { fleet: '', population: [], frameworks: [] } },
  })
  const engagement: Engagement = { ...(input.assessment.scope.engagement as Engagement), entity: ' \n\u202e ' }
  const hostile = shownAgain({
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
  })

  test.each([
    ['the demo fleet', input],
    ['nothing at all', bare],
    ['texts and moments that are none', hostile],
    ['more nodes than get an observation each', enlarged(input, MOST_NODES + 1)],
  ])('takes %s', (_, one) => {
    const files = [...oscalFiles(one)]
    expect(files).toHaveLength(one === bare ? 3 : 4)
    for (const [name, value] of files) expect(problems(value), name).toEqual([])
  })

  test('would have found a mistake', () => {
    expect(problems({ 'assessment-results': { ...document, uuid: 'none' } })).not.toEqual([])
    expect(problems({ 'assessment-results': { ...document, results: [{ ...result, title: ' a\nb' }] } })).not.toEqual(
      [],
    )
  })
})

describe('the document', () => {
  test.each([...documents.keys()])('%s refers only to what it holds, and every uuid is there once', (model) => {
    const all: string[] = []
    const referred: string[] = []
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, part] of Object.entries(value)) {
        if (name === 'uuid') all.push(String(part))
        else if (name.endsWith('-uuid')) referred.push(String(part))
        else if (name === 'href' && String(part).startsWith('#')) referred.push(String(part).slice(1))
        else collect(part)
      }
    }
    collect(documents.get(model))
    expect(new Set(all).size).toBe(all.length)
    const held = new Set(all)
    expect(referred.length > 0).toBe(model !== 'catalog')
    expect(referred.filter((uuid) => !held.has(uuid))).toEqual([])
  })

  test('each one leads to the others by the names of their files', () => {
    const names = [...oscalFiles(input)].map(([name]) => name)
    expect(names).toEqual(
      ['catalog', 'assessment-plan', 'assessment-results', 'poam'].map((kind) => `Demo_2026-11-21_oscal-${kind}.json`),
    )
    const text = (model: string): string => JSON.stringify(documents.get(model))
    expect(text('assessment-plan')).toContain(names[0])
    expect(text('assessment-results')).toContain(names[0])
    expect(text('assessment-results')).toContain(names[1])
    expect(text('plan-of-action-and-milestones')).toContain(names[2])
  })

  test('every control and objective that a document names is one of the catalog', () => {
    const ids = new Set([...JSON.stringify(documents.get('catalog')).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id))
    for (const [model, value] of documents) {
      const named = [...JSON.stringify(value).matchAll(/"(?:control-id|target-id)":"([^"]+)"/g)].map(([, id]) => id)
      if (model.startsWith('assessment')) expect(named.length, model).toBeGreaterThan(100)
      expect(
        named.filter((id) => !ids.has(id)),
        model,
      ).toEqual([])
    }
  })

  test('two runs of a fleet share every UUID but those of documents, results and files', () => {
    const later = formatSample()
    const again: FormatInput = { ...later, run: 'demo-20261128', evidenceDigest: 'b'.repeat(64), packName: 'later.zip' }
    const uuids = (one: FormatInput): ReadonlySet<string> => {
      const found = new Set<string>()
      const collect = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return
        if ('uuid' in value && !('rlinks' in value) && !('metadata' in value) && !('reviewed-controls' in value))
          found.add(String(value.uuid))
        for (const part of Object.values(value)) collect(part)
      }
      for (const [, value] of documentsOf(one)) collect(value)
      return found
    }
    expect(uuids(input).size).toBeGreaterThan(500)
    expect(uuids(again)).toEqual(uuids(input))
    expect(documentOf(again).results[0].start).toBe(result.start)
    expect((documentOf(again) as unknown as Uuid).uuid).not.toBe((document as unknown as Uuid).uuid)
  })

  test('a node keeps its UUID when it gives nothing, and another fleet has others', () => {
    const items = (one: FormatInput) =>
      documentOf(one).results[0]['local-definitions']['inventory-items'].map(({ uuid }) => uuid)
    const { nodes, scope } = input.assessment
    const silent = nodes.map((node) => ({
      ...node,
      machine: undefined,
      recording: null,
      observedAt: null,
      results: [],
    }))
    const changed = (changes: Partial<FormatInput['assessment']>) =>
      shownAgain({
        ...input,
        recordings: [],
        assessment: { ...input.assessment, ...changes } as typeof input.assessment,
      })
    expect(items(changed({ nodes: silent as never }))).toEqual(items(input))
    const other = items(changed({ scope: { ...scope, fleet: 'other' } }))
    expect(other.filter((uuid) => items(input).includes(uuid))).toEqual([])
  })

  test('names the catalog by its digest, and answers by their path', () => {
    const hashes = document['back-matter'].resources.flatMap(({ rlinks }) => rlinks.flatMap((one) => one.hashes ?? []))
    expect(hashes.map(({ value }) => value)).toEqual([input.assessment.catalog.digest])
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

  const risk = (check: string): Risk => {
    const found = result.risks.find(({ props }) => props.some(({ name, value }) => name === 'check' && value === check))
    if (found === undefined) throw new Error(`no risk for ${check}`)
    return found
  }
  const propOf = ({ props }: Pick<Risk, 'props'>, name: string): string | undefined =>
    props.find((one) => one.name === name)?.value

  test('has one risk per finding, with its reference and severity', () => {
    expect(
      result.risks.map((one) => [
        propOf(one, 'reference'),
        one.title,
        one.characterizations?.[0]?.facets.map(({ name, value }) => `${name} ${value}`),
      ]),
    ).toEqual(
      input.shown.findings.map(({ reference, title, severity }) => [
        reference,
        title,
        [`severity ${severity.level}`, `severity-of-check ${severity.base}`],
      ]),
    )
    for (const { 'related-observations': observed, 'risk-log': log } of result.risks) {
      expect(log.entries[0]?.title).toBe('Identified')
      for (const { 'observation-uuid': uuid } of observed ?? [])
        expect(result.observations.some((one) => one.uuid === uuid)).toBe(true)
    }
  })

  test('a risk has the response of management: status, due day, owner and plan', () => {
    const eol = risk('vuln.eol')
    expect([eol.status, eol.deadline, propOf(eol, 'owner')]).toEqual([
      'remediating',
      '2026-12-15T23:59:59.999Z',
      'K. Adeyemi',
    ])
    const [recommended, planned] = eol.remediations ?? []
    expect([recommended?.lifecycle, planned?.lifecycle]).toEqual(['recommendation', 'planned'])
    const steps = input.remediations.find(({ check }) => check === 'vuln.eol')?.steps ?? []
    expect(recommended?.tasks).toHaveLength(steps.length)
    expect([planned?.description, planned?.tasks?.map(({ type }) => type)]).toEqual(['New image', ['milestone']])
    expect(risk('access.sshd.password-auth')).toMatchObject({ status: 'open' })
    expect(risk('access.sshd.password-auth').deadline).toBeUndefined()
  })

  test('acceptances and requests are in the log of their risk, and leave it open where other nodes deviate', () => {
    const log = (check: string) => risk(check)['risk-log'].entries.map(({ title }) => title)
    expect(log('vuln.eol')).toEqual(['Identified', 'Risk accepted'])
    expect(risk('vuln.eol')['mitigating-factors']).toHaveLength(1)
    expect(log('encryption.in-transit.fabric')).toEqual(['Identified', 'Risk acceptance requested'])
    expect(risk('encryption.in-transit.fabric').status).toBe('deviation-requested')
    expect(log('access.sshd.mfa')).toEqual(['Identified', 'Risk accepted'])
    expect(risk('access.sshd.mfa').status).toBe('open')
  })

  test('a risk that is accepted on every deviating node is an approved deviation; the finding stays not satisfied', () => {
    const [accepted] = input.shown.findings.filter(({ check }) => check === 'vuln.eol')
    const all = {
      ...input,
      register: {
        ...input.register,
        riskAcceptances: input.register.riskAcceptances.map((one) =>
          one.check === 'vuln.eol' ? { ...one, nodes: accepted?.deviations.map(({ subject }) => subject) ?? [] } : one,
        ),
      },
    }
    const [own] = documentOf(shownAgain(all)).results
    const uuid = risk('vuln.eol').uuid
    expect(own.risks.find((one) => one.uuid === uuid)?.status).toBe('deviation-approved')
    const risky = own.findings.filter((one) => one['related-risks']?.some((to) => to['risk-uuid'] === uuid))
    expect(risky.length).toBeGreaterThan(0)
    for (const { target } of risky) expect(target.status.state).toBe('not-satisfied')
    expect(risky[0]?.target.status.remarks).toMatch(/deviations \d+ of \d+ tested[\s\S]*Risk accepted: vuln\.eol on/)
  })

  test('every finding that is not satisfied by a test leads to a risk', () => {
    const failing = result.findings.filter(({ target }) => target.status.state === 'not-satisfied')
    const byTest = failing.filter(({ target }) => /^Server part: Deviations noted/m.test(target.status.remarks))
    expect(byTest.length).toBeGreaterThan(20)
    expect(byTest.filter((one) => one['related-risks'] === undefined)).toEqual([])
  })

  test('the plan of action has one item per finding, and what was closed in the period', () => {
    const moment = { run: 'earlier', at: '2026-11-13T08:00:00.000Z' }
    const fixed = (check: string) => ({
      node: 'demo-gpu-01',
      check,
      found: moment,
      lastSeen: moment,
      fixed: { run: 'demo-20261121', at: '2026-11-20T09:12:00.000Z' },
      open: false,
      runs: 1,
      unknown: 0,
    })
    const clean = input.catalog.severities.find(
      ({ check }) => ![...input.shown.findings, ...input.shown.informational].some((one) => one.check === check),
    )?.check
    const earlier = { runs: [], deviations: [fixed(clean ?? ''), fixed('vuln.eol')] }
    const shown = shownAgain({ ...input, earlier } as never).shown
    const poam = documentsOf({ ...input, shown }).get('plan-of-action-and-milestones') as {
      readonly 'poam-items': readonly { readonly props: readonly Property[] }[]
      readonly risks: readonly Risk[]
      readonly observations: readonly { readonly props: readonly Property[] }[]
    }
    expect(poam['poam-items'].map((one) => propOf(one, 'check'))).toEqual([
      ...input.shown.findings.map(({ check }) => check),
      clean,
    ])
    expect(poam.risks.map(({ status }) => status).filter((status) => status === 'closed')).toHaveLength(1)
    expect(poam.risks.find((one) => propOf(one, 'check') === 'vuln.eol')?.['risk-log'].entries.at(-1)?.title).toBe(
      'Remediated',
    )
    expect(new Set(poam.observations.map((one) => propOf(one, 'verdict')))).toEqual(new Set(['not-satisfied']))
  })

  test('reviews only rows with a tested required or counter check, and selections hold no outcome', () => {
    const selections = result['reviewed-controls']['control-selections']
    const selected = selections.flatMap((one) => one['include-controls']?.map((control) => control['control-id']) ?? [])
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
    const excluded = selections.flatMap((one) => one['exclude-controls']?.map((control) => control['control-id']) ?? [])
    expect(excluded.filter((token) => selected.includes(token))).toEqual([])
    const found = result.findings.map(({ target }) => target['target-id'].replace(/_obj$/, ''))
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
    const found = new Set(result.findings.map(({ target }) => target['target-id'].replace(/_obj$/, '')))
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
    ...NO_RESULTS,
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
  test('UUIDs are those of RFC 9562', () => {
    // Appendix A.4: the name www.example.com in the namespace of DNS names.
    expect(nameUuid('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    )
  })

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
