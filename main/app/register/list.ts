import type {
  AcceptanceRequest,
  Assessment,
  ControlDecision,
  Explanation,
  Register,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import type { SealReader } from '../../core/ports.ts'
import {
  type AcceptanceRequestStatus,
  acceptanceRequestStatus,
  acceptanceRequestsOf,
  decidedFor,
  decisionsOf,
} from '../../core/register/decisions.ts'
import { explanationsOf } from '../../core/register/explanations.ts'
import { registerProblems } from '../../core/register/problems.ts'
import { type Approvable, isOneKey } from '../../core/register/signatures.ts'
import { acceptancesOf, type EntryStatus, isNothingToAccept, isOnePerson, statusOf } from '../../core/register.ts'
import { type EntrySignatureReading, readSignatures, signatureProblems } from '../../verify/steps/entries.ts'

/** An entry for the list: without signature bytes, with what the signatures show. */
type Listed<T extends Approvable, S> = Omit<T, 'signatures'> & {
  readonly status: S
  /** Requested and approved by the same person, and whether with one key. */
  readonly onePerson: boolean
  readonly oneKey: boolean
  readonly signatures: readonly EntrySignatureReading[]
  /** Problems with the signatures, one sentence each. */
  readonly problems: readonly string[]
}

/** A check result that a risk acceptance names. */
export interface ListedResult {
  readonly node: string
  /** Null: no recording of this node was given. */
  readonly verdict: Verdict | null
  /** Whether there is a deviation to accept; null without a recording. */
  readonly accepts: boolean | null
}

export interface RegisterList {
  readonly asOf: string
  readonly riskAcceptances: readonly (Listed<RiskAcceptance, EntryStatus> & {
    readonly results: readonly ListedResult[]
  })[]
  readonly acceptanceRequests: readonly (Listed<AcceptanceRequest, AcceptanceRequestStatus> & {
    readonly results: readonly ListedResult[]
  })[]
  readonly decisions: readonly Listed<ControlDecision, EntryStatus>[]
  readonly explanations: readonly (Explanation & { readonly status: EntryStatus })[]
  /** A risk acceptance or control decision that has expired without a replacement. */
  readonly gaps: boolean
  /** Problems of the register itself, one sentence each. */
  readonly problems: readonly string[]
  /** A signature is invalid, or the register is inconsistent. */
  readonly broken: boolean
}

/**
 * Risk acceptances, requests and decisions as of a time, with what their signatures show. With an assessment, each
 * check result is marked with whether there is a deviation to accept.
 */
export async function listRegister(
  seal: SealReader,
  register: Register,
  { asOf, assessment }: { readonly asOf: string; readonly assessment: Assessment | null },
): Promise<RegisterList> {
  const results = resultsIn(assessment)
  const riskAcceptances = []
  for (const entry of register.riskAcceptances)
    riskAcceptances.push({ ...(await listed(seal, entry, statusOf(entry, asOf))), results: results(entry) })
  const acceptanceRequests = []
  for (const entry of acceptanceRequestsOf(register))
    acceptanceRequests.push({
      ...(await listed(seal, entry, acceptanceRequestStatus(entry, asOf))),
      results: results(entry),
    })
  const decisions = []
  for (const entry of decisionsOf(register)) decisions.push(await listed(seal, entry, statusOf(entry, asOf)))
  const { ended } = acceptancesOf(register.riskAcceptances, asOf)
  const wrong = registerProblems(register)
  return {
    asOf,
    riskAcceptances,
    acceptanceRequests,
    decisions,
    explanations: explanationsOf(register).map((entry) => ({ ...entry, status: statusOf(entry, asOf) })),
    gaps:
      riskAcceptances.some(
        ({ status, check, results: on }) =>
          status === 'expired' && on.some(({ node, accepts }) => accepts !== false && ended(node, check) !== null),
      ) || decisions.some((entry) => entry.status === 'expired' && decidedFor(register, entry, asOf).length === 0),
    problems: wrong,
    broken:
      wrong.length > 0 ||
      [...riskAcceptances, ...acceptanceRequests, ...decisions].some(({ problems }) => problems.length > 0),
  }
}

async function listed<T extends Approvable, S>(seal: SealReader, entry: T, status: S): Promise<Listed<T, S>> {
  const signatures = await readSignatures(seal, entry)
  return {
    ...entry,
    status,
    onePerson: 'approvedBy' in entry && isOnePerson(entry),
    oneKey: isOneKey(entry),
    signatures,
    problems: signatureProblems(entry, signatures),
  }
}

function resultsIn(
  assessment: Assessment | null,
): (entry: RiskAcceptance | AcceptanceRequest) => readonly ListedResult[] {
  const nodes = new Map(
    assessment?.nodes.map(({ node, results }) => [
      node,
      new Map(results.map(({ check, verdict }) => [check, verdict])),
    ]),
  )
  return ({ check, nodes: named }) =>
    named.map((node) => {
      const verdict = nodes.get(node)?.get(check) ?? null
      return { node, verdict, accepts: verdict === null ? null : !isNothingToAccept(verdict) }
    })
}
