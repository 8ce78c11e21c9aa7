import type { Assessment, PackPredicate, Planned, Statement } from '../../schemas/types.ts'
import type { Sha256 } from './digest.ts'
import { digestOf, type ManifestDigests, PATHS, type PackFiles } from './pack-files.ts'
import { compare, type RecordingOutline } from './recording.ts'

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'https://barewitness.dev/evidence-pack/v1'

export interface StatementInput {
  readonly run: string
  readonly producer: string
  readonly assessment: Assessment
  readonly recordings: readonly RecordingOutline[]
  /** Which planned run it is; null for one that somebody started. */
  readonly planned?: Planned | null
}

/** The documents that people ask for by themselves: subjects of the statement beside the list that names every file. */
export const NAMED_SUBJECTS: readonly string[] = [
  PATHS.assessment,
  PATHS.catalog,
  PATHS.executive,
  PATHS.html,
  PATHS.report,
  PATHS.scope,
]

/** The in-toto Statement (in-toto attestation framework, v1) over a payload and its manifest: every declared node is named. */
export const statementFor = (payload: PackFiles, manifest: ManifestDigests, input: StatementInput): Statement => ({
  _type: STATEMENT_TYPE,
  subject: [
    { name: PATHS.manifest, digest: { sha256: manifest.sha256 } },
    ...NAMED_SUBJECTS.flatMap((name) => {
      const content = payload.get(name)
      return content === undefined ? [] : [{ name, digest: { sha256: digestOf(content) } }]
    }),
  ].sort((a, b) => compare(a.name, b.name)),
  predicateType: PREDICATE_TYPE,
  predicate: predicateFor(manifest.evidenceDigest, input),
})

/** What a pack states of its run; the digest is that of evidenceDigestOf(). */
export function predicateFor(
  evidenceDigest: Sha256,
  { run, producer, assessment, recordings, planned = null }: StatementInput,
): PackPredicate {
  const hostKeys = new Map(
    recordings.map(({ recording }) => [recording.node.name, recording.hostKey?.fingerprint ?? null]),
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
      hostKey: recording === null ? null : (hostKeys.get(node) ?? null),
    })),
    report: { evidenceDigest },
    ...(planned === null ? {} : { planned }),
  }
}
