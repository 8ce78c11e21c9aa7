import { describe, expect, test } from 'vitest'
import { assessmentView } from '../main/app/evaluate/views.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { assess } from '../main/core/conclusion/assess.ts'
import { EMPTY_REGISTER } from '../main/core/register/register.ts'
import { NODE_FIGURES } from '../schemas/figure.ts'
import { verdictLetters } from '../schemas/words.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { fakeCatalog } from './support/fake-catalog.ts'
import { FAKE_TIME, fakeNodes, fakeRecording, hostileNode } from './support/fake-nodes.ts'
import { createFakePorts } from './support/fake-ports.ts'

const { kitOver } = kitsOfEachTest()
const demo = async (kit: EngineKit) => {
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  const view = await kit.get('assessment.get', { of: 'run' })
  if (view === null) throw new Error('no assessment')
  return view
}

describe('the matrix of a run', () => {
  test('is null before there is one, and verdicts stand in the order of the checks', async () => {
    const kit = await kitOver()
    expect(await kit.get('assessment.get', { of: 'run' })).toBeNull()
    expect(await kit.get('assessment.get', { of: 'pack' })).toBeNull()
    const view = await demo(kit)
    const rootLogin = view.checks.findIndex(({ id }) => id === 'access.sshd.root-login')
    const row = (name: string) => view.rows.find(({ node }) => node === name)
    expect(row('demo-gpu-01')?.verdicts[rootLogin]).toBe(verdictLetters.satisfied)
    expect(row('demo-nosudo-06')?.verdicts[rootLogin]).toBe(verdictLetters.inconclusive)
    expect(row('demo-away-07')?.verdicts).toBe(verdictLetters['not-tested'].repeat(view.checks.length))
    expect(row('demo-guest-03')).toMatchObject({
      status: 'complete',
      environment: 'virtual-machine',
      platform: 'KVM',
      place: 'Ashburn, Virginia (demo)',
      accepted: [],
      expired: [],
    })
    expect(view.frameworks.map(({ id }) => id)).toEqual(['hipaa', 'soc2'])
    expect(view.frameworks[0]?.controls.some(({ assessed }) => assessed?.server.state === 'deviations')).toBe(true)
    for (const { parts, controls } of view.frameworks) {
      const inScope = controls.flatMap(({ assessed }) =>
        assessed === null || assessed.state === 'out-of-scope' ? [] : [assessed],
      )
      // Each control in scope is counted once, in the cell of its two parts.
      for (const { server, counts } of parts.lines)
        expect(counts).toEqual(
          parts.documents.map(
            (state) => inScope.filter((one) => one.server.state === server && one.documents.state === state).length,
          ),
        )
      expect(parts.lines.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0)).toBe(inScope.length)
    }
  })

  test.each([
    ['the made-up catalog', fakeCatalog],
    ['the real catalog, which decides nothing of made-up answers', catalog],
  ])('of 500 nodes is small, and counts what assess() counts: %s', (_, given) => {
    const nodes = fakeNodes(500)
    const recordings = nodes.map((node) => fakeRecording(node, 'run'))
    const scope = { fleet: 'demo', population: nodes.map(({ name }) => name), frameworks: ['hipaa', 'soc2', 'nprm'] }
    const assessment = assess({ catalog: given, scope, recordings, asOf: FAKE_TIME })
    const view = assessmentView(given, {
      of: 'run',
      run: 'run',
      assessment,
      recordings,
      register: EMPTY_REGISTER,
      unreadable: [],
    })
    expect(view.rows).toHaveLength(500)
    // 640 bytes a node; the rest is of the catalog, and does not grow with nodes.
    const { rows, ...rest } = view
    expect(JSON.stringify(rows).length).toBeLessThan(500 * 640)
    expect(JSON.stringify(rest).length).toBeLessThan(768 * 1024)
    const stated = assessment.nodes.flatMap(({ results }) =>
      results.map(({ check, verdict }) => `${check} ${verdictLetters[verdict]}`),
    )
    const shown = view.rows.flatMap(({ verdicts }) =>
      [...verdicts].map((letter, at) => `${view.checks[at]?.id} ${letter}`),
    )
    expect(shown.sort()).toEqual(stated.sort())
    // Two of the eight never answer, and so does every node that is like one of them.
    expect(view.rows.filter(({ status }) => status === 'failed')).toHaveLength(124)
  })
})

describe('one node', () => {
  test('has its reasons, its recording and what the fleet declares of it', async () => {
    const kit = await kitOver()
    await demo(kit)
    const node = await kit.get('node.get', { of: 'run', node: 'demo-shared-05' })
    expect(node?.assessment.results.find(({ check }) => check === 'tenancy.container-census')).toMatchObject({
      verdict: 'not-satisfied',
      observations: [
        { direction: 'contradicts', text: 'Containers of a second tenant run here: “tenant-b-runner”.' },
        {},
      ],
    })
    expect(node?.recording?.node.name).toBe('demo-shared-05')
    expect(node?.declared).toMatchObject({ address: '127.0.0.1', port: 42_004, sudo: true })
    expect(await kit.get('node.timeline', { of: 'run', node: 'demo-shared-05' })).toHaveLength(1)
    const figures = await kit.get('figures.get', { of: 'run', node: 'demo-shared-05', kinds: NODE_FIGURES })
    for (const { table } of figures) expect(table.rows.length).toBeGreaterThan(0)
    const asked = await kit.get('figures.get', { of: 'run', node: 'demo-shared-05', kinds: ['block-stack'] })
    expect(asked).toEqual(figures.filter(({ kind }) => kind === 'block-stack'))
    expect(await kit.get('figures.get', { of: 'run', node: 'nobody', kinds: NODE_FIGURES })).toEqual([])
    expect(await kit.get('node.get', { of: 'run', node: 'nobody' })).toBeNull()
    expect(await kit.get('node.get', { of: 'pack', node: 'demo-shared-05' })).toBeNull()
  })

  test('its timeline shows what changed from run to run, each as of its own day', async () => {
    let now = '2026-09-01T09:15:00.000Z'
    let swap = false
    const ports = createFakePorts({ now: () => now })
    const swapping = createFakePorts({
      now: () => now,
      nodes: fakeNodes(8).map((node) => ({
        ...node,
        name: 'db-4',
        answers: { ...node.answers, 'storage.swaps': 'Filename\n/swapfile file 1 0 -2\n' },
      })),
    })
    const kit = await kitOver({
      ...ports,
      transport: {
        connect: (target, signal) => (swap ? swapping : ports).transport.connect(target, signal),
      },
    })
    await withNodes(kit, ['db-4'])
    const runs: string[] = []
    const collect = async (day: string, withSwap: boolean): Promise<void> => {
      now = `2026-${day}T09:15:00.000Z`
      swap = withSwap
      runs.unshift((await kit.get('run.start', { nodes: [], only: 'all' })).run)
      await kit.heard('run-done')
    }
    await collect('09-01', true)
    await collect('10-15', false)
    await collect('11-20', false)
    const timeline = await kit.get('node.timeline', { of: 'run', node: 'db-4' })
    expect(timeline.map(({ run }) => run)).toEqual(runs)
    expect(timeline.map(({ at, status }) => [at, status])).toEqual([
      ['2026-11-20T09:15:00.000Z', 'complete'],
      ['2026-10-15T09:15:00.000Z', 'complete'],
      ['2026-09-01T09:15:00.000Z', 'complete'],
    ])
    const swapOf = timeline.map(({ changed }) => changed.filter(({ check }) => check === 'encryption.at-rest.swap'))
    expect(swapOf).toEqual([
      [],
      [{ check: 'encryption.at-rest.swap', before: 'not-satisfied', after: 'satisfied' }],
      [],
    ])
    now = '2027-03-01T09:15:00.000Z'
    expect(await kit.get('node.timeline', { of: 'run', node: 'db-4' })).toEqual(timeline)
    // A pack has one run.
    expect(await kit.get('node.timeline', { of: 'pack', node: 'db-4' })).toEqual([])
  })

  test('an accepted finding is marked in the matrix and named on the node, and its verdict stays', async () => {
    let now = '2026-11-20T09:15:00.000Z'
    const kit = await kitOver(createFakePorts({ now: () => now }))
    await demo(kit)
    // What is said after the run was judged counts from then on, and not before.
    now = '2026-11-20T09:45:00.000Z'
    await kit.get('acceptances.accept', {
      check: 'encryption.at-rest.swap',
      nodes: ['demo-guest-03'],
      reason: 'The swap area goes with the next image.',
      compensatingControl: 'The host encrypts its disks.',
      owner: 'M. Ortiz',
      requestedBy: 'M. Ortiz',
      approvedBy: 'J. Lin',
      approverRole: 'Security officer',
      until: '2026-12-31',
    })
    const view = await kit.get('assessment.get', { of: 'run' })
    const row = view?.rows.find(({ node }) => node === 'demo-guest-03')
    expect(row?.accepted).toEqual([
      { check: 'encryption.at-rest.swap', until: '2026-12-31T23:59:59.999Z', owner: 'M. Ortiz' },
    ])
    expect(row?.verdicts[view?.checks.findIndex(({ id }) => id === 'encryption.at-rest.swap') ?? -1]).toBe(
      verdictLetters['not-satisfied'],
    )
    expect(view?.rows.filter(({ accepted }) => accepted.length > 0)).toHaveLength(1)
    expect(view?.asOf).toBe(now)
    const node = await kit.get('node.get', { of: 'run', node: 'demo-guest-03' })
    expect(node?.riskAcceptances.map(({ status }) => status)).toEqual(['in-force'])
  })
})

describe('evidence', () => {
  test('is listed and shown as stored, with the lines that the fact came from', async () => {
    const kit = await kitOver()
    await demo(kit)
    const list = await kit.get('evidence.list', { of: 'run', node: 'demo-gpu-01' })
    expect(list.captures).toHaveLength(12)
    const piece = await kit.get('evidence.get', {
      of: 'run',
      node: 'demo-gpu-01',
      capture: 'dmi.identity/answer',
      stream: 'stdout',
      offset: 0,
    })
    expect(piece).toMatchObject({
      text: 'SYS-421GE-TNRT\n',
      marked: [0],
      nextOffset: null,
      size: 15,
      reading: { ok: true, fact: '"SYS-421GE-TNRT"' },
    })
    expect(piece.digestNow).toBe(piece.capture.stdout.sha256)
  })

  test('of a hostile node comes in pieces, never whole, and breaks nothing', async () => {
    const kit = await kitOver(createFakePorts({ nodes: [hostileNode()] }))
    const view = await demo(kit)
    expect(view.rows[0]?.status).toBe('complete')
    const ask = { of: 'run', node: 'demo-hostile-99', stream: 'stdout', offset: 0 } as const
    const banner = await kit.get('evidence.get', { ...ask, capture: 'host.banner/answer' })
    expect(banner.capture.status).toBe('truncated')
    expect([banner.text.length, banner.nextOffset, banner.size]).toEqual([1_048_576, 1_048_576, 4_194_304])
    const accounts = await kit.get('evidence.get', { ...ask, capture: 'accounts.local/answer' })
    expect(accounts.text).toContain('\ufffd\ufffd\ufffd(')
    const past = await kit.get('evidence.get', { ...ask, capture: 'accounts.local/answer', offset: 2 ** 40 })
    expect([past.text, past.nextOffset]).toEqual(['', null])
    expect(await kit.refusal('evidence.get', { ...ask, capture: 'no.such/answer' })).toBe('input.not-found')
    const reasons = (await kit.get('node.get', { of: 'run', node: 'demo-hostile-99' }))?.assessment.results.flatMap(
      (finding) => finding.observations.map(({ text }) => text),
    )
    for (const text of reasons ?? []) expect(text).not.toMatch(/[\u0000-\u001f\u202e]/)
  })
})

test('the catalog is the same for every run', async () => {
  const kit = await kitOver()
  const view = await kit.get('catalog.get', null)
  expect(view.probes).toHaveLength(fakeCatalog.probes.length)
  const digest = assess({
    catalog: fakeCatalog,
    scope: { fleet: 'x', population: [], frameworks: [] },
    recordings: [],
    asOf: '2026-11-20T09:15:00.000Z',
  }).catalog.digest
  expect([view.version, view.digest]).toEqual(['0.1.0', digest])
  expect(await kit.get('app.info', null)).toMatchObject({
    catalogVersion: '0.1.0',
    rules: digest,
    probes: 12,
    checks: 12,
  })
})
