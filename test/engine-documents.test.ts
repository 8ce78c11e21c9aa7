import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DocumentDraft } from '../schemas/ipc-register.ts'
import type { AssessmentView } from '../schemas/ipc-results.ts'
import { type EngineKit, kitsOfEachTest } from './support/engine-kit.ts'
import { fakeCatalog } from './support/fake-catalog.ts'

const { kitOver } = kitsOfEachTest()

/** Answered in several controls of the made-up catalog, by a document alone. */
const REQUEST = fakeCatalog.requests.find(({ id }) => id === 'ER-03')
const TITLE = REQUEST?.title ?? ''
const NOTE: DocumentDraft & { readonly name: string; readonly text: string } = {
  name: 'Risk analysis',
  text: 'Every server and store.',
  controls: [{ framework: 'requests', control: 'ER-03' }],
  need: TITLE,
  summary: 'Scope, threats and risk levels.',
  providedBy: 'R. Novak',
  level: 'inspected',
  inspection: { by: 'J. Chen', on: '2026-05-14', lookedAt: '8 of 8 servers', conclusion: 'supports' },
  answers: null,
  owner: 'R. Novak',
  validUntil: null,
  effective: null,
  supersedes: null,
}

const documentsOf = (view: AssessmentView | null) =>
  (view?.frameworks ?? []).flatMap(({ controls }) =>
    controls.flatMap(({ documents }) => documents.filter(({ request }) => request?.id === 'ER-03')),
  )
const shown = async (kit: EngineKit) => documentsOf(await kit.get('assessment.get', { of: 'run' }))
const demo = async (): Promise<EngineKit> => {
  const kit = await kitOver()
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  return kit
}

describe('a document that answers an evidence request', () => {
  test('is asked for once and due in every control that the request serves', async () => {
    const kit = await demo()
    const before = await shown(kit)
    expect(before.length).toBeGreaterThan(1)
    expect(new Set(before.map(({ state, level, askedOf }) => `${state} ${level} ${askedOf}`))).toEqual(
      new Set(['outstanding null null']),
    )
    const asked = { framework: 'requests', control: 'ER-03', need: TITLE, owner: 'J. Chen', due: '2027-01-01' }
    await kit.get('requests.set', asked)
    expect((await shown(kit)).map(({ askedOf }) => askedOf)).toEqual(
      before.map(() => ({ owner: 'J. Chen', due: expect.stringContaining('2027-01-01'), overdue: false })),
    )
  })

  test('is planned for its owner, whose message is saved as it is shown', async () => {
    const kit = await demo()
    const asked = { framework: 'requests', control: 'ER-03', need: TITLE, owner: 'J. Chen', due: '2027-01-01' }
    await kit.get('requests.set', asked)
    const plan = await kit.get('documents.plan', null)
    const mine = plan?.owners.find(({ owner }) => owner === 'J. Chen')
    expect(mine?.documents).toMatchObject([{ id: 'ER-03', due: '2027-01-01' }])
    expect(await kit.get('documents.save-message', { owner: 'J. Chen' })).toBeNull()
    const path = join(kit.folder, 'message.txt')
    expect((await kit.engine.call('documents.save-message', { owner: 'J. Chen' }, { path })).ok).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe(mine?.message)
    const other = await kit.engine.call('documents.save-message', { owner: 'Somebody' }, { path })
    expect(other).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('is attached once and listed in every control that the request serves', async () => {
    const kit = await demo()
    const { documents } = await kit.get('documents.note', NOTE)
    const [entry] = documents
    expect(entry).toMatchObject({ supports: true, inspection: { by: 'J. Chen', conclusion: 'supports' } })
    const found = await shown(kit)
    expect(found.length).toBeGreaterThan(1)
    for (const { attached, level } of found)
      expect({ attached, level }).toEqual({ attached: [entry?.id], level: 'inspected' })
  })

  // Until the part of a register that concerns a scope keeps what is attached to evidence requests.
  test('counts in every control that the request serves', async () => {
    const kit = await demo()
    await kit.get('documents.note', NOTE)
    expect(new Set((await shown(kit)).map(({ state }) => state))).toEqual(new Set(['held']))
  })

  test.each<[string, Partial<DocumentDraft>]>([
    ['the title of another request', { need: 'Something else' }],
    ['a request that does not exist', { controls: [{ framework: 'requests', control: 'ER-99' }] }],
    ['an inspection that is missing', { inspection: null }],
    ['an inspection of what was only received', { level: 'received' }],
  ])('is refused with %s', async (_, part) => {
    const kit = await demo()
    const reply = await kit.engine.call('documents.note', { ...NOTE, ...part })
    expect(reply).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })
})

test('a form with elected categories makes their rows part of the examination', async () => {
  const kit = await demo()
  const before = await kit.get('assessment.get', { of: 'run' })
  const { form } = await kit.get('engagement.get', { of: 'run' })
  if (form === null) throw new Error('the demo declares an engagement')
  await kit.get('engagement.set', { ...form, categories: ['availability'] })
  const after = await kit.get('assessment.get', { of: 'run' })
  const rows = (view: AssessmentView | null) => view?.frameworks.find(({ id }) => id === 'soc2')?.controls ?? []
  const outside = (view: AssessmentView | null) =>
    new Set(rows(view).flatMap(({ category, assessed }) => (assessed?.state === 'out-of-scope' ? [category] : [])))
  expect(outside(before).has('availability')).toBe(form.categories?.includes('availability') !== true)
  expect(outside(after).has('availability')).toBe(false)
  expect(outside(after).has('privacy')).toBe(true)
  expect(rows(after).flatMap(({ category, documents }) => (category === 'availability' ? documents : []))).not.toEqual(
    [],
  )
})
