import { afterEach, describe, expect, test } from 'vitest'
import { type PreflightMatter, preflightOf } from '../main/app/export/preflight.ts'
import type { Finding } from '../main/core/finding/finding.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { PREFLIGHT_LINKS, preflightLine, preflightLink } from '../renderer/models/seal-model.ts'
import { ENGAGEMENT_STATES, engagementStateWords } from '../schemas/engagement-words.ts'
import { PREFLIGHT_IDS, type PreflightItem } from '../schemas/ipc-packs.ts'
import type { Assessment } from '../schemas/types.ts'
import { must } from './support/outcomes.ts'
import { riskAcceptanceOf } from './support/register.ts'
import { memoryVault, refusal, type SealingKit, sealingKit } from './support/sealing-kit.ts'

const FIGURES: PreflightMatter['shown']['figures'] = {
  declared: 2,
  tested: 2,
  untested: 0,
  inventory: { rows: 2, matched: 2, excluded: 0, unreconciled: 0 },
  findings: { critical: 0, high: 0, medium: 0, low: 0, info: 0 },
  deviations: 0,
  documents: { needed: 3, held: 3, failing: 0, overdue: 0, unassigned: 0 },
  owned: { severe: 0, withOwner: 0 },
  acceptances: { inEffect: 0, expired: 0 },
}

const node = (name: string, changes: object = {}) =>
  ({ node: name, status: 'complete', stale: false, ...changes }) as Assessment['nodes'][number]
const NODES = [node('db-1'), node('db-2')] as unknown as Assessment['nodes']
const READY: PreflightMatter = {
  assessment: { asOf: '2026-11-20T12:00:00.000Z', demo: false, nodes: NODES },
  shown: { figures: FIGURES, findings: [] },
  register: EMPTY_REGISTER,
  placed: new Set(['db-1', 'db-2']),
  engagement: 'final',
  signing: 'here',
  identities: 1,
  authority: 'https://tsa.example/',
}

const finding = (level: string, response: unknown = null) => ({ severity: { level }, response }) as Finding
const openIn = (changes: Partial<PreflightMatter>): readonly PreflightItem[] =>
  preflightOf({ ...READY, ...changes }).filter(({ state }) => state !== 'done')
const figures = (changes: Partial<typeof FIGURES>) => ({
  shown: { ...READY.shown, figures: { ...FIGURES, ...changes } },
})
const nodes = (...all: readonly object[]) => ({
  assessment: { ...READY.assessment, nodes: all as unknown as Assessment['nodes'] },
})
const { asOf } = READY.assessment
const accepted = riskAcceptanceOf({ acceptedAt: asOf, expiresAt: '2027-01-01T00:00:00.000Z' })

describe('before an export', () => {
  test('nothing is open where everything is declared', () => {
    expect(openIn({})).toEqual([])
    expect(preflightOf(READY).map(({ id }) => id)).toEqual([...PREFLIGHT_IDS])
    expect(preflightLine(preflightOf(READY))).toBe('Nothing is open.')
  })

  test.each(['here', 'sealers', 'no-sealer'] as const)('a missing signer blocks: %s', (signing) => {
    expect(openIn({ signing, identities: 0 })).toMatchObject([{ id: 'signer', state: 'blocks' }])
    expect(openIn({ signing })).toEqual([])
  })

  test.each<[PreflightItem['id'], string, Partial<PreflightMatter>, RegExp]>([
    ['engagement', 'none', { engagement: 'none' }, /Page 1/],
    ['engagement', 'not complete', { engagement: 'incomplete' }, /Page 1/],
    ['engagement', 'a draft', { engagement: 'draft' }, /report/],
    ['population', 'no inventory', figures({ inventory: null }), /not compared/],
    [
      'population',
      'a row without a node',
      figures({ inventory: { rows: 3, matched: 2, excluded: 0, unreconciled: 1 } }),
      /^1 of 3 inventory rows matches no node/,
    ],
    ['nodes', 'an untested one', figures({ untested: 1 }), /Of 2 declared nodes: 1 not tested\./],
    ['nodes', 'stale evidence', nodes(node('db-1', { stale: true }), node('db-2')), /1 with stale evidence/],
    ['nodes', 'a partial one', nodes(node('db-1', { status: 'partial' }), node('db-2')), /1 collected in part/],
    ['places', 'one is missing', { placed: new Set(['db-1']) }, /for 1 of 2 nodes/],
    [
      'findings',
      'no response',
      { shown: { figures: FIGURES, findings: [finding('high'), finding('low'), finding('high', {})] } },
      /^2 of 3 findings, 1 of them critical or high\.$/,
    ],
    [
      'documents',
      'overdue',
      figures({ documents: { needed: 3, held: 1, failing: 0, overdue: 1, unassigned: 2 } }),
      /^2 of 3 .*, 1 overdue\.$/,
    ],
    [
      'documents',
      'one does not support',
      figures({ documents: { needed: 3, held: 3, failing: 1, overdue: 0, unassigned: 0 } }),
      /^1 was inspected and does not support its controls\.$/,
    ],
    [
      'signatures',
      'an unsigned acceptance',
      { register: { ...EMPTY_REGISTER, riskAcceptances: [accepted] } },
      /^1 of 1 /,
    ],
    ['time', 'no authority', { authority: null }, /this computer only/],
    ['time', 'no authority, on a server', { authority: null, signing: 'sealers' }, /the server only/],
    ['signer', 'no identity', { identities: 0 }, /organization and person/],
  ])('%s is open: %s', (id, _what, changes, words) => {
    const found = openIn(changes)
    expect(found.map((one) => one.id)).toEqual([id])
    expect(found[0]?.text).toMatch(words)
  })

  test('only a missing signer blocks, and a demo has its own', () => {
    const empty = {
      ...READY,
      identities: 0,
      authority: null,
      engagement: 'incomplete' as const,
      placed: new Set<string>(),
    }
    const states = preflightOf({ ...empty, ...figures({ untested: 1, inventory: null }) })
    expect(states.filter(({ state }) => state === 'blocks').map(({ id }) => id)).toEqual(['signer'])
    expect(openIn({ identities: 0, assessment: { ...READY.assessment, demo: true } })).toEqual([])
  })

  test.each(ENGAGEMENT_STATES)('the engagement is named as on the first screen: %s', (engagement) => {
    const found = preflightOf({ ...READY, engagement }).find(({ id }) => id === 'engagement')
    expect(found?.title).toBe(engagementStateWords[engagement])
    expect(found?.state).toBe(engagement === 'final' ? 'done' : 'open')
  })

  test('a withdrawn acceptance needs no signature', () => {
    const withdrawn = { ...accepted, withdrawn: { at: asOf, by: 'J. Chen', reason: 'fixed' } }
    expect(openIn({ register: { ...EMPTY_REGISTER, riskAcceptances: [withdrawn] } })).toEqual([])
  })

  test('every item has a link', () => {
    expect(Object.keys(PREFLIGHT_LINKS)).toEqual([...PREFLIGHT_IDS])
  })

  test('findings and places open where they are answered', () => {
    expect(PREFLIGHT_LINKS.findings.to).toEqual({ screen: 'findings', of: 'run' })
    // The list of nodes does not show which of them have no evidence.
    expect(PREFLIGHT_LINKS.nodes.to).toEqual({ screen: 'properties', of: 'run' })
    expect(PREFLIGHT_LINKS.places.to).toEqual({ screen: 'declarations', part: 'nodes' })
  })

  describe('of an earlier run', () => {
    const OF_THE_RUN = ['population', 'nodes', 'findings', 'documents']

    test('what is of the run is opened with it, under words that state this', () => {
      for (const id of PREFLIGHT_IDS) {
        const { title, to } = PREFLIGHT_LINKS[id]
        const link = preflightLink(id, { isShown: false, mayShow: true })
        expect(link).toEqual(
          OF_THE_RUN.includes(id)
            ? { title: `Show this run and o${title.slice(1)}`, to, showsRun: true }
            : { title, to, showsRun: false },
        )
        expect(preflightLink(id, { isShown: true, mayShow: true })).toEqual({ title, to, showsRun: false })
      }
    })

    test('where it cannot be shown, what is of the run has no link', () => {
      for (const id of PREFLIGHT_IDS)
        expect(preflightLink(id, { isShown: false, mayShow: false }) === null, id).toBe(OF_THE_RUN.includes(id))
    })
  })
})

describe('the method', () => {
  const kits: SealingKit[] = []
  afterEach(() => {
    for (const kit of kits.splice(0)) kit.remove()
  })
  const kitOf = (recordings?: null): SealingKit => {
    const kit = sealingKit({ vault: memoryVault(), ...(recordings === null ? { recordings } : {}) })
    kits.push(kit)
    return kit
  }

  test('reads the run that is shown, and what is declared around it', async () => {
    const kit = kitOf()
    const before = must(await kit.exports['export.preflight'](null))
    expect(before.filter(({ state }) => state === 'blocks').map(({ id }) => id)).toEqual(['signer'])
    expect(before.find(({ id }) => id === 'engagement')?.state).toBe('open')
    must(await kit.trust['identities.create']({ name: 'default', subject: 'Clinic (M. Ortiz)' }))
    const after = must(await kit.exports['export.preflight'](null))
    expect(after.find(({ id }) => id === 'signer')?.state).toBe('done')
  })

  test('is refused without a run', async () => {
    expect(refusal(await kitOf(null).exports['export.preflight'](null))).toMatch(/^input\.refused/)
  })
})
