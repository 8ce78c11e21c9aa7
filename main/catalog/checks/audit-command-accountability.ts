import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type AuditRules, auditdRules } from '../probes/auditd-rules.ts'
import { type AuditStatus, auditdStatus } from '../probes/auditd-status.ts'
import { loginRoot, type RootLogin } from '../probes/login-root.ts'
import { type LoginSession, loginSession } from '../probes/login-session.ts'
import { type SudoPolicy, sudoersRules } from '../probes/sudoers-rules.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'

export const auditCommandAccountability = defineCheck({
  id: 'audit.command-accountability',
  property: 'audit',
  expected:
    'A command run as root remains attributable to the login that started it, and is logged by sudo or by the audit rules.',
  limitations:
    'It was tried with the login of this collection: other ways in, such as a console or a scheduled job, can differ. A login id names an account, so it names a person only where accounts are not shared. What a shell started through sudo does is not logged by sudo.',
  requires: { session: loginSession },
  optional: { root: loginRoot, sudo: sudoersRules, rules: auditdRules, status: auditdStatus },
  evaluate({ session }, { root, sudo, rules, status }, { node }) {
    if (session.uid === 0)
      return decide([
        contradicts(
          'This login is root itself, so its commands are tied to no personal account.',
          loginSession,
          'user',
        ),
        ...recorded(sudo, rules, status),
      ])
    return decide([
      session.loginUid === session.uid
        ? supports(
            `The kernel ties this session to login id ${session.uid}, which is that of ${quote(node.user)}.`,
            loginSession,
            'login',
          )
        : contradicts(
            session.loginUid === null
              ? 'The kernel ties no login id to this session (pam_loginuid has set none).'
              : `The kernel ties this session to login id ${session.loginUid}, which is not that of this login.`,
            loginSession,
            'login',
          ),
      ...behindRoot(session, root),
      ...recorded(sudo, rules, status),
      ...locked(status),
    ])
  },
})

function behindRoot(session: LoginSession, root: Parsed<RootLogin>): readonly DraftObservation[] {
  if (!root.ok) return unclearAbout(loginRoot, root)
  return [
    root.fact.loginUid !== null && root.fact.loginUid === session.loginUid
      ? supports('A command that ran as root still carried this login id.', loginRoot)
      : contradicts('A command that ran as root did not carry the login id of this session.', loginRoot),
  ]
}

function recorded(
  sudo: Parsed<SudoPolicy>,
  rules: Parsed<AuditRules>,
  status: Parsed<AuditStatus>,
): readonly DraftObservation[] {
  const bySudo = sudo.ok && sudo.fact.logs
  const isOn = status.ok && status.fact.enabled !== 0
  const byAudit =
    isOn && rules.ok && rules.fact.rules.some(isOfStarts) && !rules.fact.rules.some(({ excludes }) => excludes)
  const found = [
    ...(bySudo ? [supports('sudo writes each command to the system log or to a file.', sudoersRules)] : []),
    ...(byAudit ? [supports('The audit rules record started programs with the login id.', auditdRules)] : []),
  ]
  if (found.length > 0) return found
  const isWhole = rules.ok && (!rules.fact.rules.some(isOfStarts) || (status.ok && !isOn))
  if (sudo.ok && isWhole)
    return [
      contradicts(
        'sudo is configured to log nowhere, and no audit rule that is in effect records started programs.',
        sudoersRules,
      ),
    ]
  return [
    ...unclearAbout(sudoersRules, sudo),
    ...unclearAbout(auditdRules, rules),
    ...unclearAbout(auditdStatus, status),
    unclear('So whether commands run as root are written down is not known.', null),
  ]
}

/** A rule over programs being started, all of them, all of root's, or all but those that no login requested. */
const isOfStarts = ({
  syscalls,
  arch,
  excludes,
  path,
  permissions,
  narrowedBy,
}: AuditRules['rules'][number]): boolean =>
  !excludes &&
  arch !== 'b32' &&
  path === null &&
  permissions === '' &&
  narrowedBy.length === 0 &&
  syscalls.some((call) => call === 'execve' || call === 'all')

const locked = (status: Parsed<AuditStatus>): readonly DraftObservation[] =>
  status.ok && status.fact.loginUidLocked === true
    ? [supports('A login id that is set cannot be changed any more.', auditdStatus)]
    : []
