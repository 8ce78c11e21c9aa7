import type { Assessment, PackPredicate, Statement } from '../../schemas/types.ts'
import { sha256 } from './digest.ts'
import { evidenceDigest, type PackFiles, restedOn } from './pack-files.ts'
import { compare, type LoadedRecording } from './recording.ts'

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'https://barewitness.dev/evidence-pack/v1'

export interface StatementInput {
  readonly run: string
  readonly producer: string
  readonly assessment: Assessment
  readonly recordings: readonly LoadedRecording[]
}

/** The in-toto Statement (in-toto attestation framework, v1) over a payload: every file is a subject, every declared node is named. */
export const statementFor = (payload: PackFiles, input: StatementInput): Statement => ({
  _type: STATEMENT_TYPE,
  subject: [...payload]
    .map(([name, bytes]) => ({ name, digest: { sha256: sha256(bytes) } }))
    .sort((a, b) => compare(a.name, b.name)),
  predicateType: PREDICATE_TYPE,
  predicate: predicateFor(payload, input),
})

function predicateFor(payload: PackFiles, { run, producer, assessment, recordings }: StatementInput): PackPredicate {
  const hostKeys = new Map(
    restedOn(assessment, recordings).map(({ recording }) => [
      recording.node.name,
      recording.hostKey?.fingerprint ?? null,
    ]),
  )
  return {
    run,
    fleet: assessment.scope.fleet,
    demo: assessment.demo,
    asOf: assessment.asOf,
    producer,
    catalog: assessment.catalog,
    nodes: assessment.nodes.map(({ node, recording }) => ({
      name: node,
      recording: recording?.digest ?? null,
      hostKey: hostKeys.get(node) ?? null,
    })),
    report: { evidenceDigest: evidenceDigest(payload) },
  }
}
