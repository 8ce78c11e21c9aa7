import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { type SudoPolicy, sudoersRules } from '../../access/sudo/probes.ts'
import { tenancyProcesses } from '../../base/processes.ts'
import { readUnits, showUnits } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type LoginSession, loginSession } from '../login-records/index.ts'
import data from './checks.json' with { type: 'json' }
import {
  type AuditRule,
  type AuditRuleFiles,
  type AuditRules,
  type AuditStatus,
  auditdRuleFiles,
  auditdRules,
  auditdStatus,
  loginRoot,
  otherReceiver,
  type RootLogin,
  ruleWords,
} from './probes.ts'

interface ServiceState {
  /** Whether the service manager lists such a unit. */
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

export const servicesState = defineProbe({
  id: 'services.state',
  title: 'State of audit, log and time services',
  why: 'Shows which services that record, forward logs or keep time are installed, running, and started at boot.',
  commands: {
    units: showUnits('Id,LoadState,ActiveState,UnitFileState', UNITS),
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

const auditAuditdRunning = defineCheck({
  id: 'audit.auditd-running',
  property: 'audit',
  expected: 'The audit service runs, starts at boot, receives events from the kernel, and lost none.',
  limitations:
    'What is recorded depends on the loaded rules, and nothing here shows that anyone reads the records. Where another program than auditd receives the kernel’s events, what it keeps is not read.',
  requires: { services: servicesState },
  optional: { status: auditdStatus, processes: tenancyProcesses },
  evaluate({ services }, { status, processes }) {
    const other = serviceIs(services, 'auditd', 'active') ? null : otherReceiver(status, processes)
    if (other !== null)
      return decide([
        unclear(
          `The audit service (auditd) does not run; ${named([other])} receives the kernel’s events, and what it keeps was not read.`,
          processes.ok ? tenancyProcesses : auditdStatus,
        ),
        ...kernelAuditing(status, true),
      ])
    if (!serviceIs(services, 'auditd', 'loaded')) {
      return decide([contradicts('No audit service (auditd) is installed.', servicesState), ...kernelAuditing(status)])
    }
    return decide([
      serviceIs(services, 'auditd', 'active')
        ? supports('The audit service is running.', servicesState)
        : contradicts('The audit service is installed but not running.', servicesState),
      serviceIs(services, 'auditd', 'enabled')
        ? supports('The audit service starts at boot.', servicesState)
        : contradicts('The audit service does not start at boot.', servicesState),
      ...kernelAuditing(status),
    ])
  },
})

/** A receiver by multicast is not registered with the kernel. */
function kernelAuditing(status: Parsed<AuditStatus>, hasReceiver = false): readonly DraftObservation[] {
  if (!status.ok) return unclearAbout(auditdStatus, status)
  const { enabled, pid, lost } = status.fact
  return [
    enabled === 0
      ? contradicts('The kernel’s audit system is switched off.', auditdStatus)
      : supports('The kernel’s audit system is on.', auditdStatus),
    ...(pid !== 0
      ? [supports('A program receives the kernel’s audit events.', auditdStatus)]
      : hasReceiver
        ? []
        : [contradicts('No program receives the kernel’s audit events.', auditdStatus)]),
    lost === null
      ? unclear('Whether events were lost was not printed.', auditdStatus)
      : lost > 0
        ? contradicts(`The kernel lost ${count(lost, 'audit event')} since it started.`, auditdStatus)
        : supports('No audit event was lost since the kernel started.', auditdStatus),
  ]
}

const auditImmutableRules = defineCheck({
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

const auditCommandAccountability = defineCheck({
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

interface Topic {
  readonly name: string
  /** One of each inner list must be recorded, for both call widths of the processor. */
  readonly calls: readonly (readonly string[])[]
  /** One path of each inner list must be watched for changes: distributions keep the same thing in different places. */
  readonly paths: readonly (readonly string[])[]
}

// After the rule files that the audit project ships (rules.d) and the CIS Benchmarks' audit section.
const TOPICS: readonly Topic[] = [
  { name: 'programs being started', calls: [['execve']], paths: [] },
  { name: 'changes of sudo rules', calls: [], paths: [['/etc/sudoers'], ['/etc/sudoers.d']] },
  { name: 'changes of accounts', calls: [], paths: [['/etc/passwd'], ['/etc/group'], ['/etc/shadow']] },
  { name: 'changes of the clock', calls: [['adjtimex', 'clock_settime', 'settimeofday']], paths: [['/etc/localtime']] },
  { name: 'kernel modules', calls: [['init_module', 'finit_module'], ['delete_module']], paths: [] },
  { name: 'deleted files', calls: [['unlink', 'unlinkat', 'rename', 'renameat']], paths: [] },
  { name: 'mounted file systems', calls: [['mount', 'move_mount']], paths: [] },
  {
    name: 'records of sessions',
    calls: [],
    paths: [['/run/utmp', '/var/run/utmp', '/var/log/wtmp', '/var/lib/wtmpdb', '/var/log/lastlog', '/var/lib/lastlog']],
  },
]

const auditAuditdRules = defineCheck({
  id: 'audit.auditd-rules',
  property: 'audit',
  expected:
    'The loaded audit rules record started programs, changes of accounts, sudo rules and clock, kernel modules, mounts, deleted files, records of sessions, and access to the declared ePHI paths.',
  limitations:
    'The list of topics is this tool’s, not a legal requirement. A rule may be narrowed by further conditions that were not evaluated. Review of the records is not shown. ePHI outside the declared paths is not searched for.',
  requires: { loaded: auditdRules },
  optional: { status: auditdStatus, files: auditdRuleFiles },
  thresholds: ['audit.backlog'],
  evaluate({ loaded }, { status, files }, context) {
    const rules = loaded.rules.filter((rule) => !rule.excludes)
    if (rules.length === 0) return decide([contradicts('No audit rule is loaded.', auditdRules)])
    return decide([
      ...TOPICS.map((topic) => judge(topic, rules)),
      ...ephi(context.node.ephiPaths, rules),
      ...exclusions(loaded.rules),
      ...drift(loaded.rules, files),
      ...kernel(status, context),
    ])
  },
})

function judge({ name, calls, paths }: Topic, rules: readonly AuditRule[]): DraftObservation {
  const missingCalls = calls.flatMap((group) => {
    const widths = new Set(
      rules
        .filter((rule) => isOverCalls(rule) && rule.syscalls.some((call) => group.includes(call) || call === 'all'))
        .map((rule) => rule.arch),
    )
    const covered = widths.has(null) || (widths.has('b64') && widths.has('b32'))
    return covered
      ? []
      : widths.size === 0
        ? [`${group[0]}`]
        : [`${group[0]} of ${widths.has('b64') ? '32' : '64'}-bit programs`]
  })
  const missingPaths = paths.flatMap((group) =>
    group.some((path) => isWatched(path, rules, /[wa]/)) ? [] : group.slice(0, 1),
  )
  const missing = [...missingCalls, ...missingPaths]
  return missing.length === 0
    ? supports(`Recorded: ${name}.`, auditdRules)
    : contradicts(`Not or not wholly recorded: ${name} (missing ${named(missing)}).`, auditdRules)
}

/** Other fields pick single files, programs, processes or outcomes: such a rule is weak evidence about a call as such. */
const PICKS_FEW =
  /^(exe|exit|success|pid|ppid|inode|filetype|sessionid|devmajor|devminor|fstype|pers|subj_\w*|obj_\w*|msgtype)$/

/** auditctl(8) lists a watch of one file as a rule over all calls (-S all) on its path; it records that file's use and no other call. */
const isOverCalls = (rule: AuditRule): boolean => rule.path === null && rule.permissions === '' && !picksFew(rule)

const picksFew = ({ narrowedBy, picksIds }: AuditRule): boolean =>
  picksIds || narrowedBy.some((field) => PICKS_FEW.test(field))

/** A rule on the path itself or on a folder above it. Without permission letters it covers every use, unless it names calls or outcomes. */
const isWatched = (path: string, rules: readonly AuditRule[], permission: RegExp): boolean =>
  rules.some((rule) => {
    const { path: watched, permissions, syscalls } = rule
    const covers =
      watched !== null && watched !== '/' && watched !== '' && (path === watched || path.startsWith(`${watched}/`))
    if (!covers || picksFew(rule)) return false
    return permissions === '' ? syscalls.every((call) => call === 'all') : permission.test(permissions)
  })

function ephi(paths: readonly string[] | undefined, rules: readonly AuditRule[]): readonly DraftObservation[] {
  if (paths === undefined || paths.length === 0) {
    return [
      unclear('No ePHI path was declared for this node, so access to it cannot be searched for in the rules.', null),
    ]
  }
  return paths.map((path) => {
    const clean = path.replace(/\/+$/, '')
    return isWatched(clean, rules, /r/) && isWatched(clean, rules, /w/)
      ? supports(`Recorded: reading and writing below ${quote(clean)}.`, auditdRules)
      : contradicts(`Not recorded, or only in part: reading and writing below ${quote(clean)}.`, auditdRules)
  })
}

function exclusions(rules: readonly AuditRule[]): readonly DraftObservation[] {
  const excluding = rules.filter((rule) => rule.excludes)
  return excluding.length === 0
    ? []
    : [
        unclear(
          `Loaded rules that keep events out (never, exclude): ${excluding.length}; what they exclude was not evaluated.`,
          auditdRules,
        ),
      ]
}

/** Whether the rules that work now are those of the files. Names that the kernel prints as numbers can make two that agree look apart. */
function drift(loaded: readonly AuditRule[], files: Parsed<AuditRuleFiles>): readonly DraftObservation[] {
  if (!files.ok) return unclearAbout(auditdRuleFiles, files)
  const active = new Set(loaded.map(({ text }) => ruleWords(text)))
  const kept = new Set(files.fact.rules.map(ruleWords))
  const idle = files.fact.rules.filter((rule) => !active.has(ruleWords(rule)))
  const passing = loaded.filter(({ text }) => !kept.has(ruleWords(text)))
  return [
    ...(idle.length === 0
      ? []
      : [
          unclear(
            `${count(idle.length, 'rule')} in the files not found among the loaded ones: ${named(idle, 3)}.`,
            auditdRuleFiles,
          ),
        ]),
    ...(passing.length === 0
      ? []
      : [
          unclear(
            `${count(passing.length, 'loaded rule')} not found in the files, so perhaps gone after a restart: ${named(
              passing.map(({ text }) => text),
              3,
            )}.`,
            auditdRuleFiles,
          ),
        ]),
    ...(idle.length + passing.length === 0
      ? [supports('The loaded rules are those of the files for the next boot.', auditdRuleFiles)]
      : []),
  ]
}

function kernel(status: Parsed<AuditStatus>, context: Context): readonly DraftObservation[] {
  if (!status.ok) return unclearAbout(auditdStatus, status)
  const { enabled, backlogLimit } = status.fact
  const limit = limitOf(context, 'audit.backlog')
  return [
    enabled === 0
      ? contradicts('The rules have no effect: the kernel’s audit system is switched off.', auditdStatus)
      : supports('The kernel’s audit system is on.', auditdStatus),
    backlogLimit === null
      ? unclear('How many audit records may wait was not printed.', auditdStatus)
      : backlogLimit >= limit.value
        ? supports(`${count(backlogLimit, 'audit record')} may wait (at least ${limitText(limit)}).`, auditdStatus)
        : contradicts(
            `Only ${count(backlogLimit, 'audit record')} may wait before events are lost (at least ${limitText(limit)}).`,
            auditdStatus,
          ),
  ]
}

export const auditdSubject = defineSubject({
  id: 'auditd',
  title: 'Linux audit',
  probes: [servicesState, auditdStatus, auditdRules, auditdRuleFiles, loginRoot],
  checks: [auditAuditdRunning, auditAuditdRules, auditImmutableRules, auditCommandAccountability],
  data,
})
