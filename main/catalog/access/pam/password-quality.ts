import type { Parsed } from '../../../core/recording/probe.ts'
import {
  type Conclusion,
  type Context,
  type DraftObservation,
  defineCheck,
  type MaybeFactsOf,
  unclearAbout,
} from '../../../core/rules/check.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import {
  accountsLocal,
  accountsLoginDefs,
  accountsPasswordLocks,
  accountsPasswordMethods,
  accountsPasswordState,
  everyPasswordLocked,
  type LoginDefs,
  type PasswordMethods,
  type ReportedPasswords,
  reportedPasswords,
} from '../accounts/probes.ts'
import { aboutSss, otherSources, SSS_EVIDENCE } from '../accounts/sssd.ts'
import {
  asksElsewhere,
  asksSss,
  expandStack,
  type PamEntry,
  type PamSettings,
  type PamStack,
  pamSettings,
  pamStack,
} from './probes.ts'

const WANTS = {
  defs: accountsLoginDefs,
  methods: accountsPasswordMethods,
  passwords: accountsPasswordState,
  locks: accountsPasswordLocks,
  local: accountsLocal,
  ...SSS_EVIDENCE,
}

type Wanted = MaybeFactsOf<typeof WANTS> & ReportedPasswords

export const accessPamPasswordQuality = defineCheck({
  id: 'access.pam.password-quality',
  property: 'access',
  expected:
    'New local passwords meet the length, character and reuse rules of the profile, and passwords are stored and expire as it requires.',
  limitations:
    'The rules apply when a password is changed: one set before them, or set by an administrator where root is exempt, may be weaker. How good a password is, and passwords of a directory service, are not shown.',
  requires: { pam: pamStack, settings: pamSettings },
  optional: WANTS,
  thresholds: ['password.length', 'password.classes', 'password.remembered', 'password.days'],
  evaluate({ pam, settings }, facts, context) {
    const wanted = { ...facts, ...reportedPasswords(facts) }
    const isElsewhere = asksElsewhere(pam, wanted) || keptElsewhere(wanted)
    const kept = hasNoPasswords(wanted) && isElsewhere ? [elsewhere(wanted)] : []
    if (hasNoPasswords(wanted) && !isElsewhere) return noPasswords(pam, wanted)
    const entries = passwordStack(pam)
    if (entries.length === 0)
      return decide([
        unclear('The modules that decide about a new password were not found among the login modules.', pamStack),
      ])
    const unknown = asksElsewhere(pam, wanted) ? [] : existence(wanted)
    const rules = [
      ...quality(entries, settings, context),
      ...history(entries, settings, context),
      ...scheme(entries, wanted.defs),
    ]
    const ages = ageing(wanted, context)
    return decide([
      ...kept,
      ...existence(wanted),
      ...(unknown.length + kept.length > 0 ? rules.map(notYetAgainst) : rules),
      ...stored(wanted),
      ...(kept.length > 0 ? ages.map(notYetAgainst) : ages),
    ])
  },
})

/** A locked password can be unlocked where its hash is kept. */
const hasNoPasswords = ({ passwords, local, methods }: Wanted): boolean =>
  passwords.ok && local.ok && everyPasswordLocked(passwords.fact, local.fact) && !(methods.ok && holdsAny(methods.fact))

/** Accounts of a directory service have passwords that the local list does not show. */
const keptElsewhere = ({ local, ...sss }: Wanted): boolean => local.ok && otherSources(local.fact, sss).length > 0

const elsewhere = ({ reportedBy }: Wanted): DraftObservation =>
  unclear(
    'No local account has a password. Those that are kept elsewhere, as in a directory, follow rules that were not read.',
    reportedBy,
  )

const holdsAny = ({ accounts }: PasswordMethods): boolean =>
  [...accounts.values()].some(({ method }) => method !== null)

/** Whether any person has a password at all decides whether the rules matter; where nothing was reported, that stays open. */
const existence = ({ passwords, local, methods }: Wanted): readonly DraftObservation[] =>
  methods.ok && holdsAny(methods.fact)
    ? []
    : [...unclearAbout(accountsPasswordState, passwords), ...unclearAbout(accountsLocal, local)]

/**
 * A rule that is too weak is no deviation while it is unknown whether any person has a password that it applies to.
 */
const notYetAgainst = (step: DraftObservation): DraftObservation =>
  step.direction === 'contradicts' ? { ...step, direction: 'unclear' } : step

const noPasswords = (pam: PamStack, { reportedBy, local, ...sss }: Wanted): Conclusion => ({
  verdict: 'not-applicable',
  observations: [
    supports('No local account has a password: every one is locked, so that there is none to rate.', reportedBy),
    ...(local.ok ? aboutSss(local.fact, sss, local.fact.otherSources.includes('sss') || asksSss(pam)) : []),
  ],
})

/** The stack that passwd(1) uses; the names of the common files differ by distribution. */
function passwordStack(pam: PamStack): readonly PamEntry[] {
  for (const service of ['passwd', 'common-password', 'system-auth']) {
    const entries = expandStack(pam, service, 'password')
    if (entries.length > 0) return entries
  }
  return []
}

const QUALITY: ReadonlySet<string> = new Set(['pam_pwquality', 'pam_cracklib', 'pam_passwdqc'])

function quality(entries: readonly PamEntry[], settings: PamSettings, context: Context): readonly DraftObservation[] {
  const entry = entries.find(({ module }) => QUALITY.has(module))
  const length = limitOf(context, 'password.length')
  if (entry === undefined) {
    const own = numberOf(entries.find(({ module }) => module === 'pam_unix')?.args, 'minlen')
    return [
      own !== null && own >= length.value && limitOf(context, 'password.classes').value === 0
        ? supports(`A new password must have at least ${own} characters (pam_unix).`, pamStack)
        : contradicts(
            `None of the modules that check a new password rates its quality (limit: ${limitText(length)}).`,
            pamStack,
          ),
    ]
  }
  const isHeld =
    entry.control === 'required' || entry.control === 'requisite' || /^\[.*default=(die|bad)\b/.test(entry.control)
  if (entry.control === 'optional')
    return [contradicts(`${entry.module} rates new passwords, and its verdict is optional.`, pamStack)]
  if (!isHeld) return [unclear(`Whether the verdict of ${entry.module} is enforced could not be determined.`, pamStack)]
  if (entry.module === 'pam_passwdqc')
    return [unclear('Passwords are rated by pam_passwdqc, whose rules are not compared here.', pamStack)]
  const file = entry.module === 'pam_pwquality' ? settings.files.get('pwquality.conf') : undefined
  const value = (key: string, otherwise: number): number | null => {
    const text = argument(entry.args, key) ?? file?.get(key)
    if (text === undefined) return otherwise
    return /^-?\d{1,6}$/.test(text) ? Number(text) : null
  }
  if (value('enforcing', 1) === 0)
    return [contradicts('Weak passwords are only warned about and not refused (enforcing = 0).', pamSettings)]
  // Credits shorten what minlen requires; pam_cracklib gives one for each class by default, pam_pwquality none.
  const each = entry.module === 'pam_cracklib' ? 1 : 0
  const credits = ['dcredit', 'ucredit', 'lcredit', 'ocredit'].map((key) => value(key, each))
  const stated = value('minlen', entry.module === 'pam_cracklib' ? 9 : 8)
  const classes = value('minclass', 0)
  if (stated === null || classes === null || credits.includes(null))
    return [unclear(`The settings of ${entry.module} are not plain numbers.`, pamSettings)]
  const given = credits.filter((credit) => credit !== null)
  const shortest = Math.max(6, stated - given.reduce((sum, credit) => sum + Math.max(0, credit), 0))
  const kinds = Math.max(classes, given.filter((credit) => credit < 0).length)
  const wantedKinds = limitOf(context, 'password.classes')
  return [
    shortest >= length.value
      ? supports(`A new password must have at least ${shortest} characters (${entry.module}).`, pamSettings)
      : contradicts(`A new password may have ${shortest} characters (limit: ${limitText(length)}).`, pamSettings),
    ...(wantedKinds.value === 0
      ? []
      : [
          kinds >= wantedKinds.value
            ? supports(`A new password must hold ${kinds} kinds of characters.`, pamSettings)
            : contradicts(
                `A new password must hold ${kinds} kinds of characters (limit: ${limitText(wantedKinds)}).`,
                pamSettings,
              ),
        ]),
  ]
}

function history(entries: readonly PamEntry[], settings: PamSettings, context: Context): readonly DraftObservation[] {
  const limit = limitOf(context, 'password.remembered')
  if (limit.value === 0) return []
  const module = entries.find((entry) => entry.module === 'pam_pwhistory')
  // pam_pwhistory(8): ten by default; pwhistory.conf(5) since Linux-PAM 1.5.3, and an argument comes first.
  const text =
    module === undefined
      ? argument(entries.find((entry) => entry.module === 'pam_unix')?.args, 'remember')
      : (argument(module.args, 'remember') ?? settings.files.get('pwhistory.conf')?.get('remember') ?? '10')
  if (text === undefined) return [contradicts('No module keeps earlier passwords from coming back.', pamStack)]
  if (!/^\d{1,6}$/.test(text))
    return [unclear('How many earlier passwords are remembered is not a plain number.', pamSettings)]
  return [
    Number(text) >= limit.value
      ? supports(`The last ${Number(text)} passwords may not come back.`, pamSettings)
      : contradicts(`The last ${Number(text)} passwords may not come back (limit: ${limitText(limit)}).`, pamSettings),
  ]
}

const STRONG: ReadonlySet<string> = new Set(['yescrypt', 'gost_yescrypt', 'gost-yescrypt', 'sha512', 'sha-512'])
const WEAK: ReadonlySet<string> = new Set(['md5', 'des', 'bigcrypt'])
const SCHEMES: ReadonlySet<string> = new Set([...STRONG, ...WEAK, 'sha256', 'blowfish'])

/** An argument of pam_unix decides; without one, login.defs does (pam_unix(8), login.defs(5) ENCRYPT_METHOD). */
function scheme(entries: readonly PamEntry[], defs: Parsed<LoginDefs>): readonly DraftObservation[] {
  const chosen = entries.find(({ module }) => module === 'pam_unix')?.args.findLast((word) => SCHEMES.has(word))
  if (chosen === undefined && !defs.ok) return unclearAbout(accountsLoginDefs, defs)
  const method = chosen ?? (defs.ok ? defs.fact.settings.get('ENCRYPT_METHOD')?.toLowerCase() : undefined)
  const probe = chosen === undefined ? accountsLoginDefs : pamStack
  if (method === undefined)
    return [unclear('By which scheme a new password is stored is not set in the files that were read.', probe)]
  return [
    STRONG.has(method)
      ? supports(`A new password is stored by the scheme ${named([method])}.`, probe)
      : (WEAK.has(method) ? contradicts : unclear)(
          `A new password is stored by the scheme ${named([method])}; yescrypt or SHA-512 is required.`,
          probe,
        ),
  ]
}

/** Schemes of the existing passwords. lslogins has no name for DES and for schemes younger than itself. */
function stored({ methods, passwords, local }: Wanted): readonly DraftObservation[] {
  if (!methods.ok) return unclearAbout(accountsPasswordMethods, methods)
  const inPasswd = (local.ok ? local.fact.accounts : []).filter((account) => account.inPasswd === 'something')
  if (inPasswd.length > 0)
    return [
      contradicts(
        `Password hashes may be stored in the account list that every user can read: ${named(inPasswd.map(({ name }) => name))}.`,
        accountsLocal,
        'passwd',
      ),
    ]
  const usable = new Set(
    passwords.ok ? [...passwords.fact.states].filter(([, state]) => state === 'usable').map(([name]) => name) : [],
  )
  const held = [...methods.fact.accounts].flatMap(([name, { method }]) =>
    method !== null || usable.has(name) ? [{ name, method: method?.toLowerCase() ?? null }] : [],
  )
  const which = (is: (method: string | null) => boolean): readonly string[] =>
    held.filter(({ method }) => is(method)).map(({ name, method }) => (method === null ? name : `${name} (${method})`))
  const weak = which((method) => method !== null && WEAK.has(method))
  const other = which((method) => method !== null && !WEAK.has(method) && !STRONG.has(method))
  const unnamed = which((method) => method === null)
  // lslogins ends its list without a word at an account whose group does not exist; and without the state of passwords, an account
  // without a named scheme may have an old one.
  const unreported = (local.ok ? local.fact.accounts : []).filter(
    ({ name }) =>
      !methods.fact.accounts.has(name) ||
      (methods.fact.accounts.get(name)?.method === null && !(passwords.ok && passwords.fact.states.has(name))),
  )
  return [
    ...(unreported.length > 0
      ? [
          unclear(
            `Whether a password is stored, and how, was not reported for ${named(unreported.map(({ name }) => name))}.`,
            accountsPasswordMethods,
          ),
        ]
      : unclearAbout(accountsLocal, local)),
    ...(weak.length > 0
      ? [contradicts(`Passwords are stored by an outdated scheme: ${named(weak)}.`, accountsPasswordMethods)]
      : []),
    ...(other.length > 0
      ? [
          unclear(
            `Passwords are stored by a scheme that this catalog does not rate: ${named(other)}.`,
            accountsPasswordMethods,
          ),
        ]
      : []),
    // DES among them is outdated, yescrypt is what is requested: nothing that may be read distinguishes one from the other.
    ...(unnamed.length > 0
      ? [
          unclear(
            `The scheme by which passwords are stored was not named for ${named(unnamed)}: lslogins, as Debian 12 and older systems have it, names neither yescrypt nor DES, and the file of hashes is not read.`,
            accountsPasswordMethods,
          ),
        ]
      : []),
    ...(weak.length + other.length + unnamed.length + unreported.length === 0
      ? [supports('Every password here is stored by yescrypt or SHA-512.', accountsPasswordMethods)]
      : []),
  ]
}

/** A limit of 99999 days means none (login.defs(5)). */
function ageing({ defs, methods }: Wanted, context: Context): readonly DraftObservation[] {
  const limit = limitOf(context, 'password.days')
  if (limit.value >= 99_999) return []
  if (!defs.ok) return unclearAbout(accountsLoginDefs, defs)
  const text = defs.fact.settings.get('PASS_MAX_DAYS') ?? '99999'
  const days = /^\d{1,6}$/.test(text) ? Number(text) : text === '-1' ? 99_999 : null
  const longer = methods.ok
    ? [...methods.fact.accounts].filter(
        ([, { method, maxDays }]) => method !== null && (maxDays === null || maxDays > limit.value),
      )
    : []
  return [
    days === null
      ? unclear('The age at which a new account’s password must change is not a plain number.', accountsLoginDefs)
      : days <= limit.value
        ? supports(`A new account’s password must change after ${days} days.`, accountsLoginDefs)
        : contradicts(
            `A new account’s password may stay ${days === 99_999 ? 'for ever' : `${days} days`} (limit: ${limitText(limit)}).`,
            accountsLoginDefs,
          ),
    ...(longer.length > 0
      ? [
          contradicts(
            `Passwords that may stay longer than ${limitText(limit)}: ${named(longer.map(([name]) => name))}.`,
            accountsPasswordMethods,
          ),
        ]
      : []),
  ]
}

const argument = (args: readonly string[] | undefined, key: string): string | undefined =>
  args?.findLast((word) => word.startsWith(`${key}=`))?.slice(key.length + 1)

function numberOf(args: readonly string[] | undefined, key: string): number | null {
  const text = argument(args, key)
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : null
}
