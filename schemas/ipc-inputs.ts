import { EVIDENCE_LEVELS } from './conclusion-words.ts'
import { NODE_FIGURES } from './figure.ts'
import type { Input, Method } from './ipc.ts'
import { type DeclarationMethods, SECTION_NAMES } from './ipc-declarations.ts'
import { ENGAGEMENT_INPUTS } from './ipc-engagement-inputs.ts'
import type { FindingMethods } from './ipc-findings.ts'
import { HISTORY_INPUTS } from './ipc-history-inputs.ts'
import {
  checkId,
  day,
  exactly,
  framework,
  handle,
  identity,
  list,
  name,
  nodes,
  nothing,
  orNull,
  run,
  source,
  text,
} from './ipc-input-parts.ts'
import { PORTAL_INPUTS } from './ipc-portal.ts'
import { type Dialog, IMPORT_FIELDS, IMPORT_KINDS } from './ipc-views.ts'
import { SAMPLE_POPULATIONS, WORK_STATES } from './review-words.ts'

/** At least one, and no more than there are checks in any catalog. */
const checks = { ...list(checkId, 1000), minItems: 1 } as const
/** The terms of a risk acceptance. */
const terms = {
  nodes,
  reason: text(2000, 3),
  compensatingControl: text(2000, 3),
  owner: text(200),
  requestedBy: text(200),
  until: day,
} as const
const approval = { approvedBy: text(200), approverRole: text(200) } as const
const withdrawals = exactly({
  ids: { ...list(handle, 1000), minItems: 1 },
  by: text(200),
  reason: text(2000, 3),
})

/** Inputs of the methods about findings, see INPUT_SCHEMAS. */
const FINDING_INPUTS: Readonly<Record<keyof FindingMethods, object>> = {
  'home.get': nothing,
  'home.changes': nothing,
  'documents.plan': nothing,
  'documents.save-message': exactly({ owner: text(200) }),
  'findings.get': exactly({ of: source, node: orNull(text(253)) }),
  'finding.get': exactly({ of: source, reference: { type: 'string', pattern: '^F-[0-9A-F]{6}$' } }),
  'findings.nodes': exactly({ checks }),
  'responses.set': exactly({
    checks,
    status: orNull({ enum: ['open', 'in-progress', 'ready-for-retest', 'disputed'] }),
    owner: orNull(text(200, 0)),
    due: orNull({ anyOf: [{ const: '' }, day] }),
    plan: orNull(text(2000, 0)),
    cause: orNull(text(2000, 0)),
    statedBy: text(200),
    identity,
  }),
  'responses.withdraw': withdrawals,
  'acceptances.accept-many': exactly({ checks, ...terms, ...approval, identity }),
  'acceptances.withdraw-many': withdrawals,
}

const km = { type: 'number', exclusiveMinimum: 0, maximum: 20_038 } as const
const point = {
  latitude: { type: 'number', minimum: -90, maximum: 90 },
  longitude: { type: 'number', minimum: -180, maximum: 180 },
} as const
const view = exactly({ middle: orNull(exactly(point)), km })

/** JSON Schemas of what the methods about declarations take; see INPUT_SCHEMAS. The engine checks a section against the fleet schema. */
const DECLARATION_INPUTS: Readonly<Record<keyof DeclarationMethods, object>> = {
  'declarations.get': nothing,
  'declarations.set': exactly({
    section: { enum: SECTION_NAMES },
    nodes,
    value: { type: 'object', maxProperties: 20 },
  }),
  'declarations.choose-file': nothing,
  'declarations.place-map': exactly({ view, place: orNull(exactly({ ...point, radiusKm: km })) }),
  'declarations.place-at': exactly({ view, x: { type: 'number' }, y: { type: 'number' } }),
  'fleet.open-choose': nothing,
  'fleet.open-accept': exactly({ handle }),
  'fleet.save-file': nothing,
}

/** Methods for which the main process asks a person for a file or folder before it calls the engine. */
export const DIALOGS: Readonly<Partial<Record<Method, Dialog>>> = {
  'declarations.choose-file': 'any-file',
  'fleet.import-choose': 'import-file',
  'fleet.open-choose': 'any-file',
  'fleet.save-file': 'save-file',
  'run.preview-save': 'save-file',
  'run.sudoers-save': 'save-file',
  'acceptances.save': 'save-file',
  'table.save': 'save-file',
  'documents.add': 'any-file',
  'documents.save-message': 'save-file',
  'engagement.import-choose': 'any-file',
  'inventory.import-choose': 'any-file',
  'provider.import-choose': 'any-file',
  'mappings.import-choose': 'any-file',
  'export.save': 'export-folder',
  'pack.choose-and-verify': 'pack-file',
  'pack.trust-authority': 'certificate-file',
  'pack.import-checkpoint': 'any-file',
  'review.save-worksheet': 'save-file',
  'review.save-workbook': 'save-file',
  'review.save-worksheet-pdf': 'save-file',
  'trust.add-choose': 'certificate-file',
  'identities.save-card': 'save-file',
  'identities.backup': 'save-file',
  'identities.restore': 'any-file',
  'schedules.choose-passphrase': 'any-file',
  'schedules.choose-integrations': 'any-file',
}

/** The file name that is offered by a method that saves one file. */
const SAVED_NAMES: Readonly<Partial<Record<Method, string>>> = {
  'fleet.save-file': 'fleet.yaml',
  'run.preview-save': 'commands.csv',
  'run.sudoers-save': 'barewitness.sudoers',
  'acceptances.save': 'risk-acceptances.csv',
  'documents.save-message': 'document-request.txt',
  'review.save-worksheet': 'worksheet.csv',
  'identities.save-card': 'signing-identity.txt',
  'review.save-workbook': 'worksheet.xlsx',
  'review.save-worksheet-pdf': 'worksheet.pdf',
  'identities.backup': 'barewitness-identity.json',
}

/** The file name that is offered for a call of a method that saves one file; a table is named after what it lists. */
export function savedName(method: Method, input: unknown): string {
  if (method !== 'table.save') return SAVED_NAMES[method] ?? 'barewitness'
  const { table } = input as Input<'table.save'>
  return `${table}.csv`
}

export const LARGEST_MESSAGE = 1024 * 1024

/** What a table lists, in lower case with hyphens: also the name of a file. */
const table = { type: 'string', pattern: '^[a-z][a-z-]{0,39}$' } as const
const importKind = { enum: IMPORT_KINDS } as const
const fingerprint = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const
const attachment = {
  controls: list(exactly({ framework, control: text(100) }), 400),
  need: orNull(text(500)),
  summary: text(2000, 3),
  providedBy: text(200),
  level: { enum: EVIDENCE_LEVELS },
  inspection: orNull(
    exactly({
      by: text(200),
      on: day,
      lookedAt: text(2000, 3),
      conclusion: { enum: ['supports', 'does-not-support'] },
    }),
  ),
  answers: orNull(exactly({ checks: list(text(100), 100), nodes })),
  owner: text(200),
  validUntil: orNull(day),
  effective: orNull(exactly({ from: day, to: orNull(day) })),
  supersedes: orNull(handle),
} as const

const withdrawal = exactly({ id: handle, by: text(200), reason: text(2000, 3) })
const asked = { check: checkId, ...terms } as const

/** How a node is reached. */
const connection = {
  address: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_.:%\\[\\]-]+$' },
  port: { type: 'integer', minimum: 1, maximum: 65_535 },
  user: { type: 'string', maxLength: 64, pattern: '^([A-Za-z_][A-Za-z0-9_.@\\\\-]{0,63})?$' },
  sudo: { type: 'boolean' },
} as const
/** The same as it was shown: a fleet file can have other texts. */
const shownConnection = { ...connection, address: text(400, 0), port: { type: 'integer' }, user: text(400, 0) } as const

const EXPORTED = {
  frameworks: { ...list(framework, 50), minItems: 1 },
  identity,
  timestamp: { type: 'boolean' },
  also: list(text(40), 20),
  redact: orNull(exactly({ classes: list(text(40), 40), who: text(200), why: text(500, 3) })),
}

/** JSON Schema 2020-12 of every method's input, checked by the main process before anything else happens. */
export const INPUT_SCHEMAS: Readonly<Record<Method, object>> = {
  'app.info': nothing,
  'catalog.get': nothing,
  'settings.get': nothing,
  'settings.set': exactly({
    concurrency: { type: 'integer', minimum: 1, maximum: 256 },
    authority: orNull({ type: 'string', pattern: '^https?://[!-~]{1,490}$' }),
    singleKeys: { type: 'boolean' },
    theme: { enum: ['system', 'light', 'dark'] },
  }),
  'tables.get': nothing,
  'tables.choose': exactly({
    table,
    choice: exactly({ hidden: list(text(60), 60), by: orNull(text(60)), isReversed: { type: 'boolean' } }),
  }),
  'table.save': exactly({
    table,
    rows: { type: 'array', maxItems: 50_000, items: { type: 'array', maxItems: 60, items: text(10_000, 0) } },
  }),
  'demo.open': nothing,
  'fleet.get': nothing,
  'fleet.import-choose': exactly({ kind: importKind }),
  'fleet.import-text': exactly({ kind: importKind, text: { type: 'string', maxLength: 900_000 } }),
  'fleet.import-columns': exactly({
    handle,
    columns: { type: 'array', maxItems: 1000, items: orNull({ enum: IMPORT_FIELDS }) },
  }),
  'fleet.accept': exactly({ handle }),
  'fleet.edit-node': {
    ...exactly({ node: name, ...connection }),
    properties: { node: name, ...connection, was: exactly(shownConnection) },
  },
  'fleet.remove-nodes': exactly({ nodes }),
  'hostkeys.list': nothing,
  'hostkeys.scan': exactly({ nodes }),
  'hostkeys.confirm': exactly({
    node: name,
    fingerprint: { type: 'string', pattern: '^SHA256:[A-Za-z0-9+/]{43}$' },
    howVerified: text(500, 3),
  }),
  'hostkeys.match-text': exactly({ text: { type: 'string', maxLength: 900_000 } }),
  'hostkeys.confirm-matched': exactly({ howVerified: text(500, 3) }),
  'run.preview': exactly({ nodes }),
  'run.preview-save': exactly({ nodes }),
  'run.sudoers-save': exactly({ node: name }),
  'run.start': exactly({ nodes, only: { enum: ['all', 'missing'] } }),
  'run.pause': nothing,
  'run.resume': nothing,
  'run.cancel': nothing,
  'run.status': nothing,
  'runs.list': nothing,
  'runs.open': exactly({ run: text(100) }),
  'runs.stop-opening': nothing,
  'runs.stop-evaluating': nothing,
  'assessment.get': exactly({ of: source }),
  'node.get': exactly({ of: source, node: name }),
  'node.timeline': exactly({ of: source, node: name }),
  'location.get': exactly({ of: source }),
  'figures.get': exactly({ of: source, node: name, kinds: list({ enum: NODE_FIGURES }, NODE_FIGURES.length) }),
  'evidence.list': exactly({ of: source, node: name }),
  'evidence.get': exactly({
    of: source,
    node: name,
    capture: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{0,99}/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' },
    stream: { enum: ['stdout', 'stderr'] },
    offset: { type: 'integer', minimum: 0, maximum: 2 ** 40 },
  }),
  'register.get': exactly({ of: source }),
  'acceptances.accept': exactly({ ...asked, ...approval }),
  'acceptances.withdraw': withdrawal,
  'acceptances.request': exactly(asked),
  'acceptances.approve': exactly({ id: handle, ...approval }),
  'acceptances.reject': withdrawal,
  'acceptances.save': nothing,
  'documents.add': exactly(attachment),
  'documents.note': exactly({ ...attachment, name: text(255), text: text(100_000) }),
  'documents.withdraw': withdrawal,
  'documents.show': exactly({ of: source, id: handle }),
  'decisions.set': exactly({
    framework,
    control: text(100),
    decision: { enum: ['implemented', 'equivalent-alternative', 'not-implemented', 'not-applicable'] },
    reason: text(2000, 3),
    factors: orNull(text(2000, 0)),
    alternativeMeasure: orNull(text(2000, 0)),
    riskAnalysis: orNull(text(500, 0)),
    owner: text(200),
    requestedBy: text(200),
    ...approval,
    until: day,
  }),
  'decisions.withdraw': withdrawal,
  'register.sign': exactly({
    id: handle,
    role: { enum: ['requester', 'approver', 'respondent'] },
    identity,
  }),
  'requests.set': exactly({ framework, control: text(100), need: text(500), owner: text(200), due: day }),
  ...DECLARATION_INPUTS,
  ...ENGAGEMENT_INPUTS,
  ...FINDING_INPUTS,
  ...HISTORY_INPUTS,
  ...PORTAL_INPUTS,
  'search.index': exactly({ of: source }),
  'export.plan': orNull(exactly({ run })),
  'export.preflight': orNull(exactly({ run })),
  'export.build': { oneOf: [exactly(EXPORTED), exactly({ ...EXPORTED, run })] },
  'export.review': exactly({ handle }),
  'export.save': exactly({ handle }),
  'export.discard': exactly({ handle }),
  'pack.choose-and-verify': nothing,
  'pack.stop': nothing,
  'pack.recent': nothing,
  'pack.open-recent': exactly({ handle }),
  'pack.review': nothing,
  'pack.trust': exactly({ howVerified: text(500, 3) }),
  'pack.trust-authority': exactly({ howVerified: text(500, 3) }),
  'pack.import-checkpoint': nothing,
  'pack.re-evaluate': nothing,
  'review.sample': exactly({
    auditor: text(200, 0),
    size: { type: 'integer', minimum: 1, maximum: 1000 },
    seed: text(64),
    from: { enum: SAMPLE_POPULATIONS },
    stratified: { type: 'boolean' },
  }),
  'review.populations': nothing,
  'review.limits': nothing,
  'review.worksheet': nothing,
  'review.note': exactly({ node: name, check: checkId, state: { enum: WORK_STATES }, note: text(4000, 0) }),
  'review.save-worksheet': nothing,
  'review.save-workbook': nothing,
  'review.save-worksheet-pdf': nothing,
  'trust.list': nothing,
  'trust.add-choose': exactly({ for: { enum: ['signers', 'authorities'] }, howVerified: text(500, 3) }),
  'trust.remove': exactly({ fingerprint }),
  'identities.list': nothing,
  'identities.create': exactly({ name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,40}$' }, subject: text(64) }),
  'identities.save-card': exactly({ name: text(64) }),
  'identities.backup': exactly({ name: text(64) }),
  'identities.restore': nothing,
  'identities.rotate': exactly({ name: text(64), why: text(500, 3) }),
}

export const isMethod = (value: unknown): value is Method =>
  typeof value === 'string' && Object.hasOwn(INPUT_SCHEMAS, value)
