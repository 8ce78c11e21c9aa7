import type { VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import type { PackSource, SealReader } from '../core/ports.ts'
import { disclosureAnswers } from './disclosure/answers.ts'
import { readDisclosure } from './disclosure/read.ts'
import { engineOf } from './disclosure/rebuild.ts'
import { conclusion, sealStep } from './pipeline.ts'
import type { RulesSources } from './steps/reproduce.ts'
import { copiedTagProblems, packedAgain } from './steps/tags.ts'
import type { Trust } from './steps/trust.ts'

export interface VerifyDisclosureInput extends RulesSources {
  readonly source: PackSource
  /** Departures of the archive from the form that this program writes; empty for a folder. */
  readonly departures: readonly string[]
  readonly seal: SealReader
  readonly trust: Trust
  /** UTC, ISO 8601. */
  readonly verifiedAt: string
  readonly file: string
}

/**
 * Verification checks of a redacted copy. Its seal is that of the pack, and every disclosed byte must be covered by it; redacted parts
 * are listed and leave the remaining checks indeterminate. Never throws, whatever the copy contains.
 */
export async function verifyDisclosure(input: VerifyDisclosureInput): Promise<VerificationReport> {
  const { source } = input
  const sealed = await sealStep(source, input.seal, input)
  const copy = await readDisclosure(source)
  const tags = await copiedTagProblems(source, engineOf(copy.units))
  const reading = { ...copy, problems: [...input.departures.map(packedAgain), ...copy.problems, ...tags] }
  const found = await disclosureAnswers(reading, input, sealed.seal?.problems ?? null)
  return conclusion('disclosure', input, sealed, { ...found, continuity: NO_CHAIN })
}

const NO_CHAIN: VerificationCheckResult = {
  check: 'continuity',
  outcome: 'indeterminate',
  summary: 'Not checked on a redacted copy. Verify the pack to check its run chain.',
  details: [],
}
