import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { blockingPace, poolIn } from '../main/adapters/store/durable.ts'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { waitingBytes } from '../main/adapters/store/recording-files.ts'
import { measuredCapture } from '../main/app/collect/captures.ts'
import { sha256 } from '../main/core/base/digest.ts'
import type { Recording } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { folderOfTest } from './support/folders.ts'
import { must } from './support/outcomes.ts'

let root = ''
beforeEach(() => {
  root = folderOfTest('pool')
})

const ANSWERS = Array.from({ length: 20 }, (_, n) =>
  measuredCapture('test.probe', `c${n}`, 'nonce', { n, filler: 'x'.repeat(9000) }, '2026-11-20T09:12:00.000Z'),
)
const first = ANSWERS[0]?.meta.stdout.sha256 ?? ''

/** One run of an unchanged node. */
async function collect(run: string): Promise<void> {
  const recording: Recording = { ...fixtureRecording('demo-gpu-01', []).recording, run, id: 'n1' }
  const failure = { code: 'run.cancelled', detail: 'test' } as const
  const store = must(await openEvidenceStore(root, validator))
  const writer = must(await store.begin({ ...recording, outcome: { status: 'partial', failure } }))
  for (const appended of await Promise.all(ANSWERS.map(writer.append))) must(appended)
  must(await writer.finish(recording))
}

async function expectWhole(run: string): Promise<void> {
  const store = must(await openEvidenceStore(root, validator))
  const { captures } = must(await store.load(run, 'n1'))
  expect(captures.map(({ stdout }) => sha256(stdout))).toEqual(ANSWERS.map(({ stdout }) => sha256(stdout)))
}

const kilobytes = (): number => Number(execFileSync('du', ['-sk', root]).toString().split('\t')[0])
const pooled = (digest: string): string => join(root, 'sha256', digest.slice(0, 2), digest)
const blob = (run: string, digest: string): string => join(root, run, 'n1', 'sha256', digest)

test('thirty runs of one unchanged node take little more room than one, and each is whole by itself', async () => {
  await collect('r0')
  const one = kilobytes()
  for (let n = 1; n < 30; n += 1) await collect(`r${n}`)
  // What is a run's own: its list of answers, what it says of itself, and its folders.
  expect(kilobytes() - one).toBeLessThan(29 * 32)
  expect(one).toBeGreaterThan(200)
  rmSync(join(root, 'sha256'), { recursive: true })
  for (let n = 0; n < 30; n += 1) await expectWhole(`r${n}`)
})

test('the pool is no run, whatever is asked', async () => {
  await collect('r0')
  const store = must(await openEvidenceStore(root, validator))
  expect(await store.runs()).toEqual({ ok: true, value: ['r0'] })
  expect(await store.list('sha256')).toEqual({ ok: true, value: [] })
  expect(await store.load('sha256', first.slice(0, 2))).toMatchObject({ error: { code: 'input.refused' } })
})

test.each([
  ['other bytes', (path: string) => writeFileSync(path, 'damaged')],
  ['other bytes of the same size', (path: string) => writeFileSync(path, readFileSync(path).fill(7))],
  [
    'a link',
    (path: string) => {
      unlinkSync(path)
      symlinkSync('/etc/hostname', path)
    },
  ],
])(
  'a pool that holds %s: what is new is right, and the pool is repaired without touching what was there',
  async (_, damage) => {
    await collect('r0')
    damage(pooled(first))
    const before = readFileSync(blob('r0', first))
    await collect('r1')
    await expectWhole('r1')
    expect(readFileSync(blob('r0', first)).equals(before)).toBe(true)
    expect(sha256(readFileSync(pooled(first)))).toBe(first)
    expect(statSync(pooled(first)).ino).toBe(statSync(blob('r1', first)).ino)
    await collect('r2')
    expect(statSync(blob('r2', first)).ino).toBe(statSync(blob('r1', first)).ino)
  },
)

test.each([
  ['quick', 0],
  ['slow', 5],
])(
  'on a %s file system, bytes that this process put a moment ago are linked while the pool is unchanged',
  async (_, milliseconds) => {
    let time = 0
    const put = poolIn(root, () => {
      time += milliseconds
      return time
    })
    const bytes = Buffer.from('the same on many nodes')
    const digest = sha256(bytes)
    const path = (n: number): string => join(root, `f${n}`)
    for (let n = 0; n < 12; n += 1) await put(path(n), digest, bytes)
    const inode = statSync(pooled(digest)).ino
    for (let n = 0; n < 12; n += 1) expect(statSync(path(n)).ino).toBe(inode)
    unlinkSync(pooled(digest))
    writeFileSync(pooled(digest), 'the same on many NODES')
    await put(path(12), digest, bytes)
    expect(readFileSync(path(12)).equals(bytes)).toBe(true)
    expect(statSync(path(12)).ino).toBe(statSync(pooled(digest)).ino)
    rmSync(join(root, 'sha256'), { recursive: true })
    await put(path(13), digest, bytes)
    for (let n = 0; n <= 13; n += 1) expect(readFileSync(path(n)).equals(bytes)).toBe(true)
  },
)

test.each([
  ['none was slow', [0.01, 0.02, 0.5], true],
  ['three in a row', [9, 9, 9], true],
  ['slow ones between quick ones', [9, 0.01, 9, 0.01, 9, 0.01, 9, 0.01], true],
  ['four in a row', [0.01, 9, 9, 9, 9], false],
  ['four more slow than quick ones', [9, 9, 0.01, 9, 9, 9], false],
] as const)('the thread may wait for the file system: %s', (_, took, mayBlock) => {
  const pace = blockingPace()
  for (const milliseconds of took) pace.took(milliseconds)
  expect(pace.mayBlock()).toBe(mayBlock)
})

test('after a slow time, a quick file system is tried again', () => {
  const pace = blockingPace()
  for (let n = 0; n < 4; n += 1) pace.took(9)
  const tried = Array.from({ length: 501 }, () => pace.mayBlock())
  expect(tried.indexOf(true)).toBe(500)
})

test('equal bytes that wait for the disk are held once, until the last of their holders releases them', () => {
  const waiting = waitingBytes()
  const [one, same, other] = ['x', 'x', 'y'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
  const held = [waiting.hold(one), waiting.hold(same)]
  expect(held.map(({ bytes }) => bytes === one)).toEqual([true, true])
  expect(waiting.hold(other).bytes).toBe(other)
  for (const each of held) waiting.release(each)
  expect(waiting.hold(same).bytes).toBe(same)
})

test('a pool that cannot be made costs room and nothing else', async () => {
  writeFileSync(join(root, 'sha256'), 'in the way')
  await collect('r0')
  await collect('r1')
  await expectWhole('r0')
  await expectWhole('r1')
})

test('what no recording holds any more is swept out of the pool, the rest stays', async () => {
  await collect('r0')
  const own = pooled('0'.repeat(64))
  execFileSync('mkdir', ['-p', join(root, 'sha256', '00')])
  writeFileSync(own, 'of a run that is gone')
  const store = must(await openEvidenceStore(root, validator))
  expect(must(await store.sweep())).toBe(21)
  rmSync(join(root, 'r0'), { recursive: true })
  expect(must(await store.sweep())).toBeGreaterThan(20 * 9000)
  expect(readdirSync(join(root, 'sha256'))).toEqual([])
})
