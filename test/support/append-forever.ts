import { writeSync } from 'node:fs'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { measuredCapture } from '../../main/app/captures.ts'
import { validator } from './deps.ts'
import { fixtureRecording } from './fixtures.ts'

// Appends answers to a recording and says so, until it is killed.
const opened = await openEvidenceStore(process.argv[2] ?? '', validator)
if (!opened.ok) throw new Error(opened.error.detail)
const writer = await opened.value.begin({ ...fixtureRecording('demo-gpu-01', []).recording, run: 'r1', id: 'n1' })
if (!writer.ok) throw new Error(writer.error.detail)
for (let n = 0; ; n += 1) {
  const command = `p${process.pid}n${n}`
  const appended = await writer.value.append(
    measuredCapture('test.probe', command, 'nonce-echo', { n, filler: 'y'.repeat(2000) }, '2026-11-20T09:12:00.000Z'),
  )
  if (!appended.ok) throw new Error(appended.error.detail)
  writeSync(1, `${command}\n`)
}
