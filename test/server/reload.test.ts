import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf } from '../../main/app/collect/collect-node.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { reloadedConfig } from '../../main/server/settings.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { newToken, withCollectors } from '../support/collector-kit.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { codeOf, type TeamKit, teamKit } from '../support/team-kit.ts'

const [FIRST, SECOND] = [newToken(), newToken()]
let kit: TeamKit
let running: TeamConfig
beforeAll(async () => {
  kit = await teamKit({
    config: (config) => {
      running = withCollectors(config, { 'frankfurt-1': { token: FIRST, zone: 'frankfurt' } })
      return running
    },
  })
})
afterAll(async () => await kit.close())

const both = (): TeamConfig =>
  withCollectors(running, {
    'frankfurt-1': { token: FIRST, zone: 'frankfurt' },
    'tokyo-1': { token: SECOND, zone: 'tokyo' },
  })
/** 401 for a token that no collector has; otherwise the request is read, and refused for its input. */
const statusFor = async (token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await kit.visitor().send('POST', '/collector/ask', headers, '{}')).status
}

describe('collectors that are read again', () => {
  test('are added, and one that was removed has no access from then on', async () => {
    expect([await statusFor(FIRST), await statusFor(SECOND)]).toEqual([400, 401])
    expect((await kit.server.reload(both())).ok).toBe(true)
    expect([await statusFor(FIRST), await statusFor(SECOND)]).toEqual([400, 400])
    const { collectors = [] } = both()
    expect((await kit.server.reload({ ...running, collectors: collectors.slice(1) })).ok).toBe(true)
    expect([await statusFor(FIRST), await statusFor(SECOND)]).toEqual([401, 400])
    const text = kit.auditText()
    expect(checkAudit(text).intact).toBe(true)
    const reloads = text.split('\n').filter((line) => line.includes('"kind":"reload"'))
    expect(reloads.map((line) => JSON.parse(line).of.collectors)).toEqual(['frankfurt-1, tokyo-1', 'tokyo-1'])
    expect(text).not.toContain(SECOND)
  })
  test('end the wait of one that was removed for a job', async () => {
    expect((await kit.server.reload(both())).ok).toBe(true)
    const ended: string[] = []
    const asks = async (zone: string, token: string, waitSeconds: number): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ zone, catalogDigest: digestOf(fakeCatalog), waitSeconds })
      const { status } = await kit.visitor().send('POST', '/collector/ask', headers, body)
      ended.push(zone)
      return status
    }
    const waiting = [asks('frankfurt', FIRST, 25), asks('tokyo', SECOND, 4)]
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { collectors = [] } = both()
    expect((await kit.server.reload({ ...running, collectors: collectors.slice(1) })).ok).toBe(true)
    expect(await Promise.all(waiting)).toEqual([200, 200])
    expect(ended).toEqual(['frankfurt', 'tokyo'])
  })
  test('with something else that differs change nothing', async () => {
    const other = { ...both(), limits: { calls: 1 } }
    const refused = await kit.server.reload(other)
    expect(refused.ok ? null : refused.error.code).toBe('input.refused')
    expect([await statusFor(FIRST), await statusFor(SECOND)]).toEqual([401, 400])
    expect(codeOf(await (await kit.as('officer')).call('alpha', 'fleet.get', null))).toBe('answered')
  })
  test('of an engagement that had none need a start', () => {
    const [first, ...others] = both().collectors ?? []
    const moved = {
      ...running,
      collectors: [...(first === undefined ? [] : [{ ...first, engagement: 'beta' }]), ...others],
    }
    const refused = reloadedConfig(running, moved)
    expect(refused.ok ? null : refused.error.code).toBe('input.refused')
  })
})
