import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { count, named, supports, unclear } from '../../base/steps.ts'
import { type Mounts, storageMounts } from '../../data-protection/mounts/probes.ts'
import { type Account, accountsLocal, canLogIn, type LocalAccounts, type PasswordStates } from '../accounts/probes.ts'
import { aboutSss, otherSources, type SssEvidence } from '../accounts/sssd.ts'
import { conditionSteps, setting, settingWords } from '../sshd/access.ts'
import { type SshdSettings, sshdConditions, sshdEffective } from '../sshd/probes.ts'
import { RUNNING_SSH, runningSsh } from '../sshd/running.ts'
import {
  type AuthorizedKey,
  type AuthorizedKeys,
  authorizedKeys,
  type DoubtfulFile,
  homeOfKeyFile,
  type Unsearched,
  whyUnsearched,
} from './probes.ts'

/**
 * Why the keys read from home folders may not be all that open an account: unparsable lines, files that are links,
 * keys of certificate authorities, home folders that were not searched, and accounts that are not in the local list.
 * Empty where none applies.
 */
export const keyFileGaps = (
  keys: AuthorizedKeys,
  local: LocalAccounts,
  evidence: SssEvidence,
): readonly DraftObservation[] => [
  ...unreadLines(keys),
  ...unreadFiles(keys),
  ...issuers(keys.keys),
  ...unsearched(local, keys, otherSources(local, evidence)),
  ...aboutSss(local, evidence),
]

const unreadLines = ({ unreadable }: AuthorizedKeys): readonly DraftObservation[] =>
  unreadable === 0
    ? []
    : [unclear(`${count(unreadable, 'line')} in the key files could not be read as a key.`, authorizedKeys)]

const WHY: Readonly<Record<DoubtfulFile['why'], string>> = {
  link: 'is a link, and the keys that it leads to were not read',
  'hard-link': 'is a file with a second name, through which others may add keys',
  'no-file': 'is not a plain file, and was not read',
}

/** Key files that are links, have several names, or are no files: sshd may take keys from them that were not evaluated. */
function unreadFiles({ doubtful }: AuthorizedKeys): readonly DraftObservation[] {
  if (doubtful === null)
    return [
      unclear('Whether key files are links could not be read, and links are not followed.', authorizedKeys, 'files'),
    ]
  return doubtful.slice(0, 20).map(({ path, why }) => unclear(`${named([path])} ${WHY[why]}.`, authorizedKeys, 'files'))
}

// sshd(8), AUTHORIZED_KEYS FILE FORMAT, cert-authority: every certificate that this key signed opens the account.
function issuers(keys: readonly AuthorizedKey[]): readonly DraftObservation[] {
  return keys
    .filter(({ options }) => options.includes('cert-authority'))
    .slice(0, 20)
    .map(({ fingerprint, path }) =>
      unclear(
        `${fingerprint} admits every certificate that it signed (${named([path])}); which those are is not shown.`,
        authorizedKeys,
      ),
    )
}

const PLACES: Readonly<Record<Unsearched, string>> = {
  elsewhere: 'outside /home and /root',
  link: 'that are links, or lie behind one',
  deep: 'more than two levels below /home',
  'not-in-inventory': 'that may be links, which could not be listed,',
}

/**
 * Home folders whose keys were not among those that were read. A link is reported of every account: sshd follows it, whatever the shell.
 */
function unsearched(
  { accounts }: LocalAccounts,
  keys: AuthorizedKeys,
  others: readonly string[],
): readonly DraftObservation[] {
  const found = accounts.map((account) => ({ account, why: whyUnsearched(account.home, keys) }))
  return [
    ...(Object.entries(PLACES) as [Unsearched, string][]).flatMap(([place, words]) => {
      const names = found
        .filter(({ account, why }) => why === place && (place === 'link' || canLogIn(account)))
        .map(({ account }) => account.name)
      return names.length === 0
        ? []
        : [
            unclear(
              `Accounts with home folders ${words} were not searched for keys: ${named(names)}.`,
              place === 'elsewhere' ? accountsLocal : authorizedKeys,
              place === 'elsewhere' ? 'passwd' : 'links',
            ),
          ]
    }),
    ...(others.length === 0
      ? []
      : [
          unclear(
            `More accounts may come from ${named(others)}; where their home folders lie was not read.`,
            accountsLocal,
            'sources',
          ),
        ]),
  ]
}

/** What opens an account from outside, as far as it was read; null where it was not read. */
export interface Doors {
  readonly password: boolean | null
  readonly keys: readonly AuthorizedKey[] | null
}

/** Files in the home folder that sshd reads keys from by default, and those of one older name (sshd_config(5), AuthorizedKeysFile). */
const CUSTOMARY: ReadonlySet<string> = new Set(
  ['.ssh/authorized_keys', '.ssh/authorized_keys2'].flatMap((file) => [file, `%h/${file}`]),
)

/** Other places that sshd takes keys or certificates of accounts from (sshd_config(5)). */
const OTHER_SOURCES = [
  'authorizedkeyscommand',
  'trustedusercakeys',
  'authorizedprincipalsfile',
  'authorizedprincipalscommand',
] as const
const KEY_SETTINGS = ['authorizedkeysfile', ...OTHER_SOURCES] as const

/** Where the running SSH servers read keys, and whether the folders with them were there to be searched. */
export const KEY_SOURCES = {
  sshd: sshdEffective,
  conditions: sshdConditions,
  mounts: storageMounts,
  ...RUNNING_SSH,
} as const
export type KeySourceEvidence = MaybeFactsOf<typeof KEY_SOURCES>

/**
 * Whether the key files in home folders that were searched are all that the SSH servers of this node take keys from. Every step supports it
 * only where the settings that were read are shown to be those of every server that runs, neither they nor a Match block name another
 * source, and no home folders are mounted only when they are used.
 */
export function keySources({ sshd, conditions, mounts, ...evidence }: KeySourceEvidence): readonly DraftObservation[] {
  const running = runningSsh(sshd, evidence, { keywords: KEY_SETTINGS })
  const bySettings = (settings: SshdSettings): readonly DraftObservation[] => [
    ...general(settings),
    ...conditionSteps(conditions, KEY_SETTINGS, (key, value) =>
      value === 'none' || (key === 'authorizedkeysfile' && value.split(/\s+/).every(isCustomary)) ? 'same' : 'unclear',
    ),
  ]
  return [
    ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
    ...running.steps,
    ...homesOnDemand(mounts),
  ]
}

/** Home folders that are mounted when they are used (autofs(5)): of these, those that were not mounted were not searched. */
function homesOnDemand(mounts: Parsed<Mounts>): readonly DraftObservation[] {
  if (!mounts.ok) return unclearAbout(storageMounts, mounts)
  const all = mounts.fact.mounts
  const places = all
    .filter(({ fsType, point }) => fsType === 'autofs' && /^\/(root|home(\/[^/]+){0,2})$/.test(point))
    .filter((place) => !all.some(({ fsType, point }) => fsType !== 'autofs' && point === place.point))
    .map(({ point }) => point)
  return places.length === 0
    ? []
    : [
        unclear(
          `Home folders are mounted when they are used at ${named([...new Set(places)])}; keys in those that were not mounted were not read.`,
          storageMounts,
        ),
      ]
}

const isCustomary = (file: string): boolean => CUSTOMARY.has(file) || file === 'none'

function general(sshd: SshdSettings): readonly DraftObservation[] {
  const files = settingWords(sshd, 'authorizedkeysfile').filter((file) => !isCustomary(file))
  const others = OTHER_SOURCES.filter((key) => (setting(sshd, key) ?? 'none') !== 'none')
  return [
    ...(files.length > 0
      ? [unclear(`The SSH server also reads keys from ${named(files)}, which were not read.`, sshdEffective)]
      : []),
    ...(others.length > 0
      ? [unclear(`The SSH server accepts keys from other sources as well: ${named(others)}.`, sshdEffective)]
      : []),
    ...(files.length + others.length === 0
      ? [supports('The SSH server reads keys from the customary files only.', sshdEffective)]
      : []),
  ]
}

/** Readings of the ways to log in to accounts. */
export interface Evidence {
  readonly passwords: Parsed<PasswordStates>
  readonly keys: Parsed<AuthorizedKeys>
  /** As keySources() argues. */
  readonly sources: readonly DraftObservation[]
}

/** Nothing more than the key files opens an account by key: every line of them was read, and no SSH server asks elsewhere. */
const keysAreWhole = ({ keys, sources }: Evidence): boolean =>
  keys.ok &&
  keys.fact.unreadable === 0 &&
  keys.fact.doubtful?.length === 0 &&
  sources.length > 0 &&
  sources.every(({ direction }) => direction === 'supports')

/** How an account can be opened. An account that can start a session by neither is reached only by those who are root already. */
export function loginMethods({ name, home, inPasswd }: Account, evidence: Evidence): Doors {
  const { passwords, keys } = evidence
  const state = passwords.ok ? passwords.fact.states.get(name) : undefined
  const place = home.replace(/(?<=.)\/$/, '')
  const own = keys.ok ? keys.fact.keys.filter(({ path }) => homeOfKeyFile(path) === place) : []
  const searched = keys.ok && whyUnsearched(home, keys.fact) === null
  return {
    password: inPasswd !== undefined ? true : state === undefined ? null : state !== 'locked',
    keys: own.length > 0 || (searched && keysAreWhole(evidence)) ? own : null,
  }
}

/**
 * Whether the home folder is that of another account, which can start a session, while this one cannot: Red Hat has “operator” in /root. Keys
 * in it are the other’s; sshd reads them as the account that logs in, which the folder .ssh of another admits as little as StrictModes its
 * files (sshd_config(5)).
 */
export function isInOthersHome(account: Account, { accounts }: LocalAccounts): boolean {
  const homeOf = ({ home }: Account): string => home.replace(/(?<=.)\/$/, '')
  return (
    !canLogIn(account) &&
    accounts.some((other) => other.uid !== account.uid && canLogIn(other) && homeOf(other) === homeOf(account))
  )
}

/** Why accounts without any visible login may still have one; empty where every source of keys was examined. */
export const unreadDoors = ({ sources }: Pick<Evidence, 'sources'>): readonly DraftObservation[] =>
  sources.filter(({ direction }) => direction !== 'supports')

/** open: a password or a key. closed: neither. unclear: something was not read, and what was read does not open it. */
export function doorState({ password, keys }: Doors): 'open' | 'closed' | 'unclear' {
  if (password === true || (keys !== null && keys.length > 0)) return 'open'
  return password === false && keys !== null ? 'closed' : 'unclear'
}
