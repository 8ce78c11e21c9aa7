import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { defineProbe, known, type Parsed, run } from '../../core/probe.ts'
import { type LoginSession, loginSession } from '../login-records/index.ts'
import { readUnits } from '../read-text.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'
import { type SudoPolicy, sudoersRules } from '../sudo/probes.ts'
import { type AuditRules, type AuditStatus, auditdRules, auditdStatus, loginRoot, type RootLogin } from './probes.ts'

export interface ServiceState {
  /** Whether the service manager knows such a unit at all. */
  readonly loaded: boolean
  readonly active: boolean
  /** Started at boot. Static and generated units have no such setting of their own. */
  readonly enabled: boolean
}

export interface ServiceStates {
  readonly services: ReadonlyMap<string, ServiceState>
}

const UNITS = [
  'auditd',
  'rsyslog',
  'syslog-ng',
  'systemd-journal-upload',
  'fluent-bit',
  'td-agent',
  'vector',
  'filebeat',
  'splunk',
  'wazuh-agent',
  'chrony',
  'chronyd',
  'systemd-timesyncd',
  'ntp',
  'ntpd',
  'ntpsec',
  'ptp4l',
] as const

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const servicesState = defineProbe({
  id: 'services.state',
  title: 'State of audit, log and time services',
  why: 'Shows which services that record, forward logs or keep time are installed, running, and started at boot.',
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,UnitFileState',
      ...UNITS.map((unit) => `${unit}.service`),
    ]),
  },
  parse({ units }) {
    const states = readUnits(units, UNITS)
    if (!states.ok) return states
    return known<ServiceStates>({
      services: new Map(
        [...states.fact].map(([unit, state]) => [
          unit,
          {
            loaded: state.get('LoadState') === 'loaded',
            active: state.get('ActiveState') === 'active',
            enabled: /^(enabled|alias$)/.test(state.get('UnitFileState') ?? ''),
          },
        ]),
      ),
    })
  },
})

export type KnownService = (typeof UNITS)[number]

export const serviceIs = ({ services }: ServiceStates, unit: KnownService, state: keyof ServiceState): boolean =>
  services.get(unit)?.[state] === true

export const auditAuditdRunning = defineCheck({
  id: 'audit.auditd-running',
  property: 'audit',
  expected: 'The audit service runs, starts at boot, receives events from the kernel, and lost none.',
  limitations:
    'What is recorded depends on the loaded rules, and nothing here shows that anyone reads the records. Another program than auditd may receive the kernel’s events; it is not recognized.',
  requires: { services: servicesState },
  optional: { status: auditdStatus },
  evaluate({ services }, { status }) {
    if (!serviceIs(services, 'auditd', 'loaded')) {
      return decide([contradicts('No audit service (auditd) is installed.', servicesState), ...kernel(status)])
    }
    return decide([
      serviceIs(services, 'auditd', 'active')
        ? supports('The audit service is running.', servicesState)
        : contradicts('The audit service is installed but not running.', servicesState),
      serviceIs(services, 'auditd', 'enabled')
        ? supports('The audit service starts at boot.', servicesState)
        : contradicts('The audit service does not start at boot.', servicesState),
      ...kernel(status),
    ])
  },
})

function kernel(status: Parsed<AuditStatus>): readonly DraftObservation[] {
  if (!status.ok) return unclearAbout(auditdStatus, status)
  const { enabled, pid, lost } = status.fact
  return [
    enabled === 0
      ? contradicts('The kernel’s audit system is switched off.', auditdStatus)
      : supports('The kernel’s audit system is on.', auditdStatus),
    pid === 0
      ? contradicts('No program receives the kernel’s audit events.', auditdStatus)
      : supports('A program receives the kernel’s audit events.', auditdStatus),
    lost === null
      ? unclear('Whether events were lost was not printed.', auditdStatus)
      : lost > 0
        ? contradicts(`The kernel lost ${count(lost, 'audit event')} since it started.`, auditdStatus)
        : supports('No audit event was lost since the kernel started.', auditdStatus),
  ]
}

export const auditImmutableRules = defineCheck({
  id: 'audit.immutable-rules',
  property: 'audit',
  expected: 'The audit rules are locked: no user, including root, can change them until the next boot.',
  limitations:
    'A restart lifts the lock, and files that the rules are loaded from can be changed for the next boot. Stored records can still be altered by root.',
  requires: { status: auditdStatus },
  evaluate: ({ status }) =>
    decide([
      status.enabled === 2
        ? supports('The kernel reports “enabled 2”: the rules are locked until the next boot.', auditdStatus)
        : contradicts(
            `The kernel reports “enabled ${status.enabled}”: the rules can be changed at any time.`,
            auditdStatus,
          ),
    ]),
})

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
