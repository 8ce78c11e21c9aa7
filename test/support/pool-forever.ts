import { writeSync } from 'node:fs'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { measuredCapture } from '../../main/app/collect/captures.ts'
import type { Recording } from '../../schemas/types.ts'
import { validator } from './deps.ts'
import { fixtureRecording } from './fixtures.ts'
import { must } from './outcomes.ts'

// Stores one run after the other and says which answers are stored, until it is killed. Half of the answers are the same in every run,
// so that they are linked from the pool; the others are new, so that they go into it.
const [root = ''] = process.argv.slice(2)
const store = must(await openEvidenceStore(root, validator))
const base = fixtureRecording('demo-gpu-01', []).recording
writeSync(1, 'ready\n')
for (let n = 0; ; n += 1) {
  const run = `run-${process.pid}-${n}`
  const failure = { code: 'run.cancelled', detail: 'killed' } as const
  const recording: Recording = { ...base, run, id: 'n1', outcome: { status: 'partial', failure } }
  const { append } = must(await store.begin(recording))
  for (let at = 0; at < 16; at += 1) {
    const value = { at: at % 2 === 0 ? at : `${run} ${at}`, filler: 'z'.repeat(3000) }
    const answer = measuredCapture('test.probe', `c${at}`, 'nonce', value, base.startedAt)
    must(await append(answer))
    writeSync(1, `stored ${run} c${at} ${answer.meta.stdout.sha256}\n`)
  }
}
