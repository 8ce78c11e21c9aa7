import type { Input } from '../../schemas/ipc.ts'
import {
  LARGEST_PERIOD_SAMPLE,
  LONGEST_SEED,
  MOST_SAMPLES,
  type PeriodPlan,
  type PeriodSampling,
} from '../../schemas/ipc-periods.ts'
import { POPULATIONS, populationWords } from '../../schemas/period-words.ts'
import { identityOf, type SealChoices, sealProblem } from './seal-model.ts'
import { day, firstUp, plural } from './text.ts'

/** The choices of a period report so far. A failure or another screen loses none of them. */
export interface PeriodChoices extends SealChoices {
  /** Days in UTC; empty for none. */
  readonly from: string
  readonly to: string
  readonly samples: readonly PeriodSampling[]
}

/** Initial choices: the proposed days, the first identity, and a time-stamp where an authority is set. */
export const firstPeriod = ({ proposed, identities, authority }: PeriodPlan): PeriodChoices => ({
  from: proposed?.from ?? '',
  to: proposed?.to ?? '',
  samples: [],
  copy: false,
  identity: identities[0]?.name ?? null,
  timestamp: authority !== null,
})

/** Why no report can cover these days, or null. */
export function daysProblem({ from, to }: Pick<PeriodChoices, 'from' | 'to'>, { latest }: PeriodPlan): string | null {
  if (from === '' || to === '') return 'Enter both dates.'
  if (from > to) return 'The start date is after the end date.'
  return to > latest ? `The period must have ended: choose an end date up to ${day(latest)} (UTC).` : null
}

/** Why a sample cannot be drawn, or null. */
export function samplingProblem({ size, seed }: PeriodSampling): string | null {
  if (!Number.isInteger(size) || size < 1) return 'Enter a size of at least 1.'
  if (size > LARGEST_PERIOD_SAMPLE) return `Enter at most ${LARGEST_PERIOD_SAMPLE}.`
  if (seed.trim() === '') return 'Enter the seed. Auditors choose it, and can repeat the sample with it.'
  return seed.trim().length > LONGEST_SEED ? `Enter at most ${LONGEST_SEED} characters.` : null
}

/**
 * The next sample: of the first list without one, with the seed of the previous sample. Null where no more can be
 * drawn.
 */
export function nextSampling(samples: readonly PeriodSampling[]): PeriodSampling | null {
  if (samples.length >= MOST_SAMPLES) return null
  const population = POPULATIONS.find((one) => samples.every((sample) => sample.population !== one)) ?? 'nodes'
  return { population, size: 5, seed: samples.at(-1)?.seed ?? '' }
}

export const populationOptions = POPULATIONS.map((id) => ({ id, title: firstUp(populationWords[id]) }))

/** Why nothing can be sealed with these choices, or null. */
export function periodProblem(choices: PeriodChoices, plan: PeriodPlan): string | null {
  const wrong = choices.samples.filter((one) => samplingProblem(one) !== null).length
  const twice = new Set(inputSamples(choices).map((one) => JSON.stringify(one))).size < choices.samples.length
  return (
    daysProblem(choices, plan) ??
    (wrong > 0 ? `Complete or remove ${plural(wrong, 'sample')}.` : null) ??
    (twice ? 'Remove the sample that is listed twice.' : null) ??
    sealProblem(choices, plan)
  )
}

const inputSamples = ({ samples }: PeriodChoices): readonly PeriodSampling[] =>
  samples.map(({ population, size, seed }) => ({ population, size, seed: seed.trim() }))

/** The input of `period.build`. A time-stamp is requested only where an authority is set. */
export const periodInput = (choices: PeriodChoices, plan: PeriodPlan): Input<'period.build'> => ({
  from: choices.from,
  to: choices.to,
  samples: inputSamples(choices),
  identity: identityOf(choices, plan)?.name ?? null,
  timestamp: choices.timestamp && plan.authority !== null,
})
