import type { EarlierRuns, Period, PeriodChange, Register, Scope, Statement } from '../../../schemas/types.ts'
import type { Sha256 } from '../digest.ts'
import { PATHS } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { CertificateName, PackSource, SchemaValidator } from '../ports.ts'
import type { RunChain } from '../run-chain/entry.ts'
import type { NodeReading } from './nodes.ts'
import { canonical, type PackReading, textOf } from './read.ts'

/** What the PDFs of a pack are written from, beside its nodes. Nothing else of the pack contradicts its seal. */
export interface SealedPages {
  readonly source: PackSource
  readonly reading: PackReading
  readonly statement: Statement
  readonly register: Register
  readonly earlier: EarlierRuns | null
  readonly signer: CertificateName
}

/** `not-compared`: what was sealed was judged or written by another version than the one here, or cannot be read. */
export type PagesCompared =
  | { readonly kind: 'same' }
  | { readonly kind: 'differ'; readonly problems: readonly string[] }
  | { readonly kind: 'not-compared'; readonly why: string }

/** Writes the report and the executive page again from what was sealed, and compares them page by page with the sealed ones. */
export interface PageComparer {
  /** Each node in the order of the scope, before compare(). */
  readonly add: (node: NodeReading, scope: Scope) => void
  readonly compare: (sealed: SealedPages) => Promise<PagesCompared>
}

/** What the report of an account of a period is written from. */
export interface SealedPeriodPages {
  readonly period: Period
  /** As they come out of the sealed traces. */
  readonly changes: readonly PeriodChange[]
  readonly evidenceDigest: Sha256
  readonly signer: CertificateName
}

/** Writes the report of an account of a period again from what was sealed, and compares it page by page with the sealed one. */
export type PeriodPageComparer = (sealed: SealedPeriodPages) => Promise<PagesCompared>

export const ALREADY_REJECTED: PagesCompared = {
  kind: 'not-compared',
  why: 'something else in the pack contradicts its seal or its evidence already',
}

/** Where a pack tells of an earlier run that its own chain does not have, or has under another seal. */
export function earlierProblems({ runs }: EarlierRuns, chain: RunChain | null): readonly string[] {
  const entered = new Set(
    (chain?.entries ?? []).flatMap(({ entry }) => (entry.kind === 'run' ? [`${entry.run} ${entry.tagManifest}`] : [])),
  )
  return runs
    .filter(({ run, tagManifest }) => !entered.has(`${run} ${tagManifest}`))
    .map(({ run }) => `${PATHS.earlier} tells of run ${quote(run)}, which the chain in the pack does not have so.`)
}

/** What a pack states of earlier runs; null where it states nothing, which is no problem, or nothing that can be read. */
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
