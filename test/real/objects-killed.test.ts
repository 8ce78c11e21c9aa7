import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openS3 } from '../../main/adapters/objects/s3.ts'
import { restoreFromStore } from '../../main/app/objects/restore.ts'
import { compareWithStore, isWhole } from '../../main/app/objects/verify.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { blobKey, type ObjectStore, parseList } from '../../main/core/objects.ts'
import { folderOfTest } from '../support/folders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { must } from '../support/outcomes.ts'
import { type Radosgw, startRadosgw, whyNoRadosgw } from '../support/radosgw-kit.ts'
import type { Running } from '../support/running-program.ts'
import { digestsBelow } from '../support/same-folders.ts'
import { ENGAGEMENT, engagementFolder, teamProcesses } from '../support/team-processes.ts'

const missing = whyNoRadosgw()
const outside = { now: () => Date.now(), pause: async () => undefined }
/** Documents besides the evidence of the run: a copy takes long enough to be killed in its course. */
const DOCUMENTS = 400
/** The server is killed when the store has so many objects. */
const KILLED_AT = [1, 60, 200, 330] as const

/** Every version with its retention. */
async function keptIn(store: ObjectStore): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>()
  for (const { key, version } of must(await store.versions(''))) {
    const head = must(await store.head(key, version))
    kept.set(`${key} ${version}`, head?.lock?.until ?? '')
  }
  return kept
}

async function listsIn(store: ObjectStore) {
  const lists = must(await store.versions('lists/')).map(async (one) => {
    const text = Buffer.from(await store.stored(one, sha256('')).read()).toString()
    const list = parseList(text)
    if (!list.ok) throw new Error(list.error)
    return list.value
  })
  return await Promise.all(lists)
}

describe.skipIf(missing !== null)(`a killed server and Ceph radosgw${missing === null ? '' : ` (${missing})`}`, () => {
  const kit = keepingKit()
  let rados: Radosgw
  beforeAll(async () => {
    rados = await startRadosgw()
  }, 120_000)
  afterAll(async () => await rados?.stop())

  test(
    'a copy that was killed again and again is completed: each file once, none kept less long, byte for byte',
    async () => {
      const bucket = await rados.newBucket()
      const { endpoint, region, accessKey, secretKey } = rados.place(bucket)
      const folder = folderOfTest('objects-killed')
      writeFileSync(join(folder, 'credentials'), `${accessKey}:${secretKey}\n`, { mode: 0o600 })
      const objects = { years: 6, s3: { endpoint, region, bucket, prefix: 'team', credentialsFile: 'credentials' } }
      const team = await teamProcesses(folder, {
        ...{ count: 1, collectors: { 'frankfurt-1': 'frankfurt' }, config: { objects } },
      })
      onTestFinished(team.close)
      const root = engagementFolder(team)
      await kit.run('run-1', '2026-11-18T10:00:00.000Z')
      cpSync(kit.root(), root, { recursive: true })
      mkdirSync(join(root, 'documents'), { recursive: true })
      for (let at = 0; at < DOCUMENTS; at += 1) {
        const text = `document ${at} ${'x'.repeat(at)}`
        writeFileSync(join(root, 'documents', sha256(text)), text)
      }
      const store = must(await openS3(rados.place(bucket), `team/${ENGAGEMENT}/`, outside))
      const countOf = async (): Promise<number> => must(await store.versions('')).length
      let before: ReadonlyMap<string, string> = new Map()
      let kills = 0
      for (const most of KILLED_AT) {
        const server: Running = await team.startServer()
        while ((await countOf()) < most) await sleep(5)
        await server.kill()
        if ((await listsIn(store)).length === 0) kills += 1
        const now = await keptIn(store)
        for (const [version, until] of before) expect((now.get(version) ?? '') >= until).toBe(true)
        before = now
      }
      // Otherwise the copies ended before they were killed, and nothing was tried.
      expect(kills).toBeGreaterThan(0)
      await team.startServer()
      const input = { root, engagement: ENGAGEMENT }
      const compared = async () => must(await compareWithStore(kit.ports, store, input, false))
      while (!isWhole(await compared())) await sleep(200)
      const found = must(await compareWithStore(kit.ports, store, input, true))
      expect([isWhole(found), found.wasRead, found.hidden]).toEqual([true, true, []])
      const now = await keptIn(store)
      for (const [version, until] of before) expect((now.get(version) ?? '') >= until).toBe(true)
      const lists = await listsIn(store)
      const day = lists.map(({ until }) => until).sort()[0] ?? ''
      expect(Number(day.slice(0, 4))).toBe(new Date().getUTCFullYear() + 6)
      for (const until of now.values()) expect(until >= day).toBe(true)
      // Under the key of its digest alone, whatever was stored before a kill.
      const files = lists.flatMap((list) => list.files)
      const blobs = [...new Set([...now.keys()].map((version) => version.split(' ')[0] ?? ''))].filter((key) =>
        key.startsWith('blobs/'),
      )
      expect(blobs.sort()).toEqual([...new Set(files.map((file) => blobKey(file.sha256)))].sort())
      const listed = files.map(({ path, sha256: digest }) => `${path} ${digest}`)
      expect(new Set(listed).size).toBe(listed.length)
      const to = join(folderOfTest('restored'), 'root')
      must(await restoreFromStore(kit.ports, store, { engagement: ENGAGEMENT, to }))
      const copied = new Set(files.map(({ path }) => path))
      expect(digestsBelow(to)).toEqual(digestsBelow(root, (path) => copied.has(path)))
      expect([...copied].filter((path) => path.startsWith('documents/'))).toHaveLength(DOCUMENTS)
    },
    20 * 60_000,
  )
})
