import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { openHistoryStore } from '../main/adapters/store/history-store.ts'
import { historyView } from '../main/app/history-view.ts'
import { rebuildHistory } from '../main/app/rebuild-history.ts'
import { listLines } from '../main/cli/commands/history-list.ts'
import { validator } from './support/deps.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { collected, must, packOf } from './support/kept-runs.ts'

const kit = keepingKit()
const { world, run, names } = kit
let root = ''
beforeEach(() => {
  root = kit.root()
})

describe('the index of the history', () => {
  test('is made anew when it is missing, stale or damaged, and never decides what is sealed', async () => {
    await run('run-1', '2026-11-20T10:00:00.000Z')
    expect(await names()).toEqual(['run-1'])
    const folder = join(root, 'history')
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'))
    rmSync(join(folder, 'index.db'))
    expect(await names()).toEqual(['run-1'])
    // Another run under another name, put there by hand.
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file.replace('run-1', 'run-0')), text.replaceAll('"run":"run-1"', '"run":"run-0"'))
    expect([...(await names())].sort()).toEqual(['run-0', 'run-1'])
    rmSync(join(folder, file.replace('run-1', 'run-0')))
    expect(await names()).toEqual(['run-1'])
    writeFileSync(join(folder, 'index.db'), 'this is no database'.repeat(500))
    const history = must(await world.openHistory(root))
    expect(must(await history.list()).map(({ run: name }) => name)).toEqual(['run-1'])
    expect(history.told()).toEqual([expect.stringContaining('index.db.damaged-1')])
    history.close()
    // An index that calls a kept run something else is not believed.
    const database = new DatabaseSync(join(folder, 'index.db'))
    database.exec(`UPDATE kept SET head = replace(head, '"run":"run-1"', '"run":"run-9"')`)
    database.close()
    expect(await names()).toEqual(['run-1'])
  })

  test('saves reading what has not changed', async () => {
    await run('run-1', '2026-11-20T10:00:00.000Z')
    await names()
    const folder = join(root, 'history')
    const database = new DatabaseSync(join(folder, 'index.db'))
    database.exec(`UPDATE kept SET head = replace(head, '"declared":2', '"declared":77')`)
    database.close()
    const history = must(await world.openHistory(root))
    // Told from the index: only then does the change show.
    expect(must(await history.list())[0]?.declared).toBe(77)
    history.close()
  })

  test('of a newer program is refused with a way out, and nothing is lost', async () => {
    await run('run-1', '2026-11-20T10:00:00.000Z')
    await names()
    for (const path of [join(root, 'history', 'index.db'), join(root, 'evidence', 'index.db')]) {
      const database = new DatabaseSync(path)
      database.exec('PRAGMA user_version = 99')
      database.close()
    }
    const history = must(await world.openHistory(root))
    expect(await history.list()).toMatchObject({
      error: { code: 'store.newer', detail: expect.stringContaining('99') },
    })
    history.close()
    expect(await world.openStore(`${root}/evidence`)).toMatchObject({ error: { code: 'store.newer' } })
    rmSync(join(root, 'history', 'index.db'))
    expect(await names()).toEqual(['run-1'])
  })
})

test('an index of version 1 is brought to the present form', async () => {
  await run('run-1', '2026-11-20T10:00:00.000Z')
  const path = join(root, 'evidence', 'index.db')
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  const old = new DatabaseSync(path)
  old.exec(`CREATE TABLE recording (
    run TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
    started_at TEXT NOT NULL, ended_at TEXT NOT NULL, digest TEXT, PRIMARY KEY (run, id)) STRICT;
    INSERT INTO recording VALUES ('run-0', 'n', 'n', 'complete', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', NULL);
    PRAGMA user_version = 1;`)
  old.close()
  const store = must(await openEvidenceStore(join(root, 'evidence'), validator))
  expect(await store.runs()).toEqual({ ok: true, value: ['run-0', 'run-1'] })
  expect(store.told).toEqual([])
  store.close()
  const now = new DatabaseSync(path)
  expect(now.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 })
  expect(now.prepare('SELECT run, id FROM recording ORDER BY run, id').all()).toEqual([
    { run: 'run-0', id: 'n' },
    { run: 'run-1', id: 'node-a' },
    { run: 'run-1', id: 'node-b' },
  ])
  now.close()
})

test('an index that is held: the evidence is refused in words and goes on afterwards; keeping a run does not need it', async () => {
  await run('run-1', '2026-11-20T10:00:00.000Z')
  await names()
  const holders = [join(root, 'history', 'index.db'), join(root, 'evidence', 'index.db')].map((path) => {
    const holder = new DatabaseSync(path)
    holder.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    return holder
  })
  const held = { error: { code: 'store.failed', detail: expect.stringContaining('another program holds the index') } }
  expect(await openEvidenceStore(join(root, 'evidence'), validator, 50)).toMatchObject(held)
  const history = must(await openHistoryStore(root, validator, 50))
  expect(await history.list()).toMatchObject(held)
  history.close()
  for (const holder of holders) holder.close()
  expect(await names()).toEqual(['run-1'])
})

describe('a history that lacks runs', () => {
  test('has them from their sealed packs, and a pack that was changed gives nothing', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await run('run-2', '2026-11-19T10:00:00.000Z', false)
    await run('run-3', '2026-11-20T10:00:00.000Z', false)
    const bytes = readFileSync(packOf(root, 'run-3'))
    bytes.write('XX', bytes.indexOf('"schema":"barewitness.run-trace/1"') + 12)
    writeFileSync(packOf(root, 'run-3'), bytes)
    const view = must(await historyView(world, root))
    expect(view.rebuilt).toMatchObject({ taken: ['run-2'], missing: [{ run: 'run-3' }] })
    const said = [...listLines(view)].join('\n')
    expect(said).toContain('Taken into the history from their sealed packs: run-2.')
    expect(said).toContain('The chain names run run-3, and the history has no trace of it')
    expect(await names()).toEqual(['run-1', 'run-2'])
    const again = must(await rebuildHistory(world, root))
    expect(again).toMatchObject({ taken: [], missing: [{ run: 'run-3' }] })
  })

  test('a kept file that cannot be read is put aside and taken from the pack again', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const folder = join(root, 'history')
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.json'))
    const before = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file), before.slice(0, 100))
    const history = must(await world.openHistory(root))
    expect(await history.list()).toMatchObject({ error: { detail: expect.stringContaining('history rebuild') } })
    history.close()
    expect(must(await rebuildHistory(world, root))).toMatchObject({ taken: ['run-1'], putAside: [file] })
    expect(readFileSync(join(folder, file), 'utf8')).toBe(before)
  })

  test('what is sealed in no chain, or not sealed, is never listed among the sealed runs', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const history = must(await world.openHistory(root))
    const kept = must(await history.load('run-1', must(await history.list())[0]?.sealed?.tagManifest ?? null))
    must(await history.keep({ trace: { ...kept.trace, run: 'run-2' }, sealed: null }))
    history.close()
    const view = must(await historyView(world, root))
    expect(view.fleets[0]?.reading.runs.map(({ run: name }) => name)).toEqual(['run-1'])
    expect(view.outside.map(({ run: name }) => name)).toEqual(['run-2'])
    expect([...listLines(view)].join('\n')).toMatch(/run-2 .*NOT SEALED/)
  })
})

test('thirty runs of one unchanged node take the room of one answer', async () => {
  for (let n = 0; n < 30; n += 1) await collected(world, root, `run-${n}`)
  const links = readdirSync(join(root, 'evidence', 'run-7', 'node-b', 'sha256')).map(
    (name) => statSync(join(root, 'evidence', 'run-7', 'node-b', 'sha256', name)).nlink,
  )
  // Each name in 30 recordings and one in the pool; the empty answer is in both nodes.
  expect(links.sort()).toEqual([31, 61])
})
