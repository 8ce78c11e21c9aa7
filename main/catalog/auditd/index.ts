import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'
import { defineSubject } from '../subject.ts'
import { limitOf, limitText } from '../thresholds.ts'
import data from './checks.json' with { type: 'json' }
import { auditAuditdRunning, auditCommandAccountability, auditImmutableRules, servicesState } from './checks.ts'
import {
  type AuditRule,
  type AuditRuleFiles,
  type AuditStatus,
  auditdRuleFiles,
  auditdRules,
  auditdStatus,
  loginRoot,
  ruleWords,
} from './probes.ts'

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
const isOverCalls = ({ path, permissions, narrowedBy }: AuditRule): boolean =>
  path === null && permissions === '' && !narrowedBy.some((field) => PICKS_FEW.test(field))

/** A rule on the path itself or on a folder above it. Without permission letters it covers every use, unless it names calls or outcomes. */
const isWatched = (path: string, rules: readonly AuditRule[], permission: RegExp): boolean =>
  rules.some((rule) => {
    const { path: watched, permissions, syscalls, narrowedBy } = rule
    const covers =
      watched !== null && watched !== '/' && watched !== '' && (path === watched || path.startsWith(`${watched}/`))
    if (!covers || narrowedBy.some((field) => PICKS_FEW.test(field))) return false
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
