import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SentPacks, sendSealed } from '../../main/app/outbox/sealed-packs.ts'
import type { SendDeps } from '../../main/app/outbox/send.ts'
import { sentPacks } from '../../main/app/outbox/sent-packs.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import { type Sending, senderText, startSenders } from '../../main/server/edge/services/senders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { collected, packOf, recordingsOf, exported as sealedExport } from '../support/kept-runs.ts'
import { type Fakes, startFakes, TOKENS } from '../support/outbox-fakes.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { sampleCatalog } from '../support/sample-pack.ts'
import { teamKit } from '../support/team-kit.ts'

const kit = keepingKit()
let fakes: Fakes = null as never
beforeEach(async () => {
  fakes = await startFakes()
})
afterEach(() => fakes.close())

const only = ['jira', 'cisoAssistant', 'webhook'] as const
const integrations = (): string => {
  const [folder, root] = [join(kit.root(), 'send'), join(kit.root(), 'root.der')]
  writeFileSync(root, kit.signer().certificate)
  return integrationsFile(folder, fakes, { only, trust: [root] })
}
const exported = async (run: string, at: string): Promise<void> => {
  await kit.run(run, at)
  placed(run)
}
/** Where the server has the packs of its exports. */
const placed = (run: string): void => {
  const folder = join(kit.root(), 'exports', `of-${run}`)
  mkdirSync(folder, { recursive: true })
  copyFileSync(packOf(kit.root(), run), join(folder, `${run}.barewitness.zip`))
}
const notes = (): readonly unknown[] =>
  readFileSync(join(kit.root(), 'send', 'outbox', 'packs.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const planned: string[] = []
beforeEach(() => {
  planned.length = 0
})
const deps = (ports: SendDeps['ports'] = kit.ports): SendDeps => ({
  ports,
  catalog: sampleCatalog,
  wait: async () => undefined,
  planned: async ({ run }) => void planned.push(run),
})
const send = (file: string, how = deps()): Promise<SentPacks> => sendSealed(how, { folder: kit.root(), file })
const counts = () => ({
  packs: fakes.kept.cisoAssistant.length,
  issues: fakes.kept.jira.length,
  labels: new Set(fakes.kept.jira.flatMap(({ labels }) => labels.filter((one) => one.startsWith('bw-')))).size,
})

describe('packs of a data folder', () => {
  test('those that were sealed before are left alone; later ones are sent once', async () => {
    const file = integrations()
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    expect(await send(file)).toMatchObject({ failures: [] })
    expect(counts()).toEqual({ packs: 0, issues: 0, labels: 0 })
    await exported('run-2', '2027-01-06T10:00:00.000Z')
    expect(await send(file)).toMatchObject({ failures: [] })
    const { issues } = counts()
    expect([counts(), planned]).toEqual([{ packs: 1, issues, labels: issues }, ['run-2']])
    const sent = fakes.received.length
    expect(await send(file)).toMatchObject({ failures: [] })
    expect([fakes.received.length, planned]).toEqual([sent, ['run-2']])
    // As the History of the server shows them.
    const { rows } = await sentPacks(kit.ports, { file, folder: kit.root() })
    expect(rows.rows.map(({ run, target, state }) => [run, target, state])).toEqual([
      ...['own', 'tickets', 'ciso'].map((target) => ['run-2', target, 'sent']),
      ['run-1', null, 'nothing'],
    ])
  })

  test('one that is refused keeps no other from being sent, and is tried again', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    const path = join(kit.root(), 'exports', 'of-run-1', 'run-1.barewitness.zip')
    const whole = readFileSync(path)
    writeFileSync(path, 'PK')
    await exported('run-2', '2027-01-06T10:00:00.000Z')
    const { failures } = await send(file)
    expect([failures.length, planned, counts().packs]).toEqual([1, ['run-2'], 1])
    writeFileSync(path, whole)
    expect(await send(file)).toMatchObject({ failures: [] })
    expect([planned, counts().packs]).toEqual([['run-2', 'run-1'], 2])
  })

  test('demo data is refused once and for all, and keeps nothing else from its turn', async () => {
    const file = integrations()
    await send(file)
    const demo = recordingsOf('demo-1').map(({ recording, captures }) => ({
      recording: { ...recording, demo: true },
      captures,
    }))
    kit.time.now = '2027-01-05T10:00:00.000Z'
    await collected(kit.ports, kit.root(), 'demo-1', demo)
    await sealedExport(kit.ports, kit.root(), 'demo-1', kit.signer(), { isKept: false })
    placed('demo-1')
    // Not a failure: nothing is to be corrected, and later sendings are not put off.
    expect(await send(file)).toMatchObject({ failures: [] })
    expect(notes().at(-1)).toMatchObject({ refused: { code: 'pack.demo' } })
    let read = 0
    const { files } = kit.ports
    const digest: typeof files.digest = async (path) => {
      read += 1
      return await files.digest(path)
    }
    const counting = deps({ ...kit.ports, files: { ...files, digest } })
    expect([await send(file, counting), read]).toMatchObject([{ failures: [] }, 0])
    await exported('run-2', '2027-01-06T10:00:00.000Z')
    await send(file)
    expect([planned, counts().packs]).toEqual([['run-2'], 1])
  })

  test('a refusal is noted with its reason, once for each reason, until the pack is planned', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    const path = join(kit.root(), 'exports', 'of-run-1', 'run-1.barewitness.zip')
    const whole = readFileSync(path)
    writeFileSync(path, 'PK')
    for (let tries = 0; tries < 3; tries += 1) await send(file)
    const { rows } = await sentPacks(kit.ports, { file, folder: kit.root() })
    expect(rows.rows).toMatchObject([{ run: 'run-1', target: null, state: 'refused', at: kit.time.now }])
    const pack = 'exports/of-run-1/run-1.barewitness.zip'
    const refused = { at: '2027-01-05T10:00:00.000Z', code: expect.any(String), detail: expect.any(String) }
    expect(notes().slice(1)).toEqual([{ pack, refused }])
    writeFileSync(path, whole)
    await send(file)
    expect(notes().slice(2)).toEqual([{ pack }])
  })

  test('a configuration or a note that cannot be read is a failure, and sends nothing', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    writeFileSync(join(kit.root(), 'send', 'outbox', 'packs.jsonl'), '{"pack":1}\n')
    expect(await send(file)).toMatchObject({ report: null, failures: [{ code: 'store.failed' }] })
    writeFileSync(file, '{')
    expect(await send(file)).toMatchObject({ report: null, failures: [{ code: 'input.refused' }] })
    expect(fakes.received).toEqual([])
  })

  test('killed while packs from before are noted: none of them is sent later', async () => {
    const file = integrations()
    for (const day of ['05', '06']) await exported(`run-${day}`, `2027-01-${day}T10:00:00.000Z`)
    const { files } = kit.ports
    let appended = 0
    const append: typeof files.append = async (...given) => {
      appended += 1
      if (appended > 1) throw new Error('killed')
      return await files.append(...given)
    }
    await send(file, deps({ ...kit.ports, files: { ...files, append } })).catch(() => undefined)
    expect(await send(file)).toMatchObject({ failures: [] })
    expect(counts()).toEqual({ packs: 0, issues: 0, labels: 0 })
  })

  // What a process that is killed leaves: its outbox up to an entry, and no note of the pack.
  test.each([1, 2, 3, 4, 6])('killed at entry %i of the outbox: nothing is lost, nothing is made twice', async (at) => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    let entries = 0
    const { integrations: real } = kit.ports
    const killed: SendDeps['ports'] = {
      ...kit.ports,
      integrations: {
        ...real,
        openOutbox: async (folder) => {
          const opened = await real.openOutbox(folder)
          if (!opened.ok) return opened
          return ok({
            ...opened.value,
            record: async (entry) => {
              entries += 1
              if (entries >= at) throw new Error('killed')
              return await opened.value.record(entry)
            },
          })
        },
      },
    }
    await expect(send(file, deps(killed))).rejects.toThrow('killed')
    expect(await send(file)).toMatchObject({ failures: [] })
    const { issues } = counts()
    expect(counts()).toEqual({ packs: 1, issues, labels: issues })
    expect(planned).toContain('run-1')
  })

  test('nothing of a pack is delivered whose entry in the audit log could not be stored', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    const refusing = { ...deps(), planned: () => Promise.reject(new Error('full')) }
    await expect(send(file, refusing)).rejects.toThrow('full')
    expect(fakes.received).toEqual([])
    await send(file)
    expect([planned, counts().packs]).toEqual([['run-1'], 1])
  })

  test('two processes at once: one sender for each outbox', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    await Promise.all([send(file), send(file)])
    await send(file)
    const { issues } = counts()
    expect(counts()).toEqual({ packs: 1, issues, labels: issues })
  })
})

const NEVER_MS = 600_000
const REPORT: SentPacks = {
  report: {
    planned: 1,
    files: [],
    targets: [{ target: 't', delivered: 0, waiting: 2, givenUp: [{ key: 'k', why: 'no' }], why: 'away' }],
  },
  failures: [],
}
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(10)
}
const ENGAGEMENT = { name: 'alpha', folder: '/srv/alpha', enter: {}, integrations: '/srv/send.yaml' }

test('a sending that fails is stated by its code, and another one when asked for', async () => {
  const results: SentPacks[] = [{ report: null, failures: [{ code: 'pack.unverified', detail: 'x' }] }, REPORT]
  const sending: Sending = {
    send: async () => results.shift() ?? Promise.reject(new Error('a bug')),
    everyMs: NEVER_MS,
    soonMs: 1,
    endMs: NEVER_MS,
  }
  const log: unknown[] = []
  const how = { log: (line: unknown) => log.push(line), planned: async () => undefined }
  const senders = startSenders(
    [ENGAGEMENT, { ...ENGAGEMENT, name: 'beta', integrations: undefined as never }],
    sending,
    how,
  )
  if (senders === null) throw new Error('no sender')
  const failed = () => senders.states().map((one) => one.failed)
  await until(() => failed()[0] === 'pack.unverified')
  senders.soon('alpha')
  senders.soon('beta')
  await until(() => failed()[0] === null)
  expect(senders.states()).toEqual([{ engagement: 'alpha', waiting: 2, givenUp: 1, failed: null }])
  senders.soon('alpha')
  await until(() => failed()[0] === 'bug')
  await senders.close()
  expect(senders.states().map(senderText)).toEqual([expect.stringMatching(/^alpha: 2 .*1 .*\(bug\)\.$/)])
  expect(log).toMatchObject([{ failed: 'pack.unverified' }, { planned: 1, delivered: 0 }, { failed: 'bug' }])
  expect(startSenders([], sending, how)).toBeNull()
})

test('a server has each pack in its audit log, counts what waits, and shows it to administrators alone', async () => {
  const sha256 = 'ab'.repeat(32)
  const sending: Sending = {
    send: async (_, note) => {
      await note({ run: 'run-1', name: 'run-1.barewitness.zip', sha256 })
      return REPORT
    },
    everyMs: NEVER_MS,
    soonMs: 1,
    endMs: NEVER_MS,
  }
  const team = await teamKit({
    sending,
    config: (one) => ({
      ...one,
      monitoring: { address: '127.0.0.1', port: 0 },
      engagements: [{ ...one.engagements[0], integrations: '/srv/send.yaml' }, ...one.engagements.slice(1)],
    }),
  })
  try {
    const metrics = async () => await (await fetch(`${team.server.monitoring}/metrics`)).text()
    await until(async () => (await metrics()).includes('\nbarewitness_outbox_waiting 2\n'))
    expect(await metrics()).toContain('\nbarewitness_outbox_given_up 1\n')
    expect(await metrics()).toContain('\nbarewitness_outbox_failing 0\n')
    const events = team.auditText().trimEnd().split('\n')
    expect(events.map((line) => JSON.parse(line)).map((line) => line.event ?? line)).toContainEqual(
      expect.objectContaining({
        kind: 'pack-planned',
        engagement: 'alpha',
        subject: null,
        of: { run: 'run-1', pack: 'run-1.barewitness.zip', digest: sha256 },
      }),
    )
    const start = async (role: 'administrator' | 'officer') => (await (await team.as(role)).send('GET', '/')).text
    expect(await start('administrator')).toContain('2 items waiting')
    expect(await start('officer')).not.toContain('items waiting')
    for (const token of Object.values(TOKENS)) expect(team.auditText().includes(token)).toBe(false)
  } finally {
    await team.close()
  }
})

test('without integrations, nothing is counted', async () => {
  const sending: Sending = {
    send: async () => fail('bug', 'not to be called') as never,
    everyMs: 1,
    soonMs: 1,
    endMs: 1,
  }
  const team = await teamKit({ sending, config: (one) => ({ ...one, monitoring: { address: '127.0.0.1', port: 0 } }) })
  try {
    expect(await (await fetch(`${team.server.monitoring}/metrics`)).text()).not.toContain('barewitness_outbox')
  } finally {
    await team.close()
  }
})

describe('the end of a server', () => {
  test('asks a sending to end, and does not wait for one that continues', async () => {
    let signal: AbortSignal | null = null
    const sending: Sending = {
      send: async (_, __, stop) => {
        signal = stop
        return await new Promise(() => undefined)
      },
      everyMs: NEVER_MS,
      soonMs: 1,
      endMs: 1,
    }
    const how = { log: () => undefined, planned: async () => undefined }
    const senders = startSenders([ENGAGEMENT], sending, how)
    await senders?.close()
    expect(signal).toMatchObject({ aborted: true })
  })
  test('a pack whose verification was stopped is not noted as refused', async () => {
    const file = integrations()
    await send(file)
    await exported('run-1', '2027-01-05T10:00:00.000Z')
    const before = notes()
    const stop = new AbortController()
    const { files } = kit.ports
    const digest: typeof files.digest = async (path) => {
      stop.abort()
      return await files.digest(path)
    }
    const stopped = { ...deps({ ...kit.ports, files: { ...files, digest } }), signal: stop.signal }
    expect(await send(file, stopped)).toMatchObject({ failures: [] })
    expect([notes(), planned, fakes.received]).toEqual([before, [], []])
    await send(file)
    expect([planned, counts().packs]).toEqual([['run-1'], 1])
  })
})

test('nothing is planned before the audit log has the start of the server', async () => {
  const team = await teamKit({
    sending: {
      send: async (_, note) => {
        await note({ run: 'run-1', name: 'run-1.barewitness.zip', sha256: 'ab'.repeat(32) })
        return REPORT
      },
      everyMs: NEVER_MS,
      soonMs: 1,
      endMs: 1,
    },
    config: (one) => ({
      ...one,
      engagements: [{ ...one.engagements[0], integrations: '/srv/send.yaml' }, ...one.engagements.slice(1)],
    }),
  })
  try {
    await until(() => team.auditText().includes('pack-planned'))
    const kinds = team.auditText().trimEnd().split('\n')
    expect(kinds.map((line) => JSON.parse(line).kind).slice(0, 2)).toEqual(['start', 'pack-planned'])
  } finally {
    await team.close()
  }
})
