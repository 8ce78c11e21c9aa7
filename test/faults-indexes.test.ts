import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { openHistoryStore } from '../main/adapters/store/history-store.ts'
import { validator } from './support/deps.ts'
import { keepingKit } from './support/keeping-kit.ts'
import { must } from './support/kept-runs.ts'
import { collectSmall, smallWorld } from './support/small-fleet.ts'

const kit = keepingKit()
let root = ''
beforeEach(async () => {
  root = kit.root()
  await kit.run('run-1', '2026-11-20T10:00:00.000Z')
  await kit.names()
})

const SUFFIXES = ['', '-wal', '-shm']
const indexes = { evidence: () => join(root, 'evidence', 'index.db'), history: () => join(root, 'history', 'index.db') }

/** Digests of all that is no index. */
const kept = (): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('index.db'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)

/** What the store says of its runs, and of its opening. */
const asked = {
  evidence: async (busyMs?: number) => {
    const opened = await openEvidenceStore(join(root, 'evidence'), validator, busyMs)
    if (!opened.ok) return { answer: opened, told: [] }
    const answer = await opened.value.runs()
    opened.value.close()
    return { answer, told: opened.value.told }
  },
  history: async (busyMs?: number) => {
    const history = must(await openHistoryStore(root, validator, busyMs))
    const listed = await history.list()
    const answer = listed.ok ? { ok: true, value: listed.value.map(({ run }) => run) } : listed
    const told = history.told()
    history.close()
    return { answer, told }
  },
}

type Damage = readonly [what: string, damage: (path: string) => void, isPutAside: boolean]
const DAMAGES: readonly Damage[] = [
  ['pages that are damaged', (path) => overwrite(path, 100, statSync(path).size), true],
  ['a damaged page behind a whole head', (path) => overwrite(path, 4096, statSync(path).size), true],
  ['its end cut off', (path) => truncateSync(path, statSync(path).size - 2048), true],
  ['only half of its first page', (path) => truncateSync(path, 512), true],
  ['no byte', (path) => truncateSync(path, 0), false],
  ['a write-ahead log of garbage', (path) => writeFileSync(`${path}-wal`, 'garbage'.repeat(3000)), false],
  ['other bytes', (path) => writeFileSync(path, 'this is no database'.repeat(500)), true],
]

function overwrite(path: string, from: number, to: number): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xa5, from, to))
}

describe.each(['evidence', 'history'] as const)('the index of the %s', (which) => {
  test.each(DAMAGES)(
    'with %s is made anew from the files, which are untouched, and that is told',
    async (_, damage, isPutAside) => {
      const path = indexes[which]()
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
      const before = kept()
      damage(path)
      const { answer, told } = await asked[which]()
      expect(answer).toEqual({ ok: true, value: ['run-1'] })
      expect(told).toEqual(
        isPutAside
          ? [expect.stringMatching(/was damaged\. It was put aside as \S+index\.db\.damaged-1 and made anew/)]
          : [],
      )
      expect(existsSync(`${path}.damaged-1`)).toBe(isPutAside)
      expect(kept()).toEqual(before)
      expect(await asked[which]()).toEqual({ answer: { ok: true, value: ['run-1'] }, told: [] })
    },
  )

  test('that another process holds is refused in words that say what to do; afterwards all is there', async () => {
    const before = kept()
    const holder = await heldElsewhere(indexes[which]())
    try {
      expect((await asked[which](100)).answer).toMatchObject({
        error: {
          code: 'store.failed',
          detail: expect.stringContaining('another program holds the index; wait until it is done, or end it'),
        },
      })
      expect(kept()).toEqual(before)
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'close')
    }
    expect(await asked[which]()).toEqual({ answer: { ok: true, value: ['run-1'] }, told: [] })
    expect(kept()).toEqual(before)
  })
})

test('collecting says that a damaged index was put aside, and collects', async () => {
  for (const suffix of SUFFIXES) rmSync(indexes.evidence() + suffix, { force: true })
  writeFileSync(indexes.evidence(), 'this is no database'.repeat(500))
  const told: string[] = []
  const collected = must(await collectSmall(smallWorld(), root, 'run-2', { onTold: (text) => told.push(text) }))
  expect(collected.recordings).toHaveLength(3)
  expect(told).toEqual([expect.stringContaining('no evidence was touched')])
})

/** A process of its own that holds an index until it is killed. */
async function heldElsewhere(path: string): Promise<ChildProcess> {
  const program = `
    import { DatabaseSync } from '@photostructure/sqlite'
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE')
    process.stdout.write('held')
    // What nobody refers to is closed when memory is collected.
    setInterval(() => database, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await Promise.race([once(holder.stdout, 'data'), once(holder, 'close')])
  expect(String(said[0])).toBe('held')
  return holder
}
