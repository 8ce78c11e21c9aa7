import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { passesOver } from '../pam/control.ts'
import { expandStack, type PamEntry, type PamStack, pamStack } from '../pam/probes.ts'
import { conditionSteps, contextSteps, everyChainNeedsKey, methodChains, setting, settingWords } from './access.ts'
import data from './checks.json' with { type: 'json' }
import { accessSshdAllowList, accessSshdConnectionLimits, accessSshdPasswordAuth } from './checks.ts'
import { type SshdSettings, sshdConditions, sshdContexts, sshdEffective, sshProcesses } from './probes.ts'
import { accessSshdRootLogin } from './root-login.ts'
import { letIn, RUNNING_SSH, runningSsh } from './running.ts'
import { isPassedOver, promptedFactors, SECOND_FACTOR_MODULES } from './second-factor.ts'

const accessSshdMfa = defineCheck({
  id: 'access.sshd.mfa',
  property: 'access',
  expected: 'SSH requires two different authentication factors at every login.',
  limitations:
    'A second factor required elsewhere, at a jump host or an identity provider, is not visible here and needs its own document. Whether each person is enrolled, and how good each factor is, is not shown. Match blocks are evaluated for root and an unknown user from two addresses, not for each account and source.',
  requires: {},
  optional: { sshd: sshdEffective, conditions: sshdConditions, contexts: sshdContexts, pam: pamStack, ...RUNNING_SSH },
  evaluate(_, { sshd, conditions, contexts, pam, ...evidence }) {
    const keywords = ['authenticationmethods', ...TOKEN_SETTINGS] as const
    const deciding = decidingSettings([...(sshd.ok ? [sshd.fact] : []), ...(contexts.ok ? contexts.fact.contexts : [])])
    const running = runningSsh(sshd, evidence, { contexts, keywords: [...deciding, 'usepam'] })
    const bySettings = (settings: SshdSettings): readonly DraftObservation[] => {
      // Keys on tokens carry the claim only where no chain of two kinds is requested.
      const restsOnTokens = !hasTwoKinds(settings) && onlyVerifiedSecurityKeys(settings)
      return [
        ...general(settings, pam),
        ...contextSteps(contexts, settings, [...keywords, ...OTHER_METHODS], (context) => general(context, pam)),
        ...conditionSteps(conditions, [...keywords, 'hostbasedauthentication'], (key, value) => {
          if (key !== 'authenticationmethods')
            return restsOnTokens && !(key.endsWith('authentication') && value === 'no') ? 'unclear' : 'same'
          return methodChains(value.split(/\s+/)).every(isTwoKinds) ? 'same' : 'weaker'
        }),
      ]
    }
    return decide([
      ...letIn(running, ['root', 'declared', 'nobody']),
      ...(sshd.ok ? (running.isBearing ? bySettings(sshd.fact) : []) : unclearAbout(sshdEffective, sshd)),
      ...running.steps,
    ])
  },
})

const TOKEN_SETTINGS = [
  'passwordauthentication',
  'kbdinteractiveauthentication',
  'pubkeyacceptedalgorithms',
  'pubkeyacceptedkeytypes',
  'pubkeyauthoptions',
  'trustedusercakeys',
] as const

/** Methods that open a login without a key or password, where no chain of methods excludes them: by Kerberos, or for hosts that are trusted. */
const OTHER_METHODS = ['gssapiauthentication', 'hostbasedauthentication'] as const

/**
 * Settings that could change the result where the command line of a server sets them. Red Hat 8 gives sshd the accepted algorithms there,
 * which matter only where keys on tokens are verified.
 */
function decidingSettings(all: readonly SshdSettings[]): readonly string[] {
  if (all.every(hasTwoKinds)) return ['authenticationmethods']
  return all.some(verifiesPerson)
    ? ['authenticationmethods', ...TOKEN_SETTINGS, ...OTHER_METHODS]
    : ['authenticationmethods', 'pubkeyauthoptions', 'trustedusercakeys', 'forcecommand']
}

function hasTwoKinds(sshd: SshdSettings): boolean {
  const chains = methodChains(settingWords(sshd, 'authenticationmethods'))
  return chains.length > 0 && chains.every(isTwoKinds)
}

/** One method of possession (a key) and one of knowledge or entry; the same class twice is one factor. */
function isTwoKinds(chain: readonly string[]): boolean {
  const hasKey = chain.some((method) => method.startsWith('publickey'))
  return hasKey && chain.some((method) => method === 'password' || method.startsWith('keyboard-interactive'))
}

// What PAM asks for may be a second factor, or the password again.
const asksModules = (chain: readonly string[]): boolean =>
  chain.some((method) => method.startsWith('keyboard-interactive'))

function general(sshd: SshdSettings, pam: Parsed<PamStack>): readonly DraftObservation[] {
  const words = settingWords(sshd, 'authenticationmethods')
  const chains = methodChains(words)
  if (hasTwoKinds(sshd)) {
    return [
      supports(`Every accepted chain of methods has two kinds: ${named(words)}.`, sshdEffective),
      ...secondStep(chains, pam),
    ]
  }
  if (onlyVerifiedSecurityKeys(sshd)) {
    const others = everyChainNeedsKey(chains) ? [] : OTHER_METHODS.filter((key) => setting(sshd, key) === 'yes')
    return [
      supports(
        'Only keys on hardware tokens are accepted, and the server requires them to verify the person (verify-required).',
        sshdEffective,
      ),
      ...stepOn(
        unclear,
        'Logins without a key are accepted as well, and which factors they cover is not visible here',
        others,
        sshdEffective,
      ),
    ]
  }
  const issuer = setting(sshd, 'trustedusercakeys') ?? 'none'
  if (issuer !== 'none') {
    return [
      unclear(
        'Login certificates are accepted; whether their issuer requires a second factor is not visible here.',
        sshdEffective,
      ),
    ]
  }
  const isByPrompts = chains.length > 0 && chains.every((chain) => isTwoKinds(chain) || asksModules(chain))
  if (isByPrompts || (onlyPrompts(sshd) && promptedFactors(sshd, pam).length > 0)) {
    return [
      unclear(
        'Login uses prompts of the login modules; which factors they cover is not evaluated here.',
        sshdEffective,
      ),
    ]
  }
  return (setting(sshd, 'forcecommand') ?? 'none').match(STARTS_NOTHING)
    ? [contradicts('The SSH server itself accepts a login with one kind of factor.', sshdEffective)]
    : [
        unclear(
          'The SSH server itself accepts a login with one kind of factor, and then starts a command of its own (ForceCommand); whether that requires a second factor, as login_duo does, was not evaluated.',
          sshdEffective,
        ),
      ]
}

/** Whether prompts are the only method that is on; settings that are not printed count as on. */
const onlyPrompts = (sshd: SshdSettings): boolean =>
  ['pubkeyauthentication', 'passwordauthentication', ...OTHER_METHODS].every((key) => setting(sshd, key) === 'no')

const STARTS_NOTHING = /^(none|internal-sftp)\b/

// A chain that ends in keyboard-interactive is only as good as the modules behind it.
function secondStep(chains: readonly (readonly string[])[], pam: Parsed<PamStack>): readonly DraftObservation[] {
  if (!chains.some((chain) => chain.some((method) => method.startsWith('keyboard-interactive')))) return []
  if (!pam.ok) return unclearAbout(pamStack, pam)
  const stack = expandStack(pam.fact, 'sshd', 'auth')
  // A module whose verdict is optional decides nothing (pam.d(5)).
  const asking = stack.filter(asks)
  const second = asking.filter(({ module }) => SECOND_FACTOR_MODULES.has(module)).map(({ module }) => module)
  if (asking.length === 0 && stack.some(isPassedOver))
    return [
      contradicts(
        'The module for a second factor lets people without a registered device through (nullok, nouserok).',
        pamStack,
      ),
    ]
  const unasked = lettingPast(stack)
  if (unasked.length > 0)
    return [
      unclear(
        `Before a prompt, ${named(unasked)} can let a login past all of them, by rules that were not evaluated; then the key alone opens it.`,
        pamStack,
      ),
    ]
  if (second.length > 0) return [supports(`The login modules of SSH include ${named(second)}.`, pamStack)]
  if (stack.some(({ module }) => module === 'pam_unix'))
    return [supports('The prompts after the key require the account’s password (pam_unix).', pamStack)]
  return [unclear('Which prompt follows the key could not be determined from the login modules.', pamStack)]
}

/** Whether a module asks every person for something, and its verdict counts. */
const asks = (entry: PamEntry): boolean =>
  (SECOND_FACTOR_MODULES.has(entry.module) || entry.module === 'pam_unix') &&
  entry.control !== 'optional' &&
  !isPassedOver(entry)

/** Modules that ask the person nothing: they go by the account, its groups, where the login comes from, the time, or a program. */
const ASKS_NOTHING = /^pam_(access|exec|listfile|localuser|permit|rhosts|rootok|script|succeed_if|time|usertype|wheel)$/

/**
 * Modules whose success leads past everything that asks, as where logins from a network of the site need no second factor (`auth [success=1
 * default=ignore] pam_access.so` before the module that asks for it). Where a module that asks is left on either side, it still asks.
 */
function lettingPast(stack: readonly PamEntry[]): readonly string[] {
  const asking = stack.flatMap((entry, at) => (asks(entry) ? [at] : []))
  const past = stack.filter(
    (entry, at) =>
      (ASKS_NOTHING.test(entry.module) || isPassedOver(entry)) &&
      passesOver(entry) > 0 &&
      !asking.some((place) => place < at || place > at + passesOver(entry)),
  )
  return [...new Set(past.map(({ module }) => module))]
}

// FIDO keys: sk-* types only, and user verification demanded by the server (sshd_config(5), PubkeyAuthOptions).
function onlyVerifiedSecurityKeys(sshd: SshdSettings): boolean {
  const accepted = settingWords(sshd, 'pubkeyacceptedalgorithms').flatMap((list) => list.split(','))
  const onlyTokens = accepted.length > 0 && accepted.every((algorithm) => /^(webauthn-)?sk-/.test(algorithm))
  const noPasswords =
    setting(sshd, 'passwordauthentication') === 'no' && setting(sshd, 'kbdinteractiveauthentication') === 'no'
  return onlyTokens && verifiesPerson(sshd) && noPasswords
}

const verifiesPerson = (sshd: SshdSettings): boolean =>
  settingWords(sshd, 'pubkeyauthoptions')
    .flatMap((list) => list.split(','))
    .includes('verify-required')

export const sshdSubject = defineSubject({
  id: 'sshd',
  title: 'SSH server: who can log in, and how',
  probes: [sshdEffective, sshdConditions, sshdContexts, sshProcesses],
  checks: [accessSshdRootLogin, accessSshdPasswordAuth, accessSshdMfa, accessSshdAllowList, accessSshdConnectionLimits],
  data,
})
