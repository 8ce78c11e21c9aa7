import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { reviewFile } from '../main/app/export/review.ts'
import type { Signer } from '../main/core/ports/ports.ts'
import type { LoadedRecording } from '../main/core/recording/recording.ts'
import type { VerificationReport } from '../schemas/verification.ts'
import { realClock } from './support/deps.ts'
import { folderOfTests } from './support/folders.ts'
import { collected, exported, packOf, portsAt, recordingsOf } from './support/kept-runs.ts'
import { must } from './support/outcomes.ts'
import { sampleCatalog, sampleSigner } from './support/sample-pack.ts'

const folder = folderOfTests('collected-completely')
const ports = portsAt({ now: realClock.now() })
let signer: Signer
beforeAll(async () => {
  signer = await sampleSigner(mkdtempSync(join(folder, 'keys-')), 'owner')
})

/** What is found of a pack that a signer exports from changed evidence, with everything else made to fit. */
async function verified(changed: (recording: LoadedRecording) => LoadedRecording): Promise<VerificationReport> {
  const root = mkdtempSync(join(folder, 'root-'))
  await collected(ports, root, 'run-1', recordingsOf('run-1').map(changed))
  await exported(ports, root, 'run-1', signer)
  const trust = { signers: [signer.certificate], authorities: [], lists: [] }
  const path = packOf(root, 'run-1')
  return must(await reviewFile(ports, sampleCatalog, { path, trust, checkpoint: null, keep: false })).report
}

const failed = ({ checks }: VerificationReport): string =>
  checks.flatMap(({ outcome, details }) => (outcome === 'failed' ? details : [])).join('\n')
const outcome =
  (stated: LoadedRecording['recording']['outcome']) =>
  ({ recording, captures }: LoadedRecording): LoadedRecording => ({
    recording: { ...recording, outcome: stated },
    captures,
  })
const lost = ({ recording, captures }: LoadedRecording): LoadedRecording => ({
  recording,
  captures: captures.map((one) => ({ ...one, meta: { ...one.meta, status: 'lost', exitCode: null } })),
})

describe('a node that is stated as collected completely', () => {
  test('has an answer to every command', async () => {
    expect(failed(await verified((recording) => recording))).toBe('')
  })

  test('and whose captures were left out is rejected', async () => {
    expect(failed(await verified(({ recording }) => ({ recording, captures: [] })))).toMatch(
      /“node-a” is stated as collected completely, but 1 command of its catalog has no answer, such as swap\.areas\/list/,
    )
  })

  test('and whose captures were lost is rejected', async () => {
    expect(failed(await verified(lost))).toMatch(/“node-b” is stated as collected completely, but 1 command/)
  })

  test('and states a failure is rejected', async () => {
    const failure = { code: 'ssh.timed-out', detail: 'no answer' }
    expect(failed(await verified(outcome({ status: 'complete', failure })))).toMatch(
      /collected completely, with the failure “ssh\.timed-out”/,
    )
  })

  test('by another catalog is named: its commands are not known', async () => {
    const report = await verified(({ recording }) => ({
      recording: { ...recording, collector: { ...recording.collector, catalogDigest: '0'.repeat(64) } },
      captures: [],
    }))
    expect(failed(report)).toBe('')
    expect(report.checks.find(({ check }) => check === 'completeness')?.details).toContainEqual(
      expect.stringMatching(/^2 complete recordings of another catalog than this one/),
    )
  })
})

test('a node that is stated as collected in part may lack captures', async () => {
  const failure = { code: 'collector.truncated', detail: '1 of 1 commands returned no output' }
  expect(failed(await verified((one) => lost(outcome({ status: 'partial', failure })(one))))).toBe('')
})
