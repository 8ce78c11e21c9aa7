import type { Likelihood } from '../../../schemas/types.ts'
import { COUNTS, type Counts } from './counts.ts'
import type { Observed } from './observe.ts'
import { FAMILIES, type SpoofingEffort } from './signal.ts'

/** No single signal counts for more than this, however many machines were counted. */
const MOST_OF_A_SIGNAL = 5
/** No family of signals counts for more than this: its signals can share one cause. */
const MOST_OF_A_FAMILY = 6
/** Of what uses the same way within a family, the strongest counts in full and the rest by this part. */
const PART_OF_THE_REST = 0.25

/** What remains of a reading that supports hardware when the provider may have faked it. A reading that supports a guest keeps all. */
const KEPT: Readonly<Record<SpoofingEffort, number>> = { S0: 0, S1: 0.25, S2: 0.7, S3: 1 }

/**
 * Natural-log weight of evidence of one reading, above zero toward virtual: ln of how often honest guests read like this, over how
 * often hardware does, with half a machine added to each (Good, 1950; Jeffreys' prior). Null where fewer than three of either were counted.
 */
export function weightOf(counts: Counts | undefined, isVirtual: boolean): number | null {
  if (counts === undefined || counts.vm[1] < 3 || counts.metal[1] < 3) return null
  const share = ([hits, asked]: readonly [number, number]): number =>
    ((isVirtual ? hits : asked - hits) + 0.5) / (asked + 1)
  const weight = Math.log(share(counts.vm)) - Math.log(share(counts.metal))
  // A reading never contradicts its own direction: where counts are few they may state this by chance.
  const directed = isVirtual ? Math.max(0, weight) : Math.min(0, weight)
  return rounded(Math.max(-MOST_OF_A_SIGNAL, Math.min(MOST_OF_A_SIGNAL, directed)))
}

/** The weight of one signal's reading on this node; null where it does not count. */
export const weightHere = ({ signal, found }: Observed): number | null =>
  found.indicates === 'virtual' || found.indicates === 'bare-metal'
    ? weightOf(COUNTS[signal.id], found.indicates === 'virtual')
    : null

/**
 * Both likelihoods of a node. asObserved takes every reading as it is. withoutCheapSignals assumes a provider who sets at will whatever
 * costs little: of a reading in favour of hardware only the part remains that is dear to fake. They decide nothing alone.
 */
export function weigh(observed: readonly Observed[]): Likelihood {
  const families = FAMILIES.flatMap((family) => {
    const own = observed.filter(({ signal }) => signal.family === family)
    const asObserved = familyWeight(own.flatMap((one) => weightHere(one) ?? []))
    const withoutCheapSignals = familyWeight(own.flatMap((one) => withoutCheapHere(one) ?? []))
    return own.some((one) => weightHere(one) !== null) ? [{ family, asObserved, withoutCheapSignals }] : []
  })
  const sum = (pick: (of: { asObserved: number; withoutCheapSignals: number }) => number): number =>
    rounded(families.reduce((total, of) => total + pick(of), 0))
  return {
    asObserved: sum((one) => one.asObserved),
    withoutCheapSignals: sum((one) => one.withoutCheapSignals),
    families,
  }
}

function withoutCheapHere(one: Observed): number | null {
  const weight = weightHere(one)
  return weight === null || weight >= 0 ? weight : weight * KEPT[one.signal.spoofingEffort]
}

function familyWeight(weights: readonly number[]): number {
  const side = (own: readonly number[]): number => {
    const [first = 0, ...rest] = [...own].sort((a, b) => Math.abs(b) - Math.abs(a))
    return first + PART_OF_THE_REST * rest.reduce((total, weight) => total + weight, 0)
  }
  const total = side(weights.filter((weight) => weight > 0)) + side(weights.filter((weight) => weight < 0))
  return rounded(Math.max(-MOST_OF_A_FAMILY, Math.min(MOST_OF_A_FAMILY, total)))
}

// -0 would not survive canonical JSON as it is.
const rounded = (value: number): number => Math.round(value * 100) / 100 + 0
