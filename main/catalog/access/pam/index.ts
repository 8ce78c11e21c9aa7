import {
  type Conclusion,
  type Context,
  type DraftObservation,
  defineCheck,
  type MaybeFactsOf,
  unclearAbout,
} from '../../../core/rules/check.ts'
import { contradicts, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import {
  accountsLocal,
  accountsPasswordLocks,
  accountsPasswordState,
  everyPasswordLocked,
  type ReportedPasswords,
  reportedPasswords,
} from '../accounts/probes.ts'
import { aboutSss, otherSources, SSS_EVIDENCE } from '../accounts/sssd.ts'
import { setting } from '../sshd/access.ts'
import { sshdEffective } from '../sshd/probes.ts'
import { RUNNING_SSH, runningSsh } from '../sshd/running.ts'
import data from './checks.json' with { type: 'json' }
import { accessPamPasswordQuality } from './password-quality.ts'
import {
  asksElsewhere,
  asksSss,
  expandStack,
  type PamEntry,
  type PamSettings,
  pamAccessRules,
  pamSettings,
  pamStack,
} from './probes.ts'

// faillock.conf(5), DEFAULTS.
const DEFAULT_INTERVAL = 900
const DEFAULTS: Readonly<Record<string, number>> = { deny: 3, unlock_time: 600, fail_interval: DEFAULT_INTERVAL }

const SSH = { sshd: sshdEffective, ...RUNNING_SSH } as const

const accessPamLockout = defineCheck({
  id: 'access.pam.lockout',
  property: 'access',
  expected:
    'An account is locked after the number of wrong passwords, and for the time, that the chosen profile requires.',
  limitations:
    'Logins with keys are not counted by such a lock, and it does not cover services with their own password checks. Administrators may be exempt unless the module is configured otherwise.',
  requires: { pam: pamStack, settings: pamSettings },
  optional: {
    passwords: accountsPasswordState,
    locks: accountsPasswordLocks,
    local: accountsLocal,
    ...SSH,
    ...SSS_EVIDENCE,
  },
  thresholds: ['lockout.failures', 'lockout.seconds'],
  evaluate({ pam, settings }, { local, passwords: states, locks, ...evidence }, context) {
    const { passwords, reportedBy } = reportedPasswords({ passwords: states, locks })
    const sshd = expandStack(pam, 'sshd', 'auth')
    const entries = (sshd.length > 0 ? sshd : expandStack(pam, 'login', 'auth')).filter(
      (entry) => entry.module === 'pam_faillock',
    )
    if (entries.length > 0) return decide([...faillock(entries, settings, context), ...asked(evidence)])
    if (expandStack(pam, 'sshd', 'auth').some((entry) => entry.module === 'pam_tally2')) {
      return decide([
        unclear('The older module pam_tally2 counts failures; its limits are not evaluated here.', pamStack),
      ])
    }
    if (passwords.ok && local.ok && everyPasswordLocked(passwords.fact, local.fact)) {
      const sss = aboutSss(local.fact, evidence, local.fact.otherSources.includes('sss') || asksSss(pam))
      return otherSources(local.fact, evidence).length === 0 && !asksElsewhere(pam, evidence)
        ? noPasswords(reportedBy, sss)
        : decide([
            unclear(
              'No local account has a password. Those that are kept elsewhere, as in a directory, are checked there, and whether an account locks after failures was not read.',
              reportedBy,
            ),
            ...sss,
          ])
    }
    // A lock is required only where any person has a password; where that was not reported, a missing lock is no
    // deviation yet.
    if ((!passwords.ok || !local.ok) && !asksElsewhere(pam, evidence))
      return decide([
        ...unclearAbout(accountsPasswordState, passwords),
        ...unclearAbout(accountsLocal, local),
        unclear(
          'The login modules of SSH do not include one that locks after failures; whether any account has a password is not known.',
          pamStack,
        ),
      ])
    return decide([contradicts('The login modules of SSH do not include one that locks after failures.', pamStack)])
  },
})

/** Whether the SSH servers that run ask these modules about a password: sshd_config(5), UsePAM, where the settings are theirs. */
function asked({ sshd, ...evidence }: MaybeFactsOf<typeof SSH>): readonly DraftObservation[] {
  const running = runningSsh(sshd, evidence, { keywords: ['usepam'] })
  const usePam = !sshd.ok
    ? unclearAbout(sshdEffective, sshd)
    : !running.isBearing
      ? []
      : setting(sshd.fact, 'usepam') === 'yes'
        ? [supports('The SSH server uses these modules to check a password (UsePAM yes).', sshdEffective)]
        : [
            unclear(
              'The SSH server does not use these modules to check a password (UsePAM is not yes), so that they count none of its logins.',
              sshdEffective,
            ),
          ]
  return [...usePam, ...running.steps]
}

const noPasswords = (reportedBy: ReportedPasswords['reportedBy'], sss: readonly DraftObservation[]): Conclusion => ({
  verdict: 'not-applicable',
  observations: [
    supports('No local account has a password: every one is locked, so that no guess can succeed.', reportedBy),
    ...sss,
  ],
})

function faillock(entries: readonly PamEntry[], settings: PamSettings, context: Context): readonly DraftObservation[] {
  const value = (key: string): number | null => {
    const argument = entries.flatMap((entry) => entry.args).findLast((text) => text.startsWith(`${key}=`))
    const text = argument?.slice(key.length + 1) ?? settings.files.get('faillock.conf')?.get(key)
    if (text === undefined) return DEFAULTS[key] ?? null
    return text === 'never' ? 0 : /^\d{1,9}$/.test(text) ? Number(text) : null
  }
  const counts = entries.some((entry) => entry.args.includes('authfail'))
  const [deny, lock, interval] = [value('deny'), value('unlock_time'), value('fail_interval')]
  const [most, shortest] = [limitOf(context, 'lockout.failures'), limitOf(context, 'lockout.seconds')]
  return [
    counts
      ? supports('The login modules of SSH count wrong passwords (pam_faillock authfail).', pamStack)
      : contradicts('pam_faillock is listed but receives no wrong passwords (no authfail line).', pamStack),
    // pam_faillock(8): authfail counts; only preauth and authsucc keep a locked account out.
    ...(counts && !entries.some(({ args }) => args.includes('preauth') || args.includes('authsucc'))
      ? [
          contradicts(
            'pam_faillock counts wrong passwords but never checks whether an account is locked (no preauth line).',
            pamStack,
          ),
        ]
      : []),
    ...(interval !== null && interval >= DEFAULT_INTERVAL
      ? []
      : [
          unclear(
            `Failures count together only within ${interval ?? 'an unknown number of'} seconds (by default ${DEFAULT_INTERVAL}).`,
            pamSettings,
          ),
        ]),
    deny === null
      ? unclear('The number of allowed failures is not a plain number.', pamSettings)
      : deny > 0 && deny <= most.value
        ? supports(`An account locks after ${deny} failures (at most ${limitText(most)}).`, pamSettings)
        : contradicts(
            deny === 0
              ? 'The number of allowed failures is 0, which switches the lock off.'
              : `An account locks only after ${deny} failures (at most ${limitText(most)}).`,
            pamSettings,
          ),
    lock === null
      ? unclear('The length of the lock is not a plain number of seconds.', pamSettings)
      : lock === 0 || lock >= shortest.value
        ? supports(
            lock === 0
              ? 'A lock lasts until an administrator lifts it.'
              : `A lock lasts ${lock} seconds (at least ${limitText(shortest)}).`,
            pamSettings,
          )
        : contradicts(`A lock lasts ${lock} seconds only (at least ${limitText(shortest)}).`, pamSettings),
  ]
}

export const pamSubject = defineSubject({
  id: 'pam',
  title: 'Passwords and lockout (PAM)',
  probes: [pamStack, pamSettings, pamAccessRules],
  checks: [accessPamLockout, accessPamPasswordQuality],
  data,
})
