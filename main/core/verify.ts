import type { Assessment, Scope, Statement } from '../../schemas/types.ts'
import type { VerificationAnswer, VerificationReport } from '../../schemas/verification.ts'
import type { AssessInput } from './assess.ts'
import type { Catalog } from './catalog.ts'
import { plain } from './plain-text.ts'
import type { PackSource, SchemaValidator, SealReader, SealReading } from './ports.ts'
import type { LoadedRecording } from './recording.ts'
import { completeness } from './verify/complete.ts'
import { alterations } from './verify/manifests.ts'
import { readPack } from './verify/read.ts'
import { type Rederivation, rederive } from './verify/reproduce.ts'
import { existedBy, isTrusted, readSealOf, signedBy } from './verify/signature.ts'

export interface VerifyInput {
  readonly source: PackSource
  readonly seal: SealReader
  readonly catalog: Catalog
  readonly validator: SchemaValidator
  readonly assess: (input: AssessInput) => Assessment
  /** Certificates that the reader decided to trust: each a file's bytes, PEM or DER. */
  readonly trust: readonly Uint8Array[]
  /** UTC, ISO 8601. */
  readonly verifiedAt: string
  /** The pack's name, for display. */
  readonly file: string
}

export interface VerifiedPack {
  readonly report: VerificationReport
  readonly contents: PackContents
}

/** What a pack states, as far as it can be read, whether or not it verifies. */
export interface PackContents {
  readonly run: string | null
  readonly statement: Statement | null
  readonly scope: Scope | null
  readonly assessment: Assessment | null
  readonly recordings: readonly LoadedRecording[]
  /** The assessment evaluated here. */
  readonly derived: Assessment | null
  /** Verdicts stated, and how many of them came out the same here. */
  readonly verdicts: { readonly stated: number; readonly identical: number }
}

/**
 * The five answers about a pack, each found on its own: one that fails keeps none of the others from being asked. Never throws,
 * whatever the pack holds. `ok` is false as soon as one answer is `no`.
 */
export async function verifyPack(input: VerifyInput): Promise<VerifiedPack> {
  const { source, trust, verifiedAt } = input
  const reading = await readPack(source, input.validator)
  const seal = await readSealOf(source, input.seal, trust)
  const altered = await alterations(source, reading.texts, reading.statement)
  const again = rederive(reading, input.catalog, input.assess)
  const { statement, assessment, scope, recordings } = reading
  const answers = [
    unaltered(altered, seal, source.paths.length),
    signedBy(seal, trust, verifiedAt),
    existedBy(seal, assessment?.asOf ?? null),
    complete(completeness(reading), recordings.length),
    reproducible(again),
  ]
  const report: VerificationReport = {
    schema: 'barewitness.verification/1',
    file: plain(input.file),
    verifiedAt,
    ok: answers.every(({ outcome }) => outcome !== 'no'),
    demo:
      seal?.demo === true ||
      assessment?.demo === true ||
      statement?.predicate.demo === true ||
      recordings.some(({ recording }) => recording.demo),
    answers,
    differences: again.differences,
    signer:
      seal === null || seal.signer === null
        ? null
        : { subject: seal.signer.subject, fingerprint: seal.signer.fingerprint, trusted: isTrusted(seal, trust) },
  }
  const contents: PackContents = {
    run: statement?.predicate.run ?? null,
    statement,
    scope: assessment?.scope ?? scope,
    assessment,
    recordings,
    derived: again.derived,
    verdicts: { stated: again.stated, identical: again.identical },
  }
  return { report, contents }
}

/** The files against the sealed list. Without a seal that verifies, nothing says that the list is the sealed one. */
function unaltered(altered: readonly string[], seal: SealReading | null, files: number): VerificationAnswer {
  const question = 'unaltered'
  if (altered.length > 0) {
    const summary = `${altered.length === 1 ? 'One thing differs' : `${altered.length} things differ`} from the list of digests.`
    return { question, outcome: 'no', summary, details: altered }
  }
  if (seal === null || seal.problems.length > 0)
    return {
      question,
      outcome: 'not-shown',
      summary: 'The files agree with the list of digests, and no seal ties that list to anybody.',
      details: [],
    }
  return {
    question,
    outcome: 'yes',
    summary: `All ${files} files are as they were when the pack was sealed.`,
    details: [],
  }
}

function complete({ problems, stated }: ReturnType<typeof completeness>, recordings: number): VerificationAnswer {
  const question = 'complete'
  if (problems.length > 0)
    return {
      question,
      outcome: 'no',
      summary: 'Something the pack refers to is missing or does not fit.',
      details: problems,
    }
  return {
    question,
    outcome: 'yes',
    summary: `Every declared node is accounted for (${recordings} with a recording), and every reason points to evidence in the pack.`,
    details: stated,
  }
}

function reproducible({ derived, details, sameRules, stated, identical }: Rederivation): VerificationAnswer {
  const question = 'reproducible'
  const count = `${identical} of ${stated} verdicts`
  if (derived === null) return { question, outcome: 'no', summary: 'Nothing could be evaluated again.', details }
  if (sameRules)
    return details.length === 0
      ? {
          question,
          outcome: 'yes',
          summary: `Evaluated again from the raw answers: ${count} came out the same, byte for byte.`,
          details,
        }
      : {
          question,
          outcome: 'no',
          summary: `Evaluated again from the raw answers: ${count} came out the same.`,
          details,
        }
  const other = 'The pack was evaluated with another version of the catalog or the rules.'
  return details.length === 0
    ? {
        question,
        outcome: 'yes',
        summary: `${other} With the ones here, ${count}, and all isolation answers and controls, come out the same.`,
        details,
      }
    : {
        question,
        outcome: 'not-shown',
        summary: `${other} With the ones here, ${count} come out the same. Use that version to compare.`,
        details,
      }
}
