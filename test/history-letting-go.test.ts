import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { appendSigned } from '../main/app/history/append-signed.ts'
import { backUp, restore } from '../main/app/history/backup.ts'
import { chainsBelow, historyView } from '../main/app/history/rebuild-history.ts'
import { retain } from '../main/app/history/retention.ts'
import { listLines } from '../main/cli/commands/history.ts'
import { ok } from '../main/core/base/failure.ts'
import { chainFolderOf } from '../main/core/base/layout.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { Checkpoint } from '../main/core/run-chain/head.ts'
import type { VerifiedPack } from '../main/verify/pack.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { collected, FLEET, packOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { outcomes, verifySource } from './support/sample-pack.ts'
import { leaveReserved, withoutLinks } from './support/without-links.ts'

const kit = keepingKit()
const { ports, time, freshRoot, run, names } = kit
let root = ''
let signer: Signer
beforeEach(() => {
  root = kit.root()
  signer = kit.signer()
})

async function read(path: string, lastHead: Checkpoint | null): Promise<VerifiedPack> {
  const pack = must(await ports.packs.open(path))
  const said = await verifySource(pack, [], lastHead === null ? {} : { lastHead })
  await pack.close()
  return said
}

const verified = async (path: string): Promise<Readonly<Record<string, string>>> => outcomes(await read(path, null))

describe('retention', () => {
  const policy = { years: 6, why: '', evenInPeriods: false }
  const openSigner = async () => ok(signer)

  test('lists first; then enters each run, signed, removes it, and leaves chain and later packs as they are', async () => {
    await run('run-1', '2019-05-01T10:00:00.000Z')
    await run('run-2', '2019-06-01T10:00:00.000Z')
    await run('run-3', '2026-11-20T10:00:00.000Z')
    const begin = { fleet: FLEET, chainFolder: chainFolderOf(root, FLEET), openSigner }
    must(
      await appendSigned(ports, begin, (at, key) =>
        ok([{ kind: 'baseline', run: 'run-2', at, fleet: FLEET, why: 'agreed', signer: key }]),
      ),
    )
    const dry = must(await retain(ports, { root, ...policy, openSigner: null }))
    expect(dry).toMatchObject({ applied: false, due: [{ run: 'run-1' }], stays: [{ run: 'run-2' }] })
    expect(existsSync(packOf(root, 'run-1'))).toBe(true)
    const done = must(await retain(ports, { root, ...policy, openSigner }))
    expect(done).toMatchObject({ applied: true, due: [{ run: 'run-1' }], stays: [{ run: 'run-2' }] })
    expect([`${root}/run-1`, `${root}/evidence/run-1`].filter(existsSync)).toEqual([])
    expect(await names()).toEqual(['run-2', 'run-3'])
    const [chain] = must(await chainsBelow(ports, root))
    expect(chain?.chain.entries.map(({ entry }) => entry.kind)).toEqual(['run', 'run', 'run', 'baseline', 'retired'])
    expect(chain?.chain.entries[4]?.signature).not.toBeNull()
    await run('run-4', '2026-11-21T10:00:00.000Z')
    const [third, fourth] = [await read(packOf(root, 'run-3'), null), await read(packOf(root, 'run-4'), null)]
    expect([third, fourth].map((one) => outcomes(one).integrity)).toEqual(['passed', 'passed'])
    // For who last saw the chain before anything was let go, it goes on from there.
    expect(outcomes(await read(packOf(root, 'run-4'), third.head))).toMatchObject({ continuity: 'passed' })
    const view = must(await historyView(ports, root))
    expect(view.rebuilt).toBeNull()
    expect([...listLines(view)].join('\n')).toContain('deleted under the retention policy')
    expect(must(await retain(ports, { root, ...policy, openSigner })).due).toMatchObject([{ entered: true }])
    expect(must(await chainsBelow(ports, root))[0]?.chain.entries).toHaveLength(6)
  })

  test('killed between entering and removing: the next call removes the rest', async () => {
    await run('run-1', '2019-05-01T10:00:00.000Z')
    time.now = '2026-11-20T10:00:00.000Z'
    const stuck = { ...ports, files: { ...ports.files, remove: async () => Promise.reject(new Error('killed')) } }
    await expect(retain(stuck, { root, ...policy, openSigner })).rejects.toThrow('killed')
    expect(existsSync(packOf(root, 'run-1'))).toBe(true)
    rmSync(packOf(root, 'run-1'))
    must(await retain(ports, { root, ...policy, openSigner }))
    expect(existsSync(join(root, 'run-1'))).toBe(false)
    expect(existsSync(join(root, 'evidence', 'run-1'))).toBe(false)
    expect(must(await chainsBelow(ports, root))[0]?.chain.entries).toHaveLength(2)
  })

  test('a folder that holds another pack than the retired one stays; fewer years need a reason', async () => {
    await run('run-1', '2019-05-01T10:00:00.000Z')
    await run('run-2', '2026-11-20T10:00:00.000Z')
    writeFileSync(packOf(root, 'run-1'), readFileSync(packOf(root, 'run-2')))
    const done = must(await retain(ports, { root, ...policy, openSigner }))
    expect(done.stays).toMatchObject([{ run: 'run-1', why: expect.stringContaining('another pack') }])
    expect([packOf(root, 'run-1'), join(root, 'evidence', 'run-1')].every(existsSync)).toBe(true)
    expect(must(await chainsBelow(ports, root))[0]?.chain.entries).toHaveLength(2)
    expect(await retain(ports, { root, ...policy, years: 2, openSigner })).toMatchObject({
      error: { code: 'input.refused' },
    })
  })

  test('a run that another program holds stays until that is done; none can begin it while it is removed', async () => {
    await run('run-1', '2019-05-01T10:00:00.000Z')
    time.now = '2026-11-20T10:00:00.000Z'
    const going = must(await ports.files.hold(join(root, 'evidence', 'run-1')))
    expect(must(await retain(ports, { root, ...policy, openSigner }))).toMatchObject({
      due: [],
      stays: [{ run: 'run-1', why: expect.stringContaining('another program is using its evidence') }],
    })
    expect(must(await chainsBelow(ports, root))[0]?.chain.entries).toHaveLength(1)
    await going.release()
    const attempts: boolean[] = []
    const watched = async (path: string) => {
      if (path.endsWith('evidence/run-1')) attempts.push((await ports.files.hold(path, 0)).ok)
      return await ports.files.remove(path)
    }
    must(await retain({ ...ports, files: { ...ports.files, remove: watched } }, { root, ...policy, openSigner }))
    expect(attempts).toEqual([false])
    expect(existsSync(join(root, 'evidence', 'run-1'))).toBe(false)
  })

  test('links are never followed: what they lead to stays, and a folder that is one is left to a person', async () => {
    const elsewhere = freshRoot()
    writeFileSync(join(elsewhere, 'kept.txt'), 'not ours')
    for (const name of ['run-1', 'run-2', 'run-3']) await run(name, '2019-05-01T10:00:00.000Z')
    symlinkSync(elsewhere, join(root, 'run-1', 'inside'))
    symlinkSync(elsewhere, join(root, 'evidence', 'run-1', 'inside'))
    mkdirSync(join(elsewhere, 'moved'))
    renameSync(join(root, 'evidence', 'run-2'), join(elsewhere, 'moved', 'evidence'))
    symlinkSync(join(elsewhere, 'moved', 'evidence'), join(root, 'evidence', 'run-2'))
    renameSync(join(root, 'run-3'), join(elsewhere, 'moved', 'pack'))
    symlinkSync(join(elsewhere, 'moved', 'pack'), join(root, 'run-3'))
    time.now = '2026-11-20T10:00:00.000Z'
    const before = readdirSync(elsewhere, { recursive: true }).sort()
    const done = must(await retain(ports, { root, ...policy, openSigner }))
    expect(done.due).toMatchObject([{ run: 'run-1' }])
    expect(done.stays.map((one) => [one.run, one.why.includes('a link or a file')])).toEqual([
      ['run-2', true],
      ['run-3', true],
    ])
    expect(existsSync(join(root, 'run-1'))).toBe(false)
    expect(readdirSync(elsewhere, { recursive: true }).sort()).toEqual(before)
    expect(readFileSync(join(elsewhere, 'kept.txt'), 'utf8')).toBe('not ours')
  })
})

describe('backup and restore', () => {
  test('a root comes back whole: chain, history, evidence, packs that verify; the same root gives the same archive', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await run('run-2', '2026-11-19T10:00:00.000Z')
    writeFileSync(join(root, 'private.txt'), 'not ours')
    for (const path of ['schedules/nightly/attempts.jsonl', 'register.json', 'periods/q1/period.json', 'fleet.json']) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), path)
    }
    const place = freshRoot()
    const archive = join(place, 'backup.zip')
    const made = must(await backUp(ports, root, archive))
    expect(made).toMatchObject({ notIncluded: [], notOurs: ['private.txt'] })
    expect(await backUp(ports, root, archive)).toMatchObject({ error: { code: 'input.refused' } })
    // A backup that was killed on a file system without links.
    leaveReserved(join(place, 'again.zip'))
    withoutLinks()
    must(await backUp(ports, root, join(place, 'again.zip')))
    expect(readFileSync(archive).equals(readFileSync(join(place, 'again.zip')))).toBe(true)
    const to = join(place, 'restored')
    const done = must(await restore(ports, archive, to))
    expect(done).toMatchObject({ runs: 2, chains: [{ fleet: FLEET, entries: 2 }] })
    expect(await names(to)).toEqual(['run-1', 'run-2'])
    for (const name of ['run-1', 'run-2']) {
      expect(readFileSync(packOf(to, name)).equals(readFileSync(packOf(root, name)))).toBe(true)
      expect(await verified(packOf(to, name))).toMatchObject({ integrity: 'passed', reproducibility: 'passed' })
      const loaded = must(await ports.readRecordings([`${to}/evidence/${name}`]))
      for (const one of loaded) must(await one.load())
    }
    expect(existsSync(join(to, 'private.txt'))).toBe(false)
    expect(readdirSync(to).sort()).toEqual([
      'chains',
      'evidence',
      'fleet.json',
      'history',
      'periods',
      'register.json',
      'run-1',
      'run-2',
      'schedules',
    ])
    expect(readFileSync(join(to, 'schedules/nightly/attempts.jsonl'), 'utf8')).toBe('schedules/nightly/attempts.jsonl')
    expect(await restore(ports, archive, to)).toMatchObject({ error: { code: 'input.refused' } })
  })

  const blobsBelow = (folder: string): ReadonlyMap<string, number> =>
    new Map(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /(^|\/)sha256\/(..\/)?[0-9a-f]{64}$/.test(path))
        .map((path) => [path, statSync(join(folder, path)).ino]),
    )

  test('evidence that is restored shares its bytes with the pool, and with what is collected later', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await run('run-2', '2026-11-19T10:00:00.000Z')
    const place = freshRoot()
    const archive = join(place, 'backup.zip')
    must(await backUp(ports, root, archive))
    const to = join(place, 'restored')
    must(await restore(ports, archive, to))
    const [before, after] = [blobsBelow(join(root, 'evidence')), blobsBelow(join(to, 'evidence'))]
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    expect(new Set(after.values()).size).toBe(new Set(before.values()).size)
    await collected(ports, to, 'run-3')
    const later = [...blobsBelow(join(to, 'evidence'))].filter(([path]) => path.startsWith('run-3/'))
    expect(later.some(([, inode]) => [...after.values()].includes(inode))).toBe(true)
  })

  test('without second names, each file is restored with its own bytes', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    const place = freshRoot()
    const archive = join(place, 'backup.zip')
    must(await backUp(ports, root, archive))
    const to = join(place, 'restored')
    const plain = { ...ports, files: { ...ports.files, linkNew: async () => ok(false) } }
    must(await restore(plain, archive, to))
    expect(existsSync(join(to, 'evidence/sha256'))).toBe(false)
    for (const one of must(await ports.readRecordings([`${to}/evidence/run-1`]))) must(await one.load())
    const after = blobsBelow(join(to, 'evidence'))
    expect(new Set(after.values()).size).toBe(after.size)
  })

  test('a run that is being collected is left out and named; an archive with a changed byte is refused, nothing written', async () => {
    await run('run-1', '2026-11-18T10:00:00.000Z')
    await collected(ports, root, 'run-2')
    const going = must(await ports.files.hold(`${root}/evidence/run-2`))
    const place = freshRoot()
    const archive = join(place, 'backup.zip')
    expect(must(await backUp(ports, root, archive)).notIncluded).toEqual(['evidence/run-2: collection in progress'])
    await going.release()
    const bytes = readFileSync(archive)
    const at = bytes.indexOf('"path":"chains')
    bytes.write('X', at + 9)
    writeFileSync(archive, bytes)
    const refused = await restore(ports, archive, join(place, 'restored'))
    expect(refused.ok).toBe(false)
    expect(existsSync(join(place, 'restored'))).toBe(false)
  })
})
