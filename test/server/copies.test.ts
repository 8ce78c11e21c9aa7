import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { restoreFromStore } from '../../main/app/objects/restore.ts'
import { fail, type Outcome } from '../../main/core/base/failure.ts'
import type { ObjectStore } from '../../main/core/objects.ts'
import { type Copies, startCopies } from '../../main/server/edge/services/copies.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTest } from '../support/folders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { must } from '../support/outcomes.ts'
import { digestsBelow } from '../support/same-folders.ts'
import { teamKit } from '../support/team-kit.ts'

const kit = keepingKit()
const NEVER_MS = 600_000
const away = fail('objects.unreachable', 'away')

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(10)
}
const isCopied = (copies: Copies) => (): boolean => copies.state().failing === 0

async function started(openStore: () => Promise<Outcome<ObjectStore>>, everyMs = NEVER_MS) {
  const lines: Readonly<Record<string, unknown>>[] = []
  const root = kit.root()
  const engagement = { name: 'clinic', folder: root, enter: {} }
  const copying = { openStore, ports: kit.ports, years: 6, everyMs, auditEveryMs: NEVER_MS, soonMs: 5 }
  const copies = await startCopies([engagement], copying, (line) => lines.push(line))
  return { copies, lines, root }
}

const sameAs = async (store: ObjectStore, root: string): Promise<void> => {
  const to = join(folderOfTest('restored'), 'root')
  must(await restoreFromStore(kit.ports, store, { engagement: 'clinic', to }))
  expect(digestsBelow(to)).toEqual(digestsBelow(root, (path) => !path.startsWith('object-lists/')))
}

test('evidence is copied at the start, and again when something was stored', async () => {
  const store = must(await openObjectFolder(folderOfTest('objects')))
  await kit.run('run-1', '2026-11-18T10:00:00.000Z')
  const { copies, lines, root } = await started(async () => ({ ok: true, value: store }))
  await until(isCopied(must(copies)))
  expect(must(copies).state()).toEqual({ files: 0, since: null, failing: 0, locked: false })
  await kit.run('run-2', '2026-11-19T10:00:00.000Z')
  must(copies).soon('clinic')
  must(copies).soon('other')
  await until(() => lines.length === 2)
  await must(copies).close()
  await sameAs(store, root)
  expect(lines).toMatchObject([{ kind: 'objects', engagement: 'clinic' }, { kind: 'objects' }])
})

test('what a store that is away did not confirm waits, and is copied when it is there again', async () => {
  const store = must(await openObjectFolder(folderOfTest('objects')))
  let isAway = true
  await kit.run('run-1', '2026-11-18T10:00:00.000Z')
  const flaky: ObjectStore = { ...store, put: async (...given) => (isAway ? away : await store.put(...given)) }
  let opened = 0
  const { copies, lines, root } = await started(async () => (++opened === 1 ? away : { ok: true, value: flaky }), 20)
  await until(() => lines.length > 0)
  const { files, since, failing } = must(copies).state()
  expect([files > 10, Date.parse(since ?? '') <= Date.now(), failing]).toEqual([true, true, 1])
  expect(lines[0]).toEqual({ kind: 'objects', engagement: 'clinic', failed: 'objects.unreachable' })
  isAway = false
  await until(isCopied(must(copies)))
  expect(must(copies).state().files).toBe(0)
  await must(copies).close()
  await sameAs(store, root)
})

test('a server that ends during a copy stores no more, and the next start completes it', async () => {
  const store = must(await openObjectFolder(folderOfTest('objects')))
  await kit.run('run-1', '2026-11-18T10:00:00.000Z')
  let puts = 0
  const counted: ObjectStore = {
    ...store,
    put: async (...given) => {
      puts += 1
      return await store.put(...given)
    },
  }
  const first = await started(async () => ({ ok: true, value: counted }))
  await until(() => puts > 2)
  await must(first.copies).close()
  const after = puts
  await sleep(50)
  expect(puts).toBe(after)
  expect(must(await store.versions('lists/'))).toEqual([])
  const second = await started(async () => ({ ok: true, value: store }))
  await until(isCopied(must(second.copies)))
  await must(second.copies).close()
  await sameAs(store, second.root)
})

test('a store that is unsuitable stops the start', async () => {
  const { copies } = await started(async () => fail('objects.refused', 'the bucket has no Object Lock'))
  expect(copies).toMatchObject({ ok: false, error: { code: 'objects.refused' } })
})

test('a server states what waits, and names no engagement', async () => {
  const folder = folderOfTest('objects')
  let isAway = true
  const own = await teamKit({
    config: (config) => ({ ...config, monitoring: { address: '127.0.0.1', port: 0 } }),
    copying: {
      openStore: async (name) => (isAway ? away : await openObjectFolder(join(folder, name))),
      ports: createFakePorts(),
      years: 6,
      everyMs: 20,
      auditEveryMs: 20,
      soonMs: 5,
    },
  })
  const get = async (path: string): Promise<string> => await (await fetch(`${own.server.monitoring}${path}`)).text()
  expect(await get('/readyz')).toBe('ready\nobjects: no file waits; engagements failing: 2\n')
  expect(await get('/metrics')).toContain('barewitness_objects_failing 2\n')
  isAway = false
  writeFileSync(join(own.folder, 'alpha', 'register.json'), '{}')
  while (!(await get('/metrics')).includes('barewitness_objects_failing 0\n')) await sleep(20)
  expect(await get('/readyz')).toBe('ready\nobjects: no file waits; engagements failing: 0\n')
  const metrics = await get('/metrics')
  expect(metrics).toContain('barewitness_objects_waiting 0\n')
  expect(metrics).toContain('barewitness_objects_locked 0\n')
  while (!(await get('/metrics')).includes('barewitness_audit_copy_failing 0\n')) await sleep(20)
  expect(await get('/metrics')).toContain('barewitness_audit_entries_waiting 0\n')
  expect(metrics).not.toMatch(/alpha|beta/)
  expect(existsSync(join(folder, 'alpha', 'lists'))).toBe(true)
  await own.close()
})
