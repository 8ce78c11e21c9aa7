import type { AskedName } from '../../../core/fleet/ssh-methods.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { named } from '../../base/steps.ts'
import type { SshServer } from '../../data-protection/ssh-encryption/probes.ts'
import { methodChains, setting, settingWords } from './access.ts'
import type { SshdContexts, SshdSettings } from './probes.ts'

/** Methods that settings name; others, such as those of Kerberos, depend on how the server was built. */
const COMPARED: Readonly<Record<string, readonly [keyword: string, standard: string]>> = {
  publickey: ['pubkeyauthentication', 'yes'],
  password: ['passwordauthentication', 'yes'],
  'keyboard-interactive': ['kbdinteractiveauthentication', 'yes'],
  hostbased: ['hostbasedauthentication', 'no'],
}

/** Methods that settings let a login begin with (sshd_config(5), AuthenticationMethods): the first of each chain, where it is on. */
export function firstMethods(settings: SshdSettings): ReadonlySet<string> {
  const on = Object.entries(COMPARED)
    .filter(([, [keyword, standard]]) => (setting(settings, keyword) ?? standard) !== 'no')
    .map(([method]) => method)
  const words = settingWords(settings, 'authenticationmethods')
  if (words.length === 0 || words.includes('any')) return new Set(on)
  const first = new Set(methodChains(words).map(([method = '']) => method.split(':')[0]))
  return new Set(on.filter((method) => first.has(method)))
}

/** The methods that a user may be offered by the general settings and by each applicable Match block. */
export const expectedMethods = (
  who: AskedName,
  general: SshdSettings,
  contexts: Parsed<SshdContexts> | undefined,
): readonly ReadonlySet<string>[] => [
  firstMethods(general),
  ...(contexts?.ok === true
    ? contexts.fact.contexts.filter(({ user }) => user === who).map((settings) => firstMethods(settings))
    : []),
]

/** Whether offered methods agree with the expected ones. A Match block may offer a declared account less, and no account more. */
export function fits(who: AskedName, methods: readonly string[], expected: ReadonlySet<string>): boolean {
  const compared = methods.filter((method) => method in COMPARED)
  return compared.every((method) => expected.has(method)) && (who === 'declared' || compared.length === expected.size)
}

/** The names that a server is asked about, inside a sentence. */
export const ASKED_WORDS: Readonly<Record<AskedName, string>> = {
  root: 'root',
  declared: 'a declared account',
  nobody: 'a name without an account',
}

/** Methods inside a sentence. */
export const methodNames = (methods: readonly string[]): string => (methods.length === 0 ? 'nothing' : named(methods))

/** “publickey” for all users, or the methods by user. */
export function offered(seen: SshServer | null): string {
  const answers = (seen?.answers ?? []).filter(({ outcome }) => outcome === 'methods')
  const kinds = new Set(answers.map(({ methods }) => methods.join()))
  const [first] = answers
  if (first !== undefined && kinds.size === 1)
    return `${methodNames(first.methods)} to ${answers.map(({ who }) => ASKED_WORDS[who]).join(', ')}`
  return answers.map(({ who, methods }) => `${methodNames(methods)} to ${ASKED_WORDS[who]}`).join('; ')
}
