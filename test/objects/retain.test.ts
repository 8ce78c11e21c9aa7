import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { retain } from '../../main/app/history/retention.ts'
import { copyToStore } from '../../main/app/objects/copy.ts'
import { restoreFromStore } from '../../main/app/objects/restore.ts'
import { compareWithStore, isWhole } from '../../main/app/objects/verify.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { ObjectStore } from '../../main/core/objects.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { must } from '../support/outcomes.ts'

const kit = keepingKit()
const { ports, run, time } = kit
let root = ''
let folder: ObjectStore
beforeEach(async () => {
  root = kit.root()
  folder = must(await openObjectFolder(kit.freshRoot()))
})

/** As one that locks: what it states is what S3 states. */
const locked = (store: ObjectStore): ObjectStore => ({
  ...store,
  locks: true,
  head: async (key, version) => {
    const head = must(await store.head(key, version))
    return ok(head?.lock == null ? head : { ...head, lock: { ...head.lock, mode: 'COMPLIANCE' } })
  },
})

const copied = async (store: ObjectStore, years: number) =>
  must(await copyToStore(ports, store, { root, engagement: 'clinic', years }))
const retained = async (isApplied: boolean) =>
  must(
    await retain(ports, {
      root,
      years: 6,
      why: '',
      evenInPeriods: false,
      openSigner: isApplied ? async () => ok(kit.signer()) : null,
    }),
  )
const reasons = async (): Promise<readonly string[]> => {
  const { chainsBelow } = await import('../../main/app/history/rebuild-history.ts')
  return must(await chainsBelow(ports, root)).flatMap(({ chain }) =>
    chain.entries.flatMap(({ entry }) => (entry.kind === 'retired' ? [entry.why] : [])),
  )
}

test('a run that a locked store keeps is deleted in the folder alone, and its signed entry states that', async () => {
  await run('run-1', '2019-05-01T10:00:00.000Z')
  time.now = '2026-11-20T10:00:00.000Z'
  await copied(locked(folder), 6)
  const inStore = new Map([['run-1', { until: '2032-11-20T10:00:00.000Z', locked: true }]])
  expect(await retained(false)).toMatchObject({ applied: false, inStore })
  expect((await retained(true)).inStore).toEqual(inStore)
  expect(readdirSync(join(root, 'evidence'))).not.toContain('run-1')
  expect(await reasons()).toEqual([
    'Older than 6 years. Deleted in the folder; the object store keeps it until 2032-11-20 at least.',
  ])
  await copied(locked(folder), 6)
  const found = must(await compareWithStore(ports, locked(folder), { root, engagement: 'clinic' }, true))
  expect([found.retired, found.lost, isWhole(found)]).toEqual([['run-1'], [], true])
  const to = join(kit.freshRoot(), 'restored')
  must(await restoreFromStore(ports, locked(folder), { engagement: 'clinic', to }))
  expect(readdirSync(join(to, 'evidence'))).toContain('run-1')
})

test('of a store without a lock, the entry claims none', async () => {
  await run('run-1', '2019-05-01T10:00:00.000Z')
  time.now = '2026-11-20T10:00:00.000Z'
  await copied(folder, 6)
  await retained(true)
  expect(await reasons()).toEqual([
    'Older than 6 years. Deleted in the folder; the object store has a copy, to be kept until 2032-11-20 at least.',
  ])
})

test('a store whose retention has ended, and a folder without one, change nothing', async () => {
  await run('run-1', '2019-05-01T10:00:00.000Z')
  await copied(locked(folder), 1)
  await run('run-2', '2019-06-01T10:00:00.000Z')
  time.now = '2026-11-20T10:00:00.000Z'
  expect((await retained(true)).inStore.size).toBe(0)
  expect(await reasons()).toEqual(['Older than 6 years.', 'Older than 6 years.'])
})

test('a list in the folder that cannot be read stops the deletion', async () => {
  await run('run-1', '2019-05-01T10:00:00.000Z')
  await copied(locked(folder), 6)
  time.now = '2026-11-20T10:00:00.000Z'
  writeFileSync(join(root, 'object-lists', '00000001.jsonl'), 'other')
  const outcome = await retain(ports, { root, years: 6, why: '', evenInPeriods: false, openSigner: null })
  expect(outcome).toMatchObject({ ok: false, error: { code: 'objects.altered' } })
})
