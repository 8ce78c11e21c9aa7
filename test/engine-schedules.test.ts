import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { attemptWords } from '../main/app/engine/schedules/schedule-words.ts'
import { windowStamping } from '../main/app/engine/trust/trust-anchors.ts'
import { writeAttempt } from '../main/app/scheduled/plan-run.ts'
import { commandLine } from '../main/electron/command-line.ts'
import type { ScheduleDraft } from '../schemas/ipc-schedules.ts'
import { type EngineKit, kitsOfEachTest, withNodes } from './support/engine-kit.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { fakeScheduling, fakeTimers } from './support/fake-timers.ts'
import { must } from './support/outcomes.ts'

const { clocked, kitOver } = kitsOfEachTest()

const DRAFT: ScheduleDraft = {
  name: 'nightly',
  cadence: { every: 'day', hours: 6, weekday: 1, day: 1, at: 120 },
  zone: 'UTC',
  jitterMinutes: 10,
  retries: { times: 2, waitMinutes: 15 },
  sealHours: null,
  catchUp: true,
  gapsExitZero: true,
  identity: null,
  passphrase: { use: 'make' },
  syslog: false,
  webhook: null,
  integrations: { use: 'none' },
}

async function withKey(kit: EngineKit): Promise<void> {
  await withNodes(kit, ['db-4'])
  await kit.get('identities.create', { name: 'office', subject: 'Office' })
}

describe('planning', () => {
  test('nothing is planned without nodes, for a demo, or without a key', async () => {
    const kit = await kitOver()
    expect((await kit.get('schedules.list', null)).refusal).toBe('Add nodes first.')
    expect(await kit.refusal('schedules.add', DRAFT)).toBe('input.refused')
    await withNodes(kit, ['db-4'])
    expect(await kit.refusal('schedules.add', DRAFT)).toBe('identity.missing')
    expect((await kit.get('schedules.list', null)).schedules).toEqual([])
    await kit.get('demo.open', null)
    await kit.heard('run-done')
    expect((await kit.get('schedules.list', null)).refusal).toMatch(/^The demo fleet/)
    expect(await kit.refusal('schedules.add', DRAFT)).toBe('input.refused')
  })

  test('what is chosen is what is kept', async () => {
    const kit = await kitOver()
    await withKey(kit)
    const kept = async (name: string, cadence: Partial<ScheduleDraft['cadence']>) => {
      const draft = { ...DRAFT, name, cadence: { ...DRAFT.cadence, ...cadence } }
      const { schedules } = await kit.get('schedules.add', draft)
      return schedules.find((one) => one.name === name)?.cadence
    }
    expect(await kept('a', { every: 'day' })).toBe('every day at 02:00 in UTC')
    expect(await kept('b', { every: 'hours', at: 15 })).toBe('every 6 hours at :15 in UTC')
    expect(await kept('c', { every: 'week', weekday: 3 })).toBe('every wednesday at 02:00 in UTC')
    expect(await kept('d', { every: 'month', day: 28, at: 1439 })).toBe('on day 28 of every month at 23:59 in UTC')
    expect((await kit.get('schedules.list', null)).schedules.every(({ ours }) => ours)).toBe(true)
    const { schedules } = JSON.parse(readFileSync(fakeScheduling(kit.folder).file, 'utf8'))
    expect(schedules[0].options).toMatchObject({ declarations: kit.folder })
  })

  test('the plan is in the chain, signed, and a run that is missed shows as a gap without a record', async () => {
    const { kit, until } = await clocked()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    until('2026-11-20T09:15:00.000Z')
    const view = await kit.get('history.get', { window: { from: '2026-11-17', to: '2026-11-20' } })
    expect(view?.plans).toMatchObject([{ schedule: 'nightly', cadence: 'every day at 02:00 in UTC', entry: 1 }])
    expect(view?.unrecorded).toEqual([
      { schedule: 'nightly', due: '2026-11-19T02:00:00.000Z', cadence: 'every day at 02:00 in UTC' },
      { schedule: 'nightly', due: '2026-11-20T02:00:00.000Z', cadence: 'every day at 02:00 in UTC' },
    ])
    expect((await kit.get('schedules.status', { name: 'nightly' })).missed).toHaveLength(2)
    expect((await kit.get('home.get', null)).notices).toMatchObject([{ is: 'missed' }])
    await kit.get('history.record-gap', {
      schedule: 'nightly',
      due: '2026-11-19T02:00:00.000Z',
      why: 'The rack was without power.',
      identity: null,
    })
    const again = { schedule: 'nightly', due: '2026-11-19T02:00:00Z', why: 'Once more.', identity: null }
    expect(await kit.refusal('history.record-gap', again)).toBe('input.refused')
    expect((await kit.get('schedules.status', { name: 'nightly' })).missed).toEqual(['2026-11-20T02:00:00.000Z'])
    await kit.get('schedules.remove', { name: 'nightly', identity: null })
    until('2026-11-22T09:15:00.000Z')
    const later = await kit.get('history.get', { window: { from: '2026-11-17', to: '2026-11-22' } })
    expect(later?.unrecorded.map(({ due }) => due)).toEqual(['2026-11-20T02:00:00.000Z'])
  })

  test('a name is taken once, and a zone has to be one', async () => {
    const kit = await kitOver()
    await withKey(kit)
    expect(await kit.refusal('schedules.add', { ...DRAFT, zone: 'Nowhere/Atall' })).toBe('input.refused')
    await kit.get('schedules.add', DRAFT)
    expect(await kit.refusal('schedules.add', DRAFT)).toBe('input.refused')
    expect(await kit.refusal('schedules.remove', { name: 'other', identity: null })).toBe('input.refused')
  })
})

describe('what a timer can start', () => {
  test('Node.js from the path and the command line beside the program; null where one is missing', async () => {
    const kit = await kitOver()
    const [bin, lib] = [join(kit.folder, 'bin'), join(kit.folder, 'lib')]
    for (const folder of [bin, lib]) mkdirSync(folder)
    expect(commandLine(lib, bin)).toBeNull()
    writeFileSync(join(lib, 'cli.js'), '')
    expect(commandLine(lib, bin)).toBeNull()
    writeFileSync(join(bin, 'node'), '', { mode: 0o755 })
    expect(commandLine(lib, `relative:${bin}`)).toEqual([join(bin, 'node'), join(lib, 'cli.js')])
    // Nothing but the window reads what lies in its archive.
    mkdirSync(join(kit.folder, 'app.asar'))
    writeFileSync(join(kit.folder, 'app.asar/cli.js'), '')
    expect(commandLine(join(kit.folder, 'app.asar'), bin)).toBeNull()
  })
})

describe('what starts it', () => {
  test('the unit is shown as it would be written, for every kind, those that are here marked', async () => {
    const kit = await kitOver()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    const previews = await kit.get('schedules.preview', { name: 'nightly' })
    expect(previews.filter(({ here }) => here).map(({ kind }) => kind)).toEqual(['systemd', 'cron'])
    expect(previews.every(({ units }) => units.length > 0)).toBe(true)
    const cron = previews.find(({ kind }) => kind === 'cron')?.units[0]?.text
    expect(cron).toContain('/usr/bin/node /opt/barewitness/cli.js run --schedule nightly')
    expect(await kit.refusal('schedules.preview', { name: 'other' })).toBe('input.not-found')
  })

  test('one that takes nothing of what is declared in the window states this', async () => {
    const kit = await kitOver()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    const about = async () => (await kit.get('schedules.status', { name: 'nightly' })).notes.join(' ')
    expect(await about()).not.toContain('declared in this window')
    const { file } = fakeScheduling(kit.folder)
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    delete kept.schedules[0].options.declarations
    writeFileSync(file, JSON.stringify(kept))
    expect(await about()).toContain('do not include the declarations of this window')
  })

  test('installed, shown as installed, and taken away with the schedule', async () => {
    const kit = await kitOver()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    const before = await kit.get('schedules.status', { name: 'nightly' })
    expect(before.installed).toEqual([])
    expect(before.next).toBe('2026-11-21T02:00:00.000Z')
    expect(before.last).toBeNull()
    const after = await kit.get('schedules.install', { name: 'nightly', kind: 'systemd' })
    expect(after.installed).toEqual([{ kind: 'systemd', state: 'installed' }])
    expect((await kit.get('schedules.remove', { name: 'nightly', identity: null })).schedules).toEqual([])
    await kit.get('schedules.add', { ...DRAFT, name: 'nightly' })
    expect((await kit.get('schedules.status', { name: 'nightly' })).installed).toEqual([])
  })

  test('one that could not be sealed is refused; the passphrase file is made for this user alone', async () => {
    const kit = await kitOver()
    await withKey(kit)
    expect(await kit.refusal('schedules.add', { ...DRAFT, passphrase: { use: 'kept' } })).toBe('input.refused')
    const { schedules } = await kit.get('schedules.add', DRAFT)
    expect(schedules[0]?.passphraseFile).toBe('office')
    const path = join(kit.folder, 'schedule-passphrases/office')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe('correct horse battery\n')
    const { credentials } = await kit.get('schedules.status', { name: 'nightly' })
    expect(credentials.find(({ text }) => text.startsWith('Sealing'))?.works).toBe('yes')
    for (const { text } of credentials) expect(text).not.toMatch(/ --/)
  })

  test('it can be changed in place: new times are entered in the chain, and its timer is updated', async () => {
    const { kit, until } = await clocked()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    await kit.get('schedules.install', { name: 'nightly', kind: 'systemd' })
    until('2026-11-19T09:15:00.000Z')
    const draft = (await kit.get('schedules.list', null)).schedules[0]?.draft
    if (draft == null) throw new Error('it cannot be changed')
    expect(draft).toEqual({ ...DRAFT, passphrase: { use: 'kept' } })
    const webhook = 'https://hooks.example/services/T0/B0/hunter2'
    const { schedules } = await kit.get('schedules.change', {
      ...draft,
      cadence: { ...draft.cadence, every: 'week', weekday: 7 },
      syslog: true,
      webhook,
    })
    expect(schedules).toMatchObject([
      {
        cadence: 'every sunday at 02:00 in UTC',
        createdAt: '2026-11-18T09:15:00.000Z',
        // A path is often a token: it is shown where it can be changed, and nowhere else.
        notifies: ['Changes are sent to https://hooks.example.', 'Changes are written to the system log.'],
        draft: { syslog: true, webhook },
      },
    ])
    const view = await kit.get('history.get', { window: { from: '2026-11-17', to: '2026-11-20' } })
    expect(view?.plans.map(({ cadence, until: end }) => [cadence, end])).toEqual([
      ['every day at 02:00 in UTC', '2026-11-19T09:15:00.000Z'],
      ['every sunday at 02:00 in UTC', null],
    ])
    expect((await kit.get('schedules.status', { name: 'nightly' })).installed).toEqual([
      { kind: 'systemd', state: 'installed' },
    ])
    expect(await kit.refusal('schedules.change', { ...draft, name: 'other' })).toBe('input.not-found')
  })

  test('a run can be started now, by the program that timers start', async () => {
    const timers = fakeTimers()
    const kit = await kitOver({ ...createFakePorts(), timers })
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    expect(await kit.get('schedules.run-now', { name: 'nightly' })).toBeNull()
    const { file, program } = fakeScheduling(kit.folder)
    expect(timers.started).toEqual([[...program, 'run', '--schedule', 'nightly', '--schedules', file, '--now']])
    expect(await kit.refusal('schedules.run-now', { name: 'other' })).toBe('input.not-found')
  })

  test('the authority of the settings is the one that runs use, with what completes its chain', async () => {
    const ports = createFakePorts()
    const kit = await kitOver(ports)
    await withNodes(kit, ['db-4'])
    expect((await kit.get('schedules.list', null)).authority).toBeNull()
    expect(await windowStamping({ ports, folder: kit.folder })).toBeNull()
    const settings = await kit.get('settings.get', null)
    await kit.get('settings.set', { ...settings, authority: 'https://tsa.example/' })
    expect((await kit.get('schedules.list', null)).authority).toBe('https://tsa.example/')
    expect(await windowStamping({ ports, folder: kit.folder })).toMatchObject({ url: 'https://tsa.example/' })
  })

  test('a file with the passphrase may be chosen, if only its owner can read it', async () => {
    const kit = await kitOver()
    await withKey(kit)
    const sealing = async (name: string) =>
      (await kit.get('schedules.status', { name })).credentials.find(({ text }) => text.startsWith('Sealing'))
    const path = join(kit.folder, 'passphrase.txt')
    writeFileSync(path, 'correct horse battery\n')
    chmodSync(path, 0o644)
    const open = await kit.engine.call('schedules.choose-passphrase', null, { path })
    expect(open.ok ? 'it was answered' : open.error.code).toBe('input.refused')
    chmodSync(path, 0o600)
    const chosen = await kit.engine.call('schedules.choose-passphrase', null, { path })
    if (!chosen.ok || chosen.value === null) throw new Error('it was refused')
    expect(chosen.value.file).toBe('passphrase.txt')
    await kit.get('schedules.add', {
      ...DRAFT,
      name: 'weekly',
      passphrase: { use: 'file', handle: chosen.value.handle },
    })
    expect((await sealing('weekly'))?.works).toBe('yes')
    expect(readFileSync(join(kit.folder, 'schedules.json'), 'utf8')).not.toContain('correct horse')
    const lost = { use: 'file', handle: '0'.repeat(32) } as const
    expect(await kit.refusal('schedules.add', { ...DRAFT, name: 'third', passphrase: lost })).toBe('input.refused')
  })

  test('how packs are sent is chosen as a file, validated with its secrets, kept, and can be ended', async () => {
    const kit = await kitOver()
    await withKey(kit)
    const at = (name: string): string => join(kit.folder, name)
    const [webhook] = [{ name: 'own', url: 'https://hooks.example', keyFile: 'key' }]
    const config = { schema: 'barewitness.integrations/1', sender: 's', outbox: 'outbox', webhook: [webhook] }
    const choose = async (body: object) => {
      writeFileSync(at('send.json'), JSON.stringify(body))
      const chosen = await kit.engine.call('schedules.choose-integrations', null, { path: at('send.json') })
      return chosen.ok ? chosen.value : chosen.error.code
    }
    writeFileSync(at('key'), 'k\n', { mode: 0o600 })
    const [card] = await kit.get('identities.list', null)
    expect(card).toBeDefined()
    const trust = [join(kit.folder, 'identities', 'office', 'root.pem')]
    expect(await choose({ ...config, mail: [] })).toBe('input.refused')
    expect(await choose(config)).toBe('input.refused')
    chmodSync(at('key'), 0o644)
    expect(await choose({ ...config, trust })).toBe('input.refused')
    chmodSync(at('key'), 0o600)
    const chosen = await choose({ ...config, trust })
    if (chosen === null || typeof chosen === 'string') throw new Error(`it was refused: ${chosen}`)
    const integrations = { use: 'file', handle: chosen.handle } as const
    const kept = async () => JSON.parse(readFileSync(at('schedules.json'), 'utf8')).schedules[0].integrations
    const [added] = (await kit.get('schedules.add', { ...DRAFT, integrations })).schedules
    expect(added).toMatchObject({ integrationsFile: 'send.json', draft: { integrations: { use: 'kept' } } })
    expect(await kept()).toBe(at('send.json'))
    if (added?.draft == null) throw new Error('it cannot be changed')
    await kit.get('schedules.change', { ...added.draft, syslog: true })
    expect(await kept()).toBe(at('send.json'))
    await kit.get('schedules.change', { ...added.draft, integrations: { use: 'none' } })
    expect(await kept()).toBeUndefined()
    const lost = { use: 'file', handle: '0'.repeat(32) } as const
    expect(await kit.refusal('schedules.change', { ...added.draft, integrations: lost })).toBe('input.refused')
    expect(await kit.refusal('schedules.change', { ...added.draft, integrations: { use: 'kept' } })).toBe(
      'input.refused',
    )
  })

  test.each([
    [null, null],
    [{ state: 'delivered', code: null, detail: '' }, { error: null }],
    [{ state: 'waiting', code: 'delivery.failed', detail: 'x' }, { error: { code: 'delivery.failed', detail: 'x' } }],
  ] as const)('what became of its pack is shown with the start: %j', async (sending, shown) => {
    const { kit, until } = await clocked()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    const start = { id: '0123456789abcdef', schedule: 'nightly', due: null, startedAt: '2026-11-18T10:00:00.000Z' }
    const line = { ...start, endedAt: null, run: null, exit: 0, code: 'ran', detail: '' } as const
    const ports = createFakePorts()
    must(
      await writeAttempt(ports, { out: kit.folder, name: 'nightly' }, sending === null ? line : { ...line, sending }),
    )
    until('2026-11-18T11:00:00.000Z')
    const { last } = await kit.get('schedules.status', { name: 'nightly' })
    if (shown === null) expect(last?.sending).toBeNull()
    else expect(last?.sending).toMatchObject(shown)
  })

  test.each([
    [{ code: 'ran', exit: 0, detail: '' }, /^Sealed/],
    [{ code: 'ran', exit: 3, detail: '' }, /deviations/],
    [{ code: 'failed', exit: 2, detail: 'fleet.json is gone' }, /^Refused.*fleet\.json is gone\.$/],
    [{ code: 'overlap', exit: null, detail: '' }, /still in progress/],
    [{ code: 'ran', exit: 77, detail: '' }, /^Ended with 77\.$/],
  ] as const)('what became of a start is reported in words: %j', (attempt, words) => {
    expect(attemptWords(attempt)).toMatch(words)
  })
})

describe('a run that is due and has not arrived', () => {
  test('is overdue in the history and with its schedule, until its time limit; then it is missed', async () => {
    const { kit, until } = await clocked()
    await withKey(kit)
    await kit.get('schedules.add', DRAFT)
    const both = async () => {
      const history = await kit.get('history.get', { window: null })
      const status = await kit.get('schedules.status', { name: 'nightly' })
      if (history === null) throw new Error('no history')
      const today = history.days.find(({ day }) => day === '2026-11-19')
      return [
        history.awaited.map(({ due, until: end }) => ({ due, until: end })),
        today?.awaited,
        history.unrecorded.map(({ due }) => due),
        status.awaited === null ? [] : [status.awaited],
        status.missed,
      ]
    }
    const due = '2026-11-19T02:00:00.000Z'
    const one = { due, until: '2026-11-19T04:40:00.000Z' }
    until('2026-11-19T02:15:00.000Z')
    expect(await both()).toEqual([[one], 1, [], [one], []])
    until('2026-11-19T04:40:00.000Z')
    expect(await both()).toEqual([[], 0, [due], [], [due]])
  })
})
