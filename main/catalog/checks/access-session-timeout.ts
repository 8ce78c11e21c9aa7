import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { accountsLocal, canLogIn, type LocalAccounts } from '../probes/accounts-local.ts'
import { type SessionTimeout, sessionTimeout } from '../probes/session-timeout.ts'
import { type SshdSettings, sshdEffective } from '../probes/sshd-effective.ts'
import { setting, settingWords } from '../sshd-access.ts'
import { leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

/** 15 minutes, the CIS Benchmarks' value for TMOUT; the HIPAA rule sets no number (45 CFR 164.312(a)(2)(iii)). */
const LIMIT_SECONDS = 900

export const accessSessionTimeout = defineCheck({
  id: 'access.session-timeout',
  property: 'access',
  claim: 'An idle terminal session ends by itself within 15 minutes, and the person in it cannot switch that off.',
  limits:
    'A program running in the terminal, or a session kept by a multiplexer such as tmux, outlives a shell’s limit. ClientAlive settings of SSH notice dead connections, not idle people, and are not counted. Desktop and web sessions are not covered.',
  needs: { timeout: sessionTimeout, local: accountsLocal },
  wants: { sshd: sshdEffective },
  evaluate({ timeout, local }, { sshd }) {
    const session = [...byLogind(timeout), ...byChannel(sshd)]
    if (session.length > 0) return weigh(session)
    return weigh([...byShell(timeout), ...shells(local), ...clientAlive(sshd)])
  },
})

const isLimit = (seconds: number | null): boolean => seconds !== null && seconds > 0 && seconds <= LIMIT_SECONDS

const byLogind = ({ logindSeconds }: SessionTimeout): readonly Step[] =>
  isLimit(logindSeconds)
    ? [speaksFor(`The session manager ends idle sessions after ${logindSeconds} seconds.`, sessionTimeout, 'logind')]
    : []

// ChannelTimeout (OpenSSH 9.2): closes a channel without traffic; "session" covers shells. Values as in TIME FORMATS of sshd_config(5).
function byChannel(sshd: Parsed<SshdSettings>): readonly Step[] {
  if (!sshd.ok) return []
  const limits = settingWords(sshd.fact, 'channeltimeout').flatMap((entry) => {
    const [, number, unit = 's'] = /^(?:session(?:\*|:shell)?|\*)=(\d{1,6})([smh]?)$/.exec(entry) ?? []
    return number === undefined ? [] : [Number(number) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1)]
  })
  const [seconds] = limits
  return seconds !== undefined && limits.every(isLimit)
    ? [
        speaksFor(
          `The SSH server closes a session without traffic after ${seconds} seconds (ChannelTimeout).`,
          sshdEffective,
        ),
      ]
    : []
}

function byShell({ shell, readOnly }: SessionTimeout): readonly Step[] {
  if (shell.length === 0)
    return [speaksAgainst('No file that shells read at login sets an idle limit (TMOUT).', sessionTimeout, 'shell')]
  const bad = shell.filter(({ seconds }) => !isLimit(seconds))
  if (bad.length > 0) {
    const values = bad.map(({ path, seconds }) => `${path}: ${seconds ?? 'no plain number'}`)
    return [
      speaksAgainst(
        `TMOUT is set to something else than 1 to ${LIMIT_SECONDS} seconds: ${named(values)}.`,
        sessionTimeout,
        'shell',
      ),
    ]
  }
  const values = [...new Set(shell.map(({ seconds }) => `${seconds}`))]
  return [
    speaksFor(`Shells end after ${values.join(' or ')} seconds at their prompt (TMOUT).`, sessionTimeout, 'shell'),
    readOnly
      ? speaksFor('TMOUT is marked read-only.', sessionTimeout, 'shell')
      : leavesUnclear('TMOUT is not marked read-only, so that each person can switch it off.', sessionTimeout, 'shell'),
  ]
}

// Only these shells know TMOUT; /bin/sh is bash or dash depending on the distribution, and dash does not.
function shells(local: LocalAccounts): readonly Step[] {
  const others = local.accounts.filter(
    (account) => canLogIn(account) && !/\/(bash|rbash|ksh|ksh93|mksh|zsh)$/.test(account.shell),
  )
  return others.length === 0
    ? []
    : [
        leavesUnclear(
          `Accounts whose shell may not know TMOUT: ${named(others.map(({ name, shell }) => `${name} (${shell})`))}.`,
          accountsLocal,
          'passwd',
        ),
      ]
}

function clientAlive(sshd: Parsed<SshdSettings>): readonly Step[] {
  if (!sshd.ok) return unclearAbout(sshdEffective, sshd)
  const interval = setting(sshd.fact, 'clientaliveinterval')
  return interval === null || interval === '0'
    ? []
    : [
        speaksFor(
          'The SSH server drops connections whose other end no longer answers; that is not an idle limit and does not count as one.',
          sshdEffective,
        ),
      ]
}
