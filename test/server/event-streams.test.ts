import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { checkAudit } from '../../main/server/audit.ts'
import { fakeEngine, type TeamKit, type TeamKitOptions, teamKit, type Visitor } from '../support/team-kit.ts'

async function ownKit(options: TeamKitOptions = {}): Promise<TeamKit> {
  const kit = await teamKit(options)
  onTestFinished(() => kit.close())
  return kit
}

interface Stream {
  readonly said: () => string
  readonly leave: () => void
}

/** Asks for the events of alpha, without waiting for the answer. */
function asking(kit: TeamKit, one: Visitor, last?: string): Stream {
  const { port } = new URL(kit.server.origin)
  const headers = {
    cookie: `barewitness=${one.cookies.get('barewitness')}`,
    ...(last === undefined ? {} : { 'last-event-id': last }),
  }
  let said = ''
  const sent = request({ port, host: '127.0.0.1', path: '/e/alpha/api/events', headers, agent: false }, (response) => {
    response.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    response.on('error', () => undefined)
  })
  sent.on('error', () => undefined)
  sent.end()
  return { said: () => said, leave: () => void sent.destroy() }
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await sleep(5)
}

const openings = (kit: TeamKit): readonly unknown[] =>
  kit
    .auditText()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ kind }) => kind === 'events')
    .map(({ subject, role, engagement, outcome }) => [subject, role, engagement, outcome])

test('each opening of a stream is in the audit log before anything is sent, and no event is', async () => {
  const kit = await ownKit()
  const officer = await kit.as('officer')
  expect(openings(kit)).toEqual([])
  const first = asking(kit, officer)
  await until(() => first.said() !== '')
  expect(openings(kit)).toEqual([['officer', 'officer', 'alpha', 'allowed']])
  await officer.call('alpha', 'demo.open', null)
  await until(() => first.said().includes('"run-done"'))
  expect(openings(kit)).toHaveLength(1)
  const [, id = ''] = /^id: (.+)$/m.exec(first.said()) ?? []
  first.leave()
  const again = asking(kit, officer, id)
  await until(() => again.said() !== '')
  again.leave()
  const auditor = asking(kit, await kit.as('auditor', 'lee'))
  await until(() => auditor.said() !== '')
  auditor.leave()
  expect(openings(kit)).toEqual([
    ['officer', 'officer', 'alpha', 'allowed'],
    ['officer', 'officer', 'alpha', 'allowed'],
    ['lee', 'auditor', 'alpha', 'allowed'],
  ])
  expect(checkAudit(kit.auditText()).intact).toBe(true)
})

test('a stream that is refused has no entry', async () => {
  const kit = await ownKit()
  expect((await kit.visitor().send('GET', '/e/alpha/api/events')).status).toBe(401)
  expect((await (await kit.as('administrator')).send('GET', '/e/alpha/api/events')).status).toBe(404)
  const officer = await kit.as('officer')
  const open = Array.from({ length: 8 }, () => asking(kit, officer))
  await until(() => open.every((one) => one.said() !== ''))
  expect((await officer.send('GET', '/e/alpha/api/events')).status).toBe(429)
  expect(openings(kit)).toHaveLength(8)
  for (const one of open) one.leave()
})

test('a page that left while the desk of its auditor was opened leaves no stream behind', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const open = fakeEngine()
  let isOpening = false
  const kit = await ownKit({
    config: (config) => ({ ...config, monitoring: { address: '127.0.0.1', port: 0 } }),
    openEngine: async (folder, ...rest) => {
      if (folder.includes('/auditors/')) {
        isOpening = true
        await held
      }
      return await open(folder, ...rest)
    },
  })
  const streams = async (): Promise<string> =>
    /^barewitness_event_streams .*$/m.exec(await (await fetch(`${kit.server.monitoring}/metrics`)).text())?.[0] ?? ''
  const page = asking(kit, await kit.as('auditor'))
  await until(() => isOpening)
  expect(await streams()).toBe('barewitness_event_streams 1')
  page.leave()
  // The server has seen that the page left.
  while ((await streams()) !== 'barewitness_event_streams 0') await sleep(5)
  release()
  await until(() => kit.logged.some(({ kind }) => kind === 'events'))
  expect(await streams()).toBe('barewitness_event_streams 0')
  expect(kit.logged.filter(({ kind }) => kind === 'events').map(({ status }) => status)).toEqual([400])
})

test('an auditor receives events of the portal about what they see, and none about what others do', async () => {
  const kit = await ownKit()
  const officer = await kit.as('officer')
  const [kim, lee] = [await kit.as('auditor', 'kim'), await kit.as('auditor', 'lee')]
  const streams = [officer, kim, lee].map((one) => asking(kit, one))
  await until(() => streams.every(({ said }) => said() !== ''))
  const counts = (): readonly number[] => streams.map(({ said }) => said().split('portal-changed').length - 1)
  const about = { control: '', node: '', check: '', period: '' }
  const asked = { title: 'Access review', text: '', about, due: '2099-01-01' }
  await kim.call('alpha', 'portal.ask', asked)
  await officer.call('alpha', 'portal.invite', { label: 'Another auditor', until: dayIn(30) })
  await lee.call('alpha', 'portal.ask', asked)
  await until(() => (counts()[0] ?? 0) === 3 && (counts()[2] ?? 0) > 0)
  expect(counts()).toEqual([3, 1, 1])
  for (const { leave } of streams) leave()
})

const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
