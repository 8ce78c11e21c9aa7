import type { RiskAcceptanceDraft, WithdrawalDraft } from '../../../schemas/ipc-register.ts'
import type {
  AcceptanceRequest,
  ControlDecision,
  DocumentRequest,
  EvidenceDocument,
  Explanation,
  Register,
  RiskAcceptance,
  Withdrawal,
} from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { dayProblem, daysBetween, endOfDay, millisOf } from '../base/days.ts'
import { fail, type Outcome, ok } from '../base/failure.ts'
import { lookOf } from '../base/look-alike.ts'
import { quote } from '../base/plain-text.ts'
import { POPULATION } from '../engagement/coverage.ts'

/**
 * The register: risk acceptances and requests for them, control decisions, documents, evidence requests with owner and due
 * date, management responses, and the request lists of auditors. It never changes a verdict; control conclusions use it as defined in docs/conclusions.md. Entries
 * are added, resolved and withdrawn, never deleted.
 */
export const EMPTY_REGISTER: Register = {
  schema: 'barewitness.register/1',
  riskAcceptances: [],
  documents: [],
  documentRequests: [],
}

export type EntryStatus = 'in-force' | 'not-begun' | 'expired' | 'withdrawn'
/** Entries in effect from their creation until their expiry. */
export type Standable = RiskAcceptance | EvidenceDocument | ControlDecision | Explanation

/** Creation time of an entry; it has no effect before. */
const madeAt = (entry: Standable): string =>
  'acceptedAt' in entry
    ? entry.acceptedAt
    : 'decidedAt' in entry
      ? entry.decidedAt
      : 'explainedAt' in entry
        ? entry.explainedAt
        : entry.attachedAt

/**
 * Status of an entry at a time. It is in effect from its creation through the last millisecond of its last day. An
 * entry with a longer term than permitted expires after the maximum term. An invalid start never takes effect,
 * and an invalid expiry counts as passed.
 */
export function statusOf(entry: Standable, asOf: string): EntryStatus {
  if (entry.withdrawn !== null) return 'withdrawn'
  const [since, now] = [madeAt(entry), millisOf(asOf)]
  if (!(millisOf(since) <= now)) return 'not-begun'
  const end = 'expiresAt' in entry ? entry.expiresAt : entry.validUntil
  if (end === null) return 'in-force'
  if (!(now <= millisOf(end))) return 'expired'
  return 'expiresAt' in entry && daysBetween(since, asOf) > LONGEST_DAYS ? 'expired' : 'in-force'
}

/** The latest creation time in a register up to now; null without one. */
export function lastMade(
  { riskAcceptances, documents, decisions = [], explanations = [], responses = [], auditorRequests = [] }: Register,
  now: string,
): string | null {
  let last: string | null = null
  const made = [
    ...[...riskAcceptances, ...documents, ...decisions, ...explanations].map(madeAt),
    ...[...responses, ...auditorRequests].map(({ statedAt }) => statedAt),
  ]
  for (const at of made) {
    if (millisOf(at) <= millisOf(now) && (last === null || millisOf(last) < millisOf(at))) last = at
  }
  return last
}

/** Whether requester and approver are the same person: permitted, and always disclosed. Spelling variants of a name count as the same. */
export const isOnePerson = ({ requestedBy, approvedBy }: Pick<RiskAcceptance, 'requestedBy' | 'approvedBy'>): boolean =>
  nameOf(requestedBy) === nameOf(approvedBy)

/** A name normalized for comparison: as it is seen, regardless of case, punctuation and alphabet. */
const nameOf = (text: string): string => lookOf(text) || text.normalize('NFKC').trim().toLowerCase()

/** Risk acceptances by node and check at one time. */
export interface Acceptances {
  /** The acceptance in effect with the latest expiry. */
  readonly inForce: (node: string, check: string) => RiskAcceptance | null
  /** Where none is in effect: the one that expired last. */
  readonly ended: (node: string, check: string) => RiskAcceptance | null
}

/** Indexed once for a whole fleet, so that each lookup is a single step. */
export function acceptancesOf(entries: readonly RiskAcceptance[], asOf: string): Acceptances {
  const found = { 'in-force': new Map<string, RiskAcceptance>(), expired: new Map<string, RiskAcceptance>() }
  for (const entry of entries) {
    const status = statusOf(entry, asOf)
    if (status !== 'in-force' && status !== 'expired') continue
    for (const node of entry.nodes) {
      const key = `${node}\n${entry.check}`
      const other = found[status].get(key)
      if (other === undefined || !(Date.parse(other.expiresAt) >= Date.parse(entry.expiresAt)))
        found[status].set(key, entry)
    }
  }
  const inForce = (node: string, check: string): RiskAcceptance | null =>
    found['in-force'].get(`${node}\n${check}`) ?? null
  return {
    inForce,
    ended: (node, check) => (inForce(node, check) === null ? (found.expired.get(`${node}\n${check}`) ?? null) : null),
  }
}

/** Data available when an entry is created. */
export interface Moment {
  /** UTC, ISO 8601. */
  readonly now: string
  /** 32 hex characters of the new entry. */
  readonly id: string
}

interface AcceptanceFacts extends Moment {
  /** The run whose deviations are accepted. */
  readonly run: string | null
  /** The current verdict; null for an unknown node or check. */
  readonly verdictOf: (node: string, check: string) => Verdict | null
}

/** Maximum term of an acceptance in days. */
export const LONGEST_DAYS = 366
/** Whether a verdict leaves no risk to accept. */
export const isNothingToAccept = (verdict: Verdict): boolean =>
  verdict === 'satisfied' || verdict === 'not-applicable' || verdict === 'informational'

/** Adds a risk acceptance for named nodes until the end of a date. Fails with input.refused and a message for the user. */
export function acceptRisk(
  register: Register,
  draft: RiskAcceptanceDraft,
  { now, id, run, verdictOf }: AcceptanceFacts,
): Outcome<Register> {
  const { check, nodes, until } = draft
  const texts = trimmed(draft, ['reason', 'compensatingControl', 'owner', 'requestedBy', 'approvedBy', 'approverRole'])
  if (!texts.ok) return texts
  const day = dayProblem(until, { now, longest: LONGEST_DAYS })
  if (day !== null) return fail('input.refused', `the expiry of the acceptance ${day}`)
  if (nodes.length === 0) return fail('input.refused', 'name at least one node')
  for (const node of nodes) {
    const verdict = verdictOf(node, check)
    if (verdict === null)
      return fail('input.refused', `there is no result of check ${quote(check)} on node ${quote(node)}`)
    if (isNothingToAccept(verdict))
      return fail('input.refused', `check ${quote(check)} on node ${quote(node)} has no deviation to accept`)
  }
  const entry: RiskAcceptance = {
    id,
    check,
    nodes: [...nodes],
    run,
    ...texts.value,
    acceptedAt: now,
    expiresAt: endOfDay(until),
    withdrawn: null,
  }
  return ok({ ...register, riskAcceptances: [...register.riskAcceptances, entry] })
}

/** Withdraws a risk acceptance from now on; it remains listed. Fails with input.refused. */
export function withdrawAcceptance(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const riskAcceptances = takeBack(register.riskAcceptances, draft, now, 'risk acceptance')
  return riskAcceptances.ok ? ok({ ...register, riskAcceptances: riskAcceptances.value }) : riskAcceptances
}

/** Withdraws a document from now on; it remains listed. Fails with input.refused. */
export function withdrawDocument(register: Register, draft: WithdrawalDraft, now: string): Outcome<Register> {
  const documents = takeBack(register.documents, draft, now, 'document')
  return documents.ok ? ok({ ...register, documents: documents.value }) : documents
}

/** Entries with one of them withdrawn from now on. Fails with input.refused, with the kind of entry in the message. */
export function takeBack<T extends { readonly id: string; readonly withdrawn: Withdrawal | null }>(
  entries: readonly T[],
  draft: WithdrawalDraft,
  now: string,
  what: string,
): Outcome<readonly T[]> {
  const texts = trimmed(draft, ['by', 'reason'])
  if (!texts.ok) return texts
  const entry = entries.find(({ id }) => id === draft.id)
  if (entry === undefined) return fail('input.refused', `there is no such ${what}`)
  if (entry.withdrawn !== null) return fail('input.refused', `this ${what} was already withdrawn`)
  const withdrawal = { at: now, ...texts.value }
  return ok(entries.map((one) => (one === entry ? { ...one, withdrawn: withdrawal } : one)))
}

const TEXT_NAMES: Readonly<Record<string, string>> = {
  reason: 'the reason',
  compensatingControl: 'the compensating control',
  owner: 'the owner',
  requestedBy: 'the requester',
  approvedBy: 'the approver',
  approverRole: 'the approver’s role',
  by: 'the person responsible',
  text: 'the explanation',
  explainedBy: 'the author of the explanation',
  role: 'the author’s role',
  summary: 'the summary of evidence',
  providedBy: 'the provider of the document',
  name: 'the name',
  lookedAt: 'the scope of the inspection',
  statedBy: 'the person who states the response',
}

/** The named texts, trimmed. Fails with input.refused where one is empty. */
export function trimmed<K extends string>(
  draft: Readonly<Record<K, string>>,
  names: readonly K[],
): Outcome<Readonly<Record<K, string>>> {
  const empty = names.find((name) => draft[name].trim() === '')
  if (empty !== undefined) return fail('input.refused', `${TEXT_NAMES[empty] ?? empty} must be entered`)
  return ok(Object.fromEntries(names.map((name) => [name, draft[name].trim()])) as Record<K, string>)
}

/** Framework ID under which documents are attached to evidence requests, with the request’s ID as the control. */
export const EVIDENCE_REQUESTS = 'requests'

/** Scope of a pack, which selects the part of the register included in it. */
interface Concerned {
  readonly nodes: readonly string[]
  readonly checks: readonly string[]
  readonly frameworks: readonly DocumentRequest['framework'][]
}

/**
 * The part of a register that concerns one pack. Other nodes and frameworks can belong to another customer, so their names
 * are excluded: an acceptance is limited to the nodes of the pack. Signatures cover the whole entry, so a limited entry is included
 * without its signatures, as an unsigned entry. A response names no node, and is included where its check is.
 */
export function registerFor(register: Register, { nodes, checks, frameworks }: Concerned): Register {
  const here = new Set(nodes)
  const known = new Set(checks)
  // A document of an evidence request, and its assignment, counts in every framework.
  const chosen = new Set<string>([...frameworks, EVIDENCE_REQUESTS])
  const narrowed = <T extends RiskAcceptance | AcceptanceRequest>(entry: T): readonly T[] => {
    const named = entry.nodes.filter((node) => here.has(node))
    if (named.length === 0 || !known.has(entry.check)) return []
    if (named.length === entry.nodes.length) return [entry]
    return [{ ...entry, nodes: named, ...(entry.signatures && { signatures: [] }) }]
  }
  const { decisions, acceptanceRequests, explanations, responses } = register
  const explained = (entry: Explanation): readonly Explanation[] => {
    const named = entry.nodes.filter((node) => here.has(node))
    return named.length === 0 ? [] : [{ ...entry, nodes: named }]
  }
  const answeringHere = (entry: EvidenceDocument): EvidenceDocument => {
    const { answers, ...rest } = entry
    if (answers?.nodes.every((node) => here.has(node)) !== false) return entry
    const [first, ...more] = answers.nodes.filter((node) => here.has(node))
    return first === undefined ? rest : { ...rest, answers: { ...answers, nodes: [first, ...more] } }
  }
  return {
    ...register,
    riskAcceptances: register.riskAcceptances.flatMap(narrowed),
    documents: register.documents
      .filter(({ controls }) => controls.length === 0 || controls.some(({ framework }) => chosen.has(framework)))
      .map(answeringHere),
    documentRequests: register.documentRequests.filter(({ framework }) => chosen.has(framework)),
    ...(decisions && { decisions: decisions.filter(({ framework }) => chosen.has(framework)) }),
    ...(acceptanceRequests && { acceptanceRequests: acceptanceRequests.flatMap(narrowed) }),
    ...(explanations && { explanations: explanations.flatMap(explained) }),
    ...(responses && { responses: responses.filter(({ check }) => known.has(check) || check === POPULATION) }),
  }
}
