import { type Step, unclearAbout } from '../core/check.ts'
import type { Parsed } from '../core/probe.ts'
import type { Account } from './probes/accounts-local.ts'
import type { PasswordStates } from './probes/accounts-password-state.ts'
import { type AuthorizedKey, type AuthorizedKeys, homeOfKeyFile } from './probes/authorized-keys.ts'
import { type SshdSettings, sshdEffective } from './probes/sshd-effective.ts'
import { setting, settingWords } from './sshd-access.ts'
import { leavesUnclear, named } from './steps.ts'

/** What opens an account from outside, as far as it was read; null where it was not. */
export interface Doors {
  readonly password: boolean | null
  readonly keys: readonly AuthorizedKey[] | null
}

/** Folders whose key files are read. Accounts that live elsewhere may have keys that nobody looked for. */
const SEARCHED = /^\/(home|root)(\/|$)/

/** Files in the home folder that sshd reads keys from by default, and those of one older name (sshd_config(5), AuthorizedKeysFile). */
const CUSTOMARY: ReadonlySet<string> = new Set(
  ['.ssh/authorized_keys', '.ssh/authorized_keys2'].flatMap((file) => [file, `%h/${file}`]),
)

/** Sources of keys beside those files, as the SSH server names them: other files, a command, certificates of an authority. */
export const otherKeySources = (sshd: SshdSettings): readonly string[] => [
  ...settingWords(sshd, 'authorizedkeysfile').filter((file) => !CUSTOMARY.has(file) && file !== 'none'),
  ...['authorizedkeyscommand', 'trustedusercakeys', 'authorizedprincipalsfile', 'authorizedprincipalscommand'].filter(
    (key) => (setting(sshd, key) ?? 'none') !== 'none',
  ),
]

/** What was read of the ways into accounts. */
export interface Evidence {
  readonly passwords: Parsed<PasswordStates>
  readonly keys: Parsed<AuthorizedKeys>
  readonly sshd: Parsed<SshdSettings>
}

/** Nothing more than the key files opens an account by key: every line of them was read, and the SSH server asks nowhere else. */
const keysAreWhole = ({ keys, sshd }: Evidence): boolean =>
  keys.ok &&
  keys.fact.unreadable === 0 &&
  keys.fact.doubtful?.length === 0 &&
  sshd.ok &&
  otherKeySources(sshd.fact).length === 0

/** How an account can be opened. An account that can start a session by neither is reached only by those who are root already. */
export function doorsOf({ name, home, inPasswd }: Account, evidence: Evidence): Doors {
  const { passwords, keys } = evidence
  const state = passwords.ok ? passwords.fact.states.get(name) : undefined
  const place = home.replace(/(?<=.)\/$/, '')
  const own = keys.ok ? keys.fact.keys.filter(({ path }) => homeOfKeyFile(path) === place) : []
  const searched = SEARCHED.test(home) && !/\/\.{0,2}\//.test(home)
  return {
    password: inPasswd !== undefined ? true : state === undefined ? null : state !== 'locked',
    keys: own.length > 0 || (searched && keysAreWhole(evidence)) ? own : null,
  }
}

/** Why accounts that nothing seems to open may be opened all the same; empty where every source of keys was looked at. */
export function unreadDoors({ sshd }: Pick<Evidence, 'sshd'>): readonly Step[] {
  if (!sshd.ok) return unclearAbout(sshdEffective, sshd)
  const sources = otherKeySources(sshd.fact)
  return sources.length === 0
    ? []
    : [
        leavesUnclear(
          `The SSH server also accepts keys from ${named(sources)}, which were not looked at.`,
          sshdEffective,
        ),
      ]
}

/** open: a password or a key. closed: neither. unclear: something was not read, and what was read does not open it. */
export function doorState({ password, keys }: Doors): 'open' | 'closed' | 'unclear' {
  if (password === true || (keys !== null && keys.length > 0)) return 'open'
  return password === false && keys !== null ? 'closed' : 'unclear'
}
