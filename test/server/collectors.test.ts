import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openFileQueue } from '../../main/adapters/jobs/file-queue.ts'
import { openIncoming } from '../../main/adapters/jobs/incoming.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { digestOf } from '../../main/app/collect/collect-node.ts'
import { collectRun } from '../../main/app/collect/collect-run.ts'
import { targetFor } from '../../main/app/collector/work.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { JOBS, recordingFolder } from '../../main/core/base/layout.ts'
import {
  captureLine,
  type LoadedRecording,
  recordingDigest,
  recordingJson,
} from '../../main/core/recording/recording.ts'
import { LARGEST_PACKED, LARGEST_PART, packParts } from '../../main/core/team/jobs.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { engagementJobs } from '../../main/server/edge/services/jobs.ts'
import { COLLECTOR_VERBS } from '../../main/server/program-access.ts'
import { TEAM_ROLES } from '../../schemas/ipc-team.ts'
import type { RunListItem, RunStatus, RunTicket } from '../../schemas/ipc-views.ts'
import type { CollectorLease, Recording } from '../../schemas/types.ts'
import {
  type CollectorInTest,
  newToken,
  nodeIn,
  startCollector,
  withCollectors,
  ZONED,
} from '../support/collector-kit.ts'
import { targetOf, validator } from '../support/deps.ts'
import { valueIn } from '../support/engine-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { must } from '../support/outcomes.ts'
import { type Answered, replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

const [FRANKFURT, OTHER, TOKYO, BETA] = [newToken(), newToken(), newToken(), newToken()]
const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function kitWithCollectors(): Promise<TeamKit> {
  const kit = await teamKit({
    config: (config) =>
      withCollectors(config, {
        'frankfurt-1': { token: FRANKFURT, zone: 'frankfurt' },
        'frankfurt-2': { token: OTHER, zone: 'frankfurt' },
        'tokyo-1': { token: TOKYO, zone: 'tokyo' },
        'beta-1': { token: BETA, zone: 'frankfurt', engagement: 'beta' },
      }),
  })
  open.push(kit)
  return kit
}

async function collector(...input: Parameters<typeof startCollector>): Promise<CollectorInTest> {
  const started = await startCollector(...input)
  open.push({ close: started.stop })
  return started
}

async function startRun(officer: Visitor, nodes: readonly string[] = []): Promise<RunTicket> {
  return valueIn(replyIn<RunTicket>(await officer.call('alpha', 'run.start', { nodes, only: 'all' })))
}

async function ended(officer: Visitor): Promise<RunStatus> {
  for (;;) {
    const status = valueIn(replyIn<RunStatus>(await officer.call('alpha', 'run.status', null)))
    if (!status.going) return status
    await sleep(50)
  }
}

const eventOf = ({ events }: RunStatus, node: string) => events.find((one) => 'node' in one && one.node === node)
const recordingsIn = (kit: TeamKit, run: string): readonly string[] =>
  [ZONED.first, ZONED.second, ZONED.third].filter((node) =>
    existsSync(recordingFolder(join(kit.folder, 'alpha'), run, node)),
  )

describe('collection through a collector', () => {
  test('a run collects its nodes here and in their zone, and everyone sees it', async () => {
    const kit = await kitWithCollectors()
    const officer = await kit.as('officer')
    const one = await collector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT)
    const { run, nodes } = await startRun(officer)
    expect(nodes).toHaveLength(3)
    await one.said('delivered', 2)
    const status = await ended(officer)
    for (const node of nodes) expect([node, eventOf(status, node)?.kind]).toEqual([node, 'node-done'])
    expect(recordingsIn(kit, run)).toHaveLength(3)
    expect(readdirSync(join(kit.folder, 'c1/spool')).filter((name) => /^[0-9a-f]/.test(name))).toEqual([])
    expect(readdirSync(join(kit.folder, 'alpha/jobs', JOBS.incoming))).toEqual([])
    const entries = kit.auditText()
    expect(checkAudit(entries).intact).toBe(true)
    expect(entries.match(/"kind":"lease"/g)).toHaveLength(2)
    expect(entries.match(/"kind":"delivery"/g)).toHaveLength(2)
    expect(JSON.stringify(kit.logged) + entries).not.toContain(FRANKFURT)
  })
  test('a node that the fleet file of the collector does not name is refused, with the reason', async () => {
    const kit = await kitWithCollectors()
    const officer = await kit.as('officer')
    await collector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT, {
      nodes: [{ ...nodeIn(ZONED.first), user: 'root' }, nodeIn(ZONED.third)],
    })
    const { run } = await startRun(officer)
    const status = await ended(officer)
    for (const node of [ZONED.first, ZONED.second])
      expect(eventOf(status, node)).toMatchObject({ kind: 'node-failed', code: 'job.not-delivered' })
    expect(recordingsIn(kit, run)).toEqual([ZONED.third])
  })
  test('a zone without a collector is named', async () => {
    const kit = await teamKit({
      config: (config) => withCollectors(config, { 'tokyo-1': { token: TOKYO, zone: 'tokyo' } }),
    })
    open.push(kit)
    const officer = await kit.as('officer')
    await startRun(officer)
    expect(eventOf(await ended(officer), ZONED.first)).toMatchObject({ code: 'job.not-delivered' })
  })
  test('a run that is stopped ends jobs that wait', async () => {
    const kit = await kitWithCollectors()
    const officer = await kit.as('officer')
    const { run } = await startRun(officer)
    await officer.call('alpha', 'run.cancel', null)
    const one = await collector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT)
    await startRun(officer)
    await one.said('delivered', 2)
    await ended(officer)
    expect(one.events.filter((event) => 'run' in event && event.run === run)).toEqual([])
  })
})

const ID = '0'.repeat(32)
const JSON_TYPE = { 'content-type': 'application/json' }
const BYTES = { 'content-type': 'application/octet-stream' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const targetOfVerb = (verb: keyof typeof COLLECTOR_VERBS, job = ID): string =>
  verb === 'ask' ? '/collector/ask' : `/collector/jobs/${job}/${verb}`
const codeIn = (answered: Answered): string => {
  const reply = replyIn<unknown>(answered)
  return reply.ok ? 'ok' : reply.error.code
}
const VERBS = Object.keys(COLLECTOR_VERBS) as (keyof typeof COLLECTOR_VERBS)[]

describe('who may ask for what', () => {
  let kit: TeamKit
  beforeAll(async () => {
    kit = await kitWithCollectors()
    open.pop()
  })
  afterAll(async () => await kit.close())

  test.each(VERBS)('%s is refused without the token of a collector', async (verb) => {
    for (const headers of [{}, bearer(newToken()), bearer(''), { authorization: `Basic ${FRANKFURT}` }]) {
      const answered = await kit
        .visitor()
        .send(COLLECTOR_VERBS[verb].verb, targetOfVerb(verb), { ...JSON_TYPE, ...headers }, '{}')
      expect([answered.status, codeIn(answered)]).toEqual([401, 'access.refused'])
    }
    expect(kit.auditText()).toContain('"kind":"collector-refused"')
  })
  test.each(TEAM_ROLES.flatMap((role) => VERBS.map((verb) => [role, verb] as const)))(
    'a session of the role %s does not reach %s',
    async (role, verb) => {
      const person = await kit.as(role)
      const answered = await person.send(COLLECTOR_VERBS[verb].verb, targetOfVerb(verb), JSON_TYPE, '{}')
      expect([answered.status, codeIn(answered)]).toEqual([401, 'access.refused'])
    },
  )
  test.each([
    ['GET', '/e/alpha/'],
    ['GET', '/e/alpha/api/session'],
    ['GET', '/e/alpha/api/events'],
    ['GET', `/e/alpha/api/download/${'0'.repeat(64)}`],
    ['POST', '/e/alpha/api/upload'],
    ['POST', '/e/alpha/api/call/fleet.get'],
    ['POST', '/e/alpha/api/call/run.start'],
  ])('a token does not reach %s %s', async (verb, target) => {
    const answered = await kit.visitor().send(verb, target, { ...JSON_TYPE, ...bearer(FRANKFURT) }, 'null')
    expect([401, 303]).toContain(answered.status)
  })
  test.each(VERBS)('%s is answered for its own verb alone', async (verb) => {
    for (const other of ['GET', 'POST', 'PUT', 'DELETE'].filter((one) => one !== COLLECTOR_VERBS[verb].verb))
      expect((await kit.visitor().send(other, targetOfVerb(verb), bearer(FRANKFURT))).status).toBe(405)
  })
  test.each([
    `/collector/jobs/${ID}/parts/../deliver`,
    `/collector/jobs/${ID}/parts/${'0'.repeat(64)}`,
    `/collector/jobs/${ID}/parts/..%2f..%2fx`,
    `/collector/jobs/${'A'.repeat(32)}/renew`,
    `/collector/jobs/${ID}/enqueue`,
    '/collector/jobs/',
    '/collector/ask?zone=tokyo',
  ])('%s is nothing', async (target) => {
    expect((await kit.visitor().send('POST', target, bearer(FRANKFURT))).status).toBe(404)
  })
  test('attempts with unknown tokens are limited', async () => {
    const limited = await teamKit({
      config: (config) => ({
        ...withCollectors(config, { one: { token: FRANKFURT, zone: 'frankfurt' } }),
        limits: { signInsPerMinute: 3 },
      }),
    })
    open.push(limited)
    const statuses: number[] = []
    for (let times = 0; times < 5; times += 1)
      statuses.push((await limited.visitor().send('POST', '/collector/ask', bearer(newToken()))).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    const known = await limited.visitor().send('POST', '/collector/ask', { ...JSON_TYPE, ...bearer(FRANKFURT) }, '{}')
    expect(known.status).toBe(400)
  })
})

/** A collector that says what a test wants. */
interface Raw {
  readonly kit: TeamKit
  readonly lease: CollectorLease
  readonly loaded: LoadedRecording
  readonly post: (
    verb: 'renew' | 'offer' | 'deliver' | 'refuse',
    input: unknown,
    token?: string,
    job?: string,
  ) => Promise<Answered>
  readonly put: (
    bytes: Uint8Array,
    how?: { digest?: string; token?: string; job?: string; lease?: string },
  ) => Promise<Answered>
  readonly deliver: (loaded?: LoadedRecording, token?: string, lease?: string) => Promise<Answered>
  readonly stored: () => boolean
}

const ask = (kit: TeamKit, token: string, changes: object = {}): Promise<Answered> =>
  kit
    .visitor()
    .send(
      'POST',
      '/collector/ask',
      { ...JSON_TYPE, ...bearer(token) },
      JSON.stringify({ zone: 'frankfurt', catalogDigest: digestOf(fakeCatalog), waitSeconds: 20, ...changes }),
    )

/** One server for the tests that leave nothing behind: each starts a run of its own. */
let shared: TeamKit
beforeAll(async () => {
  shared = await kitWithCollectors()
  open.pop()
})
afterAll(async () => await shared.close())

/** One leased job of one node, and a recording of it. */
async function raw(change: (recording: Recording) => Recording = (one) => one, own?: TeamKit): Promise<Raw> {
  const kit = own ?? shared
  const officer = await kit.as('officer')
  await officer.call('alpha', 'run.cancel', null)
  await startRun(officer, [ZONED.first])
  const lease = valueIn(replyIn<CollectorLease>(await ask(kit, FRANKFURT)))
  const loaded = await recordingFor(kit, lease, change)
  const headers = (token: string) => ({ ...JSON_TYPE, ...bearer(token) })
  const post: Raw['post'] = (verb, input, token = FRANKFURT, job = lease.job.id) =>
    kit
      .visitor()
      .send('POST', targetOfVerb(verb, job), headers(token), typeof input === 'string' ? input : JSON.stringify(input))
  const put: Raw['put'] = (
    bytes,
    { digest = sha256(bytes), token = FRANKFURT, job = lease.job.id, lease: other } = {},
  ) =>
    kit
      .visitor()
      .send(
        'PUT',
        targetOfVerb('parts', job),
        { ...BYTES, ...bearer(token), 'x-barewitness-lease': other ?? lease.lease },
        packParts([{ digest, bytes }]),
      )
  return {
    kit,
    lease,
    loaded,
    post,
    put,
    deliver: async (one = loaded, token = FRANKFURT, other = lease.lease) => {
      const { header, captures } = listsOf(one)
      for (const bytes of [header, captures, ...one.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])])
        await put(bytes, { token, lease: other })
      return await post('deliver', deliveryOf(one, other), token)
    },
    stored: () => existsSync(recordingFolder(join(kit.folder, 'alpha'), lease.job.run, ZONED.first)),
  }
}

async function recordingFor(
  kit: TeamKit,
  { job }: CollectorLease,
  change: (recording: Recording) => Recording,
): Promise<LoadedRecording> {
  const target = targetFor(job, [
    { ...targetOf(job.node.name, { ...job.node }), trust: { fingerprint: job.hostKey ?? '', knownHostsFiles: [] } },
  ])
  if (!target.ok) throw new Error(target.error)
  const folder = join(kit.folder, 'collected')
  must(
    await collectRun(createFakePorts(), fakeCatalog, {
      run: job.run,
      targets: [target.value],
      storeFolder: folder,
      concurrency: 1,
      signal: new AbortController().signal,
      onEvent: () => undefined,
      marks: () => ({ demo: false, synthetic: null }),
    }),
  )
  const { recording, captures } = must(
    await must(await openEvidenceStore(folder, validator)).load(job.run, job.node.name),
  )
  return { recording: change(recording), captures }
}

const listsOf = ({ recording, captures }: LoadedRecording) => ({
  header: Buffer.from(recordingJson(recording)),
  captures: Buffer.from(captures.map(({ meta }) => captureLine(meta)).join('')),
})
const deliveryOf = (loaded: LoadedRecording, lease: string) => {
  const { header, captures } = listsOf(loaded)
  return { lease, recording: recordingDigest(loaded), header: sha256(header), captures: sha256(captures) }
}

describe('a collector is not trusted', () => {
  test('a recording is delivered once, however often it is sent', async () => {
    const one = await raw()
    expect(codeIn(await one.deliver())).toBe('ok')
    expect(codeIn(await one.deliver())).toBe('ok')
    expect(one.stored()).toBe(true)
    const other = { ...one.loaded, recording: { ...one.loaded.recording, endedAt: '2026-11-20T09:16:00.000Z' } }
    expect(codeIn(await one.deliver(other))).toBe('job.completed')
    expect(codeIn(await one.put(Buffer.from('more')))).toBe('job.completed')
    const incoming = join(one.kit.folder, 'alpha/jobs', JOBS.incoming)
    expect(readdirSync(incoming).filter((name) => name.startsWith(one.lease.job.id))).toEqual([])
    expect(codeIn(await one.post('renew', { lease: one.lease.lease, done: 0, total: 0 }))).toBe('job.completed')
    const kept = must(
      await must(await openEvidenceStore(join(one.kit.folder, 'alpha/evidence'), validator)).load(
        one.lease.job.run,
        ZONED.first,
      ),
    )
    expect(recordingDigest(kept)).toBe(recordingDigest(one.loaded))
  })
  test.each<[string, (recording: Recording) => Recording]>([
    ['another run', (one) => ({ ...one, run: '20260101t0000z-0000' })],
    ['a run outside of the evidence', (one) => ({ ...one, run: '../../x' })],
    ['another node', (one) => ({ ...one, id: ZONED.second, node: { ...one.node, name: ZONED.second } })],
    ['another name', (one) => ({ ...one, id: '..' })],
    ['another address', (one) => ({ ...one, node: { ...one.node, address: '192.0.2.9' } })],
    ['other declarations', (one) => ({ ...one, node: { ...one.node, role: 'none' } })],
    ['demo data', (one) => ({ ...one, demo: true })],
    ['a synthetic recording', (one) => ({ ...one, synthetic: 'made up' })],
    ['live tests', (one) => ({ ...one, liveTests: true })],
    ['metadata that was not asked for', (one) => ({ ...one, metadata: true })],
    [
      'an interrupted collection',
      (one) => ({ ...one, outcome: { status: 'partial', failure: { code: 'run.cancelled', detail: 'stopped' } } }),
    ],
    [
      'another host key',
      (one) => ({
        ...one,
        hostKey: { ...(one.hostKey as NonNullable<Recording['hostKey']>), fingerprint: `SHA256:${'B'.repeat(43)}` },
      }),
    ],
    ['answers without a host key', (one) => ({ ...one, hostKey: null })],
    ['a member that the schema does not have', (one) => ({ ...one, more: 1 }) as never],
  ])('%s is refused and not registered', async (_, change) => {
    const one = await raw(change)
    expect(codeIn(await one.deliver())).toBe('recording.invalid')
    expect(one.stored()).toBe(false)
    expect(one.kit.auditText()).toMatch(/"kind":"delivery"[^\n]*"outcome":"refused"/)
    expect(codeIn(await one.post('renew', { lease: one.lease.lease, done: 0, total: 0 }))).toBe('ok')
  })
  test('bytes of another digest are refused, and a recording without them is not registered', async () => {
    const one = await raw()
    expect(codeIn(await one.put(Buffer.from('x'), { digest: sha256('y') }))).toBe('recording.altered')
    const { header, captures } = listsOf(one.loaded)
    for (const bytes of [header, captures]) expect(codeIn(await one.put(bytes))).toBe('ok')
    expect(codeIn(await one.post('deliver', deliveryOf(one.loaded, one.lease.lease)))).toBe('recording.invalid')
    expect(one.stored()).toBe(false)
    expect(codeIn(await one.deliver())).toBe('ok')
  })
  test('another digest of the recording is refused', async () => {
    const one = await raw()
    await one.deliver({ ...one.loaded, captures: one.loaded.captures.slice(1) })
    const again = await raw()
    for (const bytes of [
      ...Object.values(listsOf(again.loaded)),
      ...again.loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ])
      await again.put(bytes)
    const delivery = { ...deliveryOf(again.loaded, again.lease.lease), recording: sha256('other') }
    expect(codeIn(await again.post('deliver', delivery))).toBe('recording.altered')
    expect(again.stored()).toBe(false)
  })
  test('a recording in another form than collectors write is refused', async () => {
    const one = await raw()
    const spaced = Buffer.from(`${JSON.stringify(one.loaded.recording, null, 1)}\n`)
    await one.deliver().catch(() => undefined)
    const two = await raw()
    for (const bytes of [
      spaced,
      listsOf(two.loaded).captures,
      ...two.loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ])
      await two.put(bytes)
    const delivery = { ...deliveryOf(two.loaded, two.lease.lease), header: sha256(spaced) }
    expect(codeIn(await two.post('deliver', delivery))).toBe('recording.invalid')
  })
  test('only for the job, and with the lease, that it has', async () => {
    const one = await raw()
    const wrong = [
      () => one.put(Buffer.from('x'), { token: OTHER }),
      () => one.put(Buffer.from('x'), { token: BETA }),
      () => one.put(Buffer.from('x'), { job: ID }),
      () => one.put(Buffer.from('x'), { lease: ID }),
      () => one.put(Buffer.from('x'), { lease: '' }),
      () => one.post('renew', { lease: one.lease.lease, done: 0, total: 0 }, OTHER),
      () => one.post('offer', { lease: one.lease.lease, recording: sha256('x'), digests: [] }, BETA),
      () => one.post('deliver', deliveryOf(one.loaded, one.lease.lease), OTHER),
      () => one.post('refuse', { lease: one.lease.lease, reason: 'x' }, TOKYO),
    ]
    for (const attempt of wrong) {
      const answered = await attempt()
      expect([answered.status, codeIn(answered)]).toEqual([409, 'job.lease-ended'])
    }
    const incoming = join(one.kit.folder, 'alpha/jobs', JOBS.incoming)
    const begun = existsSync(incoming) ? readdirSync(incoming) : []
    expect(begun.filter((name) => name.startsWith(one.lease.job.id))).toEqual([])
  })
  test.each<[string, (lease: string) => string]>([
    ['no JSON', () => '{'],
    ['deep nesting', () => '['.repeat(1000)],
    ['the same key twice', (lease) => `{"lease":"${lease}","lease":"${lease}"}`],
    ['a member too many', (lease) => JSON.stringify({ lease, recording: sha256('x'), digests: [], command: 'id' })],
    [
      'too many files',
      (lease) => JSON.stringify({ lease, recording: sha256('x'), digests: Array(10_001).fill(sha256('x')) }),
    ],
    [
      'a path in the place of a digest',
      (lease) => JSON.stringify({ lease, recording: sha256('x'), digests: ['../x'] }),
    ],
    ['more than 1 MiB', () => `"${'x'.repeat(1024 * 1024)}"`],
  ])('%s is refused', async (_, body) => {
    const one = await raw()
    expect(codeIn(await one.post('offer', body(one.lease.lease)))).toBe('input.refused')
  })
  test('a file that is larger than any capture is refused', async () => {
    const one = await raw()
    expect(codeIn(await one.put(new Uint8Array(LARGEST_PART + 1)))).toBe('input.refused')
    expect(codeIn(await one.put(new Uint8Array(LARGEST_PACKED)))).toBe('input.refused')
  })
  test.each([
    ['another zone than it is enrolled for', TOKYO, {}],
    ['other rules', FRANKFURT, { catalogDigest: sha256('x') }],
    ['more than it may', FRANKFURT, { count: 5 }],
  ])('%s is not leased', async (_, token, changes) => {
    const kit = shared
    expect(codeIn(await ask(kit, token, changes))).toBe('input.refused')
  })
})

describe('a server that was killed', () => {
  const HELD = { holder: 'frankfurt-1' }
  test('between completion and registration finishes it when it starts', async () => {
    const one = await raw()
    const folder = join(one.kit.folder, 'killed')
    const { job, lease } = one.lease
    const queue = must(await openFileQueue(join(folder, 'jobs'), { now: () => 0, newId: () => lease }))
    const incoming = openIncoming(join(folder, 'jobs'), join(folder, 'evidence'), validator)
    must(await queue.enqueue(job))
    must(await queue.lease({ zone: job.zone, ...HELD }))
    const { header, captures } = listsOf(one.loaded)
    for (const bytes of [header, captures, ...one.loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])])
      must(await incoming.put(job.id, HELD.holder, sha256(bytes), bytes))
    must(await incoming.build(job.id, HELD.holder, deliveryOf(one.loaded, lease)))
    must(await queue.complete({ id: job.id, lease, ...HELD }, recordingDigest(one.loaded)))
    const stored = (): boolean => existsSync(recordingFolder(folder, job.run, job.node.name))
    expect(stored()).toBe(false)
    const options = { queue, incoming, zones: new Set([job.zone]), patienceMs: 1000 }
    for (let starts = 0; starts < 2; starts += 1) {
      await engagementJobs(options).recover()
      expect(stored()).toBe(true)
      expect(await incoming.pending()).toEqual([])
    }
    const again = engagementJobs(options)
    must(await again.deliver({ id: job.id, lease, ...HELD }, deliveryOf(one.loaded, lease), async () => undefined))
    await queue.close()
  })
  test('before completion registers nothing by itself', async () => {
    const one = await raw()
    const folder = join(one.kit.folder, 'killed-before')
    const { job, lease } = one.lease
    const queue = must(await openFileQueue(join(folder, 'jobs'), { now: () => 0, newId: () => lease }))
    const incoming = openIncoming(join(folder, 'jobs'), join(folder, 'evidence'), validator)
    must(await queue.enqueue(job))
    must(await queue.lease({ zone: job.zone, ...HELD }))
    must(await incoming.put(job.id, HELD.holder, sha256('x'), Buffer.from('x')))
    must(await incoming.put(ID, HELD.holder, sha256('x'), Buffer.from('x')))
    await engagementJobs({ queue, incoming, zones: new Set(), patienceMs: 1000 }).recover()
    expect(existsSync(join(folder, 'evidence', job.run))).toBe(false)
    // Of a job that is no longer known, nothing is kept.
    expect((await incoming.pending()).map((one) => one.job)).toEqual([job.id])
    await queue.close()
  })
})

describe('jobs that another process serves', () => {
  /** Two processes with one queue and one folder: the first has the run, the second the collector. */
  const both = async (name: string, patienceMs: number) => {
    const one = await raw()
    const folder = join(one.kit.folder, name)
    const { job, lease } = one.lease
    const parts = { now: () => Date.now(), newId: () => lease }
    const queue = { ...must(await openFileQueue(join(folder, 'jobs'), parts)), isShared: true }
    const incoming = openIncoming(join(folder, 'jobs'), join(folder, 'evidence'), validator)
    const options = { queue, incoming, zones: new Set([job.zone]), patienceMs }
    const [first, second] = [engagementJobs(options), engagementJobs(options)]
    const [stop, events] = [new AbortController(), [] as string[]]
    const { id: _, ...asked } = job
    const done = first.remote.collect(asked, { signal: stop.signal, onEvent: ({ kind }) => events.push(kind) })
    const collector = { name: HELD_BY, zone: job.zone, engagement: 'alpha', tokenDigest: sha256('token') }
    while (must(await queue.counts()).waiting === 0) await sleep(5)
    const leased = must(await second.ask(collector, 0, () => false))
    if (leased === null) throw new Error('no job was handed out')
    const held = { id: leased.job.id, lease: leased.lease, holder: HELD_BY }
    const { header, captures } = listsOf(one.loaded)
    for (const bytes of [header, captures, ...one.loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])])
      must(await incoming.put(held.id, HELD_BY, sha256(bytes), bytes))
    return {
      ...{ one, queue, incoming, second, held, done, events, delivery: deliveryOf(one.loaded, lease) },
      stored: () => existsSync(recordingFolder(folder, job.run, job.node.name)),
      close: async () => {
        stop.abort()
        await first.close()
        await second.close()
      },
    }
  }
  const HELD_BY = 'frankfurt-1'

  test('end with the recording that it stored, and are shown as begun', async () => {
    const own = await both('shared', 60_000)
    while (own.events.length === 0) await sleep(20)
    must(await own.second.deliver(own.held, own.delivery, async () => undefined))
    expect((await own.done).ok).toBe(true)
    expect([own.events, own.stored()]).toEqual([['node-connecting'], true])
    await own.close()
  })
  test('end with its failure', async () => {
    const own = await both('shared-failed', 60_000)
    must(await own.second.refuse(own.held, 'no such node'))
    const done = await own.done
    expect(done.ok ? null : done.error.code).toBe('job.not-delivered')
    await own.close()
  })
  test('whose recording it did not move before it was killed, are moved by the process that waits', async () => {
    const own = await both('shared-killed', 60_000)
    must(await own.incoming.build(own.held.id, own.held.holder, own.delivery))
    must(await own.queue.complete(own.held, own.delivery.recording))
    expect((await own.done).ok).toBe(true)
    expect([own.stored(), await own.incoming.pending()]).toEqual([true, []])
    await own.close()
  })
  test('are waited for as long as their lease is renewed there', async () => {
    const own = await both('shared-renewed', 2500)
    let isDone = false
    void own.done.then(() => {
      isDone = true
    })
    await sleep(5000)
    expect(isDone).toBe(false)
    await own.close()
  })
})

describe('what people see of a job', () => {
  test('that it is leased, how far it is, and that it arrived', async () => {
    const one = await raw()
    const officer = await one.kit.as('officer')
    const event = async () =>
      eventOf(valueIn(replyIn<RunStatus>(await officer.call('alpha', 'run.status', null))), ZONED.first)
    expect(await event()).toMatchObject({ kind: 'node-connecting' })
    await one.post('renew', { lease: one.lease.lease, done: 3, total: 9 })
    expect(await event()).toMatchObject({ kind: 'node-collecting', done: 3, total: 9 })
    expect(codeIn(await one.deliver())).toBe('ok')
    expect(eventOf(await ended(officer), ZONED.first)).toMatchObject({ kind: 'node-done', partial: false })
  })
  test('a recording that arrives after the run was stopped is in the run that is shown', async () => {
    const one = await raw()
    const officer = await one.kit.as('officer')
    await officer.call('alpha', 'run.cancel', null)
    expect(codeIn(await one.post('renew', { lease: one.lease.lease, done: 0, total: 0 }))).toBe('job.completed')
    expect(codeIn(await one.deliver())).toBe('ok')
    for (;;) {
      const runs = valueIn(replyIn<readonly RunListItem[]>(await officer.call('alpha', 'runs.list', null)))
      const evidence = await officer.call('alpha', 'evidence.list', { of: 'run', node: ZONED.first })
      if (runs.some(({ run, open: isOpen }) => run === one.lease.job.run && isOpen) && replyIn<unknown>(evidence).ok)
        break
      await sleep(50)
    }
    expect(one.stored()).toBe(true)
  })
  test('monitoring counts jobs and requests, without names', async () => {
    const kit = await teamKit({
      config: (config) => ({
        ...withCollectors(config, { 'frankfurt-1': { token: FRANKFURT, zone: 'frankfurt' } }),
        monitoring: { address: '127.0.0.1', port: 0 },
      }),
    })
    open.push(kit)
    await startRun(await kit.as('officer'), [ZONED.first, ZONED.second])
    valueIn(replyIn<CollectorLease>(await ask(kit, FRANKFURT)))
    const text = await fetch(`${kit.server.monitoring}/metrics`).then((answer) => answer.text())
    expect(text).toContain('\nbarewitness_jobs_waiting 1\n')
    expect(text).toContain('\nbarewitness_jobs_leased 1\n')
    expect(text).toContain('\nbarewitness_collector_requests_total{verb="ask",outcome="answered"} 1\n')
    expect(text).not.toContain('frankfurt')
  })
})

describe('a collector that is cut off', () => {
  test('keeps a finished recording and delivers it later, once, after a restart too', async () => {
    const kit = await kitWithCollectors()
    const officer = await kit.as('officer')
    const line = { isCut: false, losesAnswers: false }
    const onConnect = async (): Promise<void> => {
      await one.said('leased', 2)
      line.isCut = true
    }
    const one: CollectorInTest = await startCollector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT, {
      ports: { onConnect },
      line,
    })
    const { run } = await startRun(officer, [ZONED.first, ZONED.second])
    await one.said('collected', 2)
    await one.said('waits')
    expect(recordingsIn(kit, run)).toEqual([])
    await one.stop()
    // The leases end meanwhile; the finished recordings count nevertheless.
    kit.pass(120_000)
    const again = await collector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT)
    await again.said('delivered', 2)
    await ended(officer)
    expect(recordingsIn(kit, run)).toEqual([ZONED.first, ZONED.second])
    expect(kit.auditText().match(/"kind":"delivery"[^\n]*"outcome":"allowed"/g)).toHaveLength(2)
  })
  test('an answer that is lost does not deliver twice', async () => {
    const kit = await kitWithCollectors()
    const officer = await kit.as('officer')
    const line = { isCut: false, losesAnswers: false }
    const one = await collector(join(kit.folder, 'c1'), kit.server.origin, FRANKFURT, {
      ports: {
        onConnect: () => {
          line.losesAnswers = true
        },
      },
      line,
    })
    const { run } = await startRun(officer, [ZONED.first])
    await one.said('waits', 3)
    line.losesAnswers = false
    await one.said('delivered')
    await ended(officer)
    expect(recordingsIn(kit, run)).toEqual([ZONED.first])
    expect(one.events.filter(({ kind }) => kind === 'set-aside')).toEqual([])
  })
  test('the second recording of a job is refused', async () => {
    const one = await raw(undefined, await kitWithCollectors())
    one.kit.pass(60_000)
    const second = await collector(join(one.kit.folder, 'c2'), one.kit.server.origin, OTHER)
    await second.said('delivered')
    expect(codeIn(await one.deliver())).toBe('job.completed')
    expect(one.stored()).toBe(true)
  })
})
