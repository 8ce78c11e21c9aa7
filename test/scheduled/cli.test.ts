import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { attemptWords } from '../../main/app/engine/schedules/schedule-words.ts'
import { keepEngagement, keepProvider } from '../../main/app/engine/stored/engagement-store.ts'
import { registerPath } from '../../main/app/engine/stored/register-store.ts'
import { appendSigned } from '../../main/app/history/append-signed.ts'
import { storeBytes, writeRegister } from '../../main/app/register/store.ts'
import { readAttempts } from '../../main/app/scheduled/plan-run.ts'
import { optionsOf, runCommand } from '../../main/cli/commands/run.ts'
import { scheduleCommand } from '../../main/cli/commands/schedule.ts'
import { verifyCommand } from '../../main/cli/commands/verify.ts'
import type { DeclaredEngagement, Ports } from '../../main/core/all-ports.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import { chainFolderOf, chainStart } from '../../main/core/base/layout.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import { failureWords } from '../../schemas/failure-words.ts'
import type { Schedule } from '../../schemas/types.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { fakeEngagement, fakeProvider } from '../support/fake-provider.ts'
import { folderOfTest } from '../support/folders.ts'
import { type Fakes, startFakes } from '../support/outbox-fakes.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { must } from '../support/outcomes.ts'
import { documentOf, POLICY } from '../support/register.ts'
import { planOf, scheduleOf } from '../support/schedule-kit.ts'

// `run --schedule` from the command line on, over nodes that no one can reach: everything but their answers is real.
let folder = ''
let now = ''
const at = (...parts: string[]): string => join(folder, ...parts)
const unreachable = [
  { name: 'gpu-1', privilege: 'none', answers: null, fails: { code: 'ssh.unreachable', detail: '10.0.0.1' } },
]
let ports: Ports
const PASSPHRASE = 'correct horse battery'

let keys = ''
let root = ''
beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'bw-run-schedule-keys-'))
  const { identities } = createFakePorts({ now: () => '2026-03-01T00:00:00.000Z' })
  const made = must(await identities.create({ folder: keys, name: 'ours', subject: 'Clinic', passphrase: PASSPHRASE }))
  root = made.rootPath
})
afterAll(() => rmSync(keys, { recursive: true, force: true }))
beforeEach(() => {
  folder = folderOfTest('run-schedule')
  ports = createFakePorts({ nodes: unreachable as never, now: () => now })
  writeFileSync(at('fleet.yaml'), 'name: clinic\nnodes:\n  - name: gpu-1\n    address: 10.0.0.1\n    user: bw\n')
  writeFileSync(at('passphrase'), PASSPHRASE, { mode: 0o600 })
})

const schedule = (changes: Partial<Schedule> = {}): Schedule =>
  scheduleOf({
    fleet: at('fleet.yaml'),
    out: at('out'),
    options: { identity: 'ours', identityFolder: keys, passphraseFile: at('passphrase'), also: '' },
    ...changes,
  })

/** The signed entry of “schedule add”. */
async function enter({ out, fleetName: fleet, ...rest }: Schedule): Promise<void> {
  const openSigner = () => ports.identities.open(keys, 'ours', PASSPHRASE)
  const input = { fleet, chainFolder: chainFolderOf(out, fleet), openSigner, begin: true }
  must(await appendSigned(ports, input, (_, signer) => ok([{ ...planOf({ ...rest, out, fleetName: fleet }), signer }])))
}

const runNamed = (): string => readdirSync(at('out')).find((name) => /^2026/.test(name)) ?? ''

const cli = commandLine(() => ports, runCommand, scheduleCommand, verifyCommand)

async function run(schedules: readonly Schedule[], ...argv: string[]): Promise<number> {
  writeFileSync(at('schedules.json'), JSON.stringify({ schema: 'barewitness.schedules/1', schedules }))
  for (const one of schedules) if (!existsSync(chainStart(chainFolderOf(one.out, one.fleetName)))) await enter(one)
  return await cli.run('run', '--schedules', at('schedules.json'), ...argv)
}

describe('run --schedule', () => {
  test('a fleet file with another name is refused before a node is contacted, and its own chain records the missed run', async () => {
    now = '2026-03-01T02:00:20.000Z'
    writeFileSync(at('fleet.yaml'), 'name: hospital\nnodes:\n  - name: gpu-1\n    address: 10.0.0.1\n    user: bw\n')
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(2)
    expect(cli.told).toContain(
      'the fleet file is now named “hospital”, but the schedule nightly is in the run chain of “clinic”',
    )
    expect(readdirSync(at('out/chains'))).toEqual(['clinic'])
    expect(readFileSync(at('out/chains/clinic/entries.jsonl'), 'utf8')).toContain('input.refused')
    expect(existsSync(at('out/evidence'))).toBe(false)
  })
  test('a folder without the run chain of the schedule: “status” names it', async () => {
    now = '2026-03-01T02:00:20.000Z'
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(4)
    rmSync(at('out'), { recursive: true })
    expect(await cli.run('schedule', 'status', '--schedules', at('schedules.json'))).toBe(0)
    expect(cli.told).toContain(
      'has an entry of the schedule nightly: the folder was moved or replaced, or is not mounted',
    )
  })
  test('a run that failed for want of space is not shown as sealed', async () => {
    expect(attemptWords({ code: 'failed', exit: 4, detail: 'store.failed: ENOSPC' })).toBe(
      'No run was sealed. store.failed: ENOSPC.',
    )
  })
  test('makes the run that is due, names it in the chain, and ends as run does', async () => {
    now = '2026-03-02T02:00:20.000Z'
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(4)
    const lines = readFileSync(at('out/chains/clinic/entries.jsonl'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).entry)).toMatchObject([
      { kind: 'plan', schedule: 'nightly' },
      { kind: 'gap', schedule: 'nightly', due: '2026-03-01T02:00:00.000Z' },
      { kind: 'run', planned: { schedule: 'nightly', due: '2026-03-02T02:00:00.000Z' } },
    ])
    expect(cli.told).toContain('A scheduled run did not take place')
    expect(cli.told).toContain('This run is for 2026-03-02T02:00:00.000Z.')
    expect(cli.told).toMatch(
      /Scheduled run of nightly, due at 2026-03-02T02:00:00.000Z, started on time: exported as \S+; 1 missed run recorded.\n$/,
    )
    expect(readdirSync(at('out/history')).length).toBeGreaterThan(0)
    const verified = await cli.run('verify', at('out', runNamed(), `${runNamed()}.barewitness.zip`), '--trust', root)
    expect(verified).toBe(0)
    const [attempt] = must(await readAttempts(ports, at('out'), 'nightly'))
    expect(attempt).toMatchObject({ code: 'ran', exit: 4, due: '2026-03-02T02:00:00.000Z' })
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(0)
    expect(cli.told).toContain('No run is due; the next run is due at 2026-03-03T02:00:00.000Z')
  })
  test('a start without a run that is due does not replace the last result in the status', async () => {
    now = '2026-03-02T02:00:20.000Z'
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(4)
    now = '2026-03-02T03:00:00.000Z'
    expect(await run([schedule()], '--schedule', 'nightly')).toBe(0)
    const status = ['schedule', 'status', '--schedules', at('schedules.json')]
    expect(await cli.run(...status)).toBe(0)
    expect(cli.told).toContain('Last result, of the start at 2026-03-02T02:00:20.000Z: Sealed, but incomplete')
    expect(cli.told).toContain('exit code 4')
    expect(cli.told).toContain('Last start 2026-03-02T03:00:00.000Z: No run was due')
    expect(cli.told).not.toContain('nothing-due')
    await cli.run(...status, '--json')
    const [{ lastResult, lastAttempt }] = JSON.parse(cli.printed)
    expect([lastResult.exit, lastAttempt.code]).toEqual([4, 'nothing-due'])
  })
  describe('of the window', () => {
    const LIST = 'id,name\nsrv-1,gpu-1\nsrv-2,\n'
    const rows = ['srv-1', 'srv-2'].map((id) => ({ id, name: null, address: null, serial: null }))
    const file = { name: 'servers.csv', size: LIST.length, sha256: sha256(LIST) }
    const about = { source: 'Portal', kind: 'portal-export', owner: 'J. Chen', on: '2026-02-27' } as const
    const declared: DeclaredEngagement = {
      engagement: { ...fakeEngagement, inventory: { ...about, file, rows, excluded: [] } },
      inventory: new TextEncoder().encode(LIST),
    }
    const provider = { ...fakeProvider, claims: fakeProvider.claims.filter(({ tests }) => tests.length === 0) }
    const windowed = (): Schedule => {
      const made = schedule()
      return { ...made, options: { ...made.options, declarations: at('window') } }
    }
    const shelf = () => ({ ports, folder: at('window'), demo: false })
    const exported = (kind: string): string => {
      const folder = at('out', runNamed())
      return readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith(`_${kind}`)) ?? kind), 'utf8')
    }

    test('takes what is declared there: engagement, claims, exceptions and the provider’s list', async () => {
      now = '2026-03-02T02:00:20.000Z'
      must(await keepEngagement(shelf(), declared))
      must(await keepProvider(shelf(), provider))
      const register = { ...EMPTY_REGISTER, documents: [documentOf()] }
      must(await writeRegister(ports, { path: registerPath(at('window')), folder: at('window') }, register))
      must(await storeBytes(ports, at('window'), POLICY))
      expect(await run([windowed()], '--schedule', 'nightly'), cli.told).toBe(4)
      const { scope } = JSON.parse(exported('assessment.json'))
      expect(scope).toMatchObject({
        inFleet: ['gpu-1'],
        engagement: declared.engagement,
        provider: { id: provider.id },
      })
      const pack = must(await ports.packs.open(at('out', runNamed(), `${runNamed()}.barewitness.zip`)))
      const digests = await Promise.all(pack.paths.map(async (path) => await pack.sha256(path)))
      await pack.close()
      expect(digests).toEqual(expect.arrayContaining([sha256(LIST), sha256(POLICY)]))
      const sealed = at('out', runNamed(), `${runNamed()}.barewitness.zip`)
      expect(await cli.run('verify', sealed, '--trust', root)).toBe(0)
    })

    test('nothing declared is nothing in the pack', async () => {
      now = '2026-03-02T02:00:20.000Z'
      expect(await run([windowed()], '--schedule', 'nightly'), cli.told).toBe(4)
      const { scope } = JSON.parse(exported('assessment.json'))
      expect([scope.engagement, scope.provider, scope.mappings]).toEqual([undefined, undefined, undefined])
    })

    test('what cannot be read is a gap with its reason, and no run without it', async () => {
      now = '2026-03-02T02:00:20.000Z'
      mkdirSync(at('window'))
      writeFileSync(at('window', 'engagement.json'), '{')
      expect(await run([windowed()], '--schedule', 'nightly')).toBe(2)
      const lines = readFileSync(at('out/chains/clinic/entries.jsonl'), 'utf8').trim().split('\n')
      expect(JSON.parse(lines.at(-1) ?? '').entry).toMatchObject({
        kind: 'gap',
        due: '2026-03-02T02:00:00.000Z',
        why: expect.stringContaining('(engagement.unreadable)'),
      })
    })
  })

  test('a fleet file that is not there is a gap, a usage error, and no run', async () => {
    now = '2026-03-01T02:00:20.000Z'
    expect(await run([schedule({ fleet: at('nowhere.yaml') })], '--schedule', 'nightly')).toBe(2)
    const [, line = ''] = readFileSync(at('out/chains/clinic/entries.jsonl'), 'utf8').trim().split('\n')
    expect(JSON.parse(line).entry).toMatchObject({ kind: 'gap', why: expect.stringContaining('(input.not-found)') })
    expect(line).not.toContain(folder)
  })
  test.each([
    [['--schedule', 'weekly'], 'contains no schedule weekly'],
    [['--schedule', 'nightly', '--fleet', 'x.yaml'], '--fleet cannot be used with --schedule'],
    [['--schedule', 'nightly', '--deviations-exit-zero'], '--deviations-exit-zero cannot be used with --schedule'],
    [['--now'], 'require --schedule NAME'],
  ])('%j is refused', async (argv, why) => {
    expect(await run([schedule()], ...argv)).toBe(2)
    expect(cli.told).toContain(why)
  })
})

test('--deadline is kept in the schedule, listed, and given to its runs', async () => {
  const add = (name: string, ...more: readonly string[]): Promise<number> =>
    cli.run(
      ...['schedule', 'add', name, '--fleet', at('fleet.yaml'), '--out', at('out'), '--every', 'every day at 02:00'],
      ...['--schedules', at('planned.json'), '--identity', 'ours', '--identity-folder', keys],
      ...['--passphrase-file', at('passphrase'), ...more],
    )
  now = '2026-03-01T00:00:00.000Z'
  for (const wrong of ['9', '86401', 'soon']) expect(await add('nightly', '--deadline', wrong)).toBe(2)
  expect(await add('nightly', '--deadline', '900')).toBe(0)
  expect(cli.told).toContain(`Next: barewitness schedule install nightly --schedules '${at('planned.json')}'\n`)
  expect(await add('weekly')).toBe(0)
  const [nightly, weekly] = must(await ports.schedules.read(at('planned.json'))).schedules
  if (nightly === undefined || weekly === undefined) throw new Error('no schedule')
  expect([nightly.options.deadlineSeconds, weekly.options.deadlineSeconds]).toEqual([900, undefined])
  expect([optionsOf(nightly, {}).deadline, optionsOf(weekly, {}).deadline]).toEqual(['900', undefined])
  expect(await cli.run('schedule', 'list', '--schedules', at('planned.json'))).toBe(0)
  expect(cli.told.split('\n').map((line) => [line.split(':')[0], line.includes('900')])).toEqual([
    ['nightly', true],
    ['weekly', false],
    ['', false],
  ])
})

describe('sending from a schedule', () => {
  let fakes: Fakes = null as never
  beforeEach(async () => {
    fakes = await startFakes()
  })
  afterEach(() => fakes.close())
  const only = ['webhook', 'cisoAssistant'] as const
  const sending = (trust = [root]): Schedule =>
    schedule({ integrations: integrationsFile(at('send'), fakes, { only, trust }) })
  const DUE = '2026-03-02T02:00:00.000Z'
  const NEXT = '2026-03-03T02:00:00.000Z'
  const starts = async () => must(await readAttempts(ports, at('out'), 'nightly'))

  test('a receiver that is down: the run ends as without it, the reason is shown, and the next start delivers', async () => {
    fakes.hooks.faults = () => ({ status: 401, body: 'no' })
    now = DUE
    expect(await run([sending()], '--schedule', 'nightly')).toBe(4)
    expect(await starts()).toMatchObject([
      { code: 'ran', exit: 4, sending: { state: 'waiting', code: 'delivery.failed' } },
    ])
    expect(await cli.run('schedule', 'status', '--schedules', at('schedules.json'))).toBe(0)
    expect(cli.told).toContain('(delivery.failed)')
    expect(cli.told).toContain(failureWords['delivery.failed'].next)
    expect(await cli.run('schedule', 'status', '--json', '--schedules', at('schedules.json'))).toBe(0)
    expect(JSON.parse(cli.printed)[0].lastAttempt.sending).toMatchObject({ state: 'waiting', code: 'delivery.failed' })
    fakes.hooks.faults = () => null
    now = NEXT
    expect(await run([sending()], '--schedule', 'nightly')).toBe(4)
    expect([fakes.kept.cisoAssistant.length, fakes.kept.webhook.size > 1]).toEqual([2, true])
    expect((await starts()).map(({ sending: one }) => one?.state)).toEqual(['waiting', 'delivered'])
    expect(await cli.run('schedule', 'list', '--schedules', at('schedules.json'))).toBe(0)
    expect(cli.told).toContain(at('send/integrations.json'))
  })

  test('a pack whose signer is not trusted is refused, sent nowhere, and sent once it is trusted', async () => {
    now = DUE
    expect(await run([sending([])], '--schedule', 'nightly')).toBe(4)
    expect(await starts()).toMatchObject([{ code: 'ran', sending: { state: 'failed', code: 'pack.unverified' } }])
    expect(fakes.received).toEqual([])
    now = '2026-03-02T03:00:00.000Z'
    expect(await run([sending()], '--schedule', 'nightly')).toBe(0)
    expect(fakes.kept.cisoAssistant.length).toBe(1)
    expect((await starts())[0]?.sending?.state).toBe('delivered')
  })

  test('add refuses a configuration by which nothing could be sent', async () => {
    now = '2026-03-01T00:00:00.000Z'
    const add = (file: string): Promise<number> =>
      cli.run(
        ...[
          'schedule',
          'add',
          'nightly',
          '--fleet',
          at('fleet.yaml'),
          '--out',
          at('out'),
          '--every',
          'every day at 02:00',
        ],
        ...['--schedules', at('planned.json'), '--identity', 'ours', '--identity-folder', keys],
        ...['--passphrase-file', at('passphrase'), '--integrations', file],
      )
    expect(await add(at('nowhere.yaml'))).toBe(2)
    expect(await add(integrationsFile(at('a'), fakes, { only }))).toBe(2)
    const path = integrationsFile(at('b'), fakes, { only, trust: [root] })
    chmodSync(at('b/webhook-token'), 0o644)
    expect(await add(path)).toBe(2)
    chmodSync(at('b/webhook-token'), 0o600)
    expect(await add(path)).toBe(0)
    expect(must(await ports.schedules.read(at('planned.json'))).schedules[0]?.integrations).toBe(path)
  })
})
