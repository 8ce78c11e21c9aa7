import { type Context, defineCheck, type Step } from '../../core/check.ts'
import { KEY_SOURCES, keySources } from '../account-doors.ts'
import { type Account, accountsLocal, canLogIn, type LocalAccounts } from '../probes/accounts-local.ts'
import {
  type AuthorizedKey,
  type AuthorizedKeys,
  authorizedKeys,
  type DoubtfulFile,
  homeOfKeyFile,
  type Unsearched,
  whyUnsearched,
} from '../probes/authorized-keys.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'
import { limitOf, limitText } from '../thresholds.ts'

export const accessAuthorizedKeys = defineCheck({
  id: 'access.authorized-keys',
  property: 'access',
  claim: 'Every SSH public key that may log in is of a current type and length, and opens one account only.',
  limits:
    'Who holds the private half, how it is protected and since when the key is in place is not shown. Current means: not DSA, and RSA of at least the length that the profile asks for. Links are followed only to a key file in the same folder; a home folder that is a link leaves the claim undecided. Keys on other nodes are compared nowhere here.',
  needs: { keys: authorizedKeys, local: accountsLocal },
  wants: KEY_SOURCES,
  thresholds: ['ssh.rsa-bits'],
  evaluate({ keys, local }, evidence, context) {
    const { accounts } = local
    return weigh([
      ...weakKeys(keys, context),
      ...unreadFiles(keys),
      ...sharedKeys(keys.keys, accounts),
      ...issuers(keys.keys),
      ...options(keys.keys),
      ...unsearched(local, keys),
      ...keySources(evidence),
    ])
  },
})

const isWeak = ({ type, bits }: AuthorizedKey, least: number): boolean =>
  type.startsWith('ssh-dss') || (type.startsWith('ssh-rsa') && (bits === null || bits < least))

function weakKeys({ keys, unreadable }: AuthorizedKeys, context: Context): readonly Step[] {
  const limit = limitOf(context, 'ssh.rsa-bits')
  const weak = keys.filter((key) => isWeak(key, limit.value))
  const unread =
    unreadable === 0
      ? []
      : [leavesUnclear(`${count(unreadable, 'line')} in the key files could not be read as a key.`, authorizedKeys)]
  if (keys.length === 0) return [speaksFor('No authorized key was found.', authorizedKeys), ...unread]
  if (weak.length === 0)
    return [
      speaksFor(`${count(keys.length, 'key')} found; none is DSA or RSA below ${limit.value} bits.`, authorizedKeys),
      ...unread,
    ]
  const steps = weak
    .slice(0, 20)
    .map((key) =>
      speaksAgainst(
        `${key.fingerprint} is ${key.type} with ${key.bits ?? 'unknown'} bits${key.type.startsWith('ssh-rsa') ? ` (limit: ${limitText(limit)})` : ''}.`,
        authorizedKeys,
      ),
    )
  return [...steps, ...unread]
}

const WHY: Readonly<Record<DoubtfulFile['why'], string>> = {
  link: 'is a link, and the keys that it leads to were not read',
  'hard-link': 'is a file with a second name, through which others may add keys',
  'no-file': 'is not a plain file, and was not read',
}

/** Key files that are links, have several names, or are no files: sshd may take keys from them that were not judged. */
function unreadFiles({ doubtful }: AuthorizedKeys): readonly Step[] {
  if (doubtful === null)
    return [
      leavesUnclear(
        'Whether key files are links could not be read, and links are not followed.',
        authorizedKeys,
        'files',
      ),
    ]
  return doubtful
    .slice(0, 20)
    .map(({ path, why }) => leavesUnclear(`${named([path])} ${WHY[why]}.`, authorizedKeys, 'files'))
}

function sharedKeys(keys: readonly AuthorizedKey[], accounts: readonly Account[]): readonly Step[] {
  if (keys.length === 0) return []
  const owners = new Map<string, Set<string>>()
  const byHome = new Map(accounts.map((account) => [account.home, account.name]))
  for (const key of keys) {
    const home = homeOfKeyFile(key.path)
    const owner = home === null ? key.path : (byHome.get(home) ?? home)
    owners.set(key.fingerprint, (owners.get(key.fingerprint) ?? new Set()).add(owner))
  }
  const shared = [...owners].filter(([, names]) => names.size > 1)
  if (shared.length === 0) return [speaksFor('No key opens more than one account.', authorizedKeys)]
  return shared
    .slice(0, 20)
    .map(([fingerprint, names]) =>
      speaksAgainst(`${fingerprint} opens several accounts: ${named([...names])}.`, authorizedKeys),
    )
}

// sshd(8), AUTHORIZED_KEYS FILE FORMAT, cert-authority: every certificate that this key signed opens the account.
function issuers(keys: readonly AuthorizedKey[]): readonly Step[] {
  return keys
    .filter(({ options }) => options.includes('cert-authority'))
    .slice(0, 20)
    .map(({ fingerprint, path }) =>
      leavesUnclear(
        `${fingerprint} admits every certificate that it signed (${named([path])}); which those are is not shown.`,
        authorizedKeys,
      ),
    )
}

/** What narrows the use of keys; told, since no rule asks for one or the other. */
function options(keys: readonly AuthorizedKey[]): readonly Step[] {
  const withOption = (...names: readonly string[]): number =>
    keys.filter(({ options }) => names.some((name) => options.includes(name))).length
  const tokens = keys.filter(({ type }) => type.startsWith('sk-'))
  const verified = tokens.filter(({ options }) => options.includes('verify-required')).length
  const told = (
    [
      [withOption('from'), 'opens from named addresses only', 'open from named addresses only'],
      [withOption('command'), 'runs one command only', 'run one command only'],
      [withOption('restrict', 'no-port-forwarding'), 'may forward no ports', 'may forward no ports'],
      [tokens.length, 'lies on a hardware token', 'lie on hardware tokens'],
      [verified, 'asks for the person at the token', 'ask for the person at the token'],
    ] as const
  ).flatMap(([number, one, many]) => (number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]))
  return told.length === 0 ? [] : [speaksFor(`Of these, ${told.join(', ')}.`, authorizedKeys)]
}

const PLACES: Readonly<Record<Unsearched, string>> = {
  elsewhere: 'outside /home and /root',
  link: 'that are links, or lie behind one',
  deep: 'more than two levels below /home',
  'not-listed': 'that may be links, which could not be listed,',
}

/** Home folders whose keys were not among those that were read. A link is told of every account: sshd follows it, whatever the shell. */
function unsearched({ accounts, otherSources }: LocalAccounts, keys: AuthorizedKeys): readonly Step[] {
  const found = accounts.map((account) => ({ account, why: whyUnsearched(account.home, keys) }))
  return [
    ...(Object.entries(PLACES) as [Unsearched, string][]).flatMap(([place, words]) => {
      const names = found
        .filter(({ account, why }) => why === place && (place === 'link' || canLogIn(account)))
        .map(({ account }) => account.name)
      return names.length === 0
        ? []
        : [
            leavesUnclear(
              `Accounts with home folders ${words} were not searched for keys: ${named(names)}.`,
              place === 'elsewhere' ? accountsLocal : authorizedKeys,
              place === 'elsewhere' ? 'passwd' : 'links',
            ),
          ]
    }),
    ...(otherSources.length === 0
      ? []
      : [
          leavesUnclear(
            `More accounts may come from ${named(otherSources)}; where their home folders lie was not read.`,
            accountsLocal,
            'sources',
          ),
        ]),
  ]
}
