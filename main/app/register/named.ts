import type {
  AcceptanceRequest,
  Assessment,
  ControlDecision,
  Explanation,
  Register,
  RiskAcceptance,
} from '../../../schemas/types.ts'
import type { Verdict } from '../../../schemas/words.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { quote } from '../../core/base/plain-text.ts'
import type { TableRow } from '../../core/base/table.ts'
import type { SealReader, Signer } from '../../core/ports/ports.ts'
import {
  type AcceptanceRequestStatus,
  acceptanceRequestStatus,
  acceptanceRequestsOf,
  decidedFor,
  decisionsOf,
} from '../../core/register/decisions.ts'
import { REQUESTS } from '../../core/register/documents.ts'
import { explanationsOf } from '../../core/register/explanations.ts'
import { registerProblems } from '../../core/register/problems.ts'
import {
  acceptancesOf,
  type EntryStatus,
  isNothingToAccept,
  isOnePerson,
  statusOf,
} from '../../core/register/register.ts'
import { currentAuditorRequests, stateAuditorRequest } from '../../core/register/requests.ts'
import { type Approvable, isOneKey } from '../../core/register/signatures.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { Control } from '../../core/rules/framework.ts'
import { documentsOf, type EvidenceRequest } from '../../core/rules/requests.ts'
import { readRequestTable } from '../../present/formats/response-table.ts'
import { type EntrySignatureReading, readSignatures, signatureProblems } from '../../verify/steps/entries.ts'
import { type Imported, importTable } from './store.ts'

/** Resolves the names that people type on a command line. */

const SHORTEST_ID = 6

/**
 * The one id that a text equals or starts. Fails with input.refused for none, several, and for a prefix of fewer than
 * six characters.
 */
export function idNamed(ids: readonly string[], text: string): Outcome<string> {
  const fits = [...new Set(ids.filter((id) => id.startsWith(text)))]
  if (text.length >= SHORTEST_ID && fits.length > 1)
    return fail('input.refused', `several entries begin with ${quote(text)}; enter more of the ID`)
  const [id] = fits
  return id === undefined || text.length < SHORTEST_ID
    ? fail('input.refused', `there is no entry ${quote(text)}; “acceptance list” prints each entry with its ID`)
    : ok(id)
}

interface NamedRow {
  readonly framework: string
  readonly control: Control
}

/** The control with this name, such as hipaa:164.308(b)(1). Fails with input.refused. */
export function rowNamed({ frameworks }: Pick<Catalog, 'frameworks'>, text: string): Outcome<NamedRow> {
  for (const { id: framework, controls } of frameworks) {
    const control = controls.find(({ key, id }) => key === text || `${framework}:${id}` === text)
    if (control !== undefined) return ok({ framework, control })
  }
  return fail(
    'input.refused',
    `there is no control ${quote(text)}; enter framework:control, such as hipaa:164.308(b)(1)`,
  )
}

/**
 * The one document among those required by a control that a text equals or is part of. Fails with input.refused,
 * listing them.
 */
export function needNamed(needs: readonly string[], text: string): Outcome<string> {
  const part = text.trim().toLowerCase()
  const exact = needs.find((need) => need.toLowerCase() === part)
  const fits = part === '' ? [] : needs.filter((need) => need.toLowerCase().includes(part))
  const found = exact ?? (fits.length === 1 ? fits[0] : undefined)
  return found === undefined
    ? fail(
        'input.refused',
        `${quote(text)} does not match exactly one required document of this control: ${listed(needs)}`,
      )
    : ok(found)
}

/** The evidence request of an id, in any case: ER-18. Fails with input.refused. */
export function requestNamed({ requests }: Pick<Catalog, 'requests'>, text: string): Outcome<EvidenceRequest> {
  const found = requests.find(({ id }) => id.toLowerCase() === text.trim().toLowerCase())
  return found === undefined
    ? fail('input.refused', `there is no evidence request ${quote(text)}; “catalog requests” lists them`)
    : ok(found)
}

/**
 * The places that a document is attached to: evidence requests, and controls whose required document no request
 * covers.
 */
export interface DocumentTarget {
  readonly requests: readonly EvidenceRequest[]
  /** As stored in the register. */
  readonly controls: readonly { readonly framework: string; readonly control: string }[]
  /** The required document of these controls; null where only requests are named. */
  readonly need: string | null
}

/**
 * Resolves names of evidence requests and controls. A required document covered by evidence requests resolves to
 * those requests, so that it counts for every control that needs it; only a required document of a customer-defined
 * mapping stays with its control. Without a named document, a control must require exactly one.
 */
export function attachedToNamed(
  catalog: Pick<Catalog, 'requests' | 'offNodeChecks' | 'frameworks'>,
  { request = [], rows: texts = [], need }: NamedPlaces,
): Outcome<DocumentTarget> {
  const requests = new Map<string, EvidenceRequest>()
  for (const text of request) {
    const named = requestNamed(catalog, text)
    if (!named.ok) return named
    requests.set(named.value.id, named.value)
  }
  const own: DocumentTarget['controls'][number][] = []
  let ownNeed: string | null = null
  for (const text of texts) {
    const row = rowNamed(catalog, text)
    if (!row.ok) return row
    const named = documentsNamed(catalog, row.value, need)
    if (!named.ok) return named
    if (typeof named.value !== 'string') {
      for (const one of named.value) requests.set(one.id, one)
      continue
    }
    if (ownNeed !== null && ownNeed !== named.value)
      return fail(
        'input.refused',
        'these controls require different documents; attach the document to each control separately',
      )
    ownNeed = named.value
    own.push({ framework: row.value.framework, control: row.value.control.key })
  }
  if (requests.size + own.length === 0)
    return fail('input.refused', 'enter an evidence request with --request, or a control with --control')
  const asked = [...requests.values()]
  return ok({
    requests: asked,
    controls: [...asked.map(({ id }) => ({ framework: REQUESTS, control: id })), ...own],
    need: ownNeed,
  })
}

export interface NamedPlaces {
  readonly request?: readonly string[] | undefined
  readonly rows?: readonly string[] | undefined
  readonly need?: string | undefined
}

/** The evidence requests behind a required document, or the document itself where no request covers it. */
function documentsNamed(
  catalog: Pick<Catalog, 'requests' | 'offNodeChecks'>,
  { control }: NamedRow,
  text: string | undefined,
): Outcome<readonly EvidenceRequest[] | string> {
  const documents = documentsOf(catalog, control)
  const names = [...new Set([...control.documentsRequired, ...documents.map(({ title }) => title)])]
  const [only, ...more] = documents
  if (text === undefined)
    return only !== undefined && more.length === 0
      ? ok(only.request === null ? only.title : [only.request])
      : fail('input.refused', `select the document of ${quote(control.id)} with --request: ${listed(names)}`)
  // The control's own words come first, because titles of requests often repeat them.
  const own = needNamed(control.documentsRequired, text)
  const need = own.ok ? own : needNamed(names, text)
  if (!need.ok) return need
  const asked = documents.filter(({ title, needs }) => title === need.value || needs.includes(need.value))
  const requests = asked.flatMap(({ request }) => (request === null ? [] : [request]))
  return ok(requests.length === 0 ? need.value : requests)
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((one) => quote(one, 300)).join(', ')

/** How the list of an auditor is added. */
interface ListImport {
  /** IDs of the evidence requests of the catalog. */
  readonly requests: readonly string[]
  readonly statedBy: string
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

/**
 * Adds the request list of an auditor to a register: all rows, or none. Rows that repeat what the register contains
 * add no entry. Fails with input.refused, naming each row that is not valid, and as opening the signer and signing
 * do.
 */
export function importAuditorList(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  rows: readonly TableRow[],
  { requests, statedBy, openSigner }: ListImport,
): Promise<Outcome<Imported>> {
  const known = new Set(requests)
  return importTable(ports, register, {
    read: (now, at) => readRequestTable(rows, currentAuditorRequests(now, at)),
    state: (next, { row: _, ...stated }, moment) =>
      stateAuditorRequest(next, { ...stated, statedBy }, { ...moment, hasRequest: (id) => known.has(id) }),
    openSigner,
  })
}

/** An entry for the list: without signature bytes, with the results of checking the signatures. */
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
 * Risk acceptances, requests and decisions as of a time, with the results of checking their signatures. With an
 * assessment, each check result states whether there is a deviation to accept.
 */
export async function listRegister(
  seal: SealReader,
  register: Register,
  { asOf, assessment }: { readonly asOf: string; readonly assessment: Assessment | null },
): Promise<RegisterList> {
  const results = resultsIn(assessment)
  const riskAcceptances = []
  for (const entry of register.riskAcceptances)
    riskAcceptances.push({ ...(await listedEntry(seal, entry, statusOf(entry, asOf))), results: results(entry) })
  const acceptanceRequests = []
  for (const entry of acceptanceRequestsOf(register))
    acceptanceRequests.push({
      ...(await listedEntry(seal, entry, acceptanceRequestStatus(entry, asOf))),
      results: results(entry),
    })
  const decisions = []
  for (const entry of decisionsOf(register)) decisions.push(await listedEntry(seal, entry, statusOf(entry, asOf)))
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

async function listedEntry<T extends Approvable, S>(seal: SealReader, entry: T, status: S): Promise<Listed<T, S>> {
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
