import { request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { digestOf } from '../../main/app/collect/collect-node.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import type { CollectorLease } from '../../schemas/types.ts'
import { newToken, startCollector, withCollectors, ZONED } from './collector-kit.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { answerValue, type TeamKit, teamKit, type Visitor } from './team-kit.ts'

// A team server whose people and collectors come and go for so many rounds, with the clock set forward after each; prints what the process
// holds after each half. Started with --expose-gc.
const rounds = Number(process.argv[2])
const TOKEN = newToken()
/** Longer than a session that is not used, an upload and an answer are kept. */
const BETWEEN_MS = 31 * 60_000

const kit = await teamKit({
  config: (config) => ({
    ...withCollectors(config, { 'frankfurt-1': { token: TOKEN, zone: 'frankfurt' } }),
    limits: { uploadMiB: 1, signInsPerMinute: 1000 },
    monitoring: { address: '127.0.0.1', port: 0 },
  }),
})
const { port } = new URL(kit.server.origin)

/** Opens a stream of events and waits for its first one. */
const stream = ({ cookies }: Visitor): Promise<{ readonly leave: () => void; readonly ended: Promise<void> }> =>
  new Promise((resolve, reject) => {
    const headers = { cookie: `barewitness=${cookies.get('barewitness')}` }
    const sent = request(
      { port, host: '127.0.0.1', path: '/e/alpha/api/events', headers, agent: false },
      (response) => {
        const ended = new Promise<void>((end) => void response.on('close', end))
        response.on('error', () => undefined)
        response.once('data', () => resolve({ leave: () => void sent.destroy(), ended }))
      },
    )
    sent.on('error', reject)
    sent.end()
  })

/** Sends the beginning of a request, and leaves. */
const brokenOff = (path: string, headers: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path, agent: false, headers })
    sent
      .on('error', () => undefined)
      .on('response', (response) => response.resume())
      .on('close', () => resolve())
    sent.write('{"zone":', () => setTimeout(() => sent.destroy(), 2))
  })

const expectStatus = (what: string, status: number, ...expected: readonly number[]): void => {
  if (!expected.includes(status)) throw new Error(`${what}: status ${status}`)
}

async function people(round: number): Promise<void> {
  const officer = await kit.as('officer', `officer-${round % 7}`)
  const auditor = await kit.as('auditor', `auditor-${round % 20}`)
  const operator = await kit.as('operator')
  const left = await stream(officer)
  const kept = [await stream(officer), await stream(operator)]
  const atDesk = await stream(auditor)
  for (const method of ['fleet.get', 'home.get', 'runs.list', 'portal.requests'])
    expectStatus(method, (await officer.call('alpha', method, null)).status, 200)
  expectStatus('portal.packs', (await auditor.call('alpha', 'portal.packs', null)).status, 200)
  expectStatus('refused', (await auditor.call('alpha', 'fleet.get', null)).status, 403)
  expectStatus('download', (await officer.call('alpha', 'acceptances.save', null)).status, 200)
  const upload = async (one: Visitor, body: string): Promise<number> => {
    const { csrf } = await one.session('alpha')
    const headers = { 'content-type': 'application/octet-stream', [TEAM_HEADERS.csrf]: csrf }
    return (await one.send('POST', '/e/alpha/api/upload', headers, body)).status
  }
  expectStatus('upload', await upload(officer, 'x'), 200)
  expectStatus('upload of an operator', await upload(operator, 'x'), 403)
  // Refused before all of it was sent: the connection may end before the answer is read.
  const large = upload(officer, 'x'.repeat(1024 * 1024 + 1)).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code !== 'ECONNRESET' && problem.code !== 'EPIPE') throw problem
    return 413
  })
  expectStatus('large upload', await large, 413)
  const { csrf } = await officer.session('alpha')
  const page = { cookie: `barewitness=${officer.cookies.get('barewitness')}`, [TEAM_HEADERS.csrf]: csrf }
  await brokenOff('/e/alpha/api/call/register.get', {
    ...page,
    'content-type': 'application/json',
    'content-length': '99',
  })
  await brokenOff('/e/alpha/api/upload', {
    ...page,
    'content-type': 'application/octet-stream',
    'content-length': '99',
  })
  expectStatus('sign-in that is left', (await kit.visitor().send('GET', '/auth/sign-in')).status, 303)
  left.leave()
  atDesk.leave()
  // The operator signs out without closing the page, and the officer’s session ends by its time.
  await operator.send('POST', '/auth/sign-out', { [TEAM_HEADERS.csrf]: (await operator.session('alpha')).csrf })
  await kept[1]?.ended
  kept[0]?.leave()
}

const asCollector = (target: string, input: unknown) =>
  kit
    .visitor()
    .send(
      'POST',
      target,
      { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      JSON.stringify(input),
    )
const ASK = { zone: 'frankfurt', catalogDigest: digestOf(fakeCatalog), waitSeconds: 20 }

/** A collector leases the job of a run and refuses it; another one comes back to its spool and delivers the next one. */
async function collectors(): Promise<void> {
  const officer = await kit.as('officer')
  const run = async (): Promise<void> =>
    expectStatus('run', (await officer.call('alpha', 'run.start', { nodes: [ZONED.first], only: 'all' })).status, 200)
  const ended = async (): Promise<void> => {
    while (answerValue<{ readonly going: boolean }>(await officer.call('alpha', 'run.status', null)).going)
      await sleep(2)
  }
  await run()
  const { job, lease } = answerValue<CollectorLease>(await asCollector('/collector/ask', ASK))
  const at = `/collector/jobs/${job.id}`
  expectStatus('renew', (await asCollector(`${at}/renew`, { lease, done: 0, total: 1 })).status, 200)
  expectStatus('refuse', (await asCollector(`${at}/refuse`, { lease, reason: 'x' })).status, 200)
  await ended()
  await brokenOff('/collector/ask', {
    ...{ 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, 'content-length': '99' },
  })
  await run()
  const one = await startCollector(join(kit.folder, 'collector'), kit.server.origin, TOKEN)
  await one.said('delivered')
  await ended()
  await one.stop()
}

/** The prototype of a class that extends one is among them, and has no size. */
const SIZES = `function () {
  const sizeOf = (one) => { try { return one.size } catch { return 0 } }
  return this.reduce((sum, one) => sum + sizeOf(one), 0)
}`

/** The size of every Map and Set of the process, together. */
async function entries(): Promise<number> {
  const inspector = new Session()
  inspector.connect()
  let sum = 0
  for (const kind of ['Map', 'Set']) {
    const { result } = await inspector.post('Runtime.evaluate', { expression: `${kind}.prototype` })
    const { objects } = await inspector.post('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' })
    const counted = await inspector.post('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: SIZES,
      returnByValue: true,
    })
    sum += Number(counted.result.value)
  }
  inspector.disconnect()
  return sum
}

/** Servers, connections, timers and the like that keep the process running, by kind. */
function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const MOST_LOOKS = 200

/** What the process holds once nothing is going on. */
async function held(of: TeamKit): Promise<Readonly<Record<string, number>>> {
  const going = async (): Promise<readonly string[]> =>
    (await (await fetch(`${of.server.monitoring}/metrics`, { headers: { connection: 'close' } })).text())
      .split('\n')
      .filter((line) => /^barewitness_(event_streams|calls_going) /.test(line))
  while ((await going()).some((line) => !line.endsWith(' 0'))) await sleep(20)
  // Connections that are kept for the next request end by themselves.
  for (let left = MOST_LOOKS; left > 0 && resources().TCPSocketWrap !== undefined; left -= 1) await sleep(50)
  globalThis.gc?.()
  return { ...resources(), entries: await entries(), heap: process.memoryUsage().heapUsed }
}

for (const half of ['middle', 'end']) {
  for (let round = 0; round < rounds / 2; round += 1) {
    await people(round)
    await collectors()
    kit.pass(BETWEEN_MS)
  }
  // The log is kept by the test alone.
  ;(kit.logged as unknown[]).length = 0
  process.stdout.write(`${JSON.stringify({ half, ...(await held(kit)) })}\n`)
}
await kit.close()
process.exit(0)
