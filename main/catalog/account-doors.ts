import { type DraftObservation, type MaybeFactsOf, unclearAbout } from '../core/check.ts'
import type { Parsed } from '../core/probe.ts'
import type { Account } from './probes/accounts-local.ts'
import type { PasswordStates } from './probes/accounts-password-state.ts'
import { type AuthorizedKey, type AuthorizedKeys, homeOfKeyFile, whyUnsearched } from './probes/authorized-keys.ts'
import { sshdConditions } from './probes/sshd-conditions.ts'
import { type SshdSettings, sshdEffective } from './probes/sshd-effective.ts'
import { RUNNING_SSH, runningSsh } from './running-ssh.ts'
import { conditionSteps, setting, settingWords } from './sshd-access.ts'
import { named, supports, unclear } from './steps.ts'

/** What opens an account from outside, as far as it was read; null where it was not. */
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
const KEY_SETTINGS = ['authorizedkeysfile', ...OTHER_SOURCES]

/** What shows from where the SSH servers that run take keys. */
export const KEY_SOURCES = { sshd: sshdEffective, conditions: sshdConditions, ...RUNNING_SSH } as const
export type KeySourceEvidence = MaybeFactsOf<typeof KEY_SOURCES>

/**
 * Whether the key files in home folders are all that the SSH servers of this node take keys from. Every step supports it only where the
 * settings that were read are shown to be those of every server that runs, and neither they nor a Match block name another source.
 */
export function keySources({ sshd, conditions, ...evidence }: KeySourceEvidence): readonly DraftObservation[] {
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

/** What was read of the ways into accounts. */
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

/** Why accounts that nothing seems to open may be opened all the same; empty where every source of keys was examined. */
export const unreadDoors = ({ sources }: Pick<Evidence, 'sources'>): readonly DraftObservation[] =>
  sources.filter(({ direction }) => direction !== 'supports')

/** open: a password or a key. closed: neither. unclear: something was not read, and what was read does not open it. */
export function doorState({ password, keys }: Doors): 'open' | 'closed' | 'unclear' {
  if (password === true || (keys !== null && keys.length > 0)) return 'open'
  return password === false && keys !== null ? 'closed' : 'unclear'
}
