import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { writeApart } from '../main/adapters/identity/folder.ts'
import { readRecordingFolder, readRecordingFolders, writeRecordingFolder } from '../main/adapters/recording-folder.ts'
import { writeWhole } from '../main/adapters/store/durable.ts'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { measuredCapture } from '../main/app/collect/captures.ts'
import type { EvidenceStore, RecordingWriter } from '../main/core/ports/ports.ts'
import { loadAll } from '../main/core/recording/recording.ts'
import type { Recording } from '../schemas/types.ts'
import { bundled } from './support/bundled.ts'
import { validator } from './support/deps.ts'
import { fixtureRecording } from './support/fixtures.ts'
import { folderOfTest } from './support/folders.ts'
import { loadedOf } from './support/loaded.ts'
import { describeUnless, testUnless } from './support/needing.ts'
import { must } from './support/outcomes.ts'
import { times } from './support/thorough.ts'

let root = ''
beforeEach(() => {
  root = folderOfTest('store')
})

const recording: Recording = { ...fixtureRecording('demo-gpu-01', []).recording, run: 'r1', id: 'n1' }
const unfinished: Recording = {
  ...recording,
  outcome: { status: 'partial', failure: { code: 'run.cancelled', detail: 'test' } },
}

const answer = (n: number) =>
  measuredCapture('test.probe', `c${n}`, 'nonce-echo', { n, filler: 'x'.repeat(200) }, '2026-11-20T09:12:00.000Z')

async function openStore(): Promise<EvidenceStore> {
  return must(await openEvidenceStore(root, validator))
}

async function begin(store: EvidenceStore): Promise<RecordingWriter> {
  return must(await store.begin(unfinished))
}

async function stored(count: number, last = recording): Promise<string> {
  const store = await openStore()
  const writer = await begin(store)
  for (let n = 0; n < count; n += 1) await writer.append(answer(n))
  await writer.finish(last)
  return join(root, 'r1', 'n1')
}

describe('the evidence store', () => {
  test('what was written comes back, byte for byte', async () => {
    const folder = await stored(3)
    const loaded = await readRecordingFolder(folder, validator)
    expect(loaded.ok && loaded.value.recording).toEqual(recording)
    expect(loaded.ok && loaded.value.captures.map(({ stdout }) => Buffer.from(stdout).toString())).toEqual(
      [0, 1, 2].map((n) => Buffer.from(answer(n).stdout).toString()),
    )
  })

  test('one altered byte in a blob is found', async () => {
    const folder = await stored(2)
    const blob = join(folder, 'sha256', answer(1).meta.stdout.sha256)
    const bytes = readFileSync(blob)
    bytes[5] = (bytes[5] ?? 0) ^ 1
    writeFileSync(blob, bytes)
    expect(await readRecordingFolder(folder, validator)).toMatchObject({
      ok: false,
      error: { code: 'recording.altered' },
    })
  })

  test('a missing blob is found', async () => {
    const folder = await stored(2)
    unlinkSync(join(folder, 'sha256', answer(0).meta.stdout.sha256))
    expect(await readRecordingFolder(folder, validator)).toMatchObject({
      ok: false,
      error: { code: 'recording.altered' },
    })
  })

  test('a link in the place of a blob is not followed', async () => {
    const folder = await stored(1)
    const blob = join(folder, 'sha256', answer(0).meta.stdout.sha256)
    const elsewhere = join(root, 'elsewhere')
    writeFileSync(elsewhere, readFileSync(blob))
    unlinkSync(blob)
    symlinkSync(elsewhere, blob)
    expect(await readRecordingFolder(folder, validator)).toMatchObject({
      ok: false,
      error: { code: 'recording.invalid' },
    })
  })

  test('a folder of blobs that is a link is not followed', async () => {
    const folder = await stored(1)
    renameSync(join(folder, 'sha256'), join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), join(folder, 'sha256'))
    expect(await readRecordingFolder(folder, validator)).toMatchObject({
      ok: false,
      error: { code: 'recording.invalid' },
    })
  })

  test.each(['recording.json', 'captures.jsonl'])(
    'a pipe in the place of %s does not hang the reader',
    async (name) => {
      const folder = await stored(1)
      unlinkSync(join(folder, name))
      execFileSync('mkfifo', [join(folder, name)])
      expect(await readRecordingFolder(folder, validator)).toMatchObject({
        ok: false,
        error: { code: 'recording.invalid' },
      })
    },
  )

  test('a torn last line names nothing; the next attempt appends in its place', async () => {
    const folder = await stored(2, unfinished)
    appendFileSync(join(folder, 'captures.jsonl'), '{"probe":"test.probe","comm')
    writeFileSync(join(folder, 'sha256', `${'0'.repeat(64)}.part-1`), 'half')
    const torn = await readRecordingFolder(folder, validator)
    expect(torn.ok && torn.value.captures).toHaveLength(2)
    const store = await openStore()
    const writer = await begin(store)
    await writer.append(answer(2))
    const finished = await writer.finish(recording)
    expect(finished).toMatchObject({ value: { answers: 3 } })
    expect((await loadedOf(finished)).captures.map(({ meta }) => meta.command)).toEqual(['c0', 'c1', 'c2'])
    expect(readFileSync(join(folder, 'captures.jsonl'), 'utf8')).not.toContain('"comm{')
    expect(readdirSync(join(folder, 'sha256')).filter((name) => name.includes('part'))).toEqual([])
  })

  test('a line that is no capture makes the recording unreadable, in any position', async () => {
    const folder = await stored(1)
    const lines = readFileSync(join(folder, 'captures.jsonl'), 'utf8')
    for (const bad of [
      `{"x":1}\n${lines}`,
      `${lines}\n`,
      `${lines}garbage\n`,
      `${lines.replace('"done"', '"satisfied"')}`,
    ]) {
      writeFileSync(join(folder, 'captures.jsonl'), bad)
      expect(await readRecordingFolder(folder, validator)).toMatchObject({
        ok: false,
        error: { code: 'recording.invalid' },
      })
    }
  })

  test('a complete recording is never opened for writing again', async () => {
    await stored(1)
    const store = await openStore()
    expect(await store.begin(unfinished)).toMatchObject({ ok: false, error: { code: 'input.refused' } })
  })

  test('answers given at once are all acknowledged, in their order', async () => {
    const store = await openStore()
    const writer = await begin(store)
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    const appended = await Promise.all(numbers.map((n) => writer.append(answer(n % 50))))
    expect(appended.every(({ ok }) => ok)).toBe(true)
    const finished = await writer.finish(recording)
    expect(finished).toMatchObject({ value: { answers: 200 } })
    expect((await loadedOf(finished)).captures.map(({ meta }) => meta.command)).toEqual(
      numbers.map((n) => `c${n % 50}`),
    )
  })

  test('a recording goes to a folder of its own and comes back; what is there is never written over', async () => {
    const loaded = await readRecordingFolder(await stored(3), validator)
    if (!loaded.ok) throw new Error(loaded.error.detail)
    const copy = join(root, 'copies', 'of-n1')
    expect(await writeRecordingFolder(copy, loaded.value)).toEqual({ ok: true, value: null })
    expect(await readRecordingFolder(copy, validator)).toEqual(loaded)
    expect(await writeRecordingFolder(copy, loaded.value)).toMatchObject({
      ok: false,
      error: { code: 'input.refused' },
    })
    for (const named of [copy, join(root, 'copies'), join(root, 'r1'), join(root, 'r1', 'n1')]) {
      const read = await readRecordingFolders([named], validator)
      const all = read.ok ? await loadAll(read.value) : read
      expect(all).toEqual({ ok: true, value: [loaded.value] })
    }
    expect(await readRecordingFolders([join(root, 'nothing')], validator)).toMatchObject({
      error: { code: 'input.not-found' },
    })
    mkdirSync(join(root, 'empty'))
    expect(await readRecordingFolders([join(root, 'empty')], validator)).toMatchObject({
      error: { code: 'input.refused' },
    })
  })

  test.each(['../x', 'a/b', '', '.hidden', 'A'])('“%s” is no name of a recording', async (id) => {
    const store = await openStore()
    expect(await store.begin({ ...recording, id })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(await store.load('r1', id)).toMatchObject({ ok: false })
  })

  test('a run that was copied in is found; a folder that is no recording is not', async () => {
    await stored(1)
    cpSync(join(root, 'r1'), join(root, 'r2'), { recursive: true })
    const header = join(root, 'r2', 'n1', 'recording.json')
    writeFileSync(header, readFileSync(header, 'utf8').replace('"run":"r1"', '"run":"r2"'))
    mkdirSync(join(root, 'notes', 'x'), { recursive: true })
    const store = await openStore()
    expect(await store.runs()).toEqual({ ok: true, value: ['r1', 'r2'] })
    expect(await store.list('r2')).toMatchObject({ ok: true, value: [{ run: 'r2', id: 'n1' }] })
    expect(await store.list('notes')).toMatchObject({ ok: false, error: { code: 'recording.invalid' } })
  })
})

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0
describeUnless(canMount ? null : 'needs root', 'a full disk', () => {
  test('the failure is named, nothing acknowledged is lost', async () => {
    const full = join(root, 'full')
    mkdirSync(full)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', full])
    try {
      const opened = must(await openEvidenceStore(full, validator))
      const writer = await begin(opened)
      const kept: string[] = []
      let failure = ''
      for (let n = 0; n < 1000 && failure === ''; n += 1) {
        const filler = measuredCapture('test.probe', `c${n}`, 'x', { n, filler: 'z'.repeat(9000) }, recording.startedAt)
        const appended = await writer.append(filler)
        if (appended.ok) kept.push(filler.meta.command)
        else failure = appended.error.code
      }
      expect(failure).toBe('store.failed')
      expect(await writer.append(answer(0))).toMatchObject({ ok: false, error: { code: 'store.failed' } })
      await writer.finish(unfinished)
      const loaded = await readRecordingFolder(join(full, 'r1', 'n1'), validator)
      expect(loaded.ok && loaded.value.captures.map(({ meta }) => meta.command)).toEqual(kept)
      expect(kept.length).toBeGreaterThan(5)
    } finally {
      execFileSync('umount', [full])
    }
  })
})

describe('killed while appending', () => {
  let made: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    made = await bundled('append-forever.ts')
  })
  afterAll(() => rmSync(made.folder, { recursive: true }))

  /** Lets a child append, eight at a time, and acknowledge until it is killed; gives the acknowledged names. */
  const killed = (after: number): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const child: ChildProcess = spawn(process.execPath, [made.program, root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout?.on('data', (chunk) => {
        if (said === '') setTimeout(() => child.kill('SIGKILL'), after)
        said += String(chunk)
      })
      child.once('close', () => resolve(said.split('\n').slice(0, -1)))
    })

  test('no acknowledged answer is lost, however often', async () => {
    const acknowledged = new Set<string>()
    for (let round = 0; round < times(3, 20); round += 1) {
      for (const name of await killed(Math.random() * 150)) acknowledged.add(name)
      const loaded = must(await readRecordingFolder(join(root, 'r1', 'n1'), validator))
      const held = new Set(loaded.captures.map(({ meta }) => meta.command))
      expect([...acknowledged].filter((name) => !held.has(name))).toEqual([])
      expect(loaded.recording.outcome.status).toBe('partial')
    }
    expect(acknowledged.size).toBeGreaterThan(0)
    const store = await openStore()
    expect(await store.runs()).toEqual({ ok: true, value: ['r1'] })
  })
})

describe('a disk that is full', () => {
  const program = `
    import { writeWhole } from ${JSON.stringify(fileURLToPath(new URL('../main/adapters/store/durable.ts', import.meta.url)))}
    import { placeNew, writeApart } from ${JSON.stringify(fileURLToPath(new URL('../main/adapters/identity/folder.ts', import.meta.url)))}
    const [folder] = process.argv.slice(2)
    const long = 'x'.repeat(100_000)
    const failures = [
      await writeWhole(folder + '/whole', long).then(() => 'written', (problem) => problem.code),
      await writeApart(folder + '/apart', long),
      await placeNew(folder, 'owner', { 'leaf.pem': long }),
    ]
    process.stdout.write(JSON.stringify(failures))
  `

  // A limit on the size of files stops a write half-way, as a full disk does.
  const noLimit = process.platform === 'win32' ? 'Windows has no such limit' : null
  testUnless(noLimit, 'keeps no part of a file, and what was there before', () => {
    const file = join(root, 'program.mts')
    const folder = join(root, 'home')
    mkdirSync(folder)
    writeFileSync(file, program)
    writeFileSync(join(folder, 'whole'), 'before')
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 8; exec "$@"', 'sh', process.execPath, '--import', 'tsx', file, folder],
      { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } },
    )
    expect(stderr).toBe('')
    const failed = { ok: false, error: { code: 'store.failed', detail: expect.stringContaining('EFBIG') } }
    expect(JSON.parse(stdout)).toEqual(['EFBIG', failed, failed])
    expect(readdirSync(folder)).toEqual(['whole'])
    expect(readFileSync(join(folder, 'whole'), 'utf8')).toBe('before')
  })

  test('a name that is taken by something else costs that nothing', async () => {
    mkdirSync(join(root, 'taken/inside'), { recursive: true })
    await expect(writeWhole(join(root, 'taken'), 'x')).rejects.toThrow()
    writeFileSync(join(root, 'key.pem'), 'mine')
    expect(await writeApart(join(root, 'key.pem'), 'x')).toMatchObject({ ok: false, error: { code: 'store.failed' } })
    expect(readFileSync(join(root, 'key.pem'), 'utf8')).toBe('mine')
    expect(readdirSync(root).sort()).toEqual(['key.pem', 'taken'])
  })
})
