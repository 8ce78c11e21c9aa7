import { writeSync } from 'node:fs'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { measuredCapture } from '../../main/app/collect/captures.ts'
import type { Recording } from '../../schemas/types.ts'
import { validator } from './deps.ts'
import { fixtureRecording } from './fixtures.ts'
import { must } from './outcomes.ts'

// Appends answers to a recording, eight at a time, and says so, until it is killed.
const opened = must(await openEvidenceStore(process.argv[2] ?? '', validator))
const recording: Recording = {
  ...fixtureRecording('demo-gpu-01', []).recording,
  run: 'r1',
  id: 'n1',
  outcome: { status: 'partial', failure: { code: 'run.cancelled', detail: 'killed' } },
}

const writer = must(await opened.begin(recording))
const { append } = writer

async function lane(name: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const command = `p${process.pid}l${name}n${n}`
    const value = { command, filler: 'y'.repeat(2000) }
    const appended = await append(measuredCapture('test.probe', command, 'nonce-echo', value, recording.startedAt))
    if (!appended.ok) throw new Error(appended.error.detail)
    writeSync(1, `${command}\n`)
  }
}
await Promise.all(Array.from({ length: 8 }, (_, name) => lane(name)))
