import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { type AuditRule, auditdRules } from '../probes/auditd-rules.ts'
import { auditdStatus } from '../probes/auditd-status.ts'
import { leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

interface Topic {
  readonly name: string
  /** One of each inner list must be recorded, for both call widths of the processor. */
  readonly calls: readonly (readonly string[])[]
  /** Each of these paths must be watched for changes. */
  readonly paths: readonly string[]
}

// After the rule files that the audit project ships (rules.d) and the CIS Benchmarks' audit section.
const TOPICS: readonly Topic[] = [
  { name: 'programs being started', calls: [['execve']], paths: [] },
  { name: 'changes of sudo rules', calls: [], paths: ['/etc/sudoers', '/etc/sudoers.d'] },
  { name: 'changes of accounts', calls: [], paths: ['/etc/passwd', '/etc/group', '/etc/shadow'] },
  { name: 'changes of the clock', calls: [['adjtimex', 'clock_settime', 'settimeofday']], paths: ['/etc/localtime'] },
  { name: 'kernel modules', calls: [['init_module', 'finit_module'], ['delete_module']], paths: [] },
  { name: 'deleted files', calls: [['unlink', 'unlinkat', 'rename', 'renameat']], paths: [] },
]

export const auditAuditdRules = defineCheck({
  id: 'audit.auditd-rules',
  property: 'audit',
  claim:
    'The loaded audit rules record started programs, changes of accounts, sudo rules and clock, kernel modules, deleted files, and access to the declared ePHI paths.',
  limits:
    'The list of topics is ours, not a legal one. A rule may be narrowed by further conditions that were not judged, and nothing shows that anyone reads the records. ePHI outside the declared paths is not looked for.',
  needs: { loaded: auditdRules },
  wants: { status: auditdStatus },
  evaluate({ loaded }, { status }, { node }) {
    const rules = loaded.rules.filter((rule) => !rule.excludes)
    if (rules.length === 0) return weigh([speaksAgainst('No audit rule is loaded.', auditdRules)])
    return weigh([
      ...TOPICS.map((topic) => judge(topic, rules)),
      ...ephi(node.ephiPaths, rules),
      ...exclusions(loaded.rules),
      ...(!status.ok
        ? unclearAbout(auditdStatus, status)
        : status.fact.enabled === 0
          ? [speaksAgainst('The rules have no effect: the kernel’s audit system is switched off.', auditdStatus)]
          : [speaksFor('The kernel’s audit system is on.', auditdStatus)]),
    ])
  },
})

function judge({ name, calls, paths }: Topic, rules: readonly AuditRule[]): Step {
  const missingCalls = calls.flatMap((group) => {
    const widths = new Set(
      rules
        .filter((rule) => rule.syscalls.some((call) => group.includes(call) || call === 'all'))
        .map((rule) => rule.arch),
    )
    const covered = widths.has(null) || (widths.has('b64') && widths.has('b32'))
    return covered
      ? []
      : widths.size === 0
        ? [`${group[0]}`]
        : [`${group[0]} of ${widths.has('b64') ? '32' : '64'}-bit programs`]
  })
  const missing = [...missingCalls, ...paths.filter((path) => !isWatched(path, rules, /[wa]/))]
  return missing.length === 0
    ? speaksFor(`Recorded: ${name}.`, auditdRules)
    : speaksAgainst(`Not or not wholly recorded: ${name} (missing ${named(missing)}).`, auditdRules)
}

/** A rule on the path itself or on a folder above it. A rule without permission letters covers all of them. */
const isWatched = (path: string, rules: readonly AuditRule[], permission: RegExp): boolean =>
  rules.some((rule) => {
    const watched = rule.path?.replace(/\/+$/, '') ?? null
    const covers = watched !== null && watched !== '' && (path === watched || path.startsWith(`${watched}/`))
    return covers && (rule.permissions === '' || permission.test(rule.permissions))
  })

function ephi(paths: readonly string[] | undefined, rules: readonly AuditRule[]): readonly Step[] {
  if (paths === undefined || paths.length === 0) {
    return [
      leavesUnclear(
        'No ePHI path was declared for this node, so access to it cannot be looked for in the rules.',
        null,
      ),
    ]
  }
  return paths.map((path) => {
    const clean = path.replace(/\/+$/, '')
    return isWatched(clean, rules, /r/) && isWatched(clean, rules, /w/)
      ? speaksFor(`Recorded: reading and writing below ${quote(clean)}.`, auditdRules)
      : speaksAgainst(`Not or not wholly recorded: reading and writing below ${quote(clean)}.`, auditdRules)
  })
}

function exclusions(rules: readonly AuditRule[]): readonly Step[] {
  const excluding = rules.filter((rule) => rule.excludes)
  return excluding.length === 0
    ? []
    : [
        leavesUnclear(
          `Loaded rules that keep events out (never): ${excluding.length}; what they hide was not judged.`,
          auditdRules,
        ),
      ]
}
