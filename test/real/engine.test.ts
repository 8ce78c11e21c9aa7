import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import type { Desktop } from '../../main/app/engine/context/context.ts'
import { createEngine } from '../../main/app/engine.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Engine, Reply } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { describeUnless } from '../support/needing.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

// What the window asks of the engine, in the order a compliance officer would, against a real server.
const desktop: Desktop = {
  ask: async () => 'correct horse battery',
  show: async () => ({ ok: true, value: null }),
  vault: null,
}

const value = <T>(reply: Reply<T>): T => {
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.detail}`)
  return reply.value
}

describeUnless(whyNoSshd, 'the engine behind the window', () => {
  let sshd: Sshd
  let engine: Engine
  let folder = ''
  const events: EngineEvent[] = []
  beforeAll(async () => {
    sshd = await startSshd()
    folder = mkdtempSync(join(tmpdir(), 'bw-engine-'))
    engine = await createEngine(createPorts(catalog), catalog, {
      folder,
      desktop,
    })
    engine.onEvent((event) => events.push(event))
  })
  afterAll(async () => {
    await engine.close()
    await sshd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('import, accept: every line is accounted for and nothing was contacted', async () => {
    const text = `name,address,port,user,identityFile\nnode-1,127.0.0.1,${sshd.port},${userInfo().username},${sshd.clientKey}\nbad line,,,,\n`
    const preview = value(await engine.call('fleet.import-text', { kind: 'csv', text }))
    expect(preview.willAdd).toBe(1)
    const fleet = value(await engine.call('fleet.accept', { handle: preview.handle }))
    expect(fleet.nodes.map(({ name }) => name)).toEqual(['node-1'])
    expect(sshd.log()).not.toContain('Connection from')
    expect((await engine.call('fleet.accept', { handle: preview.handle })).ok).toBe(false)
  })

  test('an unknown host key is shown, refused by a run, and confirmed by a person', async () => {
    const [row] = value(await engine.call('hostkeys.scan', { nodes: ['node-1'] }))
    expect(row).toMatchObject({ state: 'unknown', fingerprint: sshd.hostKey.fingerprint })
    const wrong = await engine.call('hostkeys.confirm', {
      node: 'node-1',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      howVerified: 'guess',
    })
    expect(wrong.ok).toBe(false)
    const [confirmed] = value(
      await engine.call('hostkeys.confirm', {
        node: 'node-1',
        fingerprint: sshd.hostKey.fingerprint,
        howVerified: 'read on the console',
      }),
    )
    expect(confirmed?.state).toBe('confirmed')
  })

  test('collect: the assessment is there when the run is done', async () => {
    const ticket = value(await engine.call('run.start', { nodes: [], only: 'all' }))
    expect((await engine.call('run.start', { nodes: [], only: 'all' })).ok).toBe(false)
    while (!events.some(({ kind }) => kind === 'run-done')) await new Promise((resolve) => setTimeout(resolve, 50))
    const view = value(await engine.call('assessment.get', { of: 'run' }))
    expect(view?.run).toBe(ticket.run)
    expect(view?.rows[0]).toMatchObject({ node: 'node-1', status: 'complete' })
    const piece = value(
      await engine.call('evidence.get', {
        of: 'run',
        node: 'node-1',
        capture: 'cpu.features/cpuinfo',
        stream: 'stdout',
        offset: 0,
      }),
    )
    expect(piece.digestNow).toBe(piece.capture.stdout.sha256)
  })

  test('a pasted list confirms what it matches, and nothing goes on with a run that is complete', async () => {
    const rows = value(await engine.call('hostkeys.match-text', { text: `256 ${sshd.hostKey.fingerprint} node-1` }))
    expect(rows[0]).toMatchObject({ state: 'confirmed', byDecision: true, matched: 'pasted line 1' })
    const listed = value(await engine.call('hostkeys.confirm-matched', { howVerified: 'from a list' }))
    expect(listed[0]).toMatchObject({ state: 'confirmed', byDecision: false })
    expect((await engine.call('hostkeys.confirm-matched', { howVerified: 'from a list' })).ok).toBe(false)
    expect((await engine.call('run.start', { nodes: [], only: 'missing' })).ok).toBe(false)
  })

  test('the run is there when the window is opened again', async () => {
    const before = value(await engine.call('assessment.get', { of: 'run' }))
    await engine.close()
    engine = await createEngine(createPorts(catalog), catalog, { folder, desktop })
    const view = value(await engine.call('assessment.get', { of: 'run' }))
    expect(view?.run).toBe(before?.run)
    expect(view?.rows[0]?.verdicts).toEqual(before?.rows[0]?.verdicts)
    const timeline = value(await engine.call('node.timeline', { of: 'run', node: 'node-1' }))
    expect(timeline.map(({ run }) => run)).toEqual([before?.run])
  })

  test('export, then read the pack back as an auditor would', async () => {
    value(await engine.call('identities.create', { name: 'default', subject: 'Clinic (M. Ortiz)' }))
    const draft = value(
      await engine.call('export.build', {
        frameworks: ['hipaa', 'soc2'],
        identity: null,
        timestamp: false,
        also: [],
        redact: null,
      }),
    )
    const saved = value(await engine.call('export.save', { handle: draft.handle }, { path: join(folder, 'export') }))
    const pack = saved?.files.find(({ name }) => name.endsWith('.zip'))?.name ?? ''
    const place = readdirSync(join(folder, 'export'), { recursive: true })
      .map(String)
      .find((name) => name.endsWith(pack))
    const review = value(
      await engine.call('pack.choose-and-verify', null, { path: join(folder, 'export', place ?? '') }),
    )
    expect(review?.report.ok).toBe(true)
    expect(review?.verdicts.identical).toBe(review?.verdicts.stated)
    expect(review?.view?.rows).toHaveLength(1)
  })
})
