import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { copyToStore, newCopySession } from '../../main/app/objects/copy.ts'
import { restoreFromStore } from '../../main/app/objects/restore.ts'
import { readState } from '../../main/app/objects/state.ts'
import { compareWithStore, isWhole } from '../../main/app/objects/verify.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { fail, ok } from '../../main/core/base/failure.ts'
import { chainFolderOf } from '../../main/core/base/layout.ts'
import { blobKey, listKey, type ObjectStore, parseList, yearsLater } from '../../main/core/objects.ts'
import { folderOfTest } from '../support/folders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { FLEET } from '../support/kept-runs.ts'
import { objectOf } from '../support/objects-contract.ts'
import { codeOf, detailOf, must } from '../support/outcomes.ts'
import { digestsBelow } from '../support/same-folders.ts'

const kit = keepingKit()
const { ports, run } = kit
let [root, objects] = ['', '']
let store: ObjectStore
beforeEach(async () => {
  root = kit.root()
  objects = kit.freshRoot()
  store = must(await openObjectFolder(objects))
})

const INPUT = { engagement: 'clinic', years: 6 }
const copy = (to = store) => copyToStore(ports, to, { ...INPUT, root })
const compared = async (contents = false) => must(await compareWithStore(ports, store, { ...INPUT, root }, contents))
const restored = async (from = store) => {
  const to = join(folderOfTest('restored'), 'root')
  return { to, done: must(await restoreFromStore(ports, from, { engagement: 'clinic', to })) }
}
/** Files that a copy takes: not its own lists, and nothing that others put here. */
const isOurs = (path: string): boolean => !path.startsWith('object-lists/') && path !== 'notes.txt'

describe('a copy', () => {
  test('of a folder is restored byte for byte, and goes on in the restored one', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await run('run-2', '2026-11-19T10:00:00.000Z')
    writeFileSync(join(root, 'notes.txt'), 'of somebody else')
    mkdirSync(join(root, 'documents'))
    writeFileSync(join(root, 'documents', sha256('policy')), 'policy')
    const first = must(await copy())
    expect(first.files).toBe(Object.keys(digestsBelow(root, isOurs)).length)
    expect(first.objects).toBeLessThan(first.files)
    expect(first.until).toBe(yearsLater('2026-11-19T10:00:00.000Z', 6))
    expect(isWhole(await compared(true))).toBe(true)
    const { to, done } = await restored()
    expect(digestsBelow(to)).toEqual(digestsBelow(root, isOurs))
    expect(done).toMatchObject({ runs: 2, chains: [{ entries: 2 }], ended: [] })
    expect(must(await copyToStore(ports, store, { ...INPUT, root: to })).files).toBe(0)
  })
  test('adds what is new and nothing else', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    must(await copy())
    expect(must(await copy())).toMatchObject({ files: 0, objects: 0, until: null })
    await run('run-2', '2026-11-19T10:00:00.000Z')
    const second = must(await copy())
    const [found] = must(await store.versions(listKey(2)))
    if (found === undefined) throw new Error('no second list')
    const list = parseList(new TextDecoder().decode(await store.stored(found, '').read()))
    if (!list.ok) throw new Error(list.error)
    expect(second.files).toBe(list.value.files.length)
    const paths = list.value.files.map(({ path }) => path)
    expect(paths.filter((path) => path.includes('run-1'))).toEqual([])
    expect(paths.filter((path) => path.endsWith('entries.jsonl')).length).toBe(1)
  })
  test('reads no list again that it read before', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const session = newCopySession()
    const reads: string[] = []
    const counted: ObjectStore = {
      ...store,
      stored: (version, digest) => {
        const content = store.stored(version, digest)
        return {
          ...objectOf(''),
          read: async () => {
            reads.push(version.key)
            return await content.read()
          },
        }
      },
    }
    const again = async () => must(await copyToStore(ports, counted, { ...INPUT, root }, session))
    await again()
    await again()
    expect(new Set(reads).size).toBe(2)
    expect(reads.length).toBe(2)
    await again()
    expect(reads.length).toBe(2)
  })
  test('keeps bytes that a later run has again until the later day', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    must(await copy())
    await run('run-2', '2027-11-18T10:00:00.000Z')
    must(await copy())
    const { files } = must(await readState(store, 'clinic'))
    const [path = ''] = [...files.keys()].filter((one) => /run-2\/node-a\/sha256\//.test(one))
    const [found] = must(await store.versions(blobKey(files.get(path)?.sha256 ?? '')))
    expect(must(await store.head(found?.key ?? '', found?.version ?? ''))?.lock?.until).toBe(
      yearsLater('2027-11-18T10:00:00.000Z', 6),
    )
  })
  test('names what waits, and since when, until the store confirmed it', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const session = newCopySession()
    const away = { ...store, versions: async () => fail('objects.unreachable', 'away') }
    expect(codeOf(await copyToStore(ports, away, { ...INPUT, root }, session))).toBe('objects.unreachable')
    expect(session.waiting.files).toBe(Object.keys(digestsBelow(root, isOurs)).length)
    expect(Date.parse(session.waiting.since ?? '')).toBeLessThanOrEqual(Date.now())
    must(await copyToStore(ports, store, { ...INPUT, root }, session))
    expect(session.waiting).toEqual({ files: 0, since: null })
  })
  test('that ends at any point loses nothing: the next one completes it', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    for (let point = 1; ; point += 7) {
      let [asked, isDone] = [0, false]
      const dying: ObjectStore = {
        ...store,
        put: async (...given) => (++asked > point ? fail('objects.unreachable', 'killed') : await store.put(...given)),
        head: async (...given) =>
          ++asked > point ? fail('objects.unreachable', 'killed') : await store.head(...given),
      }
      isDone = (await copy(dying)).ok
      // Whatever a list names is there.
      expect((await compared(true)).notKept).toEqual([])
      if (isDone) break
      expect(point).toBeLessThan(200)
    }
    expect(isWhole(await compared(true))).toBe(true)
    const { to } = await restored()
    expect(digestsBelow(to)).toEqual(digestsBelow(root, isOurs))
  })
  test('of a file that is written to meanwhile has the state of one moment', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const path = join(root, 'register.json')
    writeFileSync(path, '1')
    let writes = 0
    const slow: ObjectStore = {
      ...store,
      put: async (key, content, until) => {
        if (content.sha256 === sha256('1') && ++writes === 1) writeFileSync(path, '22')
        return await store.put(key, content, until)
      },
    }
    must(await copy(slow))
    const { files } = must(await readState(store, 'clinic'))
    expect(files.get('register.json')?.sha256).toBe(sha256('22'))
    expect(isWhole(await compared(true))).toBe(true)
  })
  test('of a file that is written to all the time fails, and names no state that never was', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const path = join(root, 'register.json')
    writeFileSync(path, '1')
    const busy: ObjectStore = {
      ...store,
      put: async (...given) => {
        appendFileSync(path, '1')
        return await store.put(...given)
      },
    }
    // Each put changes the file, so that its own bytes never are those that were planned.
    const outcome = await copy(busy)
    expect(codeOf(outcome)).toBe('store.failed')
    expect(must(await store.versions('lists/'))).toEqual([])
  })
  test('is refused where the store does not keep what it was given', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const locked = { ...store, locks: true }
    expect(detailOf(await copy(locked))).toContain('can be lifted')
    const forgetful = { ...store, head: async () => ok({ size: 1, lock: null }) }
    expect(codeOf(await copy(forgetful))).toBe('objects.refused')
    const empty = { ...store, head: async () => ok(null) }
    expect(codeOf(await copy(empty))).toBe('objects.refused')
    expect(must(await store.versions('lists/'))).toEqual([])
  })
  test('takes no object for its own that another party put there with other bytes', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const bytes = readFileSync(join(chainFolderOf(root, FLEET), 'chain.json'))
    const other = 'x'.repeat(bytes.length)
    must(await store.put(blobKey(sha256(bytes)), objectOf(other), yearsLater(ports.clock.now(), 6)))
    must(await copy())
    expect((await compared(true)).notKept).toEqual([])
    expect((await compared()).rewritten).toEqual([blobKey(sha256(bytes))])
    const { to } = await restored()
    expect(digestsBelow(to)).toEqual(digestsBelow(root, isOurs))
  })
})

describe('a comparison finds', () => {
  beforeEach(async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    must(await copy())
  })
  test('what the folder has and the store has not, and what differs', async () => {
    writeFileSync(join(root, 'register.json'), '{}')
    const [pack] = Object.keys(digestsBelow(root)).filter((path) => path.endsWith('.barewitness.zip'))
    appendFileSync(join(root, pack ?? ''), 'x')
    const found = await compared()
    expect([found.notCopied, found.differing, isWhole(found)]).toEqual([['register.json'], [pack], false])
  })
  test('what the folder lost, and until when the store keeps it', async () => {
    rmSync(join(root, 'evidence', 'run-1', 'node-a'), { recursive: true })
    const found = await compared()
    expect(found.lost.map(({ path }) => path)).toContain('evidence/run-1/node-a/recording.json')
    expect(new Set(found.lost.map(({ until }) => until))).toEqual(new Set([yearsLater('2026-11-18T10:00:00.000Z', 6)]))
  })
  test('a shorter retention than the list states, and an object that is gone or has other bytes', async () => {
    const { files } = must(await readState(store, 'clinic'))
    // Each has other bytes than the rest.
    const distinct = new Map([...files].filter(([, { size }]) => size > 0).map((one) => [one[1].sha256, one]))
    const [a, b, c] = [...distinct.values()]
    if (a === undefined || b === undefined || c === undefined) throw new Error('too few files')
    const at = (file: { readonly sha256: string }, name: string) => join(objects, blobKey(file.sha256), name)
    writeFileSync(at(a[1], '1.until'), '2027-01-01T00:00:00.000Z\n')
    rmSync(at(b[1], '1'))
    writeFileSync(at(c[1], '1'), 'x'.repeat(c[1].size))
    const why = (found: Awaited<ReturnType<typeof compared>>) => found.notKept.map((one) => one.why)
    expect(why(await compared()).sort()).toEqual([
      'is kept until 2027-01-01T00:00:00.000Z, not until 2032-11-18T10:00:00.000Z',
      'is not there',
    ])
    expect(why(await compared(true))).toContain('has other bytes than its digest states')
  })
  test('a run chain that lost its last entry, and copies nothing more from it', async () => {
    const folder = chainFolderOf(root, FLEET)
    const before = ['entries.jsonl', 'head.json'].map((name) => [name, readFileSync(join(folder, name))] as const)
    await run('run-2', '2026-11-19T10:00:00.000Z')
    must(await copy())
    for (const [name, bytes] of before) writeFileSync(join(folder, name), bytes)
    expect((await compared()).chains).toEqual(['the run chain of “sample fleet” has 1 entries; the store confirms 2'])
    expect(codeOf(await copy())).toBe('objects.altered')
    rmSync(join(root, 'chains'), { recursive: true })
    expect((await compared()).chains.length).toBe(1)
    expect(codeOf(await copy())).toBe('objects.altered')
  })
  test('a list that was written again, of which the first one counts', async () => {
    const [path] = Object.keys(digestsBelow(objects)).filter((one) => one.startsWith('lists/') && one.endsWith('/1'))
    const text = readFileSync(join(objects, path ?? ''), 'utf8')
    const other = `${text.split('\n')[0]}\n`
    must(await store.put(listKey(1), objectOf(other), yearsLater(ports.clock.now(), 6)))
    const found = await compared()
    expect([found.rewritten, found.notCopied]).toEqual([[listKey(1)], []])
  })
})

describe('lists of a store are hostile', () => {
  const list = { schema: 'barewitness.object-list/1', engagement: 'clinic', number: 1, previous: null, locked: false }
  const dates = { at: '2026-11-18T10:00:00.000Z', until: '2032-11-18T10:00:00.000Z' }
  const text = (about: object, ...files: object[]) =>
    [about, ...files].map((line) => `${JSON.stringify(line)}\n`).join('')
  const file = { path: 'evidence/x', size: 1, sha256: 'a'.repeat(64) }

  test.each([
    ['no list', 'other\n'],
    ['no end', text({ ...list, ...dates }).slice(0, -1)],
    ['another schema', text({ ...list, ...dates, schema: 'x' })],
    ['more members', text({ ...list, ...dates, more: 1 })],
    ['no day', text({ ...list, ...dates, until: 'later' })],
    ['a path that leads out', text({ ...list, ...dates }, { ...file, path: '../x' })],
    ['an absolute path', text({ ...list, ...dates }, { ...file, path: '/etc/x' })],
    ['a size that is none', text({ ...list, ...dates }, { ...file, size: -1 })],
    ['a digest that is none', text({ ...list, ...dates }, { ...file, sha256: '../x' })],
    ['a path twice', text({ ...list, ...dates }, file, file)],
  ])('%s is refused', (_, given) => {
    expect(parseList(given).ok).toBe(false)
  })
  test('one of another engagement, number or chain of lists is refused', async () => {
    for (const about of [
      { ...list, engagement: 'other' },
      { ...list, number: 2 },
      { ...list, previous: 'b'.repeat(64) },
    ]) {
      const other = must(await openObjectFolder(kit.freshRoot()))
      must(await other.put(listKey(1), objectOf(text({ ...about, ...dates })), dates.until))
      expect(codeOf(await restoreFromStore(ports, other, { engagement: 'clinic', to: folderOfTest('to') }))).toBe(
        'objects.altered',
      )
    }
  })
  test('a missing one between two is noticed', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    must(await copy())
    for (const name of ['run-2', 'run-3']) {
      await run(name, '2026-11-19T10:00:00.000Z')
      must(await copy())
    }
    rmSync(join(objects, listKey(2)), { recursive: true })
    expect(codeOf(await copy())).toBe('objects.altered')
  })
})

test('after the first lists have expired and were deleted, the rest is read on, and what they named is copied again', async () => {
  await run('run-1', '2026-11-18T10:00:00.000Z')
  must(await copy())
  await run('run-2', '2026-11-19T10:00:00.000Z')
  must(await copy())
  rmSync(join(objects, listKey(1)), { recursive: true })
  const state = must(await readState(store, 'clinic'))
  expect([state.first, state.last?.number]).toEqual([2, 2])
  expect((await compared()).notCopied.some((path) => path.includes('run-1'))).toBe(true)
  must(await copy())
  expect(isWhole(await compared(true))).toBe(true)
  const { to } = await restored()
  expect(digestsBelow(to)).toEqual(digestsBelow(root, isOurs))
})

test('nothing is restored over other files, or from an empty store', async () => {
  await run('run-1', '2026-11-18T10:00:00.000Z')
  expect(codeOf(await restoreFromStore(ports, store, { engagement: 'clinic', to: root }))).toBe('input.refused')
  const to = folderOfTest('to')
  expect(codeOf(await restoreFromStore(ports, store, { engagement: 'clinic', to }))).toBe('input.not-found')
})
