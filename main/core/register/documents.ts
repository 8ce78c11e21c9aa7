import {
  type CheckSource,
  type ControlRole,
  EVIDENCE_LEVELS,
  type EvidenceLevel,
} from '../../../schemas/conclusion-words.ts'
import type {
  CheckResult,
  ControlCheck,
  DocumentPart,
  EvidenceDocument,
  Machine,
  Register,
  ReportingBasis,
} from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import { millisOf } from '../base/days.ts'
import type { ControlDocument, EvidenceRequest, OffNodeCheck } from '../rules/requests.ts'
import { type Acceptances, EVIDENCE_REQUESTS, statusOf } from './register.ts'
import { countedDocuments } from './versions.ts'

export const REQUESTS = EVIDENCE_REQUESTS

/** A document without an end date counts for one period: a year from the day on which it was attached. */
export const DOCUMENT_DAYS = 366
export const DAY_MS = 86_400_000

/** Rank of a level; a higher level is a more thorough examination of the document. */
export const levelRank = (level: EvidenceLevel): number => EVIDENCE_LEVELS.indexOf(level)

/**
 * The level at which a document counts (AT-C 105.A30, 205.A62: inquiry alone is not sufficient). A level above `received` requires a named
 * inspector, a date, what was inspected, and a conclusion; otherwise the document counts as received only.
 */
export function levelOf({ level, inspection }: Pick<EvidenceDocument, 'level' | 'inspection'>): EvidenceLevel {
  const stated = level ?? 'received'
  return levelRank(stated) > levelRank('received') && inspection === undefined ? 'received' : stated
}

/** Whether a document is in effect and no older than a period. */
export const isCurrent = (entry: EvidenceDocument, asOf: string): boolean =>
  statusOf(entry, asOf) === 'in-force' &&
  (entry.validUntil !== null || millisOf(asOf) - millisOf(entry.attachedAt) <= DOCUMENT_DAYS * DAY_MS) &&
  (entry.inspection === undefined || millisOf(entry.inspection.at) <= millisOf(asOf))

/** The status of one document of a control: the highest level reached, and the conclusion of its latest inspection. */
interface DocumentState {
  /** Null where no attached document is in effect. */
  readonly level: EvidenceLevel | null
  /** Of the latest inspection that counts. Where two at one time differ, the one that does not support. */
  readonly conclusion: 'supports' | 'does-not-support' | null
}

/**
 * The state of one document. A later inspection replaces an earlier one, as after a repeated restore test. One that does not support replaces it
 * permanently: when it ends, the replaced inspection does not apply again.
 */
export function stateOf(attached: readonly EvidenceDocument[], minimum: EvidenceLevel, asOf: string): DocumentState {
  const current = attached.filter((one) => isCurrent(one, asOf))
  const overtaken = attached.reduce(
    (last, entry) => Math.max(last, endedFailure(entry, asOf)),
    Number.NEGATIVE_INFINITY,
  )
  let level: EvidenceLevel | null = null
  let latest = Number.NEGATIVE_INFINITY
  let conclusion: DocumentState['conclusion'] = null
  for (const entry of current) {
    const reached = levelOf(entry)
    if (level === null || levelRank(reached) > levelRank(level)) level = reached
    if (entry.inspection === undefined) continue
    const at = millisOf(entry.inspection.at)
    const isWorse = entry.inspection.conclusion === 'does-not-support'
    // A document supports only from its minimum level on; one that was inspected and does not support is a deviation at any level.
    if (!isWorse && (levelRank(reached) < levelRank(minimum) || at <= overtaken)) continue
    if (at > latest || (at === latest && isWorse)) {
      latest = at
      conclusion = entry.inspection.conclusion
    }
  }
  return { level, conclusion }
}

/** The time at which a document that is no longer current was found not to support; minus infinity for any other, and for a withdrawn one. */
function endedFailure(entry: EvidenceDocument, asOf: string): number {
  const { inspection, withdrawn } = entry
  if (withdrawn !== null || inspection?.conclusion !== 'does-not-support' || isCurrent(entry, asOf))
    return Number.NEGATIVE_INFINITY
  const at = millisOf(inspection.at)
  return at <= millisOf(asOf) && statusOf(entry, asOf) !== 'not-begun' ? at : Number.NEGATIVE_INFINITY
}

/** Sources besides documents that answer requests. */
interface HeldElsewhere {
  readonly population: boolean
  readonly declaration: boolean
  /** Null at a point in time, where the run chain is not used. */
  readonly chain: boolean | null
}

interface DocumentMatter extends HeldElsewhere {
  /** Documents attached to a request or, where there is no request, to the control. */
  readonly attached: (document: ControlDocument) => readonly EvidenceDocument[]
  /** Whether a decision on the control is in effect. */
  readonly isDecided: boolean
  readonly asOf: string
}

const MINIMUM: EvidenceLevel = 'inspected'

/**
 * The document part of a control (conclusion model, section 4): every mandatory document must be at or above its level, in effect, and supporting.
 */
export function documentPart(documents: readonly ControlDocument[], matter: DocumentMatter): DocumentPart {
  const asked = documents.filter(({ request }) => request?.heldBy !== 'chain' || matter.chain !== null)
  const states = asked.map((document) => {
    const minimum = document.request?.minimum ?? MINIMUM
    const { level, conclusion } = stateOf(matter.attached(document), minimum, matter.asOf)
    const held = conclusion === 'supports' || (conclusion === null && isHeldElsewhere(document.request, matter))
    return { document, level, held, fails: conclusion === 'does-not-support' }
  })
  const mandatory = states.filter(({ document }) => document.mandatory)
  // An optional document changes no state, whatever it shows; otherwise, omitting it would be better than supplying it.
  const failing = mandatory.filter(({ fails }) => fails)
  const outstanding = mandatory.filter(({ held, fails }) => !held && !fails)
  return {
    state:
      failing.length > 0
        ? 'deviations'
        : outstanding.length > 0
          ? 'outstanding'
          : mandatory.length > 0
            ? 'inspected'
            : 'none-needed',
    needed: mandatory.length,
    held: mandatory.filter(({ held }) => held).length,
    outstanding: outstanding.map(({ document, level }) => ({
      request: document.request?.id ?? null,
      title: document.title,
      level,
    })),
    deviations: failing.map(({ document }) => document.request?.id ?? document.title),
  }
}

function isHeldElsewhere(request: EvidenceRequest | null, matter: DocumentMatter): boolean {
  switch (request?.heldBy) {
    case 'pack':
      // The reader of this conclusion has it from the pack, and `verify` tests the seal separately.
      return true
    case 'chain':
      return matter.chain === true
    case 'population':
      return matter.population
    case 'declaration':
      return matter.declaration
    case 'decision':
      return matter.isDecided
    default:
      return false
  }
}

/** Documents of a register that can count, indexed by what they are attached to. */
export function attachmentsBy(
  register: Pick<Register, 'documents'>,
  asOf: string,
  basis: ReportingBasis | null,
): (framework: string, control: string) => readonly EvidenceDocument[] {
  const found = new Map<string, EvidenceDocument[]>()
  for (const entry of countedDocuments(register, asOf, basis))
    for (const key of new Set(entry.controls.map(({ framework, control }) => `${framework}\n${control}`))) {
      const known = found.get(key)
      if (known === undefined) found.set(key, [entry])
      else known.push(entry)
    }
  return (framework, control) => found.get(`${framework}\n${control}`) ?? []
}

/**
 * Documents that answer a request at one control: those attached to the request; those attached to the control without naming a need, where the
 * control has only one document; and those attached to a need that this request alone answers.
 */
export function attachedFor(
  of: ReturnType<typeof attachmentsBy>,
  row: { readonly framework: string; readonly control: string },
  document: ControlDocument,
  requestsOf: Readonly<Record<string, readonly string[]>> = {},
): readonly EvidenceDocument[] {
  const { request, needs } = document
  const single = needs.filter((need) => request === null || requestsOf[need]?.length === 1)
  return [
    ...(request === null ? [] : of(REQUESTS, request.id)),
    ...of(row.framework, row.control).filter(({ need }) => need !== null && single.includes(need)),
  ]
}

/** Whether a document in effect names this check and node and may answer its result. */
type Answers = (check: string, node: string) => 'any' | 'undecided' | null

/**
 * Alternative evidence (conclusion model, section 4): a document attached to a request that may answer the check, at or above its level,
 * supporting, and naming check and node. The result itself does not change.
 */
export function answersIn(
  requests: readonly EvidenceRequest[],
  register: Register,
  asOf: string,
  basis: ReportingBasis | null,
): Answers {
  const found = new Map<string, 'any' | 'undecided'>()
  const attached = attachmentsBy(register, asOf, basis)
  for (const { id, minimum, mayAnswer } of requests) {
    if (mayAnswer.length === 0) continue
    const entries = attached(REQUESTS, id)
    if (stateOf(entries, minimum, asOf).conclusion !== 'supports') continue
    for (const entry of entries) {
      const { answers } = entry
      if (answers === undefined || !isCurrent(entry, asOf)) continue
      if (levelRank(levelOf(entry)) < levelRank(minimum) || entry.inspection?.conclusion !== 'supports') continue
      for (const { check, answers: which } of mayAnswer.filter((one) => answers.checks.includes(one.check)))
        for (const node of answers.nodes) {
          const key = `${check}\n${node}`
          if (found.get(key) !== 'any') found.set(key, which)
        }
    }
  }
  return (check, node) => found.get(`${check}\n${node}`) ?? null
}

/** One check over the nodes of one scope, and which of them deviate. */
export interface CheckOver {
  readonly count: Omit<ControlCheck, 'role' | 'decides'>
  /** Nodes whose result is not satisfied and not answered by a document. */
  readonly deviating: readonly string[]
  /** Of those, the ones with a risk acceptance in force. */
  readonly accepted: readonly string[]
  /** Reached nodes without a deciding result that no document answers. */
  readonly unsettled: number
}

/** Every node, or those that hold or carry declared ePHI. */
export type CountedScope = 'all' | 'ephi'

/** What results are counted by. */
export interface CountingMatter {
  readonly nodes: readonly NodeVerdicts[]
  /** Ids of the checks that the catalog has. */
  readonly built: ReadonlySet<string>
  readonly offNodeChecks: readonly OffNodeCheck[]
  readonly acceptances: Acceptances
  readonly answers: Answers
  /** Whether the population comparison closes. */
  readonly population: boolean
  /** Whether the chain of runs covers the period; null at a point in time. */
  readonly chain: boolean | null
  /** Built checks that are answered by the chain of runs. */
  readonly periodChecks: ReadonlySet<string>
  /** Checks of ePHI paths and flows: they cannot apply to a node that the inspected data map leaves out. */
  readonly ephiChecks: ReadonlySet<string>
  /** Names of nodes that hold or carry declared ePHI, once that declaration was inspected; null before. */
  readonly ephiNodes: ReadonlySet<string> | null
  /** Servers that hold declared ePHI and are in no list of nodes: in the scope of ePHI, and not reached. */
  readonly unlisted?: readonly string[]
}

/** A node was reached when at least one check has a result other than not tested. */
export const isReached = ({ results }: NodeVerdicts): boolean => results.some(({ verdict }) => verdict !== 'not-tested')

/** Where a mapped check's answer comes from. */
export function sourceOf(
  check: string,
  { built, offNodeChecks, periodChecks }: Pick<CountingMatter, 'built' | 'offNodeChecks' | 'periodChecks'>,
): CheckSource {
  if (periodChecks.has(check)) return 'runs'
  if (built.has(check)) return 'server'
  return offNodeChecks.find(({ id }) => id === check)?.source ?? 'server'
}

/**
 * Whether a check decides for a control: its role states so, and its source was tested when the conclusion is made. At a point in time nothing is
 * asked of the chain of runs. A conclusion is sealed into the pack that it would have to rest on, so only verification can test that pack.
 */
export const decides = (role: ControlRole, source: CheckSource, chain: boolean | null): boolean =>
  (role === 'required' || role === 'counter') &&
  (source === 'server' || source === 'population' || (source === 'runs' && chain !== null))

/** Counts of checks, made once for all controls: over every node, or over those that hold or carry ePHI. */
export function counting(matter: CountingMatter): (check: string, scope: CountedScope) => CheckOver {
  const every = matter.nodes.map((node) => ({
    node: node.node,
    stale: node.stale === true,
    reached: isReached(node),
    of: new Map(node.results.map(({ check, verdict }) => [check, verdict])),
  }))
  const { ephiNodes, unlisted = [] } = matter
  const carrying = [
    ...(ephiNodes === null ? every : every.filter(({ node }) => ephiNodes.has(node))),
    ...unlisted.map((node) => ({ node, stale: false, reached: false, of: new Map<string, Verdict>() })),
  ]
  const known = new Map<string, CheckOver>()
  return (check, scope) => {
    const key = `${scope}\n${check}`
    const found = known.get(key)
    if (found !== undefined) return found
    const source = sourceOf(check, matter)
    const isOnServers = source === 'server' || (source === 'runs' && matter.built.has(check))
    const counted = isOnServers
      ? overServers(check, source, scope === 'ephi' ? carrying : every, matter)
      : once(check, source, matter)
    known.set(key, counted)
    return counted
  }
}

interface Sorted {
  readonly node: string
  readonly stale: boolean
  readonly reached: boolean
  readonly of: ReadonlyMap<string, Verdict>
}

function overServers(check: string, source: CheckSource, nodes: readonly Sorted[], matter: CountingMatter): CheckOver {
  const counts: Record<Verdict, number> = { ...NONE }
  const [deviating, accepted]: [string[], string[]] = [[], []]
  let [answeredByDocument, unsettled, notRetested, tested] = [0, 0, 0, 0]
  const isBuilt = matter.built.has(check)
  const isOutside = (node: string): boolean =>
    matter.ephiChecks.has(check) && matter.ephiNodes !== null && !matter.ephiNodes.has(node)
  for (const { node, stale, reached, of } of nodes) {
    const observed = (isBuilt ? of.get(check) : undefined) ?? 'not-tested'
    const outside = reached && isOutside(node)
    const verdict = outside ? 'not-applicable' : observed
    counts[verdict] += 1
    if (!reached) continue
    if (verdict !== 'not-tested') tested += 1
    const answer = matter.answers(check, node)
    if (verdict === 'not-satisfied') {
      if (answer === 'any') answeredByDocument += 1
      else {
        deviating.push(node)
        if (stale) notRetested += 1
        if (matter.acceptances.inForce(node, check) !== null) accepted.push(node)
      }
    } else if (verdict === 'inconclusive' || verdict === 'not-tested' || (stale && !outside)) {
      // What was only recorded keeps its word when it is too old, and no longer counts as obtained.
      if (answer === null) unsettled += 1
      else answeredByDocument += 1
    }
  }
  return {
    count: {
      check,
      source,
      built: isBuilt,
      population: nodes.length,
      tested,
      satisfied: counts.satisfied,
      notSatisfied: counts['not-satisfied'],
      inconclusive: counts.inconclusive,
      notApplicable: counts['not-applicable'],
      informational: counts.informational,
      notTested: counts['not-tested'],
      accepted: accepted.length,
      answeredByDocument,
      notRetested,
    },
    deviating,
    accepted,
    unsettled,
  }
}

/** What is answered once for the whole population: by the chain of runs or the comparison of lists. The pack is not tested yet. */
function once(check: string, source: CheckSource, { population, chain }: CountingMatter): CheckOver {
  const isMet = (source === 'population' && population) || (source === 'runs' && chain === true)
  const isAsked = source === 'population' || (source === 'runs' && chain !== null)
  const [one, pack] = [isAsked ? 1 : 0, source === 'pack' ? 1 : 0]
  return {
    count: {
      check,
      source,
      built: false,
      population: one + pack,
      tested: one,
      satisfied: isMet ? 1 : 0,
      notSatisfied: 0,
      inconclusive: isAsked && !isMet ? 1 : 0,
      notApplicable: 0,
      informational: 0,
      notTested: pack,
      accepted: 0,
      answeredByDocument: 0,
      notRetested: 0,
    },
    deviating: [],
    accepted: [],
    unsettled: isAsked && !isMet ? 1 : 0,
  }
}

const NONE: Readonly<Record<Verdict, number>> = {
  satisfied: 0,
  'not-satisfied': 0,
  inconclusive: 0,
  'not-applicable': 0,
  'not-tested': 0,
  informational: 0,
}

/** As much of a node's assessment as controls, and the comparison of lists, rest on. */
export interface NodeVerdicts {
  readonly node: string
  readonly results: readonly Pick<CheckResult, 'check' | 'verdict'>[]
  readonly machine?: Machine
  /** Whether the fleet file declares an ePHI path on the node. */
  readonly declaresEphi?: boolean
  /** Whether the evidence is older than its validity: then satisfied results were turned into inconclusive ones, and deviations stay. */
  readonly stale?: boolean
}
