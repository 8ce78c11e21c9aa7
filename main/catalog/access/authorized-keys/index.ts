import type { Parsed } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { limitOf, limitText } from '../../base/thresholds.ts'
import { type Account, accountsLocal, canLogIn, type LocalAccounts } from '../accounts/probes.ts'
import { SSS_EVIDENCE } from '../accounts/sssd.ts'
import { conditionSteps, setting } from '../sshd/access.ts'
import { type SshdSettings, sshdEffective } from '../sshd/probes.ts'
import { runningSsh } from '../sshd/running.ts'
import data from './checks.json' with { type: 'json' }
import { KEY_SOURCES, type KeySourceEvidence, keyFileGaps, keySources } from './key-files.ts'
import { type AuthorizedKey, type AuthorizedKeys, authorizedKeys, homeOfKeyFile } from './probes.ts'

export const accessAuthorizedKeys = defineCheck({
  id: 'access.authorized-keys',
  property: 'access',
  expected: 'Every SSH public key that may log in is of a current type and length.',
  limitations:
    'Does not show who holds the private key, how it is protected, or since when the key is in place. Current means: not DSA, and RSA of at least the length that the profile requires. Links are followed only to a key file in the same folder; a home folder that is a link leaves the result inconclusive.',
  requires: { keys: authorizedKeys, local: accountsLocal },
  optional: { ...KEY_SOURCES, ...SSS_EVIDENCE },
  thresholds: ['ssh.rsa-bits'],
  evaluate({ keys, local }, evidence, context) {
    return decide([
      ...weakKeys(keys, local, context),
      ...options(keys.keys),
      ...refusing(keys),
      ...keyFileGaps(keys, local, evidence),
      ...keySources(evidence),
    ])
  },
})

const isWeak = ({ type, bits }: AuthorizedKey, least: number): boolean =>
  type.startsWith('ssh-dss') || (type.startsWith('ssh-rsa') && (bits === null || bits < least))

/**
 * A weak key in a file of no account, such as a copy or the remains of a removed account, is not known to open one.
 */
function weakKeys(
  { keys }: AuthorizedKeys,
  { accounts }: LocalAccounts,
  context: Context,
): readonly DraftObservation[] {
  const limit = limitOf(context, 'ssh.rsa-bits')
  const weak = keys.filter((key) => isWeak(key, limit.value))
  if (keys.length === 0) return [supports('No authorized key was found.', authorizedKeys)]
  if (weak.length === 0)
    return [
      supports(`${count(keys.length, 'key')} found; none is DSA or RSA below ${limit.value} bits.`, authorizedKeys),
    ]
  const homes = new Set(accounts.map(({ home }) => home.replace(/(?<=.)\/$/, '')))
  const isOwn = ({ path }: AuthorizedKey): boolean => homes.has(homeOfKeyFile(path) ?? '')
  const own = weak.filter(isOwn)
  const copies = weak.filter((key) => !isOwn(key))
  const words = ({ fingerprint, type, bits }: AuthorizedKey): string =>
    `${fingerprint} is ${type} with ${bits ?? 'unknown'} bits`
  return [
    ...own
      .slice(0, 20)
      .map((key) =>
        contradicts(
          `${words(key)}${key.type.startsWith('ssh-rsa') ? ` (limit: ${limitText(limit)})` : ''}.`,
          authorizedKeys,
        ),
      ),
    ...copies
      .slice(0, 20)
      .map((key) => unclear(`${words(key)}, in a file of no local account: ${named([key.path])}.`, authorizedKeys)),
  ]
}

/** Restrictions of keys; reported, since no rule requires them. */
function options(keys: readonly AuthorizedKey[]): readonly DraftObservation[] {
  const withOption = (...names: readonly string[]): number =>
    keys.filter(({ options }) => names.some((name) => options.includes(name))).length
  const tokens = keys.filter(({ type }) => type.startsWith('sk-'))
  const verified = tokens.filter(({ options }) => options.includes('verify-required')).length
  const parts = (
    [
      [withOption('from'), 'opens from named addresses only', 'open from named addresses only'],
      [withOption('command'), 'runs one command only', 'run one command only'],
      [withOption('restrict', 'no-port-forwarding'), 'may forward no ports', 'may forward no ports'],
      [tokens.length, 'is stored on a hardware token', 'lie on hardware tokens'],
      [verified, 'requires the presence of a person at the token', 'require the presence of a person at the token'],
    ] as const
  ).flatMap(([number, one, many]) => (number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]))
  return parts.length === 0 ? [] : [supports(`Of these, ${parts.join(', ')}.`, authorizedKeys)]
}

/** Keys by which an image names the account to use in place of root; they open nothing. */
const refusing = ({ refusing: found = [] }: AuthorizedKeys): readonly DraftObservation[] =>
  found.length === 0
    ? []
    : [
        supports(
          `${count(found.length, 'further key')} in place only to refuse a login, by a command that names another account and ends: ${named([...new Set(found.map(({ path }) => path))])}.`,
          authorizedKeys,
          'keys',
        ),
      ]

/** 45 CFR 164.312(a)(2)(i); NIST SP 800-53 IA-2. Keys are distinguished by the SHA-256 of their blob, as ssh-keygen prints it. */
const accessKeyPerAccount = defineCheck({
  id: 'access.key-per-account',
  property: 'access',
  expected: 'Each SSH public key that may log in opens one account on this server only.',
  limitations:
    'Who holds the private half, and how many people do, is not shown; nor is whether two accounts with different keys belong to one person. Keys on other servers are not compared. Certificates are not compared: a key of a certificate authority leaves the result inconclusive. Links are followed only to a key file in the same folder; a home folder that is a link leaves the result inconclusive.',
  requires: { keys: authorizedKeys, local: accountsLocal },
  optional: { ...KEY_SOURCES, ...SSS_EVIDENCE },
  evaluate({ keys, local }, evidence) {
    const refused = withoutKeyLogin(evidence)
    if (refused !== null) return { verdict: 'not-applicable', observations: refused }
    return decide([
      ...sharedKeys(keys.keys, local.accounts, evidence.sshd),
      ...keyFileGaps(keys, local, evidence),
      ...keySources(evidence),
    ])
  },
})

/** Why no key can log in at all: every SSH server that runs is shown to refuse keys to everyone; null where that is not shown. */
function withoutKeyLogin({ sshd, conditions, ...evidence }: KeySourceEvidence): readonly DraftObservation[] | null {
  if (!sshd.ok || setting(sshd.fact, 'pubkeyauthentication') !== 'no') return null
  const steps = [
    supports('The SSH server accepts no public keys (PubkeyAuthentication no).', sshdEffective),
    ...conditionSteps(conditions, ['pubkeyauthentication'], (_, value) => (value === 'no' ? 'same' : 'weaker')),
    ...runningSsh(sshd, evidence, { keywords: ['pubkeyauthentication'] }).steps,
  ]
  return steps.every(({ direction }) => direction === 'supports') ? steps : null
}

/**
 * The accounts whose key files hold each key, by its fingerprint. Keys of certificate authorities are left out: they open nothing
 * themselves. Where several accounts have one home folder, those without a login shell are left out next to one that has it.
 */
export function keyHolders(
  keys: readonly AuthorizedKey[],
  accounts: readonly Account[],
): ReadonlyMap<string, readonly Account[]> {
  const byHome = new Map<string, Account[]>()
  for (const account of accounts) {
    const home = account.home.replace(/(?<=.)\/$/, '')
    const all = byHome.get(home)
    if (all === undefined) byHome.set(home, [account])
    else all.push(account)
  }
  const ofHome = new Map([...byHome].map(([home, all]) => [home, usersOf(all)]))
  const holders = new Map<string, Set<Account>>()
  for (const { path, fingerprint, options } of keys) {
    if (options.includes('cert-authority')) continue
    const found = holders.get(fingerprint) ?? new Set()
    for (const account of ofHome.get(homeOfKeyFile(path) ?? '') ?? []) found.add(account)
    holders.set(fingerprint, found)
  }
  return new Map([...holders].map(([fingerprint, found]) => [fingerprint, [...found]]))
}

/** At most as many as a sentence can need: a hostile list of accounts with one home folder must not multiply with its keys. */
function usersOf(all: readonly Account[]): readonly Account[] {
  const able = all.filter(canLogIn)
  return (able.length > 0 ? able : all).slice(0, 100)
}

function sharedKeys(
  keys: readonly AuthorizedKey[],
  accounts: readonly Account[],
  sshd: Parsed<SshdSettings>,
): readonly DraftObservation[] {
  if (keys.length === 0) return [supports('No authorized key was found.', authorizedKeys, 'keys')]
  // sshd_config(5), PermitRootLogin: “no” refuses root with any method.
  const refusesRoot = sshd.ok && setting(sshd.fact, 'permitrootlogin') === 'no'
  const opens = (account: Account): boolean => canLogIn(account) && !(refusesRoot && account.uid === 0)
  const shared = [...keyHolders(keys, accounts)].filter(([, found]) => found.length > 1)
  const several = shared.filter(([, found]) => found.filter(opens).length > 1)
  const doubtful = shared.filter(([, found]) => found.filter(opens).length <= 1)
  const names = (found: readonly Account[]): string => named(found.map(({ name }) => name))
  if (shared.length === 0)
    return [supports('No key is in the key files of more than one account.', authorizedKeys, 'keys')]
  return [
    ...several
      .slice(0, 20)
      .map(([fingerprint, found]) =>
        contradicts(`${fingerprint} opens several accounts: ${names(found.filter(opens))}.`, authorizedKeys, 'keys'),
      ),
    ...doubtful
      .slice(0, 20)
      .map(([fingerprint, found]) =>
        unclear(
          `${fingerprint} is in the key files of several accounts, of which at most one can start a session: ${names(found)}.`,
          authorizedKeys,
          'keys',
        ),
      ),
  ]
}

export const authorizedKeysSubject = defineSubject({
  id: 'authorized-keys',
  title: 'Authorized SSH keys',
  probes: [authorizedKeys],
  checks: [accessAuthorizedKeys, accessKeyPerAccount],
  data,
})
