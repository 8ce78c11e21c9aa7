import type { VerificationCheckResult, VerificationReport } from '../../schemas/verification.ts'
import { bounded } from '../core/budgets.ts'
import { plain } from '../core/plain-text.ts'
import type { PackSource, SealReader } from '../core/ports.ts'
import { disclosureAnswers } from './disclosure/answers.ts'
import { readDisclosure } from './disclosure/read.ts'
import { packedAgain } from './steps/manifests.ts'
import type { RulesSources } from './steps/rules.ts'
import { NO_SEAL, namedAuthority, readSealOf, signedBy, signerOf } from './steps/signature.ts'
import { existedBy, shownTime } from './steps/time.ts'
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
  const { source, trust, verifiedAt } = input
  const seal = await readSealOf(source, input.seal, trust)
  const copy = await readDisclosure(source)
  const reading = { ...copy, problems: [...input.departures.map(packedAgain), ...copy.problems] }
  const named = await namedAuthority(source)
  const time = shownTime(seal?.timestamps ?? [], { trust, verifiedAt, ...named })
  const found = await disclosureAnswers(reading, input, seal?.problems ?? null)
  const [intact, complete, reproducible] = found.answers
  const answers = [
    intact,
    signedBy(seal, { trust, time, verifiedAt, wholeChain: true, absent: NO_SEAL }),
    existedBy(time, { stamps: seal?.timestamps.length ?? 0, expected: named.wholeChains, statedAt: found.statedAt }),
    complete,
    reproducible,
    NO_CHAIN,
  ].filter((answer) => answer !== undefined)
  return {
    schema: 'barewitness.verification/2',
    file: plain(input.file),
    kind: 'disclosure',
    verifiedAt,
    ok: answers.every(({ outcome }) => outcome !== 'failed'),
    demo: seal?.demo === true || found.demo,
    checks: answers.map(bounded),
    rules: found.rules,
    differences: found.differences,
    signer: signerOf(seal, trust, time.at ?? verifiedAt),
  }
}

const NO_CHAIN: VerificationCheckResult = {
  check: 'continuity',
  outcome: 'indeterminate',
  summary: 'Not checked on a redacted copy. Verify the pack to check its run chain.',
  details: [],
}
