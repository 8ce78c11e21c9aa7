import type { EarlierRuns, Period, PeriodChange, Register, Scope, Statement } from '../../../schemas/types.ts'
import type { Sha256 } from '../../core/digest.ts'
import type { Framework } from '../../core/framework.ts'
import { PATHS } from '../../core/pack-files.ts'
import { quote } from '../../core/plain-text.ts'
import type { CertificateName, PackSource, SchemaValidator } from '../../core/ports.ts'
import type { RunChain } from '../../core/run-chain/entry.ts'
import type { NodeReading } from './nodes.ts'
import { canonical, type PackReading, textOf } from './read.ts'

/** Input of the reports of a pack, in addition to its nodes. All other checks of the pack have passed. */
export interface SealedPages {
  readonly source: PackSource
  readonly reading: PackReading
  readonly statement: Statement
  readonly register: Register
  readonly earlier: EarlierRuns | null
  readonly signer: CertificateName
}

/** `not-compared`: evaluated or written by a different version from this one, or unreadable. */
export type PagesCompared =
  | { readonly kind: 'same' }
  | { readonly kind: 'differ'; readonly problems: readonly string[] }
  | { readonly kind: 'not-compared'; readonly why: string }

/** Regenerates the reports from the sealed evidence and compares them with the sealed ones: PDFs page by page, the HTML report byte by byte. */
export interface PageComparer {
  /** Each node in the order of the scope, before compare(). */
  readonly add: (node: NodeReading, scope: Scope) => void
  readonly compare: (sealed: SealedPages) => Promise<PagesCompared>
}

/** Input of the PDF of a period report. */
export interface SealedPeriodPages {
  readonly period: Period
  /** As derived from the sealed run traces. */
  readonly changes: readonly PeriodChange[]
  /** As the runs chose them. */
  readonly frameworks: readonly Framework[]
  readonly evidenceDigest: Sha256
  readonly signer: CertificateName
}

/** Regenerates the PDF of a period report from the sealed evidence and compares it page by page with the sealed one. */
export type PeriodPageComparer = (sealed: SealedPeriodPages) => Promise<PagesCompared>

export const ALREADY_REJECTED: PagesCompared = {
  kind: 'not-compared',
  why: 'another check of the pack has already failed',
}

/** Earlier runs in a pack that are not in its run chain, or are there with a different seal. */
export function earlierProblems({ runs }: EarlierRuns, chain: RunChain | null): readonly string[] {
  const entered = new Set(
    (chain?.entries ?? []).flatMap(({ entry }) => (entry.kind === 'run' ? [`${entry.run} ${entry.tagManifest}`] : [])),
  )
  return runs
    .filter(({ run, tagManifest }) => !entered.has(`${run} ${tagManifest}`))
    .map(
      ({ run }) => `${PATHS.earlier} covers run ${quote(run)}, which is not in the run chain of the pack in this form.`,
    )
}

/** Statements of a pack about earlier runs; null where there are none (no problem) or where they cannot be read. */
export async function readEarlier(
  source: PackSource,
  validator: SchemaValidator,
): Promise<{ readonly earlier: EarlierRuns | null; readonly problems: readonly string[] }> {
  if (!source.paths.includes(PATHS.earlier)) return { earlier: null, problems: [] }
  const found = canonical(await textOf(source, PATHS.earlier))
  const why =
    found === null ? ['it is not JSON in canonical form'] : validator.problems('earlier-runs', found.value).slice(0, 1)
  return found === null || why.length > 0
    ? { earlier: null, problems: [`${PATHS.earlier}: ${why[0]}.`] }
    : { earlier: found.value as EarlierRuns, problems: [] }
}
