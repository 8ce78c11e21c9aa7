import type { Step } from '../core/check.ts'
import { unclearAbout } from '../core/check.ts'
import { quote } from '../core/plain-text.ts'
import type { Parsed } from '../core/probe.ts'
import { conditional, type SshdConditions, sshdConditions } from './probes/sshd-conditions.ts'
import type { SshdSettings } from './probes/sshd-effective.ts'
import { leavesUnclear, speaksAgainst, speaksFor } from './steps.ts'

/** The first value of a setting, in lower case; null when `sshd -T` did not print it. */
export const setting = ({ settings }: SshdSettings, key: string): string | null =>
  settings.get(key)?.[0]?.trim().toLowerCase() ?? null

/** All values of a setting that repeats or lists, split at spaces. */
export const settingWords = ({ settings }: SshdSettings, key: string): readonly string[] =>
  (settings.get(key) ?? []).flatMap((value) => value.trim().split(/\s+/)).filter((word) => word !== '')

/**
 * What Match blocks do to the given settings. `sshd -T` shows none of them (sshd(8), -T without -C), so a block that weakens
 * a setting speaks against the claim, a block that changes it in a way we do not judge leaves it unclear, and unread files do too.
 */
export function conditionSteps(
  conditions: Parsed<SshdConditions>,
  keys: readonly string[],
  judge: (key: string, value: string) => 'same' | 'weaker' | 'unclear',
): readonly Step[] {
  if (!conditions.ok) return unclearAbout(sshdConditions, conditions)
  const found = keys.flatMap((key) =>
    conditional(conditions.fact, key).map((entry) => ({
      ...entry,
      key,
      effect: judge(key, entry.value.toLowerCase()),
    })),
  )
  const steps = found.filter(({ effect }) => effect !== 'same').slice(0, 20)
  if (steps.length === 0) return [speaksFor('No Match block of the SSH configuration loosens this.', sshdConditions)]
  return steps.map(({ condition, key, value, effect }) =>
    (effect === 'weaker' ? speaksAgainst : leavesUnclear)(
      `For connections that match ${quote(condition)}, ${key} is set to ${quote(value)}.`,
      sshdConditions,
    ),
  )
}

/** The chains of AuthenticationMethods (sshd_config(5)), each a list of methods; `any` is one chain of one method. */
export const methodChains = (words: readonly string[]): readonly (readonly string[])[] =>
  words.map((chain) => chain.toLowerCase().split(','))

/** Whether every chain asks for a public key; `any` asks for none in particular. */
export const everyChainNeedsKey = (chains: readonly (readonly string[])[]): boolean =>
  chains.length > 0 && chains.every((chain) => chain.some((method) => method.startsWith('publickey')))
