import { defineProbe, known, type Parsed, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import type { Processes } from '../../base/processes.ts'
import { foundLines, grepIsComplete, isAbsent, lines, whether } from '../../base/read-text.ts'
import { loginIdIn } from '../login-records/index.ts'

export interface AuditStatus {
  /** 0 off, 1 on, 2 on and locked until the next boot (auditctl(8), -e). */
  readonly enabled: 0 | 1 | 2
  /** Process id of the audit daemon; 0 when none is registered with the kernel. */
  readonly pid: number
  readonly lost: number | null
  readonly backlogLimit: number | null
  /** Whether a login id, once set, can no longer be changed (auditctl(8), --loginuid-immutable); null where it is not printed. */
  readonly loginUidLocked: boolean | null
}

/** auditctl(8) -s: one `name value` pair per line, or all on one line in old versions (`name=value`). */
export const auditdStatus = defineProbe({
  id: 'auditd.status',
  title: 'State of the kernel’s audit system',
  why: 'Shows whether the kernel records audit events, who receives them, and whether any were lost.',
  ignoredInDrift: {
    why: 'The service has another process id at each start, and counts the events that it lost; only whether it lost some is compared.',
    normalize: ({ pid, lost, ...status }: AuditStatus) => ({
      ...status,
      isRegistered: pid !== 0,
      hasLost: whether(lost),
    }),
  },
  commands: { status: runAsRoot(['auditctl', '-s']) },
  parse({ status }) {
    if (status.exitCode !== 0) return unknown('the audit system did not respond')
    const value = (name: string): number | null => {
      const text = new RegExp(`(?:^|\\s)${name}[ =](\\d{1,10})(?:\\s|$)`).exec(status.text)?.[1]
      return text === undefined ? null : Number(text)
    }
    const enabled = value('enabled')
    const pid = value('pid')
    if ((enabled !== 0 && enabled !== 1 && enabled !== 2) || pid === null)
      return unknown('the output of auditctl has an unexpected format')
    const locked = value('loginuid_immutable')
    return known<AuditStatus>({
      enabled,
      pid,
      lost: value('lost'),
      backlogLimit: value('backlog_limit'),
      loginUidLocked: locked === null ? null : locked === 1,
    })
  },
})

/** One loaded rule: what it watches. A watch (-w) is a rule on a path with permission letters. */
export interface AuditRule {
  readonly text: string
  readonly syscalls: readonly string[]
  readonly arch: 'b64' | 'b32' | null
  readonly path: string | null
  readonly permissions: string
  /** `-a never,…` keeps events out, and so does every rule on the list of messages to exclude (auditctl(8), exclude). */
  readonly excludes: boolean
  /** Names of the fields that narrow it, other than the width of the call, its key, and what it watches (auditctl(8), -F and -C). */
  readonly narrowedBy: readonly string[]
  /** It records single accounts or groups alone, or programs that change theirs (auditctl(8), -C compares two fields of one event). */
  readonly picksIds: boolean
}

export interface AuditRules {
  readonly rules: readonly AuditRule[]
}

/** auditctl(8) -l prints the rules that are loaded now, which can differ from the files. */
export const auditdRules = defineProbe({
  id: 'auditd.rules',
  title: 'Loaded audit rules',
  why: 'Shows which events the server records.',
  commands: { rules: runAsRoot(['auditctl', '-l']) },
  parse({ rules }) {
    if (rules.exitCode !== 0) return unknown('the loaded audit rules could not be listed')
    if (/^No rules\s*$/.test(rules.text)) return known<AuditRules>({ rules: [] })
    const read = lines(rules.text).map(readRule)
    if (read.length === 0 || read.includes(null)) return unknown('the output of auditctl has an unexpected format')
    return known<AuditRules>({ rules: read.filter((rule) => rule !== null) })
  },
})

/** Parses one line in the rule syntax of auditctl(8); null for anything else. */
function readRule(line: string): AuditRule | null {
  const words = line.trim().split(/\s+/)
  if (words[0] !== '-w' && words[0] !== '-a' && words[0] !== '-A') return null
  const after = (flag: string): readonly string[] =>
    words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ''] : []))
  const field = (name: string): string | null =>
    after('-F')
      .find((text) => text.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? null
  const arch = field('arch')
  const watched = words[0] === '-w' ? (words[1] ?? null) : (field('path') ?? field('dir'))
  return {
    text: line.trim(),
    syscalls: after('-S').flatMap((names) => names.split(',')),
    arch: arch === 'b64' || arch === 'b32' ? arch : null,
    path: watched === null ? null : withoutSlashes(watched),
    permissions: (words[0] === '-w' ? after('-p')[0] : field('perm')) ?? '',
    excludes: words[0] !== '-w' && /(^|,)(never|exclude)(,|$)/.test(words[1] ?? ''),
    narrowedBy: [...after('-F'), ...after('-C')]
      .filter((text) => !ADDS_NOTHING.test(text))
      .map((text) => /^[a-z0-9_]{1,32}/i.exec(text)?.[0] ?? ''),
    picksIds: after('-C').length > 0 || after('-F').some((text) => /^(a|e|s|fs)?[ug]id=/.test(text)),
  }
}

// A login id is set for whatever a login requested; without one it is the system's own work, which rule sets leave out.
const ADDS_NOTHING = /^(arch=|key=|path=|dir=|perm=|auid>=?\d|auid!=(unset|-1|4294967295)$)/

/** A path without the slashes at its end; the root folder stays one. Not by pattern, since a path can be megabytes of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/**
 * A rule in words that do not depend on how it is written: -w is a rule on a path, "unset" is -1, a rule without calls is over all of them
 * (-S all), -C compares the same two fields either way round, and order does not matter. So a rule in a file can be searched for among those
 * that are loaded.
 */
export function ruleWords(line: string): string {
  const words = line.trim().split(/\s+/)
  const rule = readRule(line)
  if (rule === null) return ''
  const compared = new Set(words.flatMap((word, index) => (word === '-C' ? [words[index + 1] ?? ''] : [])))
  const fields = words
    .flatMap((word, index) => (word === '-F' || word === '-C' ? [words[index + 1] ?? ''] : []))
    .filter((field) => !/^(arch|path|dir|perm|key)=/.test(field))
    .map((field) => field.replace(/(!?=)(unset|4294967295)$/, '$1-1'))
    .map((field) => (compared.has(field) ? eitherWay(field) : field))
  const action = words[0] === '-w' ? 'always,exit' : (words[1] ?? '').split(',').sort().join(',')
  const permissions = rule.path !== null && rule.permissions === '' ? 'rwxa' : rule.permissions
  return JSON.stringify([
    action,
    rule.arch,
    rule.syscalls.filter((call) => call !== 'all').sort(),
    rule.path,
    [...permissions].sort().join(''),
    fields.sort(),
  ])
}

/** Two fields that are compared with = or !=, in one order. */
function eitherWay(comparison: string): string {
  const [, one = '', operator = '', other = ''] = /^([a-z_]{1,32})(!?=)([a-z_]{1,32})$/.exec(comparison) ?? []
  return operator === '' ? comparison : [one, other].sort().join(operator)
}

export interface AuditRuleFiles {
  /** Rules in the files, in the syntax of auditctl(8). */
  readonly rules: readonly string[]
}

/** augenrules(8) makes the rules that are loaded at boot from the files *.rules in rules.d; other files there do not count. */
export const auditdRuleFiles = defineProbe({
  id: 'auditd.rule-files',
  title: 'Audit rules for the next boot',
  why: 'Shows whether the active rules are the ones in the files, and so are loaded again after a restart.',
  commands: {
    rules: runAsRoot(['grep', '-r', '-H', '-E', '^[[:space:]]{0,}-[aAw][[:space:]]', '/etc/audit/rules.d']),
  },
  parse({ rules }) {
    if (!grepIsComplete(rules)) return unknown('the files of audit rules could not be read')
    return known<AuditRuleFiles>({
      rules: foundLines(rules.text)
        .filter(({ path }) => /^\/etc\/audit\/rules\.d\/[^/]+\.rules$/.test(path))
        .map(({ line }) => line.trim())
        .filter((line) => readRule(line) !== null),
    })
  },
})

export interface RootLogin {
  /** The login id that a command run as root carries; null where none is set. */
  readonly loginUid: number | null
}

/** credentials(7): the login id survives a change of user, which is what ties root's doings to a login. */
export const loginRoot = defineProbe({
  id: 'login.root',
  title: 'Login ID of a command run as root',
  why: 'Shows whether actions as root remain attributable to the login that started them.',
  commands: { login: runAsRoot(['grep', '-H', '.', '/proc/self/loginuid']) },
  parse({ login }) {
    if (isAbsent(login)) return known<RootLogin>({ loginUid: null })
    if (login.exitCode !== 0) return unknown('the login id could not be read as root')
    return known<RootLogin>({ loginUid: loginIdIn(login.text) })
  },
})

/** Programs that do nothing but receive the kernel's events in the place of auditd, also by multicast, which registers no process. */
const RECEIVERS = /^(auditbeat|go-audit)$/

/**
 * The program that receives the kernel’s audit events instead of auditd, while auditd is not running: the process
 * named by auditctl(8) -s, or a known one. Null where there is none. The registered process may be missing in the
 * list.
 */
export function otherReceiver(status: Parsed<AuditStatus>, processes: Parsed<Processes>): string | null {
  const all = processes.ok ? processes.fact.processes : []
  const known = all.find(({ command }) => RECEIVERS.test(command))?.command ?? null
  if (!status.ok || status.fact.pid === 0) return known
  const registered = all.find(({ pid }) => pid === status.fact.pid)?.command
  return registered === 'auditd' ? null : (registered ?? `process ${status.fact.pid}`)
}
