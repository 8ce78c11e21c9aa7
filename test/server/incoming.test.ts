import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openIncoming } from '../../main/adapters/jobs/incoming.ts'
import { writeRecordingFolder } from '../../main/adapters/recording-folder.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { JOBS } from '../../main/core/base/layout.ts'
import {
  captureLine,
  type LoadedRecording,
  recordingDigest,
  recordingJson,
} from '../../main/core/recording/recording.ts'
import { type Incoming, LARGEST_DELIVERY, LARGEST_PART } from '../../main/core/team/jobs.ts'
import { validator } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { recordingsOf } from '../support/kept-runs.ts'
import { must } from '../support/outcomes.ts'

const root = folderOfTests('incoming')
let places = 0
const JOB = '1'.repeat(32)
const RUN = '20261128t1200z-0001'

function place() {
  places += 1
  const [jobs, evidence] = [join(root, `${places}`, 'jobs'), join(root, `${places}`, 'evidence')]
  return {
    jobs,
    evidence,
    incoming: openIncoming(jobs, evidence, validator),
    again: () => openIncoming(jobs, evidence, validator),
  }
}
const [given] = recordingsOf(RUN)
if (given === undefined) throw new Error('no recording')
const recording: LoadedRecording = given
const node = recording.recording.id
const without: LoadedRecording = {
  recording: {
    ...recording.recording,
    outcome: { status: 'failed', failure: { code: 'ssh.unreachable', detail: 'x' } },
  },
  captures: [],
}

async function send(incoming: Incoming, loaded: LoadedRecording, by = 'one') {
  const header = Buffer.from(recordingJson(loaded.recording))
  const captures = Buffer.from(loaded.captures.map(({ meta }) => captureLine(meta)).join(''))
  for (const bytes of [header, captures, ...loaded.captures.flatMap(({ stdout, stderr }) => [stdout, stderr])])
    must(await incoming.put(JOB, by, sha256(bytes), bytes))
  return await incoming.build(JOB, by, {
    recording: recordingDigest(loaded),
    header: sha256(header),
    captures: sha256(captures),
  })
}
const codeOf = (outcome: { readonly ok: boolean; readonly error?: { readonly code: string } }) =>
  outcome.ok ? 'ok' : outcome.error?.code

describe('a delivery', () => {
  test('is registered with the same bytes, and files that the evidence holds are stored once', async () => {
    const { incoming, evidence, jobs } = place()
    const earlier = must(await openEvidenceStore(evidence, validator))
    const writer = must(await earlier.begin({ ...recording.recording, run: 'earlier' }))
    for (const answer of recording.captures) must(await writer.append(answer))
    must(await writer.finish({ ...recording.recording, run: 'earlier' }))
    must(await send(incoming, recording))
    expect(existsSync(join(evidence, RUN))).toBe(false)
    must(await incoming.register(JOB, 'one', RUN, node))
    const loaded = must(await earlier.load(RUN, node))
    expect(recordingDigest(loaded)).toBe(recordingDigest(recording))
    const blob = recording.captures[0]?.meta.stdout.sha256 ?? ''
    expect(statSync(join(evidence, RUN, node, 'sha256', blob)).ino).toBe(
      statSync(join(evidence, 'earlier', node, 'sha256', blob)).ino,
    )
    await incoming.discard(JOB, 'one')
    expect(readdirSync(join(jobs, JOBS.incoming))).toEqual([])
  })
  test('asks for every file that this collector did not send, whatever the evidence holds', async () => {
    const { incoming } = place()
    must(await send(incoming, recording))
    const digests = [sha256('x'), ...recording.captures.map(({ meta }) => meta.stdout.sha256)]
    expect(must(await incoming.missing(JOB, 'one', digests))).toEqual([sha256('x')])
    expect(must(await incoming.missing(JOB, 'two', digests))).toEqual([...new Set(digests)])
  })
  test('continues after a restart, without what was being written', async () => {
    const { incoming, jobs, again } = place()
    must(await incoming.put(JOB, 'one', sha256('a'), Buffer.from('a')))
    const parts = join(jobs, JOBS.incoming, `${JOB}.one`, JOBS.parts)
    writeFileSync(join(parts, `${sha256('b')}.part-1`), 'b')
    expect(must(await again().missing(JOB, 'one', [sha256('a'), sha256('b')]))).toEqual([sha256('b')])
  })
  test('has no part that is larger than a capture, and no more bytes than a recording', async () => {
    const { incoming } = place()
    const large = new Uint8Array(LARGEST_PART + 1)
    expect(codeOf(await incoming.put(JOB, 'one', sha256(large), large))).toBe('input.refused')
    const { jobs, again } = place()
    const parts = join(jobs, JOBS.incoming, `${JOB}.one`, JOBS.parts)
    mkdirSync(parts, { recursive: true })
    const { truncateSync } = await import('node:fs')
    for (let at = 0; at < LARGEST_DELIVERY / LARGEST_PART; at += 1) {
      const path = join(parts, sha256(`${at}`))
      writeFileSync(path, '')
      truncateSync(path, LARGEST_PART)
    }
    expect(codeOf(await again().put(JOB, 'one', sha256('x'), Buffer.from('x')))).toBe('input.refused')
    expect(codeOf(await again().put(JOB, 'two', sha256('x'), Buffer.from('x')))).toBe('ok')
  })
  test('whose stored bytes were altered is not built', async () => {
    const { incoming, jobs } = place()
    must(await send(incoming, recording))
    const blob = recording.captures[0]?.meta.stdout.sha256 ?? ''
    writeFileSync(join(jobs, JOBS.incoming, `${JOB}.one`, JOBS.parts, blob), 'altered')
    expect(codeOf(await send(incoming, recording))).toBe('recording.altered')
  })
})

describe('what a run holds', () => {
  test('with captures is never replaced; the same again has no effect', async () => {
    const { incoming, evidence } = place()
    const other = { ...recording, recording: { ...recording.recording, endedAt: '2026-11-20T10:00:00.000Z' } }
    must(await writeRecordingFolder(join(evidence, RUN, node), other))
    const before = readFileSync(join(evidence, RUN, node, 'recording.json'), 'utf8')
    must(await send(incoming, recording))
    expect(codeOf(await incoming.register(JOB, 'one', RUN, node))).toBe('job.completed')
    expect(readFileSync(join(evidence, RUN, node, 'recording.json'), 'utf8')).toBe(before)
    expect(must(await incoming.stored(RUN, node))).toBe(recordingDigest(other))
    must(await send(incoming, other, 'two'))
    expect(codeOf(await incoming.register(JOB, 'two', RUN, node))).toBe('ok')
  })
  test('without captures is replaced', async () => {
    const { incoming, evidence } = place()
    must(await writeRecordingFolder(join(evidence, RUN, node), without))
    expect(must(await incoming.stored(RUN, node))).toBeNull()
    must(await send(incoming, recording))
    must(await incoming.register(JOB, 'one', RUN, node))
    expect(must(await incoming.stored(RUN, node))).toBe(recordingDigest(recording))
  })
  test('that cannot be read is no absent recording', async () => {
    const { incoming, evidence } = place()
    must(await writeRecordingFolder(join(evidence, RUN, node), recording))
    writeFileSync(join(evidence, RUN, node, 'recording.json'), '{')
    expect(codeOf(await incoming.stored(RUN, node))).toBe('recording.invalid')
    must(await send(incoming, recording))
    expect(codeOf(await incoming.register(JOB, 'one', RUN, node))).toBe('recording.invalid')
  })
  test.each([
    ['..', node],
    [RUN, '..'],
    [`${RUN}/x`, node],
  ])('%s/%s is no name of a recording', async (run, name) => {
    const { incoming } = place()
    expect(codeOf(await incoming.stored(run, name))).toBe('input.refused')
  })
})

test('a registration that a kill interrupted is found, with the digest of what was built', async () => {
  const { incoming, jobs, again } = place()
  must(await send(incoming, recording))
  must(await incoming.put(JOB, 'two', sha256('a'), Buffer.from('a')))
  mkdirSync(join(jobs, JOBS.incoming, 'notes'))
  const found = [...(await again().pending())].sort((a, b) => (a.by < b.by ? -1 : 1))
  expect(found).toEqual([
    { job: JOB, by: 'one', recording: recordingDigest(recording) },
    { job: JOB, by: 'two', recording: null },
  ])
})
