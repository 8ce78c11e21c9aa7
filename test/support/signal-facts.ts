import type { Observation, Signal } from '../../main/catalog/single-tenancy/isolation/signal.ts'
import type { Parsed, Probe } from '../../main/core/recording/probe.ts'
import { type Read, readFrom } from '../../main/core/recording/readings.ts'

export type Fact = readonly [Probe<unknown> | Probe<never>, Parsed<unknown>]

/** Readings as signals ask for them; the rest was not collected. */
export const readOf = (...facts: readonly Fact[]): Read =>
  readFrom(new Map(facts.map(([probe, reading]) => [probe.id, reading])))

/** What one of the signals finds. */
export function observed(signals: readonly Signal[], id: string, read: Read): Observation {
  const signal = signals.find((one) => one.id === id)
  if (signal === undefined) throw new Error(`no signal ${id}`)
  return signal.observe(read)
}

export const observing =
  (signals: readonly Signal[]) =>
  (id: string, ...facts: readonly Fact[]): Observation =>
    observed(signals, id, readOf(...facts))

export const weightsOf = (found: Observation): readonly string[] =>
  'signs' in found ? found.signs.map(({ weight }) => weight) : []

/** Weight and platform of each sign, or how it reads where it has no signs to show. */
export const weights = (found: Observation): readonly string[] =>
  'signs' in found ? found.signs.map(({ weight, platform }) => `${weight} ${platform}`) : [found.indicates]

/** What the signal of an id indicates from these facts. */
export const indicating =
  (signals: readonly Signal[]) =>
  (id: string, ...facts: readonly Fact[]): string =>
    observed(signals, id, readOf(...facts)).indicates

/** Its signs, as weights() gives them. */
export const weighing =
  (signals: readonly Signal[]) =>
  (id: string, ...facts: readonly Fact[]): readonly string[] =>
    weights(observed(signals, id, readOf(...facts)))
