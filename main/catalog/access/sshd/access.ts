import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, named, supports, unclear } from '../../base/steps.ts'
import {
  conditional,
  type MatchBlock,
  type MatchKeyword,
  type SshdConditions,
  type SshdContext,
  type SshdContexts,
  type SshdSettings,
  sshdConditions,
  sshdContexts,
} from './probes.ts'

/** The first value of a setting, in lower case; null when `sshd -T` did not print it. */
export const setting = ({ settings }: SshdSettings, key: string): string | null =>
  settings.get(key)?.[0]?.trim().toLowerCase() ?? null

/** A setting that is a whole number; null where it is not printed or is not one. `sshd -T` prints times in seconds. */
export function settingNumber(settings: SshdSettings, key: string): number | null {
  const text = setting(settings, key)
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** All values of a setting that repeats or lists, split at spaces. */
export const settingWords = ({ settings }: SshdSettings, key: string): readonly string[] =>
  (settings.get(key) ?? []).flatMap((value) => value.trim().split(/\s+/)).filter((word) => word !== '')

/**
 * The effect of Match blocks on the given settings. `sshd -T` shows none of them (sshd(8), -T without -C), and with
 * -C only those of the queried connection. A block that weakens a setting therefore contradicts for any user that it
 * names; one that changes it in a way that is not evaluated leaves it unclear, and so do unread files. `judge` also receives the whole block.
 */
export function conditionSteps<K extends MatchKeyword>(
  conditions: Parsed<SshdConditions>,
  keys: readonly K[],
  judge: (key: K, value: string, block: MatchBlock) => 'same' | 'weaker' | 'unclear',
): readonly DraftObservation[] {
  if (!conditions.ok) return unclearAbout(sshdConditions, conditions)
  const found = keys.flatMap((key) =>
    conditional(conditions.fact, key).map((entry) => ({
      ...entry,
      key,
      effect: judge(key, entry.value.toLowerCase(), entry.block),
    })),
  )
  const changing = [
    ...found.filter(({ effect }) => effect === 'weaker'),
    ...found.filter(({ effect }) => effect === 'unclear'),
  ].slice(0, 20)
  const steps = [
    ...changing.map(({ condition, key, value, effect }) =>
      effect === 'weaker'
        ? contradicts(
            `For connections that match ${quote(condition)}, ${key} is set to ${quote(value)}.`,
            sshdConditions,
          )
        : unclear(
            `For connections that match ${quote(condition)}, ${key} is set to ${quote(value)}; the settings for each of them were not queried.`,
            sshdConditions,
          ),
    ),
    ...unsearched(conditions.fact),
  ]
  return steps.length > 0 ? steps : [supports('No Match block of the SSH configuration loosens this.', sshdConditions)]
}

function unsearched(conditions: SshdConditions): readonly DraftObservation[] {
  const inside = conditional(conditions, 'include')
  return [
    ...(conditions.unread.length > 0
      ? [
          unclear(
            `The SSH configuration includes ${named(conditions.unread)}, which was not searched for Match blocks.`,
            sshdConditions,
          ),
        ]
      : []),
    ...(inside.length > 0
      ? [
          unclear(
            `The SSH configuration includes further files for connections that match ${named(inside.map(({ condition }) => condition))}; these were not distinguished.`,
            sshdConditions,
          ),
        ]
      : []),
  ]
}

/**
 * The settings for root and for a name without an account, from a public and from a private address, where they
 * differ from the general settings in `keys`. `judge` evaluates a set of settings; the worst of its observations
 * counts.
 */
export function contextSteps(
  contexts: Parsed<SshdContexts>,
  general: SshdSettings,
  keys: readonly string[],
  judge: (settings: SshdSettings) => readonly DraftObservation[],
  concerns: (context: SshdContext) => boolean = () => true,
): readonly DraftObservation[] {
  if (!contexts.ok) return unclearAbout(sshdContexts, contexts)
  const asked = contexts.fact.contexts.filter(concerns)
  const differing = asked.filter((context) => differences(context, general, keys).length > 0)
  if (differing.length === 0)
    return [
      supports(`For ${asked.map(contextName).join(', ')}, the SSH server applies the same settings.`, sshdContexts),
    ]
  return differing.map((context) => {
    const directions = new Set(judge(context).map((step) => step.direction))
    const values = differences(context, general, keys).map((key) => `${key} ${quote(valueText(context, key))}`)
    const text = `For ${contextName(context)}, the SSH server applies other settings: ${values.join(', ')}.`
    if (directions.has('contradicts')) return contradicts(text, sshdContexts)
    return directions.has('unclear') || directions.size === 0
      ? unclear(text, sshdContexts)
      : supports(text, sshdContexts)
  })
}

const valueText = ({ settings }: SshdSettings, key: string): string => (settings.get(key) ?? []).join(' ')
const differences = (one: SshdSettings, other: SshdSettings, keys: readonly string[]): readonly string[] =>
  keys.filter((key) => valueText(one, key) !== valueText(other, key))
const contextName = ({ user, address }: SshdContext): string =>
  `${user === 'root' ? 'root' : 'a name without an account'} from ${address}`

/**
 * The chains of AuthenticationMethods (sshd_config(5)), each a list of methods; `any` is one chain with one method.
 */
export const methodChains = (words: readonly string[]): readonly (readonly string[])[] =>
  words.map((chain) => chain.toLowerCase().split(','))

/** Whether every chain requires a public key; `any` requires none in particular. */
export const everyChainNeedsKey = (chains: readonly (readonly string[])[]): boolean =>
  chains.length > 0 && chains.every((chain) => chain.some((method) => method.startsWith('publickey')))
