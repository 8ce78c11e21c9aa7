import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { JOBS, recordingFolder } from '../../main/core/layout.ts'
import { checkAudit } from '../../main/server/audit.ts'
import type { RunStatus, RunTicket } from '../../schemas/ipc-views.ts'
import {
  type CollectorInTest,
  newToken,
  nodeIn,
  startCollector,
  withCollectors,
  ZONED,
} from '../support/collector-kit.ts'
import { valueIn } from '../support/engine-kit.ts'
import { replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

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
