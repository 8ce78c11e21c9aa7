import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readRecordingFolder } from '../main/adapters/recording-folder.ts'
import { openEvidenceStore } from '../main/adapters/store/evidence-store.ts'
import { measuredCapture } from '../main/app/captures.ts'
import type { EvidenceStore, RecordingWriter } from '../main/core/ports.ts'
import type { Recording } from '../schemas/types.ts'
import { validator } from './support/deps.ts'
import { fixtureRecording } from './support/fixtures.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bw-store-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const recording: Recording = { ...fixtureRecording('demo-gpu-01', []).recording, run: 'r1', id: 'n1' }
const answer = (n: number) =>
  measuredCapture('test.probe', `c${n}`, 'nonce-echo', { n, filler: 'x'.repeat(200) }, '2026-11-20T09:12:00.000Z')

async function openStore(): Promise<EvidenceStore> {
  const opened = await openEvidenceStore(root, validator)
  if (!opened.ok) throw new Error(opened.error.detail)
  return opened.value
}
async function begin(store: EvidenceStore): Promise<RecordingWriter> {
  const writer = await store.begin(recording)
  if (!writer.ok) throw new Error(writer.error.detail)
  return writer.value
}
async function stored(count: number): Promise<string> {
  const store = await openStore()
  const writer = await begin(store)
  for (let n = 0; n < count; n += 1) await writer.append(answer(n))
  await writer.finish(recording)
  store.close()
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

  test('a torn last line names nothing; the next attempt appends after it', async () => {
    const folder = await stored(2)
    appendFileSync(join(folder, 'captures.jsonl'), '{"probe":"test.probe","comm')
    const store = await openStore()
    const writer = await begin(store)
    await writer.append(answer(2))
    const finished = await writer.finish(recording)
    store.close()
    expect(finished.ok && finished.value.captures.map(({ meta }) => meta.command)).toEqual(['c0', 'c1', 'c2'])
  })

  test.each(['../x', 'a/b', '', '.hidden', 'A'])('“%s” is no name of a recording', async (id) => {
    const store = await openStore()
    expect(await store.begin({ ...recording, id })).toMatchObject({ ok: false, error: { code: 'input.refused' } })
    expect(await store.load('r1', id)).toMatchObject({ ok: false })
    store.close()
  })

  test('a damaged index is put aside and made anew; the evidence is untouched', async () => {
    await stored(1)
    writeFileSync(join(root, 'index.db'), 'this is not a database'.repeat(400))
    for (const suffix of ['-wal', '-shm']) rmSync(join(root, `index.db${suffix}`), { force: true })
    const store = await openStore()
    expect(await store.runs()).toEqual({ ok: true, value: ['r1'] })
    store.close()
    expect(readdirSync(root)).toContain('index.db.damaged-1')
  })
})

describe('killed while appending', () => {
  const program = fileURLToPath(new URL('support/append-forever.ts', import.meta.url))

  /** Lets a child append and acknowledge until it is killed after some milliseconds; gives the acknowledged names. */
  const killed = (after: number): Promise<readonly string[]> =>
    new Promise((resolve) => {
      const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program, root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = ''
      child.stdout?.on('data', (chunk) => {
        if (said === '') setTimeout(() => child.kill('SIGKILL'), after)
        said += String(chunk)
      })
      child.once('close', () => resolve(said.split('\n').slice(0, -1)))
    })

  test('no acknowledged answer is lost, in 12 kills', { timeout: 120_000 }, async () => {
    let acknowledged = 0
    for (let round = 0; round < 12; round += 1) {
      const names = await killed(3 + round * 17)
      const loaded = await readRecordingFolder(join(root, 'r1', 'n1'), validator)
      const held = new Set(loaded.ok ? loaded.value.captures.map(({ meta }) => meta.command) : [])
      expect(loaded.ok).toBe(true)
      for (const name of names) expect(held.has(name)).toBe(true)
      acknowledged += names.length
    }
    expect(acknowledged).toBeGreaterThan(50)
  })
})
