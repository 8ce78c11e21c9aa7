import { defineProbe, glob, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import type { ThresholdValue } from '../../../core/rules/profile.ts'
import { foundLines, grepIsComplete } from '../../base/read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import {
  type Distribution,
  type PackageList,
  packagesDistribution,
  packagesListDpkg,
} from '../../operations/packages/probes.ts'
import { accountsLocal, canLogIn, type LocalAccounts } from '../accounts/probes.ts'
import { settingNumber, settingWords } from '../sshd/access.ts'
import { type SshdSettings, sshdEffective } from '../sshd/probes.ts'
import { RUNNING_SSH, runningSsh } from '../sshd/running.ts'
import data from './checks.json' with { type: 'json' }

/** An assignment to TMOUT in a file that shells read, or an unset that takes one back. */
interface IdleLimit {
  readonly path: string
  /** In seconds: 0 where it is switched off, null where it is not a plain number. */
  readonly seconds: number | null
  /** It holds under a condition that was not read, or that is about other things than the session being at a terminal. */
  readonly conditional: boolean
}

interface FileLine {
  readonly path: string
  readonly line: string
}

/** A longer line is cut, since the rest is not a setting written by a person. */
const LONGEST = 2000

/** The effect of the lines with TMOUT, in the order in which they are read. */
function idleLimits(found: readonly FileLine[]): {
  readonly shell: readonly IdleLimit[]
  readonly readOnly: boolean
} {
  const guarded = new Set<string>()
  const statements = found.flatMap(({ path, line }) => {
    const code = line.slice(0, LONGEST).replace(/(?<=\s)#.*/, '')
    const read = statementsOf(code, guarded.has(path))
    if (OPENS.test(code)) guarded.add(path)
    return read.map((statement) => ({ path, ...statement }))
  })
  const readOnly = statements.some(({ kind, conditional }) => kind === 'read-only' && !conditional)
  const last = statements.findLastIndex(({ kind }) => kind !== 'read-only')
  return {
    shell: statements.flatMap(({ path, kind, seconds, conditional }, at) =>
      kind === 'set' || (kind === 'unset' && at === last && !readOnly) ? [{ path, seconds, conditional }] : [],
    ),
    readOnly,
  }
}

interface Statement {
  readonly kind: 'set' | 'unset' | 'read-only'
  readonly seconds: number | null
  readonly conditional: boolean
}

/** The word that a command begins with, after what may stand before it (bash(1), SHELL GRAMMAR). */
const COMMAND =
  /(?:^|[;&|(){}]|\b(?:then|do|else|builtin|command)\b)\s*(?:readonly(?!\s+-p)|(?:declare|typeset)(?:\s+-[a-zA-Z]+)*\s+-[a-zA-Z]*r[a-zA-Z]*)(?:\s+-[a-zA-Z]+)*\s+(?:[^;&|]*\s)?TMOUT\b/g

function statementsOf(line: string, isGuarded: boolean): readonly Statement[] {
  const at = (index: number | undefined): boolean => isConditional(line.slice(0, index ?? 0), isGuarded)
  return [
    ...[...line.matchAll(/\bTMOUT=["']?([^\s;"'&|]*)/g)].map(
      ({ index, 1: value = '' }): Statement => ({
        kind: 'set',
        // An empty value switches the limit off (bash(1), TMOUT).
        seconds: value === '' ? 0 : plainNumber(value),
        conditional: at(index),
      }),
    ),
    ...[...line.matchAll(/\bunset\s+(?:-v\s+)?TMOUT\b/g)].map(
      ({ index }): Statement => ({ kind: 'unset', seconds: 0, conditional: at(index) }),
    ),
    ...[...line.matchAll(COMMAND)].map(
      ({ index, 0: text }): Statement => ({
        kind: 'read-only',
        seconds: null,
        conditional: at(index + (/^\s*[;&|(){}]?\s*(?:then|do|else)?/.exec(text)?.[0].length ?? 0)),
      }),
    ),
  ]
}

const plainNumber = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)

/** A block about TMOUT itself: it sets a limit where there is none yet. */
const OPENS = /^if\b.*\bTMOUT\b/

const KEYWORD = /&&|\|\||\)|\b(if|elif|else|case|while|until|for|then)\b/

/**
 * Whether what is before a statement makes it hold for some sessions only. A line that begins with blanks is in a block that begins on a
 * line without TMOUT, which was not read. Conditions on the prompt, the terminal or TMOUT itself hold in every session that it is for.
 */
function isConditional(before: string, isGuarded: boolean): boolean {
  if (/^\s*\(?["']?\*i\*["']?\)/.test(before)) return false
  if (/^\s/.test(before)) return !isGuarded
  const names = [...before.matchAll(/`|\$[({]?[\w-]*/g)].map(([name]) => name.replace('{', ''))
  const isOfSession =
    names.length > 0
      ? names.every((name) => /^\$(TMOUT|PS1|-|BASH(_VERSION)?)$/.test(name))
      : /\[ -t [012] \]|\btty -s\b/.test(before)
  return /^else\b/.test(before) || (KEYWORD.test(before) && !isOfSession)
}

interface SessionTimeout {
  /** Values assigned to TMOUT in the files that shells read at login. */
  readonly shell: readonly IdleLimit[]
  /** Whether a line marks TMOUT read-only without a condition, so that a session cannot change it. */
  readonly readOnly: boolean
  /** StopIdleSessionSec of logind.conf(5) in seconds, where set to a plain number of seconds or minutes. */
  readonly logindSeconds: number | null
}

/**
 * TMOUT (bash(1)): an interactive shell ends after this many seconds at its prompt. SUSE stores the distribution’s
 * part below /usr/etc.
 */
export const sessionTimeout = defineProbe({
  id: 'session.timeout',
  title: 'Idle limits of shells and sessions',
  why: 'Shows whether an unattended terminal session ends automatically.',
  commands: {
    shell: run([
      'grep',
      '-d',
      'skip',
      '-H',
      '-E',
      '^[^#]*TMOUT',
      '/etc/profile',
      glob('/etc/profile.d/*'),
      glob('/etc/bash*rc'),
      '/usr/etc/profile',
      glob('/usr/etc/profile.d/*'),
    ]),
    logind: run([
      'grep',
      '-H',
      '-E',
      '^[[:space:]]*StopIdleSessionSec',
      '/etc/systemd/logind.conf',
      glob('/etc/systemd/logind.conf.d/*.conf'),
    ]),
  },
  parse({ shell, logind }) {
    if (!grepIsComplete(shell)) return unknown('not every file that shells read at login could be read')
    const found = foundLines(shell.text).filter(({ path }) => isReadByShells(path))
    const limits = foundLines(logind.text).map(({ line }) => inSeconds(line.replace(/^[^=]*=/, '')))
    return known<SessionTimeout>({
      ...idleLimits(found),
      // Where one of these files does not exist, grep ends with 2 and has printed the lines of the others.
      logindSeconds: grepIsComplete(logind) ? (limits.at(-1) ?? null) : null,
    })
  },
})

/** In profile.d, /etc/profile of the distributions reads only *.sh, and on the Red Hat family sh.local as well. */
const isReadByShells = (path: string): boolean => !path.includes('/profile.d/') || /\/(sh\.local|[^/]+\.sh)$/.test(path)

// systemd.time(7), the units that make sense here.
function inSeconds(text: string): number | null {
  const [, number, unit = 's'] =
    /^(\d{1,9}) {0,8}(s|sec|seconds?|m|min|minutes?|h|hr|hours?)?$/.exec(text.slice(0, 256).trim()) ?? []
  const factor = unit.startsWith('h') ? 3600 : unit.startsWith('m') ? 60 : 1
  return number === undefined ? null : Number(number) * factor
}

/** The keywords of sshd_config(5) that are read here. */
const KEYWORDS = ['channeltimeout', 'clientaliveinterval', 'clientalivecountmax']

const accessSessionTimeout = defineCheck({
  id: 'access.session-timeout',
  property: 'access',
  expected:
    'Idle terminal sessions end automatically within the limit of the chosen profile, users cannot disable this, and the SSH server drops unresponsive clients.',
  limitations:
    'A program running in the terminal, or a session kept by a multiplexer such as tmux, outlives a shell’s limit. ClientAlive settings of SSH notice dead connections, not idle people, and never count as an idle limit. Match blocks, desktop and web sessions are not covered.',
  requires: { timeout: sessionTimeout, local: accountsLocal },
  optional: { sshd: sshdEffective, dpkg: packagesListDpkg, distribution: packagesDistribution, ...RUNNING_SSH },
  thresholds: ['shell.idle', 'ssh.idle'],
  evaluate({ timeout, local }, { sshd, dpkg, distribution, ...evidence }, context) {
    const limit = limitOf(context, 'shell.idle')
    const running = runningSsh(sshd, evidence, { keywords: KEYWORDS })
    const old = withoutIdleStop(dpkg)
    const session = [
      ...(old === null ? byLogind(timeout, limit) : []),
      ...(running.isBearing ? byChannel(sshd, limit) : []),
    ]
    const idle =
      session.length > 0
        ? session
        : [...ignored(timeout, old), ...byShell(timeout, limit, distribution), ...shells(local)]
    return decide([...idle, ...(running.isBearing ? bySsh(sshd, context, session.length > 0) : []), ...running.steps])
  },
})

const isWithin = (seconds: number | null, limit: ThresholdValue): boolean =>
  seconds !== null && seconds > 0 && seconds <= limit.value

/** The first version of systemd whose logind stops idle sessions (logind.conf(5), StopIdleSessionSec). Red Hat gave it to older ones. */
const STOPS_IDLE = 252

/** The version of systemd of Debian or Ubuntu where it is too old to stop idle sessions; null where it is not, or is not known. */
function withoutIdleStop(dpkg: Parsed<PackageList>): number | null {
  const [, version = ''] = /^systemd (\d{1,4})\D/.exec(dpkg.ok ? (dpkg.fact.packages.find(isSystemd) ?? '') : '') ?? []
  return version !== '' && Number(version) < STOPS_IDLE ? Number(version) : null
}

const isSystemd = (row: string): boolean => row.startsWith('systemd ')

const ignored = ({ logindSeconds }: SessionTimeout, old: number | null): readonly DraftObservation[] =>
  logindSeconds === null || old === null
    ? []
    : [
        supports(
          `StopIdleSessionSec is set and has no effect: systemd ${old} does not know it (from ${STOPS_IDLE} on).`,
          packagesListDpkg,
        ),
      ]

const byLogind = ({ logindSeconds }: SessionTimeout, limit: ThresholdValue): readonly DraftObservation[] =>
  isWithin(logindSeconds, limit)
    ? [
        supports(
          `The session manager ends idle sessions after ${logindSeconds} seconds (at most ${limitText(limit)}).`,
          sessionTimeout,
          'logind',
        ),
      ]
    : []

// ChannelTimeout (OpenSSH 9.2): closes a channel without traffic. The type of a shell is “session:shell”, which a bare “session” does not match (tried with
// OpenSSH 9.2: the shell stays open). Values as in TIME FORMATS of sshd_config(5).
function byChannel(sshd: Parsed<SshdSettings>, limit: ThresholdValue): readonly DraftObservation[] {
  if (!sshd.ok) return []
  const limits = settingWords(sshd.fact, 'channeltimeout').flatMap((entry) => {
    const [, number, unit = 's'] = /^(?:session(?:\*|:\*|:shell)|\*(?::shell)?)=(\d{1,6})([smh]?)$/.exec(entry) ?? []
    return number === undefined ? [] : [Number(number) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1)]
  })
  const [seconds] = limits
  return seconds !== undefined && limits.every((one) => isWithin(one, limit))
    ? [
        supports(
          `The SSH server closes a session without traffic after ${seconds} seconds (ChannelTimeout; at most ${limitText(limit)}).`,
          sshdEffective,
        ),
      ]
    : []
}

/** SUSE’s own files read further ones of the administrator as their last: profile.local, where its advice has TMOUT, and bash.bashrc.local. */
const withoutLimit = (distribution: Parsed<Distribution>): DraftObservation =>
  distribution.ok && distribution.fact.family === 'suse'
    ? unclear(
        'No file that was read sets an idle limit (TMOUT); “/etc/profile.local” and “/etc/bash.bashrc.local”, which shells read on SUSE, were not read.',
        sessionTimeout,
        'shell',
      )
    : contradicts('No file that shells read at login sets an idle limit (TMOUT).', sessionTimeout, 'shell')

function byShell(
  { shell, readOnly }: SessionTimeout,
  limit: ThresholdValue,
  distribution: Parsed<Distribution>,
): readonly DraftObservation[] {
  if (shell.length === 0) return [withoutLimit(distribution)]
  const bad = shell.filter(({ seconds }) => seconds !== null && !isWithin(seconds, limit))
  if (bad.length > 0) {
    const values = bad.map(({ path, seconds }) => `${path}: ${seconds}`)
    return [
      contradicts(
        `TMOUT is set to something else than 1 or more seconds up to ${limitText(limit)}: ${named(values)}.`,
        sessionTimeout,
        'shell',
      ),
    ]
  }
  const open = shell.filter(({ seconds }) => seconds === null).map(({ path }) => path)
  if (open.length > 0)
    return [
      unclear(
        `TMOUT is set to a value that is no plain number, so that the limit is not known: ${named([...new Set(open)])}.`,
        sessionTimeout,
        'shell',
      ),
    ]
  const inPart = shell.filter(({ conditional }) => conditional).map(({ path }) => path)
  if (inPart.length > 0)
    return [
      unclear(
        `TMOUT is set under a condition that was not evaluated, so that it may hold for some sessions only: ${named([...new Set(inPart)])}.`,
        sessionTimeout,
        'shell',
      ),
    ]
  const values = [...new Set(shell.map(({ seconds }) => `${seconds}`))]
  return [
    supports(
      `Shells end after ${values.join(' or ')} seconds at their prompt (TMOUT; at most ${limitText(limit)}).`,
      sessionTimeout,
      'shell',
    ),
    readOnly
      ? supports('TMOUT is marked read-only.', sessionTimeout, 'shell')
      : unclear('TMOUT is not marked read-only, so that each person can switch it off.', sessionTimeout, 'shell'),
  ]
}

// Only these shells apply TMOUT and read the files in which it is set; /bin/sh is bash or dash depending on the distribution, and dash does not. zsh
// applies it, and reads /etc/profile only where a distribution makes it.
function shells(local: LocalAccounts): readonly DraftObservation[] {
  const others = local.accounts.filter(
    (account) => canLogIn(account) && !/\/(bash|rbash|ksh|ksh93|mksh)$/.test(account.shell),
  )
  return others.length === 0
    ? []
    : [
        unclear(
          `Accounts whose shell may not support TMOUT: ${named(others.map(({ name, shell }) => `${name} (${shell})`))}.`,
          accountsLocal,
          'passwd',
        ),
      ]
}

/**
 * Where something else ends idle sessions (`endsSessions`), those of unresponsive clients end with them, and
 * ClientAlive is not required.
 */
function bySsh(sshd: Parsed<SshdSettings>, context: Context, endsSessions: boolean): readonly DraftObservation[] {
  if (!sshd.ok) return unclearAbout(sshdEffective, sshd)
  return endsSessions ? [] : [silentClients(sshd.fact, context)]
}

// A client is dropped after ClientAliveCountMax probes without a response, ClientAliveInterval apart; a 0 in either switches it off.
function silentClients(sshd: SshdSettings, context: Context): DraftObservation {
  const [interval, most] = [settingNumber(sshd, 'clientaliveinterval'), settingNumber(sshd, 'clientalivecountmax')]
  if (interval === null || most === null)
    return unclear('The SSH server did not print its ClientAlive settings as plain numbers.', sshdEffective)
  if (interval === 0 || most === 0)
    return contradicts('The SSH server never drops an unresponsive client (ClientAlive is off).', sshdEffective)
  const limit = limitOf(context, 'ssh.idle')
  const words = `The SSH server drops an unresponsive client after ${interval * most} seconds (ClientAlive; at most ${limitText(limit)}). That is not an idle limit and does not count as one.`
  return interval * most <= limit.value ? supports(words, sshdEffective) : contradicts(words, sshdEffective)
}

export const sessionTimeoutSubject = defineSubject({
  id: 'session-timeout',
  title: 'Timeout of idle sessions',
  probes: [sessionTimeout],
  checks: [accessSessionTimeout],
  data,
})
