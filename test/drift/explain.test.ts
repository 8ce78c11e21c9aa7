import { describe, expect, test } from 'vitest'
import { sha256 } from '../../main/core/base/digest.ts'
import { assess, assessNode, termsOf } from '../../main/core/conclusion/assess.ts'
import { type DescribedRun, explainFlips, needsIn } from '../../main/core/drift/explain.ts'
import { traceNode, traceOf } from '../../main/core/history/trace.ts'
import { defineProbe, known, run } from '../../main/core/recording/probe.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { type Check, defineCheck } from '../../main/core/rules/check.ts'
import type { Threshold } from '../../main/core/rules/profile.ts'
import type { FlipDetail } from '../../schemas/drift.ts'
import type { Scope } from '../../schemas/types.ts'
import { sampleCatalog, sampleRecording } from '../support/sample-pack.ts'

// One question, and one check that is changed in one way at a time.
const [asked] = sampleCatalog.probes
if (asked === undefined) throw new Error('no probe')
const areas = defineProbe({ ...asked, parse: asked.parse, commands: asked.commands })
const ID = 'encryption.at-rest.swap'
const NODE = 'node-a'
const SWAP = '/dev/vda2 partition 1 0 -2\n'

type Evaluate = (count: number, context: Parameters<Check['evaluate']>[2]) => boolean
const catalogWith = (isMet: Evaluate, changes: Partial<Catalog> = {}): Catalog => ({
  ...sampleCatalog,
  probes: [areas],
  checks: [
    defineCheck({
      id: ID,
      property: 'encryption-at-rest',
      expected: 'No swap area is in use.',
      limitations: 'Says nothing about times before or after.',
      requires: { areas },
      evaluate: ({ areas: count }, _, context) => ({
        verdict: isMet(count as number, context) ? 'satisfied' : 'not-satisfied',
        observations: [{ direction: 'supports', text: 'Listed.', probe: areas.id }],
      }),
    }),
  ],
  ...changes,
})
const strict = catalogWith((count) => count === 0)
const lax = catalogWith(() => true, { version: 'sample-0' })

const at = ({ recording, captures }: LoadedRecording, moment: string): LoadedRecording => ({
  recording: { ...recording, startedAt: moment, endedAt: moment },
  captures: captures.map((capture) => ({ ...capture, meta: { ...capture.meta, startedAt: moment } })),
})

const on = (loaded: LoadedRecording, day: string): LoadedRecording => at(loaded, `2026-11-${day}T09:00:00.000Z`)

const answered = (lines: string, day = '20'): LoadedRecording => on(sampleRecording(NODE, lines), day)

interface Made {
  readonly catalog?: Catalog
  readonly scope?: Partial<Scope>
  readonly asOf?: string
}

function describedRun(
  name: string,
  recording: LoadedRecording,
  { catalog = strict, scope, asOf }: Made = {},
): DescribedRun {
  const whole: Scope = { fleet: 'f', population: [NODE], frameworks: [], ...scope }
  const moment = asOf ?? recording.recording.endedAt
  const assessment = assess({ catalog, scope: whole, recordings: [recording], asOf: moment })
  const judged = assessNode(catalog, NODE, recording, termsOf({ ...whole, asOf: moment }))
  const nodes = [traceNode(catalog, recording, judged)]
  const { profile, provider, location } = whole
  return {
    trace: traceOf(catalog, { run: name, planned: null, assessment, nodes }),
    recording,
    terms: { profile, provider, location },
  }
}

const only = (before: DescribedRun, after: DescribedRun, catalog = strict): FlipDetail | undefined =>
  explainFlips(catalog, NODE, before, after)[0]

describe('a flip taken apart', () => {
  test('evidence alone: which bytes changed, and the lines', () => {
    const detail = only(describedRun('1', answered('')), describedRun('2', answered(SWAP, '21')))
    expect(detail).toMatchObject({
      node: NODE,
      check: ID,
      before: 'satisfied',
      after: 'not-satisfied',
      because: 'evidence',
      probes: ['swap.areas'],
      steps: { stated: 'satisfied', rules: 'satisfied', scope: 'satisfied', evidence: 'not-satisfied' },
    })
    const head = 'Filename Type Size Used Priority\n'
    expect(detail?.captures).toEqual([
      {
        probe: 'swap.areas',
        command: 'list',
        stream: 'stdout',
        before: sha256(new TextEncoder().encode(head)),
        after: sha256(new TextEncoder().encode(head + SWAP)),
        removed: [],
        added: ['/dev/vda2 partition 1 0 -2'],
        more: 0,
      },
    ])
  })
  test('rules alone', () => {
    const before = describedRun('1', answered(SWAP), { catalog: lax })
    expect(only(before, describedRun('2', answered(SWAP, '21')))).toMatchObject({
      because: 'rules',
      probes: [],
      steps: { stated: 'satisfied', rules: 'not-satisfied', scope: 'not-satisfied', evidence: 'not-satisfied' },
      captures: [],
    })
  })
  test('the profile belongs to the rules', () => {
    const from = (value: number) => ({ value, source: 'made for a test' })
    const threshold: Threshold = {
      id: 'swap.most',
      title: 'Most areas',
      unit: 'areas',
      stricter: 'lower',
      values: { baseline: from(0), cis: from(1), stig: null },
    }
    const catalog = catalogWith((count, { thresholds }) => count <= Number(thresholds.get('swap.most')?.value), {
      thresholds: [threshold],
    })
    const of = (name: string, day: string, profile: 'baseline' | 'cis'): DescribedRun =>
      describedRun(name, answered(SWAP, day), { catalog, scope: { profile: { name: profile, changes: [] } } })
    expect(only(of('1', '20', 'cis'), of('2', '21', 'baseline'), catalog)).toMatchObject({
      because: 'rules',
      steps: { stated: 'satisfied', rules: 'not-satisfied', evidence: 'not-satisfied' },
    })
  })
  test('scope alone: what is declared of the node, and what else is declared', () => {
    const byUser = catalogWith((_, { node }) => node.user === 'bwaudit')
    const other = answered('', '21')
    const renamed = { ...other, recording: { ...other.recording, node: { ...other.recording.node, user: 'other' } } }
    const [was, is] = [
      describedRun('1', answered(''), { catalog: byUser }),
      describedRun('2', renamed, { catalog: byUser }),
    ]
    expect(only(was, is, byUser)).toMatchObject({
      because: 'scope',
      probes: [],
      steps: { stated: 'satisfied', rules: 'satisfied', scope: 'not-satisfied', evidence: 'not-satisfied' },
    })
    const byPlace = catalogWith((_, { location }) => location === undefined)
    const location = { residency: [] }
    const [plain, placed] = [
      describedRun('1', answered(''), { catalog: byPlace }),
      describedRun('2', answered('', '21'), { catalog: byPlace, scope: { location } }),
    ]
    expect(only(plain, placed, byPlace)?.because).toBe('scope')
  })
  test('time alone: the same recording later, past its days, and answers that state something else by now', () => {
    const recording = answered('')
    const [was, is] = [describedRun('1', recording), describedRun('2', recording, { asOf: '2026-12-25T09:00:00.000Z' })]
    expect(only(was, is)).toMatchObject({
      before: 'satisfied',
      after: 'inconclusive',
      because: 'time',
      steps: { stated: 'satisfied', rules: 'satisfied', scope: 'satisfied', evidence: 'satisfied' },
      captures: [],
    })
    // The other way round: what was stale was asked again, with the same answer.
    const stale = describedRun('1', recording, { asOf: '2026-12-25T09:00:00.000Z' })
    const fresh = describedRun('2', at(recording, '2026-12-26T09:00:00.000Z'))
    expect(only(stale, fresh)?.because).toBe('time')
    const until = catalogWith((_, { observedAt }) => observedAt < '2026-11-21')
    const [early, late] = [
      describedRun('1', answered(''), { catalog: until }),
      describedRun('2', answered('', '22'), { catalog: until }),
    ]
    expect(only(early, late, until)).toMatchObject({ because: 'time', captures: [] })
  })
  test('a mix is not laid on one of them', () => {
    const mild = catalogWith((count) => count < 2, { version: 'sample-0' })
    // Under the rules of now the old answer would not do, and the new one would not be distinguished from a missing list.
    const gone = answered('', '21')
    const [capture] = gone.captures
    if (capture === undefined) throw new Error('no answer')
    const failed = { ...gone, captures: [{ ...capture, meta: { ...capture.meta, exitCode: 1 } }] }
    expect(only(describedRun('1', answered(SWAP), { catalog: mild }), describedRun('2', failed))).toMatchObject({
      because: 'undecided',
      steps: { stated: 'satisfied', rules: 'not-satisfied', scope: 'not-satisfied', evidence: 'inconclusive' },
    })
  })
  test('what a run stated and nothing at hand leads to is not explained away', () => {
    // Both runs were judged by rules that this program does not have.
    const [was, is] = [
      describedRun('1', answered(''), { catalog: lax }),
      describedRun('2', answered(SWAP, '21'), { catalog: lax }),
    ]
    const forged = { ...is, trace: { ...is.trace, nodes: is.trace.nodes.map((one) => ({ ...one, verdicts: 'c' })) } }
    const never = catalogWith(() => true)
    expect(only(was, forged, never)?.because).toBe('undecided')
  })
  test('where it is not known what was declared, nothing is laid on rules or declarations', () => {
    const byPlace = catalogWith((_, { location }) => location !== undefined)
    const scope = { location: { residency: [] } }
    const was = describedRun('1', answered(''), { catalog: byPlace, scope })
    const is = describedRun('2', answered('', '21'), { catalog: byPlace })
    expect(only(was, is, byPlace)?.because).toBe('scope')
    expect(only({ ...was, terms: null }, is, byPlace)?.because).toBe('undecided')
    expect(only(was, { ...is, terms: null }, byPlace)?.because).toBe('undecided')
    const evidence = only({ ...describedRun('1', answered('')), terms: null }, describedRun('2', answered(SWAP, '21')))
    expect(evidence?.because).toBe('evidence')
  })
  test('what was not asked in one of the runs is no answer that changed', () => {
    const live = { ...areas, optIn: 'metadata' as const }
    const catalog = { ...strict, probes: [live] }
    const unasked = { ...answered('', '21'), captures: [] }
    const is = describedRun('2', unasked, { catalog })
    expect(only(describedRun('1', answered(''), { catalog }), is, catalog)?.probes).toEqual([])
  })
  test('a node of one run only, and one without a recording', () => {
    const [was, is] = [describedRun('1', answered('')), describedRun('2', answered(SWAP, '21'))]
    expect(explainFlips(strict, 'other', was, is)).toEqual([])
    const missing = { ...is, trace: { ...is.trace, nodes: is.trace.nodes.map((one) => ({ ...one, verdicts: 't' })) } }
    expect(only(was, { ...missing, recording: null })).toMatchObject({
      after: 'not-tested',
      because: 'evidence',
      steps: { evidence: 'not-tested' },
      captures: [
        { after: null, removed: ['Filename Type Size Used Priority'] },
        { stream: 'stderr', after: null },
      ],
    })
  })
  test('what a check needs and what it would like to have', () => {
    const extra = defineProbe({ id: 'x', title: 'x', why: 'x', commands: { x: run(['x']) }, parse: () => known(1) })
    const [check] = strict.checks
    expect(needsIn({ checks: [{ ...check, optional: { extra } } as never] })(ID)).toEqual(['swap.areas', 'x'])
    expect(needsIn(strict)('none')).toEqual([])
  })
})
