import type { Method } from '../../schemas/ipc.ts'
import { TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'
import { memberOf } from '../core/outbox/exchange.ts'

/**
 * How a method is served. `upload`, `download`, `folder` (as a ZIP file) and `shown` (a copy of the file) replace a dialog or viewer of the
 * window; `portal`: by the server itself, without an engine.
 */
export type Served = 'call' | 'upload' | 'download' | 'folder' | 'shown' | 'portal'

/**
 * What an engagement and an input must fulfill in addition to the role: demo data; a sealer, or demo data, which is sealed with a key that is
 * discarded; a sealer; a sealer, unless the input names no signing identity.
 */
type Condition = 'demo' | 'sealer' | 'key' | 'key-if-signed'

type Rule =
  | {
      readonly roles: readonly TeamRole[]
      readonly served: Served
      readonly only?: Condition
      /** Auditors may request only results of the shared pack that they opened. */
      readonly auditorsOf?: 'pack'
    }
  | { readonly refused: string }

const READERS: readonly TeamRole[] = ['officer', 'auditor', 'operator']
const OFFICER: readonly TeamRole[] = ['officer']
/** Roles that read live results. Auditors read shared packs only, through a separate engine without other data. */
const WORKERS: readonly TeamRole[] = ['officer', 'operator']
const AUDITOR: readonly TeamRole[] = ['auditor']
const PORTAL: readonly TeamRole[] = ['officer', 'auditor']

const servedAs =
  (served: Served) =>
  (roles: readonly TeamRole[], only?: Condition): Rule => ({ roles, served, ...(only === undefined ? {} : { only }) })
const call = servedAs('call')
const upload = servedAs('upload')
const download = servedAs('download')
const portal = servedAs('portal')
/** Results of the shown run; for auditors, results of the pack that they opened. */
const RESULTS: Rule = { roles: READERS, served: 'call', auditorsOf: 'pack' }
const refused = (reason: string): Rule => ({ refused: reason })

const WHY_NO_SIGNING = 'signing takes place on an officer’s machine; the server holds no signing key'
const WHY_NO_SEALER = 'no sealer is configured for this engagement'
const SIGNING = refused(WHY_NO_SIGNING)
const WHY_NO_TABLES = 'the columns that one person chooses would apply to everyone'
const WHY_NO_LIVE = 'auditors read the packs that are shared with them'
const PACKS = refused('packs are opened and verified on the reader’s own machine')
const OWN_PACKS = refused(
  'auditors open the packs that are shared with them; other packs are opened on their own machine',
)
const NO_TIMERS = refused('the server starts scheduled runs itself; no timer of an operating system does')
const NO_KEY = refused('no key is opened on the server; what was collected is sealed by a sealer')
const NAMES_FILES = refused(
  'this file can name further files, which would be read on the server; its administrator places it there',
)
const SHARED_EVALUATION = refused('the server evaluates the shown run once for everyone who waits for its results')
const SHARED_VIEW = refused('the server shows the latest run to everyone; another run would replace it for all')

/**
 * Every method of an engagement with the roles that may call it. SESSION_ACCESS has the methods that concern the whole server. A method without
 * a line does not compile. No line contains the administrator: administrators never have access to evidence.
 */
export const ACCESS: Readonly<Record<Method, Rule>> = {
  'app.info': call(READERS),
  'catalog.get': call(READERS),
  'settings.get': call(READERS),
  // Each auditor has separate settings, trusted certificates and worksheets.
  'settings.set': call(READERS),
  'search.index': RESULTS,
  'demo.open': call(WORKERS, 'demo'),

  'fleet.get': call(WORKERS),
  'fleet.import-choose': NAMES_FILES,
  'fleet.import-text': NAMES_FILES,
  'fleet.import-columns': NAMES_FILES,
  'fleet.accept': NAMES_FILES,
  'fleet.edit-node': call(WORKERS),
  'fleet.remove-nodes': call(WORKERS),
  'fleet.open-choose': NAMES_FILES,
  'fleet.open-accept': NAMES_FILES,
  'fleet.save-file': download(WORKERS),
  'declarations.get': call(WORKERS),
  'declarations.set': call(WORKERS),
  'declarations.choose-file': NAMES_FILES,
  'declarations.place-map': call(WORKERS),
  'declarations.place-at': call(WORKERS),
  'hostkeys.list': call(WORKERS),
  'hostkeys.scan': call(WORKERS),
  'hostkeys.confirm': call(WORKERS),
  'hostkeys.match-text': call(WORKERS),
  'hostkeys.confirm-matched': call(WORKERS),

  'run.preview': call(WORKERS),
  'run.preview-save': download(WORKERS),
  'run.sudoers-save': download(WORKERS),
  'run.start': call(WORKERS),
  'run.pause': call(WORKERS),
  'run.resume': call(WORKERS),
  'run.cancel': call(WORKERS),
  'run.status': call(WORKERS),
  'runs.list': call(WORKERS),
  'runs.open': SHARED_VIEW,
  'runs.stop-opening': SHARED_VIEW,
  'runs.stop-evaluating': SHARED_EVALUATION,

  'home.get': call(WORKERS),
  'home.changes': call(WORKERS),
  'assessment.get': RESULTS,
  'node.get': RESULTS,
  'node.timeline': RESULTS,
  'location.get': RESULTS,
  'figures.get': RESULTS,
  'evidence.list': RESULTS,
  'evidence.get': RESULTS,
  'findings.get': RESULTS,
  'finding.get': RESULTS,
  'findings.nodes': call(WORKERS),

  'register.get': RESULTS,
  'register.sign': call(OFFICER, 'key'),
  'responses.set': call(OFFICER, 'key-if-signed'),
  'responses.withdraw': call(OFFICER),
  'acceptances.accept': call(OFFICER),
  'acceptances.accept-many': call(OFFICER, 'key-if-signed'),
  'acceptances.withdraw': call(OFFICER),
  'acceptances.withdraw-many': call(OFFICER),
  'acceptances.request': call(WORKERS),
  'acceptances.approve': call(OFFICER),
  'acceptances.reject': call(OFFICER),
  'acceptances.save': download(WORKERS),
  'table.save': download(READERS),
  'tables.get': refused(WHY_NO_TABLES),
  'tables.choose': refused(WHY_NO_TABLES),
  'documents.plan': call(WORKERS),
  'documents.save-message': download(OFFICER),
  'documents.add': upload(OFFICER),
  'documents.note': call(OFFICER),
  'documents.withdraw': call(OFFICER),
  'documents.show': { roles: READERS, served: 'shown', auditorsOf: 'pack' },
  'decisions.set': call(OFFICER),
  'decisions.withdraw': call(OFFICER),
  'requests.set': call(OFFICER),

  'engagement.get': RESULTS,
  'engagement.set': call(OFFICER),
  'engagement.import-choose': NAMES_FILES,
  'inventory.import-choose': upload(OFFICER),
  'inventory.leave-out': call(OFFICER),
  'coverage.get': RESULTS,
  'provider.list': call(WORKERS),
  'provider.choose': call(OFFICER),
  'provider.import-choose': upload(OFFICER),
  'mappings.list': call(WORKERS),
  'mappings.import-choose': upload(OFFICER),
  'mappings.remove': call(OFFICER),
  'claims.get': RESULTS,
  'claims.answers': RESULTS,

  'history.get': call(WORKERS),
  'history.deviations': call(WORKERS),
  'history.compare': call(WORKERS),
  'history.flip': call(WORKERS),
  'history.sending': call(OFFICER),
  'history.record-gap': call(OFFICER, 'key'),
  'history.set-baseline': call(OFFICER, 'key'),

  // A demo has no run chain, on which a period report rests.
  'period.plan': call(OFFICER, 'key'),
  'period.build': call(OFFICER, 'key'),

  // The server starts scheduled runs itself; a sealer signs the schedule.
  'schedules.list': call(WORKERS),
  'schedules.add': call(WORKERS, 'key'),
  'schedules.change': call(WORKERS, 'key'),
  'schedules.run-now': refused(
    'the server starts scheduled runs when they are due; a run that a person starts is not one of them',
  ),
  'schedules.choose-passphrase': NO_KEY,
  'schedules.choose-integrations': refused('the configuration of the engagement states where its packs are sent'),
  'schedules.remove': call(WORKERS, 'key'),
  'schedules.install': NO_TIMERS,
  'schedules.preview': NO_TIMERS,
  'schedules.status': call(WORKERS),

  // A key at a signer's computer signs; demo data is signed with a key that is discarded.
  'export.plan': call(OFFICER, 'sealer'),
  'export.preflight': call(OFFICER, 'sealer'),
  'export.build': call(OFFICER, 'sealer'),
  'export.review': PACKS,
  'export.save': { roles: OFFICER, served: 'folder', only: 'sealer' },
  'export.discard': call(OFFICER, 'sealer'),

  'pack.choose-and-verify': OWN_PACKS,
  'pack.stop': call(AUDITOR),
  'pack.recent': OWN_PACKS,
  'pack.open-recent': OWN_PACKS,
  'pack.review': call(AUDITOR),
  'pack.trust': call(AUDITOR),
  'pack.trust-authority': upload(AUDITOR),
  'pack.import-checkpoint': upload(AUDITOR),
  'pack.re-evaluate': call(AUDITOR),
  'review.sample': call(AUDITOR),
  'review.populations': call(AUDITOR),
  'review.worksheet': call(AUDITOR),
  'review.note': call(AUDITOR),
  'review.limits': call(AUDITOR),
  'review.save-worksheet': download(AUDITOR),
  'review.save-workbook': download(AUDITOR),
  'review.save-worksheet-pdf': download(AUDITOR),
  'trust.list': call(AUDITOR),
  'trust.add-choose': upload(AUDITOR),
  'trust.remove': call(AUDITOR),

  'portal.packs': portal(PORTAL),
  'portal.share': portal(OFFICER, 'sealer'),
  'portal.unshare': portal(OFFICER),
  'portal.open': portal(AUDITOR),
  'portal.save': portal(PORTAL),
  'portal.invitations': portal(OFFICER),
  'portal.invite': portal(OFFICER),
  'portal.end-access': portal(OFFICER),
  'portal.requests': portal(PORTAL),
  'portal.ask': portal(AUDITOR),
  'portal.act': portal(PORTAL),

  // Lists identities of connected sealers: the server does not start with a folder that contains signing identities.
  'identities.list': call(WORKERS),
  'identities.create': SIGNING,
  'identities.save-card': SIGNING,
  'identities.backup': SIGNING,
  'identities.restore': SIGNING,
  'identities.rotate': SIGNING,
}

/** The role of a person at the identity provider; null for a person who has access only through an invitation. */
export type ServerRole = TeamRole | null

const EVERYONE: readonly ServerRole[] = [...TEAM_ROLES, null]
const ADMINISTRATOR: readonly ServerRole[] = ['administrator']

/**
 * Methods about sessions with the roles that may call them. They belong to no engagement and show no evidence. GET is a page; POST is a form on
 * a page, with the token of the session.
 */
export const SESSION_ACCESS = {
  'sessions.own': { verb: 'GET', roles: EVERYONE },
  'sessions.end-own': { verb: 'POST', roles: EVERYONE },
  'sessions.end-all-own': { verb: 'POST', roles: EVERYONE },
  'sessions.list': { verb: 'GET', roles: ADMINISTRATOR },
  'sessions.end': { verb: 'POST', roles: ADMINISTRATOR },
  'sessions.end-person': { verb: 'POST', roles: ADMINISTRATOR },
} as const satisfies Readonly<Record<string, { readonly verb: 'GET' | 'POST'; readonly roles: readonly ServerRole[] }>>
export type SessionMethod = keyof typeof SESSION_ACCESS

/** Why a role may not call this method about sessions, as text for people; null where it may. */
export const sessionRefusal = (role: ServerRole, method: SessionMethod): string | null => {
  const { roles }: { readonly roles: readonly ServerRole[] } = SESSION_ACCESS[method]
  return roles.includes(role) ? null : `not available ${role === null ? 'without a role' : `to the role ${role}`}`
}

type Decision =
  | { readonly allowed: true; readonly served: Served }
  | { readonly allowed: false; readonly reason: string }

/** Whether an engagement is configured for demo data, and whether it has a sealer. */
export interface Configured {
  readonly demo: boolean
  readonly sealer: boolean
}

/**
 * Whether a role may make this call. `input` has already been checked against the schema of the method. A refusal gives a reason for people.
 */
export function decide(role: TeamRole, method: Method, input: unknown, configured: Configured): Decision {
  const rule = ACCESS[method]
  if ('refused' in rule) return { allowed: false, reason: rule.refused }
  if (!rule.roles.includes(role))
    return {
      allowed: false,
      reason: role === 'auditor' && rule.roles === WORKERS ? WHY_NO_LIVE : `not available to the role ${role}`,
    }
  const missing = missingFor(rule, configured)
  if (missing !== null) return { allowed: false, reason: missing }
  if (role === 'auditor' && rule.auditorsOf === 'pack' && memberOf(input, 'of') !== 'pack')
    return { allowed: false, reason: WHY_NO_LIVE }
  if (rule.only === 'key-if-signed') {
    const identity = memberOf(input, 'identity')
    if (identity !== null && !(configured.sealer && typeof identity === 'string'))
      return { allowed: false, reason: WHY_NO_SEALER }
  }
  return { allowed: true, served: rule.served }
}

/** The part of the configuration that an engagement lacks for a rule, as text for people; null where it lacks none. */
function missingFor({ only }: Extract<Rule, { roles: unknown }>, { demo, sealer }: Configured): string | null {
  if (only === 'demo' && !demo) return 'this engagement is not for demo data'
  if (only === 'sealer' && !sealer && !demo) return WHY_NO_SEALER
  if (only === 'key' && !sealer) return WHY_NO_SEALER
  return null
}

/** The methods that a page of this role offers. */
export const mayOf = (role: TeamRole, configured: Configured): readonly Method[] =>
  (Object.keys(ACCESS) as Method[]).filter((method) => {
    const rule = ACCESS[method]
    return 'roles' in rule && rule.roles.includes(role) && missingFor(rule, configured) === null
  })
