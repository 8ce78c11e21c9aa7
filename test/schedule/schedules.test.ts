import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { createTimers, type RunProgram } from '../../main/adapters/schedules/index.ts'
import { scheduleStatus } from '../../main/app/schedules/schedule-status.ts'
import {
  addSchedule,
  changeSchedule,
  installSchedule,
  removeSchedule,
  type ScheduleDraft,
} from '../../main/app/schedules/schedules.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { fail } from '../../main/core/base/failure.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import { parseEntryLine } from '../../main/core/run-chain/entry.ts'
import type { TimerKind } from '../../main/core/schedule/schedule.ts'
import { folderOfTests } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'
import { sampleCatalog } from '../support/sample-pack.ts'
import { NOW, scheduleOf, textsOf, units } from '../support/schedule.ts'

const folder = folderOfTests('schedules')
const at = (...parts: string[]): string => join(folder, ...parts)

const PASSPHRASE = 'correct horse battery'
const file = at('config', 'schedules.json')
const by = { program: ['/usr/bin/node', '/opt/cli.js'] as const, file }

/** Programs of a computer with systemd and cron, that remember a crontab and what they were asked. */
function programs() {
  const asked: string[] = []
  const state = { crontab: null as string | null, refuses: null as string | null }
  const run: RunProgram = async (argv, input) => {
    const line = argv.join(' ')
    asked.push(line)
    if (state.refuses !== null && line.includes(state.refuses))
      return { code: 1, stdout: '', stderr: 'Access\n denied' }
    if (line === 'crontab -l')
      return state.crontab === null
        ? { code: 1, stdout: '', stderr: 'no crontab for anna' }
        : { code: 0, stdout: state.crontab, stderr: '' }
    if (line === 'crontab -') state.crontab = input ?? ''
    return ['launchctl', 'schtasks'].includes(argv[0]) ? null : { code: 0, stdout: '', stderr: '' }
  }
  const timers = createTimers(
    {
      platform: 'linux',
      folders: {
        systemd: at('units'),
        'systemd-system': at('system units'),
        launchd: at('agents'),
        'task-scheduler': at('tasks'),
      },
      lingering: at('linger'),
      uid: 1000,
      host: { zone: 'UTC', user: 'anna', environment: {} },
    },
    run,
  )
  return { asked, state, timers }
}

const real = createPorts(sampleCatalog)
let computer = programs()
let ports: Ports = real
beforeAll(async () => {
  writeFileSync(
    at('fleet.yaml'),
    'name: Example Clinic\nnodes:\n  - name: gpu-01\n    address: 10.0.0.1\n    identityFile: key\n  - name: gpu-02\n    address: 10.0.0.2\n',
  )
  writeFileSync(at('key'), '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n')
  writeFileSync(at('secret'), `${PASSPHRASE}\n`, { mode: 0o600 })
  const made = { folder: at('identities'), name: 'clinic', subject: 'Clinic', passphrase: PASSPHRASE }
  expect(await real.identities.create(made)).toMatchObject({ ok: true })
})
beforeEach(() => {
  for (const name of ['config', 'out', 'units', 'linger']) rmSync(at(name), { recursive: true, force: true })
  computer = programs()
  ports = { ...real, clock: { ...real.clock, now: () => NOW }, timers: computer.timers }
})

const draft = (own: Partial<ScheduleDraft> = {}): ScheduleDraft => {
  const {
    fleetName: _,
    createdAt: __,
    ...rest
  } = scheduleOf({
    fleet: at('fleet.yaml'),
    out: at('out'),
    options: { identityFolder: at('identities'), passphraseFile: at('secret') },
  })
  return { ...rest, ...own }
}

const openSigner = () => ports.identities.open(at('identities'), 'clinic', PASSPHRASE)
const add = (own: Partial<ScheduleDraft> = {}) => addSchedule(ports, draft(own), { file, openSigner })
const plans = () =>
  readFileSync(`${chainFolderOf(at('out'), 'Example Clinic')}/entries.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => parseEntryLine(line))

describe('planning', () => {
  test('what is planned is signed, in the chain and then in the file', async () => {
    const added = await add()
    expect(added).toEqual({ ok: true, value: { ...draft(), fleetName: 'Example Clinic', createdAt: NOW } })
    expect(plans()).toEqual([
      {
        entry: {
          kind: 'plan',
          schedule: 'nightly',
          cadence: 'every day at 02:30 in UTC',
          withinMinutes: 155,
          from: NOW,
          at: NOW,
          fleet: 'Example Clinic',
          why: 'The schedule was added.',
          signer: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        signature: expect.stringMatching(/^M/),
      },
    ])
    expect(await ports.schedules.read(file)).toMatchObject({ ok: true, value: { schedules: [{ name: 'nightly' }] } })
    expect(readdirSync(at('config'))).toEqual(['schedules.json'])
    expect(await add()).toMatchObject({ ok: false, error: { detail: expect.stringContaining('already') } })
  })

  test('a start may not wait until the next is due', async () => {
    const hourly = { cadence: 'every 1 hours at :15', jitterMinutes: 60 }
    expect(await add(hourly)).toMatchObject({ ok: false, error: { detail: expect.stringContaining('random delay') } })
    expect(await add({ ...hourly, jitterMinutes: 59 })).toMatchObject({ ok: true })
  })
  test('what cannot be signed is not planned', async () => {
    const refused = await addSchedule(ports, draft(), {
      file,
      openSigner: async () => fail('identity.missing', 'no identity'),
    })
    expect(refused).toMatchObject({ ok: false, error: { code: 'identity.missing' } })
    expect(existsSync(file)).toBe(false)
    expect(existsSync(at('out'))).toBe(false)
  })

  test.each<readonly [Partial<ScheduleDraft>, string]>([
    [{ cadence: 'every day at 25:00' }, 'interval: “every day at 25:00” is not one of'],
    [{ zone: 'Mars/Olympus' }, 'unknown time zone Mars/Olympus'],
    [{ out: 'evidence' }, 'out: evidence is not an absolute path'],
    [{ fleet: '/nowhere.yaml' }, '/nowhere.yaml could not be read'],
    [{ options: { identityFolder: at('identities'), identity: 'other' } }, 'there is no signing identity other'],
    [{ options: { passphraseFile: at('fleet.yaml') } }, 'can be read by others; run: chmod 600'],
    [{ options: { register: at('none.json') } }, 'none.json could not be read'],
    [{ options: { also: 'xlsx,pptx' } }, 'additional outputs: “pptx” is not one of'],
    [{ notify: [{ kind: 'webhook', url: 'https://a.example', secretFile: at('none') }] }, 'none'],
    [{ name: 'Nightly run' }, 'name is “Nightly run”'],
    [{ jitterMinutes: 9999 }, 'jitterMinutes must be at most 720'],
  ])('%#: %j is refused', async (own, detail) => {
    chmodSync(at('fleet.yaml'), 0o644)
    expect(await add(own)).toMatchObject({ ok: false, error: { detail: expect.stringContaining(detail) } })
    expect(existsSync(at('out'))).toBe(false)
    expect(existsSync(file)).toBe(false)
  })

  test('removing is recorded in the chain, takes the timers away, and can be done again after a failure', async () => {
    const added = must(await add())
    expect(await installSchedule(ports, 'systemd', added, by)).toMatchObject({ ok: true })
    computer.state.refuses = 'disable'
    const remove = () => removeSchedule(ports, 'nightly', { file, openSigner })
    expect(await remove()).toEqual({
      ok: false,
      error: {
        code: 'input.refused',
        detail: 'systemctl --user disable --now barewitness-nightly.timer ended with 1: Access denied',
      },
    })
    expect(await ports.schedules.read(file)).toMatchObject({ value: { schedules: [{ name: 'nightly' }] } })
    computer.state.refuses = null
    expect(await remove()).toMatchObject({ ok: true, value: { name: 'nightly' } })
    expect(plans().map((line) => (line?.entry.kind === 'plan' ? line.entry.cadence : line))).toEqual([
      'every day at 02:30 in UTC',
      null,
    ])
    expect(readdirSync(at('units'))).toEqual([])
    expect(await ports.schedules.read(file)).toMatchObject({ value: { schedules: [] } })
    expect(await remove()).toMatchObject({ ok: false, error: { detail: `there is no schedule nightly in ${file}` } })
  })
})

describe('the schedule file', () => {
  test.each([
    ['{', 'is not JSON'],
    ['[]', 'the document must be a mapping'],
    [
      JSON.stringify({ schema: 'barewitness.schedules/1', schedules: [scheduleOf({ name: '../x' })] }),
      'schedules[0].name',
    ],
    [
      JSON.stringify({ schema: 'barewitness.schedules/1', schedules: [{ ...scheduleOf(), shell: 'rm' }] }),
      'schedules[0].shell',
    ],
    [
      JSON.stringify({ schema: 'barewitness.schedules/1', schedules: [scheduleOf(), scheduleOf()] }),
      'two schedules have the name',
    ],
    ['\ufffd'.repeat(2).replaceAll('\ufffd', '\u00ff'), 'is not JSON'],
  ])('%#: nonsense is refused, and never written over', async (text, detail) => {
    mkdirSync(at('config'), { recursive: true })
    writeFileSync(file, text)
    expect(await ports.schedules.read(file)).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining(detail) },
    })
    expect(await add()).toMatchObject({ ok: false })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['taken', () => add({ cadence: 'every day at 05:00' })],
    ['taken and freed', async () => [await add(), await removeSchedule(ports, 'nightly', { file, openSigner })]],
  ])('a name that is %s while the signer decides is entered once', async (_, meanwhile) => {
    const late = async () => {
      // Neither the file nor the chain is locked now.
      await meanwhile()
      return await openSigner()
    }
    const added = await addSchedule(ports, draft(), { file, openSigner: late })
    const read = await ports.schedules.read(file)
    const [kept] = read.ok ? read.value.schedules : []
    const last = plans().at(-1)?.entry
    expect(last?.kind === 'plan' ? last.cadence : null).toBe(`${kept?.cadence} in UTC`)
    expect(added.ok).toBe(kept?.cadence === draft().cadence)
  })

  test('a schedule that is changed while the signer decides is not removed', async () => {
    await add()
    const late = async () => {
      const by = { program: ['node', 'cli'] as const, file }
      await changeSchedule(ports, draft({ cadence: 'every day at 05:00' }), { file, openSigner, by })
      return await openSigner()
    }
    const removed = await removeSchedule(ports, 'nightly', { file, openSigner: late })
    expect(removed).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(plans().map((one) => one?.entry.kind === 'plan' && one.entry.cadence)).toEqual([
      ...['every day at 02:30 in UTC', 'every day at 05:00 in UTC'],
    ])
  })

  test('of two changes at once neither is lost', async () => {
    const both = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        ports.schedules.change(file, async (now) => ({
          ok: true,
          value: { ...now, schedules: [...now.schedules, scheduleOf({ name })] },
        })),
      ),
    )
    expect(both.every(({ ok }) => ok)).toBe(true)
    const read = await ports.schedules.read(file)
    expect(read.ok && read.value.schedules.map(({ name }) => name).sort()).toEqual(['one', 'three', 'two'])
  })
})

describe('timers', () => {
  const install = async (kind: TimerKind) => {
    const made = must(units(kind))
    return await computer.timers.install(made)
  }

  test('systemd: files, then its own program, word by word', async () => {
    expect(await computer.timers.kinds()).toEqual(['systemd', 'systemd-system', 'cron'])
    computer.asked.length = 0
    expect(await install('systemd')).toEqual({ ok: true, value: null })
    expect(readdirSync(at('units')).map((name) => readFileSync(at('units', name), 'utf8'))).toEqual(
      textsOf(units('systemd')),
    )
    expect(computer.asked).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable barewitness-nightly.timer',
      'systemctl --user restart barewitness-nightly.timer',
    ])
    expect(await computer.timers.installed('systemd', 'nightly')).toMatchObject({ value: { active: true } })
    expect(await computer.timers.installed('systemd-system', 'nightly')).toEqual({ ok: true, value: null })
  })

  test('cron: a crontab that cannot be read is not written over', async () => {
    computer.state.crontab = '5 4 * * * true\n'
    expect(await install('cron')).toEqual({ ok: true, value: null })
    expect(computer.state.crontab).toBe(`5 4 * * * true\n${textsOf(units('cron'))[0]}`)
    expect(await computer.timers.remove('cron', 'nightly')).toEqual({ ok: true, value: null })
    expect(computer.state.crontab).toBe('5 4 * * * true\n')
    computer.state.refuses = 'crontab -l'
    expect(await install('cron')).toMatchObject({
      ok: false,
      error: { detail: 'crontab -l ended with 1: Access denied' },
    })
    expect(computer.state.crontab).toBe('5 4 * * * true\n')
  })

  test('a program that is not there is named', async () => {
    expect(await install('task-scheduler')).toMatchObject({ error: { detail: 'program schtasks not found' } })
    expect(readFileSync(at('tasks', 'nightly.xml')).subarray(0, 4)).toEqual(Buffer.from([0xff, 0xfe, 0x3c, 0]))
    expect(await install('launchd')).toMatchObject({ error: { detail: 'program launchctl not found' } })
  })
})

test('a status states what is due, what is installed, and what a job can use', async () => {
  const added = must(await add())
  const bare = await scheduleStatus(ports, added, by)
  expect(bare).toMatchObject({ nextDue: '2026-11-23T02:30:00.000Z', lastDue: null, lastAttempt: null, timers: [] })
  expect(bare.notes).toEqual(['No timer is installed; install one, or every scheduled run will be missed.'])
  expect(bare.unattended.map(({ works, nodes }) => [works, ...nodes])).toEqual([
    ['unclear', 'gpu-02'],
    ['yes', 'gpu-01'],
    ['yes'],
  ])
  await installSchedule(ports, 'systemd', added, by)
  expect((await scheduleStatus(ports, added, by)).timers).toEqual([{ kind: 'systemd', state: 'installed' }])
  computer.state.refuses = 'is-active'
  const other = await scheduleStatus(ports, added, { ...by, file: '/elsewhere.json' })
  expect(other.timers).toEqual([{ kind: 'systemd', state: 'other' }])
  expect(other.notes).toContain('The installed timer is out of date; install it again.')
  expect(other.notes.some((note) => note.includes('loginctl enable-linger anna'))).toBe(true)
  expect((await scheduleStatus(ports, added, by)).timers).toEqual([{ kind: 'systemd', state: 'inactive' }])
  mkdirSync(at('linger'))
  writeFileSync(at('linger', 'anna'), '')
  expect((await scheduleStatus(ports, added, by)).notes).toEqual([])
})
