import { describe, expect, test } from 'vitest'
import type { FindingsView } from '../schemas/ipc-findings.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver } = kitsOfEachTest()

async function demo(kit: EngineKit): Promise<FindingsView> {
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  return await listed(kit)
}

async function listed(kit: EngineKit): Promise<FindingsView> {
  const view = await kit.get('findings.get', { of: 'run', node: null })
  if (view === null) throw new Error('no findings')
  return view
}

const onNodes = ({ rows }: FindingsView) => rows.filter(({ what }) => what === 'nodes')

const response = (checks: readonly string[], changes: object = {}) => ({
  checks,
  status: null,
  owner: null,
  due: null,
  plan: null,
  cause: null,
  statedBy: 'M. Ortiz',
  identity: null,
  ...changes,
})
const acceptance = (checks: readonly string[], changes: object = {}) => ({
  checks,
  nodes: [],
  reason: 'Replaced in the next window.',
  compensatingControl: 'Console access is limited.',
  owner: 'K. Adeyemi',
  requestedBy: 'J. Chen',
  approvedBy: 'M. Ortiz',
  approverRole: 'Security officer',
  until: '2027-01-31',
  identity: null,
  ...changes,
})

describe('the first screen', () => {
  test('leads from import over collection to the first findings', async () => {
    const kit = await kitOver()
    expect((await kit.get('home.get', null)).next.is).toBe('import')
    await withNodes(kit, ['a-1'])
    expect(await kit.get('home.get', null)).toMatchObject({ next: { is: 'collect' }, results: null })
    const { rows } = await demo(kit)
    const home = await kit.get('home.get', null)
    expect(home.next.is).toBe('assign')
    expect(home.results?.findings).toBe(rows.length)
    expect(home.results?.leading[0]?.reference).toBe(rows[0]?.reference)
  })

  test('needs no signing identity for demo data, as the export does not', async () => {
    const kit = await kitOver()
    await demo(kit)
    const [{ steps }, preflight] = [await kit.get('home.get', null), await kit.get('export.preflight', null)]
    expect(preflight.find(({ id }) => id === 'signer')?.state).toBe('done')
    expect(JSON.stringify(steps.find(({ id }) => id === 'export')?.lines)).toContain('demo key')
  })

  test('states a collection in progress', async () => {
    const kit = await kitOver()
    await kit.get('demo.open', null)
    const home = await kit.get('home.get', null)
    expect(home.next.is).toBe('view-collection')
    await kit.heard('run-done')
  })
})

describe('responses', () => {
  test('are recorded for several findings at once, keep what is left out, and are withdrawn at once', async () => {
    // Of two responses of one moment, which one is current depends on their ids.
    let now = createFakePorts().clock.now()
    const kit = await kitOver(createFakePorts({ now: () => now }))
    const checks = onNodes(await demo(kit))
      .slice(0, 3)
      .map(({ check }) => check)
    const recorded = await kit.get('responses.set', response(checks, { owner: 'K. Adeyemi', due: '2026-12-24' }))
    expect(recorded).toMatchObject({ deviations: 3, isSigned: false })
    now = new Date(Date.parse(now) + 1000).toISOString()
    await kit.get('responses.set', response(checks.slice(0, 1), { status: 'in-progress', plan: 'Replace it.' }))
    const own = (view: FindingsView) => view.rows.filter(({ check }) => checks.includes(check))
    const after = own(await listed(kit))
    expect(after.every(({ owner, due }) => owner === 'K. Adeyemi' && due === '2026-12-24')).toBe(true)
    expect(after.map(({ status }) => status)).toEqual(['in-progress', 'open', 'open'])
    await kit.get('responses.withdraw', { ids: recorded.ids, by: 'M. Ortiz', reason: 'Undone' })
    expect(own(await listed(kit)).map(({ owner }) => owner)).toEqual(['K. Adeyemi', null, null])
  })

  test('that state nothing new add no entry, and none is recorded where one is refused', async () => {
    const kit = await kitOver()
    const [first] = onNodes(await demo(kit))
    const check = first?.check ?? ''
    await kit.get('responses.set', response([check], { owner: 'K. Adeyemi' }))
    expect((await kit.get('responses.set', response([check], { owner: 'K. Adeyemi' }))).ids).toEqual([])
    expect(await kit.refusal('responses.set', response([check, 'no.such-check'], { owner: 'J. Lin' }))).toBe(
      'input.refused',
    )
    expect((await listed(kit)).rows.find((one) => one.check === check)?.owner).toBe('K. Adeyemi')
  })

  test('are signed with the identity that is there, and refused with one that is not', async () => {
    const kit = await kitOver()
    const checks = onNodes(await demo(kit))
      .slice(0, 2)
      .map(({ check }) => check)
    const asked = await kit.refusal('responses.set', response(checks, { owner: 'J. Lin', identity: 'acme' }))
    expect(asked).toBe('identity.missing')
    await kit.get('identities.create', { name: 'acme', subject: 'Acme Clinic' })
    const signed = await kit.get('responses.set', response(checks, { owner: 'J. Lin', identity: 'acme' }))
    expect(signed).toMatchObject({ isSigned: true })
    const [row] = (await listed(kit)).rows.filter(({ check }) => check === checks[0])
    const full = await kit.get('finding.get', { of: 'run', reference: row?.reference ?? '' })
    expect(full?.responses[0]).toMatchObject({ owner: 'J. Lin', isSigned: true })
  })
})

describe('risk acceptances', () => {
  test('are recorded for several findings on their nodes, change no verdict, and are withdrawn at once', async () => {
    const kit = await kitOver()
    const before = await demo(kit)
    const chosen = onNodes(before).slice(0, 2)
    const checks = chosen.map(({ check }) => check)
    const recorded = await kit.get('acceptances.accept-many', acceptance(checks))
    expect(recorded.ids).toHaveLength(2)
    expect(recorded.deviations).toBe(chosen.reduce((sum, { deviations }) => sum + deviations, 0))
    const after = await listed(kit)
    expect(after.deviations).toBe(before.deviations)
    expect(
      after.rows
        .filter(({ status }) => status === 'risk-accepted')
        .map(({ check }) => check)
        .sort(),
    ).toEqual([...checks].sort())
    await kit.get('acceptances.withdraw-many', { ids: recorded.ids, by: 'M. Ortiz', reason: 'Undone' })
    expect((await listed(kit)).rows.some(({ status }) => status === 'risk-accepted')).toBe(false)
  })

  test('are limited to the chosen nodes, and refused where a finding deviates on none of them', async () => {
    const kit = await kitOver()
    const wide = onNodes(await demo(kit)).find(({ deviations }) => deviations > 1)
    const check = wide?.check ?? ''
    const nodes = await kit.get('findings.nodes', { checks: [check] })
    expect(nodes).toHaveLength(wide?.deviations ?? 0)
    const [one] = nodes
    const recorded = await kit.get('acceptances.accept-many', acceptance([check], { nodes: [one?.node ?? ''] }))
    expect(recorded.deviations).toBe(1)
    expect(await kit.refusal('acceptances.accept-many', acceptance([check], { nodes: ['no-node'] }))).toBe(
      'input.refused',
    )
  })
})

test('the findings of a node are those that deviate on it', async () => {
  const kit = await kitOver()
  const all = await demo(kit)
  const home = await kit.get('home.get', null)
  for (const { of, name, count } of home.results?.byNode ?? []) {
    if (of !== 'node') continue
    const view = await kit.get('findings.get', { of: 'run', node: name })
    expect(view?.rows).toHaveLength(count)
    expect(view?.deviations).toBe(all.deviations)
  }
})
