import type { Word } from './words.ts'

/** The words of conclusions: roles, sources, levels of documents, states, and the sentences that count them (docs/conclusions.md). */

/** How a check counts for a control (conclusion model, section 2). */
export const CONTROL_ROLES = ['required', 'counter', 'supporting', 'context'] as const
export type ControlRole = (typeof CONTROL_ROLES)[number]

/** Sources of the result of a mapped check (conclusion model, section 3). */
const CHECK_SOURCES = ['server', 'pack', 'runs', 'population', 'document'] as const
export type CheckSource = (typeof CHECK_SOURCES)[number]

/** How far a document was examined, least first (AT-C 205: inquiry, inspection, reperformance). */
export const EVIDENCE_LEVELS = ['inquiry', 'received', 'inspected', 'reperformed'] as const
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number]

/** Effect of a finding on nodes with another host key than the recorded one on the controls of its check. */
export const LIMITS_CONTROLS = 'Refused before login and not tested, which limits the conclusion on:'

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Areas of risk that checks belong to; among findings of equal severity, earlier areas come first. */
export const RISK_AREAS = [
  'other-parties',
  'execution-environment',
  'node-identity',
  'ephi-at-rest',
  'location',
  'population',
  'privileged-access',
  'accounts',
  'ephi-in-transit',
  'support-and-patches',
  'backup',
  'logging',
  'network-exposure',
  'integrity',
  'operations',
] as const
export type RiskArea = (typeof RISK_AREAS)[number]

/** States of the server part of a control. */
export const SERVER_STATES = [
  'deviations',
  'unable-to-conclude',
  'scope-limitation',
  'not-tested',
  'no-deviations',
  'not-applicable',
  'no-server-test',
] as const
export type ServerState = (typeof SERVER_STATES)[number]

/** States of the document part of a control. */
export const DOCUMENT_STATES = ['deviations', 'outstanding', 'inspected', 'none-needed'] as const
export type DocumentState = (typeof DOCUMENT_STATES)[number]

/** States of both parts together, for counts, filters and exports only. Worst first. */
export const ROW_STATES = [
  'deviations',
  'unable-to-conclude',
  'documents-outstanding',
  'addressable-decision',
  'supported',
  'not-applicable',
  'out-of-scope',
] as const
export type RowState = (typeof ROW_STATES)[number]

type Marked = Word & { readonly mark: string }

export const serverStateWords: Readonly<Record<ServerState, Marked>> = {
  deviations: {
    label: 'Deviations noted',
    meaning: 'At least one deciding check is not satisfied on at least one node.',
    mark: 'square-cross',
  },
  'unable-to-conclude': {
    label: 'Unable to conclude',
    meaning: 'A deciding check is inconclusive, was not tested on a node that was reached, or rests on stale evidence.',
    mark: 'diamond-question',
  },
  'scope-limitation': {
    label: 'Scope limitation',
    meaning: 'No deviations noted on the nodes tested; other nodes of the population were not tested.',
    mark: 'diamond-question',
  },
  'not-tested': { label: 'Not tested', meaning: 'No node in scope was reached.', mark: 'dotted-ring' },
  'no-deviations': {
    label: 'No deviations noted',
    meaning: 'Every deciding check is satisfied on every node of the population to which it applies.',
    mark: 'ring-tick',
  },
  'not-applicable': {
    label: 'Not applicable (observed)',
    meaning: 'The nodes show that none of the required checks can apply to them.',
    mark: 'bar',
  },
  'no-server-test': {
    label: 'No server test',
    meaning: 'No required check tests this control on servers; documents decide.',
    mark: 'dot',
  },
}

export const documentStateWords: Readonly<Record<DocumentState, Marked>> = {
  deviations: {
    label: 'Deviations noted in documents',
    meaning: 'A document was inspected and does not support the control.',
    mark: 'square-cross',
  },
  outstanding: {
    label: 'Documents outstanding',
    meaning: 'A required document is missing, expired, or was not inspected.',
    mark: 'dotted-ring',
  },
  inspected: {
    label: 'Documents inspected',
    meaning: 'Every required document was inspected and supports the control.',
    mark: 'ring-tick',
  },
  'none-needed': { label: 'No document needed', meaning: 'The control needs no document.', mark: 'dot' },
}

export const rowStateWords: Readonly<Record<RowState, Marked>> = {
  deviations: {
    label: 'Deviations noted',
    meaning: 'A deciding check is not satisfied on a node, or an inspected document does not support the control.',
    mark: 'square-cross',
  },
  'unable-to-conclude': {
    label: 'Unable to conclude',
    meaning: 'Server evidence is inconclusive, missing, stale, or does not cover the whole population.',
    mark: 'diamond-question',
  },
  'documents-outstanding': {
    label: 'Documents outstanding',
    meaning: 'No deviation was noted; required documents are missing or were not inspected.',
    mark: 'dotted-ring',
  },
  'addressable-decision': {
    label: 'Addressable decision in place',
    meaning:
      'Deviations noted on an addressable specification, with an approved decision in effect (45 CFR 164.306(d)(3)).',
    mark: 'bar',
  },
  supported: {
    label: 'Supported',
    meaning:
      'No deviations noted in the server tests performed on the whole population, and every required document inspected.',
    mark: 'ring-tick',
  },
  'not-applicable': {
    label: 'Not applicable (approved)',
    meaning: 'A named person approved in writing why the control does not apply.',
    mark: 'bar',
  },
  'out-of-scope': {
    label: 'Not in scope',
    meaning: 'The category was not elected, or the control is outside what this tool examines.',
    mark: 'bar',
  },
}

/** What the state of one control means: without a deciding check on servers, nothing is stated of server tests. */
export const rowMeaning = (state: RowState, server: ServerState): string =>
  state === 'supported' && server !== 'no-deviations'
    ? server === 'not-applicable'
      ? 'No check that decides it applies to any server, and every required document was inspected.'
      : 'No check on servers decides it, and every required document was inspected.'
    : rowStateWords[state].meaning

export const roleWords: Readonly<Record<ControlRole, Word>> = {
  required: {
    label: 'Required',
    meaning: 'Decides: a result other than satisfied keeps the control from being concluded.',
  },
  counter: { label: 'Counter', meaning: 'A deviation counts; a satisfied result adds nothing.' },
  supporting: { label: 'Supporting', meaning: 'Listed as support or as an observation; decides nothing.' },
  context: { label: 'Context', meaning: 'Shown for information; decides nothing.' },
}

export const checkSourceWords: Readonly<Record<CheckSource, string>> = {
  server: 'Tested on servers',
  // Conclusions precede the seal of their pack, so they cannot contain the result of its verification.
  pack: 'Tested by verification of the pack',
  runs: 'Answered by the run chain, in period engagements',
  population: 'Answered by the population reconciliation',
  document: 'Answered by a document',
}

export const levelWords: Readonly<Record<EvidenceLevel, Word>> = {
  inquiry: { label: 'Inquiry', meaning: 'People were asked. Inquiry alone supports nothing (AT-C 205).' },
  received: { label: 'Received', meaning: 'The document is on file and was not inspected. It supports nothing yet.' },
  inspected: { label: 'Inspected', meaning: 'A named person inspected it and recorded a conclusion.' },
  reperformed: { label: 'Reperformed', meaning: 'A named person repeated the procedure and recorded a conclusion.' },
}

export const severityWords: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Moderate',
  low: 'Low',
  info: 'Informational',
}

/** The status of a finding: from a response, a risk acceptance, or neither. */
export const findingStatusWords = {
  open: 'Open',
  'in-progress': 'In progress',
  'ready-for-retest': 'Ready for retest',
  disputed: 'Disputed',
  'risk-accepted': 'Risk accepted',
  'acceptance-expired': 'Risk acceptance expired',
} as const

export const riskAreaWords: Readonly<Record<RiskArea, string>> = {
  'other-parties': 'Other parties on the node',
  'execution-environment': 'Execution environment',
  'node-identity': 'Node identity',
  'ephi-at-rest': 'ePHI at rest',
  location: 'Location',
  population: 'Population',
  'privileged-access': 'Privileged access',
  accounts: 'Accounts and login',
  'ephi-in-transit': 'ePHI in transit',
  'support-and-patches': 'Support and patches',
  backup: 'Backup',
  logging: 'Logging',
  'network-exposure': 'Network exposure',
  integrity: 'Integrity',
  operations: 'Operations',
}

/** SOC 2 categories other than Security (AICPA TSP section 100); the engagement elects them. */
export const categoryWords: Readonly<Record<string, string>> = {
  security: 'Security',
  availability: 'Availability',
  confidentiality: 'Confidentiality',
  'processing-integrity': 'Processing Integrity',
  privacy: 'Privacy',
}

/** The members of a server part that its sentence uses. */
interface ServerCounts {
  readonly state: ServerState
  readonly population: number
  readonly tested: number
  readonly deviating: number
  readonly accepted: number
  readonly notRetested: number
}

/** The items that a server part counts: nodes of one run, or node tests over a period (one node in one run). */
export type CountedItem = 'node' | 'node test'

const itemWords: Readonly<
  Record<
    CountedItem,
    {
      readonly on: string
      readonly tested: (count: number) => string
      readonly none: (count: number) => string
      readonly missing: (count: number, whole: number) => string
    }
  >
> = {
  node: {
    on: 'on',
    tested: (count) => `${count} ${count === 1 ? 'node' : 'nodes'} tested`,
    none: (count) => (count === 1 ? 'the node was not reached' : `none of ${count} nodes was reached`),
    missing: (count, whole) => `${count} of ${whole} ${whole === 1 ? 'node' : 'nodes'} not tested`,
  },
  'node test': {
    on: 'in',
    tested: (count) => `${count} ${count === 1 ? 'node test' : 'node tests'}`,
    none: (count) => (count === 1 ? 'the node test did not take place' : `none of ${count} node tests took place`),
    missing: (count, whole) => `${count} of ${whole} ${whole === 1 ? 'node test' : 'node tests'} not performed`,
  },
}

/** The server part in one line: the denominator is what was tested, and what was not tested follows. */
export function serverLine(
  { state, population, tested, deviating, accepted, notRetested }: ServerCounts,
  item: CountedItem = 'node',
): string {
  const { label } = serverStateWords[state]
  const words = itemWords[item]
  if (population === 0) return label
  if (state === 'not-tested') return `${label}: ${words.none(population)}`
  const untested = population - tested
  const counts =
    state === 'deviations'
      ? [
          `deviations ${words.on} ${deviating} of ${words.tested(tested)}`,
          ...(accepted === 0 ? [] : [`risk accepted ${words.on} ${accepted}`]),
          ...(notRetested === 0 ? [] : [`${notRetested} not retested since`]),
        ]
      : state === 'no-deviations' || state === 'scope-limitation'
        ? [`no deviations ${words.on} ${words.tested(tested)}`]
        : []
  // A number alone has no denominator.
  const missing = counts.length === 0 ? words.missing(untested, population) : `${untested} not tested`
  const parts = [...counts, ...(untested === 0 ? [] : [missing])]
  // What was not tested is not the reason why the evidence of the others does not decide.
  const joint = state === 'unable-to-conclude' ? ';' : ':'
  return parts.length === 0 ? label : `${label}${joint} ${parts.join('; ')}`
}

/** The document part in one line. */
export const documentLine = ({
  state,
  needed,
  held,
}: {
  readonly state: DocumentState
  readonly needed: number
  readonly held: number
}): string =>
  needed === 0 ? documentStateWords[state].label : `${documentStateWords[state].label}: ${held} of ${needed} held`

/** The counts of one check that its sentence uses. */
interface CheckCounts {
  readonly source: CheckSource
  readonly population: number
  readonly tested: number
  readonly satisfied: number
  readonly notSatisfied: number
  readonly inconclusive: number
  readonly notTested: number
  readonly notApplicable: number
  readonly informational: number
  readonly answeredByDocument: number
}

/**
 * The results of one check for one control: “deviations 1 of 5 tested; not tested 2”. Informational results are never counted as deviations.
 * Off-node checks have no count of nodes.
 */
export function checkLine(check: CheckCounts): string {
  const {
    source,
    population,
    tested,
    satisfied,
    notSatisfied,
    inconclusive,
    notApplicable,
    informational,
    answeredByDocument,
  } = check
  if (source === 'document' || source === 'pack') return checkSourceWords[source]
  if (population === 0) return source === 'runs' ? 'Not tested: point in time' : 'No node in scope'
  if (source === 'population' || (source === 'runs' && population === 1 && satisfied + inconclusive === 1))
    return `${checkSourceWords[source]}: ${satisfied > 0 ? 'satisfied' : 'inconclusive'}`
  if (tested === 0 && answeredByDocument === 0)
    return `not tested on ${population} ${population === 1 ? 'node' : 'nodes'}`
  const isRecorded = informational > 0 && satisfied + notSatisfied + inconclusive + notApplicable === 0
  return [
    ...(isRecorded
      ? [`recorded on ${informational} of ${tested} tested`]
      : [`deviations ${notSatisfied} of ${tested} tested`]),
    ...(isRecorded || satisfied === 0 ? [] : [`satisfied ${satisfied}`]),
    ...(inconclusive === 0 ? [] : [`inconclusive ${inconclusive}`]),
    ...(notApplicable === 0 ? [] : [`not applicable ${notApplicable}`]),
    ...(isRecorded || informational === 0 ? [] : [`recorded ${informational}`]),
    ...(population === tested ? [] : [`not tested ${population - tested}`]),
    ...(answeredByDocument === 0 ? [] : [`${answeredByDocument} answered by a document`]),
  ].join('; ')
}

/** An observation in one line, with the count of the nodes tested: “not satisfied 1 of 5 tested; not tested 2”. */
export const observationLine = ({
  source,
  notSatisfied,
  tested,
  population,
  answeredByDocument,
}: Pick<CheckCounts, 'source' | 'notSatisfied' | 'tested' | 'population' | 'answeredByDocument'>): string =>
  source === 'pack'
    ? checkSourceWords.pack
    : [
        `not satisfied ${notSatisfied} of ${tested} tested`,
        ...(population === tested ? [] : [`not tested ${population - tested}`]),
        ...(answeredByDocument === 0 ? [] : [`${answeredByDocument} answered by a document`]),
      ].join('; ')

/** Short names of frameworks, by their identifier. Others are named by it. */
export const shortFrameworkNames: Readonly<Record<string, string>> = {
  hipaa: 'HIPAA',
  soc2: 'SOC 2',
  nprm: 'HIPAA (proposed)',
  'nist-800-53': 'NIST 800-53',
  'csf-2': 'CSF 2.0',
  'iso-27001': 'ISO 27001',
  'pci-dss-4': 'PCI DSS 4',
}
