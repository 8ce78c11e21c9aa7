import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openS3 } from '../../main/adapters/objects/s3.ts'
import { copyToStore } from '../../main/app/objects/copy.ts'
import { restoreFromStore } from '../../main/app/objects/restore.ts'
import { compareWithStore, isWhole } from '../../main/app/objects/verify.ts'
import { objectsCommand } from '../../main/cli/commands/objects.ts'
import { EXIT } from '../../main/cli/parts/options.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { ObjectStore, ObjectVersion } from '../../main/core/objects.ts'
import { completeLines, linesInOrder } from '../../main/server/edge/log-lines.ts'
import { compareAuditLog, startAuditCopies } from '../../main/server/edge/services/audit-copies.ts'
import { openAuditLog } from '../../main/server/edge/services/audit-file.ts'
import { auditEvent } from '../../main/server/edge/services/parts.ts'
import { commandLine } from '../support/command-line.ts'
import { folderOfTest } from '../support/folders.ts'
import { keepingKit } from '../support/keeping-kit.ts'
import { daysAhead, objectOf, objectsContract } from '../support/objects-contract.ts'
import { codeOf, detailOf, must } from '../support/outcomes.ts'
import { type Radosgw, startRadosgw, whyNoRadosgw } from '../support/radosgw-kit.ts'
import { digestsBelow } from '../support/same-folders.ts'

const missing = whyNoRadosgw()
const outside = { now: () => Date.now(), pause: async () => undefined }

describe.skipIf(missing !== null)(`Ceph radosgw${missing === null ? '' : ` (${missing})`}`, () => {
  let rados: Radosgw
  let bucket: string
  beforeAll(async () => {
    rados = await startRadosgw()
    bucket = await rados.newBucket()
  }, 120_000)
  afterAll(async () => await rados?.stop())

  objectsContract('a bucket', () => openS3(rados.place(bucket), 'some/prefix/', outside))

  describe('the owner of the bucket, with all its rights,', () => {
    let store: ObjectStore
    let kept: ObjectVersion
    const until = daysAhead(30)
    const [text, key] = ['evidence of a run', 'owner/evidence']
    beforeAll(async () => {
      store = must(await openS3(rados.place(bucket), '', outside))
      must(await store.put(key, objectOf(text), until))
      const [found] = must(await store.versions(key))
      if (found === undefined) throw new Error('not stored')
      kept = found
    })
    const isUnchanged = async (): Promise<void> => {
      expect(must(await store.head(key, kept.version))).toEqual({
        size: text.length,
        lock: { mode: 'COMPLIANCE', until },
      })
      expect(sha256(await store.stored(kept, sha256(text)).read())).toBe(sha256(text))
    }
    const retention = (mode: string, day: string): string =>
      `<Retention><Mode>${mode}</Mode><RetainUntilDate>${day}</RetainUntilDate></Retention>`
    const ofVersion = (query = ''): string => `${bucket}/${key}?${query}versionId=${kept.version}`

    test('cannot delete a version', async () => {
      expect((await rados.asOwner({ verb: 'DELETE', target: ofVersion() })).status).toBe(403)
      await isUnchanged()
    })
    test('cannot delete it with the header that lifts GOVERNANCE', async () => {
      const headers = { 'x-amz-bypass-governance-retention': 'true' }
      expect((await rados.asOwner({ verb: 'DELETE', target: ofVersion(), headers })).status).toBe(403)
      await isUnchanged()
    })
    test('cannot delete many at once', async () => {
      const body = `<Delete><Object><Key>${key}</Key><VersionId>${kept.version}</VersionId></Object></Delete>`
      const answer = await rados.asOwner({ verb: 'POST', target: `${bucket}?delete=`, body })
      expect(answer.body).toContain('<Error>')
      await isUnchanged()
    })
    test.each([
      ['shorten its retention', 'COMPLIANCE', 1],
      ['change it to GOVERNANCE', 'GOVERNANCE', 30],
      ['change it to GOVERNANCE for longer', 'GOVERNANCE', 60],
    ])('cannot %s', async (_, mode, days) => {
      for (const headers of [{}, { 'x-amz-bypass-governance-retention': 'true' }]) {
        const body = retention(mode, daysAhead(days))
        const answer = await rados.asOwner({ verb: 'PUT', target: ofVersion('retention=&'), headers, body })
        expect(answer.status).toBe(403)
      }
      await isUnchanged()
    })
    test('cannot suspend versions, or delete the bucket', async () => {
      const body = '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>'
      const suspended = await rados.asOwner({ verb: 'PUT', target: `${bucket}?versioning=`, body })
      expect(suspended.status).toBeGreaterThanOrEqual(400)
      expect((await rados.asOwner({ verb: 'DELETE', target: bucket })).status).toBeGreaterThanOrEqual(400)
      await isUnchanged()
    })
    test('overwrites without effect on the version that was kept', async () => {
      expect((await rados.asOwner({ verb: 'PUT', target: `${bucket}/${key}`, body: 'other bytes' })).status).toBe(200)
      const found = must(await store.versions(key))
      expect(found[0]).toEqual(kept)
      expect(found.length).toBe(2)
      await isUnchanged()
    })
    test('hides it behind a delete marker, which is reported; it is read all the same', async () => {
      expect((await rados.asOwner({ verb: 'DELETE', target: `${bucket}/${key}` })).status).toBe(204)
      expect((await rados.asOwner({ verb: 'GET', target: `${bucket}/${key}` })).status).toBe(404)
      expect(must(await store.versions(key))[0]).toEqual({ ...kept, hidden: true })
      await isUnchanged()
    })
  })

  describe('a bucket', () => {
    test.each([
      ['without Object Lock', { lock: false }, 'has no Object Lock'],
      ['without versions', { lock: false, versions: false }, 'keeps no versions'],
    ])('%s is refused', async (_, options, words) => {
      const found = await openS3(rados.place(await rados.newBucket(options)), '', outside)
      expect([codeOf(found), detailOf(found)]).toEqual(['objects.refused', expect.stringContaining(words)])
      expect(detailOf(found)).toContain('create a bucket with Object Lock enabled')
    })
    test('that does not exist is refused, and so are other credentials', async () => {
      expect(detailOf(await openS3(rados.place('no-such-bucket'), '', outside))).toContain('does not exist')
      const place = rados.place(bucket)
      for (const other of [{ secretKey: 'other' }, { accessKey: 'other' }])
        expect(codeOf(await openS3({ ...place, ...other }, '', outside))).toBe('objects.refused')
    })
    test('of a store whose clock differs is refused', async () => {
      for (const ahead of [-600_000, 600_000]) {
        const found = await openS3(rados.place(bucket), '', { ...outside, now: () => Date.now() + ahead })
        expect([codeOf(found), detailOf(found)]).toEqual(['objects.refused', expect.stringContaining('its clock is')])
      }
    })
    test('with many objects is listed over several pages', async () => {
      const store = must(await openS3(rados.place(await rados.newBucket()), '', outside))
      const names = Array.from({ length: 1020 }, (_, n) => `many/${String(n).padStart(4, '0')}`)
      for (let at = 0; at < names.length; at += 20)
        await Promise.all(
          names.slice(at, at + 20).map(async (one) => must(await store.put(one, objectOf(one), daysAhead(1)))),
        )
      expect(must(await store.versions('')).map(({ key }) => key)).toEqual(names)
    })
  })

  test('the audit log is kept as it was copied, whatever the owner of the bucket and the account of the server do', async () => {
    const own = await rados.newBucket()
    const store = must(await openS3(rados.place(own), 'team/_audit-logs/', outside))
    const file = join(folderOfTest('audit'), 'audit.jsonl')
    const audit = must(await openAuditLog(file))
    const event = (node: string) => auditEvent({ now: () => 0 }, null, { kind: 'call', of: { node } })
    for (const node of ['a', 'b', 'c']) await audit.append(event(node))
    const copying = {
      openStore: async () => ok(store),
      ...{ place: 'here', file, head: audit.head, years: 6, everyMs: 600_000, now: () => new Date().toISOString() },
    }
    const copies = startAuditCopies(copying, () => undefined)
    await copies.now()
    expect(copies.state()).toEqual({ waiting: 0, isFailing: false })
    await copies.close()
    await audit.close()
    for (const { key, version } of must(await store.versions(''))) {
      const target = `${own}/team/_audit-logs/${key}`
      expect((await rados.asOwner({ verb: 'PUT', target, body: 'other entries' })).status).toBe(200)
      expect((await rados.asOwner({ verb: 'DELETE', target })).status).toBe(204)
      expect((await rados.asOwner({ verb: 'DELETE', target: `${target}?versionId=${version}` })).status).toBe(403)
    }
    const compared = async () => must(await compareAuditLog(store, 'here', linesInOrder(completeLines(file))))
    expect(await compared()).toEqual({ kept: 3, problems: [], others: [] })
    writeFileSync(file, '')
    const anew = must(await openAuditLog(file))
    for (const node of ['a', 'x', 'c', 'd']) await anew.append(event(node))
    await anew.close()
    expect((await compared()).problems).toEqual([expect.stringContaining('entry 2')])
  })

  describe('an engagement', () => {
    const kit = keepingKit()
    const now = new Date()
    const ports = { ...kit.ports, clock: { ...kit.ports.clock, now: () => now.toISOString() } }

    test('goes to a bucket and back byte for byte, whatever its owner does meanwhile', async () => {
      const own = await rados.newBucket()
      const store = must(await openS3(rados.place(own), 'team/clinic/', outside))
      const root = kit.root()
      await kit.run('run-1', '2026-11-18T10:00:00.000Z')
      const input = { root, engagement: 'clinic', years: 6 }
      must(await copyToStore(ports, store, input))
      await kit.run('run-2', '2026-11-19T10:00:00.000Z')
      const second = must(await copyToStore(ports, store, input))
      expect(second.until?.slice(0, 4)).toBe(String(now.getUTCFullYear() + 6))
      expect(isWhole(must(await compareWithStore(ports, store, input, true)))).toBe(true)
      const before = digestsBelow(root, (path) => !path.startsWith('object-lists/'))
      // Of every object: other bytes on top, then a delete marker. Of its versions, what the lock permits: nothing.
      for (const { key, version } of must(await store.versions(''))) {
        const target = `${own}/team/clinic/${key}`
        expect((await rados.asOwner({ verb: 'PUT', target, body: 'other bytes' })).status).toBe(200)
        expect((await rados.asOwner({ verb: 'DELETE', target })).status).toBe(204)
        expect((await rados.asOwner({ verb: 'DELETE', target: `${target}?versionId=${version}` })).status).toBe(403)
      }
      const found = must(await compareWithStore(ports, store, input, true))
      expect([found.notKept, found.notCopied, found.differing, found.lost]).toEqual([[], [], [], []])
      expect(found.hidden.length).toBe(found.rewritten.length)
      expect(found.hidden.length).toBeGreaterThan(found.objects)
      const to = join(kit.freshRoot(), 'restored')
      must(await restoreFromStore(ports, store, { engagement: 'clinic', to }))
      expect(digestsBelow(to)).toEqual(before)
    })
    test('in a folder that was restored goes on in the same bucket', async () => {
      const store = must(await openS3(rados.place(await rados.newBucket()), '', outside))
      await kit.run('run-1', '2026-11-18T10:00:00.000Z')
      must(await copyToStore(ports, store, { root: kit.root(), engagement: 'clinic', years: 6 }))
      const to = join(kit.freshRoot(), 'restored')
      must(await restoreFromStore(ports, store, { engagement: 'clinic', to }))
      expect(must(await copyToStore(ports, store, { root: to, engagement: 'clinic', years: 6 })).files).toBe(0)
    })
    test('is copied, verified and restored by the commands, as a configuration names the bucket', async () => {
      const own = await rados.newBucket()
      const { endpoint, region, accessKey, secretKey } = rados.place(own)
      const folder = kit.freshRoot()
      writeFileSync(join(folder, 'credentials'), `${accessKey}:${secretKey}\n`, { mode: 0o600 })
      const config = join(folder, 'team.json')
      writeFileSync(
        config,
        JSON.stringify({
          schema: 'barewitness.team/1',
          listen: { address: '127.0.0.1', port: 0 },
          oidc: { issuer: 'https://id.example.com', clientId: 'c', rolesClaim: 'roles' },
          roles: { a: 'officer' },
          engagements: [{ name: 'clinic', folder: kit.root(), enter: { people: ['x'] } }],
          auditLog: 'audit.jsonl',
          objects: { s3: { endpoint, region, bucket: own, prefix: 'team', credentialsFile: 'credentials' } },
        }),
      )
      const cli = commandLine(() => ports, objectsCommand)
      const objects = async (verb: string, ...more: string[]): Promise<number> =>
        await cli.run('objects', verb, '--config', config, '--engagement', 'clinic', ...more)
      await kit.run('run-1', '2026-11-18T10:00:00.000Z')
      expect(await objects('copy')).toBe(EXIT.done)
      expect(cli.told).toContain('locked until')
      expect(await objects('verify', '--contents')).toBe(EXIT.done)
      const [{ key = '' } = {}] = must(await must(await openS3(rados.place(own), 'team/clinic/', outside)).versions(''))
      expect((await rados.asOwner({ verb: 'DELETE', target: `${own}/team/clinic/${key}` })).status).toBe(204)
      expect(await objects('verify')).toBe(EXIT.gaps)
      expect(cli.told).toContain('Behind a delete marker, and still kept')
      const to = join(folder, 'restored')
      expect(await objects('restore', '--to', to)).toBe(EXIT.done)
      expect(digestsBelow(to)).toEqual(digestsBelow(kit.root(), (path) => !path.startsWith('object-lists/')))
    })
  })
})
