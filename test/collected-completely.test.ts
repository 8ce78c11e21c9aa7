import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
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
async function verified(
  changed: (recording: LoadedRecording) => LoadedRecording,
  stored: (root: string) => void = () => undefined,
): Promise<VerificationReport> {
  const root = mkdtempSync(join(folder, 'root-'))
  await collected(ports, root, 'run-1', recordingsOf('run-1').map(changed))
  stored(root)
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

describe('rights', () => {
  const asRoot =
    (privilege: 'root' | 'sudo', session: 'root' | 'sudo' | 'none') =>
    ({ recording, captures }: LoadedRecording): LoadedRecording => ({
      recording: { ...recording, session: recording.session && { ...recording.session, privilege: session } },
      captures: captures.map((one) => ({ ...one, meta: { ...one.meta, privilege } })),
    })
  const again = ({ recording, captures }: LoadedRecording): LoadedRecording => ({
    recording,
    captures: captures.flatMap((one) => [one, { ...one, meta: { ...one.meta, privilege: 'user' as const } }]),
  })

  test('a capture with rights that its session did not have is rejected', async () => {
    expect(failed(await verified(asRoot('root', 'none')))).toMatch(
      /Node “node-a”: 1 capture with rights that the session did not have \(none\), such as swap\.areas\/list with “root”/,
    )
    expect(failed(await verified(asRoot('root', 'sudo')))).toMatch(/did not have \(“sudo”\)/)
    expect(failed(await verified(asRoot('sudo', 'root')))).toMatch(/did not have \(“root”\)/)
  })

  test('one with the rights of its session is not', async () => {
    expect(failed(await verified(asRoot('root', 'root')))).toBe('')
    expect(failed(await verified(asRoot('sudo', 'sudo')))).toBe('')
  })

  test('one of an earlier session is not: a resumed collection names the last session only', async () => {
    expect(failed(await verified((one) => again(asRoot('sudo', 'none')(one))))).toBe('')
  })

  test('nor is one of a collection that was ended, whose session states what was to be used', async () => {
    const failure = { code: 'run.cancelled', detail: 'the collection was interrupted' } as const
    expect(failed(await verified((one) => outcome({ status: 'partial', failure })(asRoot('root', 'none')(one))))).toBe(
      '',
    )
  })
})

describe('what an honest recording can state as well is named, and rejects nothing', () => {
  const named = ({ checks }: VerificationReport): string =>
    checks.find(({ check }) => check === 'completeness')?.details.join('\n') ?? ''

  test('a recording of another run, as “export” takes from several folders', async () => {
    const report = await verified(
      (recording) => recording,
      (root) => {
        const header = join(root, 'evidence/run-1/node-b/recording.json')
        writeFileSync(header, readFileSync(header, 'utf8').replace('"run":"run-1"', '"run":"run-0"'))
      },
    )
    expect(failed(report)).toBe('')
    expect(named(report)).toContain('The recording of node “node-b” is of another run, “run-0”.')
  })

  test('an end before the start, after which a clock was set back', async () => {
    const report = await verified(({ recording, captures }) => ({
      recording: { ...recording, startedAt: new Date(Date.parse(recording.endedAt) + 1000).toISOString() },
      captures,
    }))
    expect(failed(report)).toBe('')
    expect(named(report)).toMatch(/The recording of node “node-a” ends before it starts \(/)
  })

  test('neither is named of other recordings', async () => {
    expect(named(await verified((recording) => recording))).not.toMatch(/another run|before it starts/)
  })
})
