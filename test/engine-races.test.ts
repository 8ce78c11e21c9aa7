import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createEngine } from '../main/app/engine.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { fail } from '../main/core/base/failure.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { fakeCatalog } from './support/fake-catalog.ts'
import { fakeDesktop } from './support/fake-engine.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { sealingKit, settingsWith } from './support/sealing-kit.ts'

const { kitOver, keep } = kitsOfEachTest()

const ALL = { nodes: [], only: 'all' } as const
const MISSING = { nodes: [], only: 'missing' } as const
const at = (node: string, address: string) => ({ node, address, port: 22, user: '', sudo: false })
const fleetOf = (kit: EngineKit): { name: string; nodes: { name: string; address: string }[] } =>
  JSON.parse(readFileSync(join(kit.folder, 'fleet.json'), 'utf8'))
const collected = async (kit: EngineKit): Promise<string> => {
  const { run } = await kit.get('run.start', ALL)
  await kit.heard('run-done')
  return run
}

/** Resolves once the turns that were waiting have been taken. */
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))

/** Work of ports that are held up, once it is armed, until it is let go. */
function gate() {
  let armed = false
  let letGo: () => void = () => undefined
  let came: () => void = () => undefined
  const passed = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const reached = new Promise<void>((resolve) => {
    came = resolve
  })
  return {
    arm: () => {
      armed = true
    },
    /** Someone stands in front of it. */
    reached,
    letGo: () => letGo(),
    pass: async (): Promise<void> => {
      if (!armed) return
      armed = false
      came()
      await passed
    },
  }
}

describe('two changes at once', () => {
  test('of the fleet are both kept', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-3', 'db-4', 'db-5'])
    await Promise.all([
      kit.get('fleet.edit-node', at('db-3', '192.0.2.33')),
      kit.get('fleet.edit-node', at('db-4', '192.0.2.44')),
      kit.get('fleet.remove-nodes', { nodes: ['db-5'] }),
    ])
    expect(fleetOf(kit).nodes.map(({ address }) => address)).toEqual(['192.0.2.33', '192.0.2.44'])
  })

  test('one of the register lands with the fleet it was made for, though the demo came between', async () => {
    const ports = createFakePorts()
    const held = gate()
    const kit = await kitOver({
      ...ports,
      readRegister: async (path) => {
        const read = await ports.readRegister(path)
        await held.pass()
        return read
      },
    })
    await withNodes(kit, ['db-4'])
    held.arm()
    const noted = kit.engine.call('documents.note', {
      name: 'Letter',
      text: 'The rack is ours alone.',
      controls: [],
      need: null,
      summary: 'who uses the rack',
      providedBy: 'R. Novak',
      level: 'received',
      inspection: null,
      answers: null,
      owner: 'R. Novak',
      validUntil: null,
      effective: null,
      supersedes: null,
    })
    await held.reached
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    held.letGo()
    expect((await noted).ok).toBe(true)
    expect(readFileSync(join(kit.folder, 'demo/register.json'), 'utf8')).not.toContain('"Letter"')
    expect(readFileSync(join(kit.folder, 'register.json'), 'utf8')).toContain('"Letter"')
  })

  test('a stored run that is being opened never ends up under the demo fleet', async () => {
    const ports = createFakePorts()
    const held = gate()
    const kit = await kitOver({
      ...ports,
      openStore: async (folder) => {
        await held.pass()
        return await ports.openStore(folder)
      },
    })
    await withNodes(kit, ['db-4'])
    const run = await collected(kit)
    held.arm()
    const opening = kit.engine.call('runs.open', { run })
    await held.reached
    const demo = kit.engine.call('demo.open', null)
    await soon()
    held.letGo()
    await Promise.all([opening, demo])
    await kit.heard('run-done')
    expect((await kit.get('fleet.get', null))?.demo).toBe(true)
    expect(await kit.get('assessment.get', { of: 'run' })).toMatchObject({ demo: true, scope: { fleet: 'Demo fleet' } })
  })

  test('nodes accepted while the demo is begun leave one fleet, and its own run', async () => {
    const ports = createFakePorts()
    const held = gate()
    const files: Ports['files'] = {
      ...ports.files,
      write: async (path, bytes) => {
        if (path.endsWith('fleet.json')) await held.pass()
        return await ports.files.write(path, bytes)
      },
    }
    const kit = await kitOver({ ...ports, files })
    await withNodes(kit, ['db-4'])
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const { handle } = await kit.get('fleet.import-text', { kind: 'csv', text: 'name,address\ndb-5,192.0.2.5\n' })
    held.arm()
    const accepting = kit.engine.call('fleet.accept', { handle })
    await held.reached
    const demo = kit.engine.call('demo.open', null)
    await soon()
    held.letGo()
    expect((await accepting).ok).toBe(true)
    expect((await demo).ok).toBe(true)
    await kit.heard('run-done')
    expect((await kit.get('fleet.get', null))?.name).toBe('Demo fleet')
    expect(await kit.get('assessment.get', { of: 'run' })).toMatchObject({ demo: true, scope: { fleet: 'Demo fleet' } })
  })

  test('a run that is begun while nodes take the place of the demo collects those nodes', async () => {
    const ports = createFakePorts()
    const held = gate()
    const files: Ports['files'] = {
      ...ports.files,
      write: async (path, bytes) => {
        if (path.endsWith('fleet.json')) await held.pass()
        return await ports.files.write(path, bytes)
      },
    }
    const kit = await kitOver({ ...ports, files })
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    const { handle } = await kit.get('fleet.import-text', { kind: 'csv', text: 'name,address\ndb-4,192.0.2.4\n' })
    held.arm()
    const accepting = kit.engine.call('fleet.accept', { handle })
    await held.reached
    const run = kit.get('run.start', ALL)
    await soon()
    held.letGo()
    expect((await accepting).ok).toBe(true)
    expect((await run).nodes).toEqual(['db-4'])
    await kit.heard('run-done')
  })
})

describe('a key and the address that showed it', () => {
  const CONFIRM = { howVerified: 'read on the console' }

  test('a key that came from the address before is not shown for the new one', async () => {
    const ports = createFakePorts()
    const held = gate()
    const kit = await kitOver({
      ...ports,
      hostKeys: {
        ...ports.hostKeys,
        scan: async (target, signal) => {
          await held.pass()
          return await ports.hostKeys.scan(target, signal)
        },
      },
    })
    await withNodes(kit, ['db-1'])
    held.arm()
    const scan = kit.get('hostkeys.scan', { nodes: ['db-1'] })
    await held.reached
    await kit.get('fleet.edit-node', at('db-1', '192.0.2.77'))
    held.letGo()
    expect((await scan).map(({ state, fingerprint }) => [state, fingerprint])).toEqual([['not-asked', null]])
  })

  test('a node that comes again under its old name has shown nothing yet', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-1', 'db-3'])
    const [row] = await kit.get('hostkeys.scan', { nodes: ['db-1'] })
    await kit.get('fleet.remove-nodes', { nodes: ['db-1'] })
    const { handle } = await kit.get('fleet.import-text', { kind: 'csv', text: 'name,address\ndb-1,192.0.2.66\n' })
    await kit.get('fleet.accept', { handle })
    const again = (await kit.get('hostkeys.list', null)).find(({ node }) => node === 'db-1')
    expect(again).toMatchObject({ state: 'not-asked', fingerprint: null })
    const confirm = { node: 'db-1', fingerprint: row?.fingerprint ?? '', ...CONFIRM }
    expect(await kit.refusal('hostkeys.confirm', confirm)).toBe('input.refused')
    expect(existsSync(join(kit.folder, 'fleet.json.known_hosts'))).toBe(false)
  })

  test('a decision is about the address that showed the key, though that changes in between', async () => {
    const ports = createFakePorts()
    const held = gate()
    const kit = await kitOver({
      ...ports,
      fleets: {
        ...ports.fleets,
        read: async (path) => {
          await held.pass()
          return await ports.fleets.read(path)
        },
      },
    })
    await withNodes(kit, ['db-1'])
    const [row] = await kit.get('hostkeys.scan', { nodes: ['db-1'] })
    held.arm()
    const confirming = kit.refusal('hostkeys.confirm', {
      node: 'db-1',
      fingerprint: row?.fingerprint ?? '',
      ...CONFIRM,
    })
    await held.reached
    await kit.get('fleet.edit-node', at('db-1', '192.0.2.77'))
    held.letGo()
    expect(await confirming).toBe('input.refused')
    expect(existsSync(join(kit.folder, 'fleet.json.known_hosts'))).toBe(false)
  })

  test('nor is one recorded for an address that the fleet file got by another hand', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-1'])
    const [row] = await kit.get('hostkeys.scan', { nodes: ['db-1'] })
    const fleet = fleetOf(kit)
    const moved = { ...fleet, nodes: fleet.nodes.map((node) => ({ ...node, address: '192.0.2.88' })) }
    writeFileSync(join(kit.folder, 'fleet.json'), JSON.stringify(moved))
    const confirm = { node: 'db-1', fingerprint: row?.fingerprint ?? '', ...CONFIRM }
    expect(await kit.refusal('hostkeys.confirm', confirm)).toBe('input.refused')
    expect(existsSync(join(kit.folder, 'fleet.json.known_hosts'))).toBe(false)
  })
})

describe('runs and the fleet they are of', () => {
  test('a stored run keeps the name of the fleet it was begun with', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const run = await collected(kit)
    writeFileSync(join(kit.folder, 'fleet.json'), JSON.stringify({ ...fleetOf(kit), name: 'Another customer' }))
    const later = await kit.reopened()
    keep(later)
    expect((await later.get('runs.open', { run })).scope.fleet).toBe('My servers')
    expect(await later.refusal('run.start', MISSING)).toBe('input.refused')
  })

  test('a run of the demo, or of a fleet with other nodes, is not opened under this one', async () => {
    const kit = await kitOver()
    const demo = await kit.get('demo.open', null)
    await kit.heard('run-done')
    await withNodes(kit, ['db-4'])
    const own = await collected(kit)
    expect(await kit.refusal('runs.open', { run: demo.run })).toBe('input.not-found')
    const nodes = [{ name: 'other-1', address: '198.51.100.1' }]
    writeFileSync(join(kit.folder, 'fleet.json'), JSON.stringify({ name: 'Other', nodes }))
    const later = await kit.reopened()
    keep(later)
    expect(await later.refusal('runs.open', { run: own })).toBe('input.not-found')
    expect(await later.get('assessment.get', { of: 'run' })).toBeNull()
  })

  test('a run goes on only with nodes that are still where they were', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-1', 'db-4'])
    await collected(kit)
    await kit.get('fleet.edit-node', at('db-1', '192.0.2.99'))
    const reply = await kit.engine.call('run.start', MISSING)
    expect(reply).toMatchObject({ ok: false, error: { code: 'input.refused', node: 'db-1' } })
  })

  test('a run takes the fleet as its file is now, and the window shows that one', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const moved = { name: 'Renamed', frameworks: ['soc2'], nodes: [{ name: 'db-5', address: '192.0.2.5' }] }
    writeFileSync(join(kit.folder, 'fleet.json'), JSON.stringify(moved))
    await collected(kit)
    const view = await kit.get('assessment.get', { of: 'run' })
    expect(view?.scope).toEqual({ fleet: 'Renamed', population: ['db-5'], frameworks: ['soc2'] })
    expect((await kit.get('fleet.get', null))?.name).toBe('Renamed')
  })
})

describe('what goes wrong beside a run', () => {
  test('a listener that throws takes no answer away, and the others still hear', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const engine = await createEngine(createFakePorts(), fakeCatalog, { folder: kit.folder, desktop: fakeDesktop })
    const kinds: string[] = []
    engine.onEvent(() => {
      throw new Error('the window is gone')
    })
    engine.onEvent(({ kind }) => kinds.push(kind))
    expect((await engine.call('run.start', ALL)).ok).toBe(true)
    for (let tries = 0; tries < 200 && !kinds.includes('run-done'); tries += 1) await soon()
    expect(kinds).toContain('run-done')
    const status = await engine.call('run.status', null)
    expect(status).toMatchObject({ ok: true, value: { going: false } })
    const view = await engine.call('assessment.get', { of: 'run' })
    expect(view).toMatchObject({ ok: true, value: { rows: [{ node: 'db-4', status: 'complete' }] } })
    await engine.close()
  })

  test('a mistake of ours at the end of a run ends it all the same, and is reported', async () => {
    const ports = createFakePorts()
    let notes = 0
    const files: Ports['files'] = {
      ...ports.files,
      write: async (path, bytes) => {
        if (/\/runs\/[^/]+\.json$/.test(path)) notes += 1
        if (notes === 2) throw new Error('made up')
        return await ports.files.write(path, bytes)
      },
    }
    const kit = await kitOver({ ...ports, files })
    await withNodes(kit, ['db-4'])
    await kit.get('run.start', ALL)
    await kit.heard('run-done')
    expect(kit.events).toContainEqual({ kind: 'node-failed', node: 'db-4', code: 'bug', detail: 'Error: made up' })
    expect((await kit.get('run.status', null))?.going).toBe(false)
  })

  test('a run that is being stopped cannot be paused', async () => {
    let letGo: () => void = () => undefined
    const connecting = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const kit = await kitOver(createFakePorts({ onConnect: () => connecting }))
    await withNodes(kit, ['db-4'])
    await kit.get('run.start', ALL)
    await kit.heard('node-connecting')
    const cancelled = kit.get('run.cancel', null)
    const paused = await kit.refusal('run.pause', null)
    letGo()
    await cancelled
    expect(paused).toBe('input.refused')
    expect(kit.events.map(({ kind }) => kind)).not.toContain('run-paused')
  })

  test('closing waits for a run that is about to begin, and ends it', async () => {
    const ports = createFakePorts()
    const held = gate()
    const kit = await kitOver({
      ...ports,
      fleets: {
        ...ports.fleets,
        read: async (path) => {
          await held.pass()
          return await ports.fleets.read(path)
        },
      },
    })
    await withNodes(kit, ['db-4'])
    held.arm()
    const starting = kit.engine.call('run.start', ALL)
    await held.reached
    const closed = kit.engine.close()
    held.letGo()
    await closed
    await starting
    expect((await kit.get('run.status', null))?.going).toBe(false)
    expect(kit.events.at(-1)).toMatchObject({ kind: 'run-done', cancelled: true })
  })
})

test('an acceptance that ended while the window stayed open is no longer shown as one in force', async () => {
  let now = '2026-11-20T09:15:00.000Z'
  const kit = await kitOver(createFakePorts({ now: () => now }))
  await kit.get('demo.open', null)
  await kit.heard('run-done')
  await kit.get('acceptances.accept', {
    check: 'encryption.at-rest.swap',
    nodes: ['demo-guest-03'],
    reason: 'The swap area goes with the next image.',
    compensatingControl: 'The host encrypts its disks.',
    owner: 'M. Ortiz',
    requestedBy: 'M. Ortiz',
    approvedBy: 'J. Lin',
    approverRole: 'Security officer',
    until: '2026-11-21',
  })
  const row = async () =>
    (await kit.get('assessment.get', { of: 'run' }))?.rows.find(({ node }) => node === 'demo-guest-03')
  expect((await row())?.accepted).toHaveLength(1)
  now = '2026-11-22T00:00:00.000Z'
  expect(await row()).toMatchObject({ accepted: [], expired: ['encryption.at-rest.swap'] })
  now = '2026-12-25T00:00:00.000Z'
  expect(await row()).toMatchObject({ stale: true })
  // A clock that was set back: evidence from the future supports nothing.
  now = '2026-11-01T00:00:00.000Z'
  expect(await row()).toMatchObject({ stale: true })
})

describe('the folder of ours', () => {
  const note = {
    name: 'Letter',
    text: 'The rack is ours alone.',
    controls: [],
    need: null,
    summary: 'who uses the rack',
    providedBy: 'R. Novak',
    level: 'received' as const,
    inspection: null,
    answers: null,
    owner: 'R. Novak',
    validUntil: null,
    effective: null,
    supersedes: null,
  }

  test('a list is never saved over a file of ours', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    await kit.get('documents.note', note)
    for (const name of ['register.json', 'fleet.json']) {
      const path = join(kit.folder, name)
      const before = readFileSync(path, 'utf8')
      const reply = await kit.engine.call('acceptances.save', null, { path })
      expect(reply).toMatchObject({ ok: false, error: { code: 'input.refused' } })
      expect(readFileSync(path, 'utf8')).toBe(before)
    }
    expect((await kit.engine.call('acceptances.save', null, { path: join(kit.folder, 'new.csv') })).ok).toBe(true)
  })

  test('a record is stored as a file of its own, though a link to the same bytes is in its place', async () => {
    const kit = await kitOver()
    await withNodes(kit, ['db-4'])
    const elsewhere = join(kit.folder, 'letter.txt')
    writeFileSync(elsewhere, note.text)
    mkdirSync(join(kit.folder, 'documents'))
    const place = join(kit.folder, 'documents', sha256(note.text))
    symlinkSync(elsewhere, place)
    await kit.get('documents.note', note)
    expect(lstatSync(place).isSymbolicLink()).toBe(false)
    expect(readFileSync(place, 'utf8')).toBe(note.text)
  })
})

test('an export takes the words about its own fleet, though the demo is opened meanwhile', async () => {
  const asked: string[] = []
  let flip: () => void = () => undefined
  const kit = sealingKit({
    demo: true,
    change: (ports) => ({
      ...ports,
      readRegister: async (path) => {
        asked.push(path)
        return await ports.readRegister(path)
      },
      timestamps: { ...ports.timestamps, stamp: async () => fail('timestamp.unreachable', 'no answer') },
      files: {
        ...ports.files,
        read: async (path, largest) => {
          const read = await ports.files.read(path, largest)
          if (path.endsWith('settings.json')) flip()
          return read
        },
      },
    }),
  })
  try {
    writeFileSync(join(kit.folder, 'settings.json'), settingsWith('http://tsa.example/'))
    flip = () => {
      kit.context.session.demo = false
    }
    const built = await kit.exports['export.build']({
      frameworks: ['soc2'],
      identity: null,
      timestamp: true,
      also: [],
      redact: null,
    })
    expect(built.ok).toBe(true)
    expect(asked).toEqual([join(kit.folder, 'demo/register.json')])
  } finally {
    kit.remove()
  }
})
