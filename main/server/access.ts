import type { Method } from '../../schemas/ipc.ts'
import type { TeamRole } from '../../schemas/ipc-team.ts'

/** How a method is served that has a file dialog in the window. */
export type Served = 'call' | 'upload' | 'download' | 'folder' | 'shown'

/** What an input or an engagement must fulfill besides the role. */
export type Condition = 'unsigned' | 'demo' | 'sealer'

export type Rule =
  | { readonly roles: readonly TeamRole[]; readonly served: Served; readonly only?: Condition }
  | { readonly refused: string }

const READERS: readonly TeamRole[] = ['officer', 'auditor', 'operator']
const OFFICER: readonly TeamRole[] = ['officer']
const WORKERS: readonly TeamRole[] = ['officer', 'operator']

const call = (roles: readonly TeamRole[], only?: Condition): Rule => ({
  roles,
  served: 'call',
  ...(only === undefined ? {} : { only }),
})
const upload = (roles: readonly TeamRole[]): Rule => ({ roles, served: 'upload' })
const download = (roles: readonly TeamRole[]): Rule => ({ roles, served: 'download' })
const refused = (reason: string): Rule => ({ refused: reason })

const WHY_NO_SIGNING = 'signing takes place on an officer’s machine; the server holds no signing key'
const SIGNING = refused(WHY_NO_SIGNING)
const WHY_NO_TABLES = 'the columns that one person chooses would apply to everyone'
const PACKS = refused('packs are opened and verified on the reader’s own machine')
const SCHEDULES = refused('the server has no schedules yet; a schedule is signed and starts on an officer’s machine')
const NAMES_FILES = refused(
  'this file can name further files, which would be read on the server; its administrator places it there',
)
const SHARED_VIEW = refused('the server shows the latest run to everyone; another run would replace it for all')

/**
 * Every method and who may call it: the one table of the team server. A method without a line does not compile. The administrator is in no
 * line: administrators never reach evidence.
 */
export const ACCESS: Readonly<Record<Method, Rule>> = {
  'app.info': call(READERS),
  'catalog.get': call(READERS),
  'settings.get': call(READERS),
  'settings.set': call(WORKERS),
  'search.index': call(READERS),
  'demo.open': call(WORKERS, 'demo'),

  'fleet.get': call(READERS),
  'fleet.import-choose': NAMES_FILES,
  'fleet.import-text': NAMES_FILES,
  'fleet.import-columns': NAMES_FILES,
  'fleet.accept': NAMES_FILES,
  'fleet.edit-node': call(WORKERS),
  'fleet.remove-nodes': call(WORKERS),
  'fleet.open-choose': NAMES_FILES,
  'fleet.open-accept': NAMES_FILES,
  'fleet.save-file': download(WORKERS),
  'declarations.get': call(READERS),
  'declarations.set': call(WORKERS),
  'declarations.choose-file': NAMES_FILES,
  'declarations.place-map': call(WORKERS),
  'declarations.place-at': call(WORKERS),
  'hostkeys.list': call(READERS),
  'hostkeys.scan': call(WORKERS),
  'hostkeys.confirm': call(WORKERS),
  'hostkeys.match-text': call(WORKERS),
  'hostkeys.confirm-matched': call(WORKERS),

  'run.preview': call(READERS),
  'run.preview-save': download(READERS),
  'run.sudoers-save': download(WORKERS),
  'run.start': call(WORKERS),
  'run.pause': call(WORKERS),
  'run.resume': call(WORKERS),
  'run.cancel': call(WORKERS),
  'run.status': call(READERS),
  'runs.list': call(READERS),
  'runs.open': SHARED_VIEW,

  'home.get': call(READERS),
  'home.changes': call(READERS),
  'assessment.get': call(READERS),
  'node.get': call(READERS),
  'node.timeline': call(READERS),
  'location.get': call(READERS),
  'figures.get': call(READERS),
  'evidence.list': call(READERS),
  'evidence.get': call(READERS),
  'findings.get': call(READERS),
  'finding.get': call(READERS),
  'findings.nodes': call(READERS),

  'register.get': call(READERS),
  'register.sign': SIGNING,
  'responses.set': call(OFFICER, 'unsigned'),
  'responses.withdraw': call(OFFICER),
  'acceptances.accept': call(OFFICER),
  'acceptances.accept-many': call(OFFICER, 'unsigned'),
  'acceptances.withdraw': call(OFFICER),
  'acceptances.withdraw-many': call(OFFICER),
  'acceptances.request': call(WORKERS),
  'acceptances.approve': call(OFFICER),
  'acceptances.reject': call(OFFICER),
  'acceptances.save': download(READERS),
  'table.save': download(READERS),
  'tables.get': refused(WHY_NO_TABLES),
  'tables.choose': refused(WHY_NO_TABLES),
  'documents.plan': call(READERS),
  'documents.save-message': download(OFFICER),
  'documents.add': upload(OFFICER),
  'documents.note': call(OFFICER),
  'documents.withdraw': call(OFFICER),
  'documents.show': { roles: READERS, served: 'shown' },
  'decisions.set': call(OFFICER),
  'decisions.withdraw': call(OFFICER),
  'requests.set': call(OFFICER),

  'engagement.get': call(READERS),
  'engagement.set': call(OFFICER),
  'engagement.import-choose': NAMES_FILES,
  'inventory.import-choose': upload(OFFICER),
  'inventory.leave-out': call(OFFICER),
  'coverage.get': call(READERS),
  'provider.list': call(READERS),
  'provider.choose': call(OFFICER),
  'provider.import-choose': upload(OFFICER),
  'mappings.list': call(READERS),
  'mappings.import-choose': upload(OFFICER),
  'mappings.remove': call(OFFICER),
  'claims.get': call(READERS),
  'claims.answers': call(READERS),

  'history.get': call(READERS),
  'history.deviations': call(READERS),
  'history.compare': call(READERS),
  'history.flip': call(READERS),
  'history.record-gap': SIGNING,
  'history.set-baseline': SIGNING,

  'schedules.list': SCHEDULES,
  'schedules.add': SCHEDULES,
  'schedules.change': SCHEDULES,
  'schedules.run-now': SCHEDULES,
  'schedules.choose-passphrase': SCHEDULES,
  'schedules.remove': SCHEDULES,
  'schedules.install': SCHEDULES,
  'schedules.preview': SCHEDULES,
  'schedules.status': SCHEDULES,

  // A key at a signer's computer signs; demo data is signed with a key that is discarded.
  'export.plan': call(OFFICER, 'sealer'),
  'export.preflight': call(OFFICER, 'sealer'),
  'export.build': call(OFFICER, 'sealer'),
  'export.review': PACKS,
  'export.save': { roles: OFFICER, served: 'folder', only: 'sealer' },
  'export.discard': call(OFFICER, 'sealer'),

  'pack.choose-and-verify': PACKS,
  'pack.stop': PACKS,
  'pack.recent': PACKS,
  'pack.open-recent': PACKS,
  'pack.review': PACKS,
  'pack.trust': PACKS,
  'pack.trust-authority': PACKS,
  'pack.import-checkpoint': PACKS,
  'pack.re-evaluate': PACKS,
  'review.sample': PACKS,
  'review.populations': PACKS,
  'review.worksheet': PACKS,
  'review.note': PACKS,
  'review.limits': PACKS,
  'review.save-worksheet': PACKS,
  'review.save-workbook': PACKS,
  'review.save-worksheet-pdf': PACKS,
  'trust.list': PACKS,
  'trust.add-choose': PACKS,
  'trust.remove': PACKS,

  // Those of connected sealers: the server does not start over a folder with signing identities.
  'identities.list': call(READERS),
  'identities.create': SIGNING,
  'identities.save-card': SIGNING,
  'identities.backup': SIGNING,
  'identities.restore': SIGNING,
  'identities.rotate': SIGNING,
}

export type Decision =
  | { readonly allowed: true; readonly served: Served }
  | { readonly allowed: false; readonly reason: string }

/** How an engagement is configured: for demo data, and with the computer of a signer. */
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
  if (!rule.roles.includes(role)) return { allowed: false, reason: `not available to the role ${role}` }
  const missing = missingFor(rule, configured)
  if (missing !== null) return { allowed: false, reason: missing }
  if (rule.only === 'unsigned' && !isUnsigned(input)) return { allowed: false, reason: WHY_NO_SIGNING }
  return { allowed: true, served: rule.served }
}

const isUnsigned = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'identity' in input && input.identity === null

/** What the configuration of an engagement lacks for a rule, in words, or null. */
function missingFor({ only }: Extract<Rule, { roles: unknown }>, { demo, sealer }: Configured): string | null {
  if (only === 'demo' && !demo) return 'this engagement is not for demo data'
  if (only === 'sealer' && !sealer && !demo) return 'no sealer is configured for this engagement'
  return null
}

/** The methods that a page of this role offers. */
export const mayOf = (role: TeamRole, configured: Configured): readonly Method[] =>
  (Object.keys(ACCESS) as Method[]).filter((method) => {
    const rule = ACCESS[method]
    return 'roles' in rule && rule.roles.includes(role) && missingFor(rule, configured) === null
  })
