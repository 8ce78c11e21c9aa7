import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createIntegrations, openTarget } from '../../main/adapters/outbox/index.ts'
import { targetPlans } from '../../main/app/outbox/targets.ts'
import type { FindingItem } from '../../main/core/outbox/item.ts'
import { FINDING, PACK } from '../support/outbox-items.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { must } from '../support/outcomes.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-integrations-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const clock = { now: () => '2026-11-28T06:00:00.000Z', ticks: () => 0n }
const BASE = { schema: 'barewitness.integrations/1', sender: 'clinic-2026', outbox: 'outbox' }
async function read(config: object) {
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify(config))
  return await createIntegrations(clock).read(path)
}
const JIRA = {
  name: 'tickets',
  url: 'https://example.atlassian.net',
  user: 'a@b.example',
  tokenFile: 't',
  project: 'SEC',
}

test('paths start at the folder of the file; what is no path stays', async () => {
  const path = integrationsFile(folder, { url: (fake) => `http://127.0.0.1:9/${fake}` }, { trust: ['root.pem'] })
  const config = await createIntegrations(clock).read(path)
  expect(config).toMatchObject({
    ok: true,
    value: {
      outbox: join(folder, 'outbox'),
      trust: [join(folder, 'root.pem')],
      jira: [{ tokenFile: join(folder, 'jira-token'), project: 'SEC' }],
      slack: [{ urlFile: join(folder, 'slack-url') }],
      webhook: [{ keyFile: join(folder, 'webhook-token') }],
      cisoAssistant: [{ domain: '0b6c5d7e-0000-4000-8000-000000000001' }],
      vanta: [{ document: 'access-reviews' }],
    },
  })
  if (config.ok) expect(targetPlans(config.value)).toHaveLength(9)
})

test.each<[string, object, string]>([
  ['an unknown member', { ...BASE, mail: [] }, 'mail'],
  ['a token in the file', { ...BASE, jira: [{ ...JIRA, token: 'x' }] }, 'token'],
  ['no project', { ...BASE, jira: [{ ...JIRA, project: undefined }] }, 'project'],
  ['a project that ends a query', { ...BASE, jira: [{ ...JIRA, project: 'A" OR "1' }] }, 'project'],
  ['http elsewhere', { ...BASE, jira: [{ ...JIRA, url: 'http://jira.example.com' }] }, 'https'],
  ['an address with a query', { ...BASE, jira: [{ ...JIRA, url: 'https://jira.example.com/?x=1' }] }, 'url'],
  [
    'two of one name',
    { ...BASE, jira: [JIRA], drata: [{ name: 'tickets', tokenFile: 't', workspace: 1 }] },
    'another target',
  ],
  ['a table with a path', { ...BASE, serviceNow: [{ ...JIRA, project: undefined, table: 'x/../y' }] }, 'table'],
  ['a document with a path', { ...BASE, vanta: [{ name: 'v', tokenFile: 't', document: '../x' }] }, 'document'],
  ['a user with a colon', { ...BASE, jira: [{ ...JIRA, user: 'a:b' }] }, 'user'],
])('refused: %s', async (_, config, named) => {
  const refused = await read(config)
  expect(refused).toMatchObject({ ok: false, error: { code: 'input.refused', detail: expect.stringContaining(named) } })
})

describe('what targets take', () => {
  test('findings below the least severity are left out; packs are not', async () => {
    const config = must(
      await read({
        ...BASE,
        webhook: [{ name: 'own', url: 'https://example.com/hook', minimumSeverity: 'high' }],
        jira: [
          { ...JIRA, minimumSeverity: 'medium' },
          { ...JIRA, name: 'all' },
        ],
      }),
    )
    const [own, tickets, all] = targetPlans(config)
    const of = (severity: FindingItem['severity']): FindingItem => ({ ...FINDING, severity })
    const taken = (plan: typeof own): readonly boolean[] =>
      [of('critical'), of('high'), of('medium'), of('low'), PACK].map((item) => plan?.takes(item) ?? false)
    expect(taken(own)).toEqual([true, true, false, false, true])
    expect(taken(tickets)).toEqual([true, true, true, false, false])
    expect(taken(all)).toEqual([true, true, true, true, false])
  })
})

describe('secrets', () => {
  const plan = (file: string) => ({
    name: 't',
    takes: () => true,
    exchange: () => {
      throw new Error('not reached')
    },
    address: { is: 'open', url: 'https://example.com' } as const,
    authorization: { is: 'bearer', file: join(folder, file) } as const,
  })
  test.each<[string, string, number]>([
    ['others can read it', 'secret-canary', 0o644],
    ['it is empty', '', 0o600],
    ['it has a space', 'secret-canary two', 0o600],
    ['it is not ASCII', 'secret-canary-ü', 0o600],
  ])('refused without its text: %s', (_, text, mode) => {
    writeFileSync(join(folder, 'secret'), text)
    chmodSync(join(folder, 'secret'), mode)
    const opened = openTarget(plan('secret'), clock)
    expect(opened).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(JSON.stringify(opened).includes('secret-canary')).toBe(false)
  })

  test('a missing file is named; an address in a file must be https, and is not named', () => {
    expect(openTarget(plan('none'), clock)).toMatchObject({ error: { code: 'input.not-found' } })
    writeFileSync(join(folder, 'address'), 'http://hooks.example.com/services/secret-canary', { mode: 0o600 })
    chmodSync(join(folder, 'address'), 0o600)
    const opened = openTarget({ ...plan('x'), address: { is: 'secret', file: join(folder, 'address') } }, clock)
    expect(opened).toMatchObject({ error: { code: 'input.refused' } })
    expect(JSON.stringify(opened).includes('secret-canary')).toBe(false)
  })
})
