import type { Observation } from '../../main/catalog/single-tenancy/isolation/signal.ts'
import type { Answer, Parsed, Probe } from '../../main/core/recording/probe.ts'
import { readProbe } from '../../main/core/recording/probe.ts'
import type { Read } from '../../main/core/recording/readings.ts'
import { byKey } from './evaluated.ts'
import { fixtureRecording } from './fixtures.ts'

/** What a command printed: its text, and where it matters its exit status and complaint. */
export type Printed = string | { readonly text: string; readonly exit?: number; readonly error?: string }

/** An answer from text, or from one char a byte. */
export function answered(printed: Printed): Answer {
  const { text, exit = 0, error = '' } = typeof printed === 'string' ? { text: printed } : printed
  const bytes = Uint8Array.from([...text].map((char) => char.charCodeAt(0)))
  return {
    exitCode: exit,
    text: new TextDecoder().decode(bytes),
    errorText: error,
    bytes,
    seconds: { node: null, collectingComputer: null },
  }
}

/** What the probe reads from these answers. */
export const parsed = <F, C extends string>(probe: Probe<F, C>, texts: Readonly<Record<C, Printed>>): Parsed<F> =>
  probe.parse(
    Object.fromEntries(Object.entries<Printed>(texts).map(([name, one]) => [name, answered(one)])) as Record<C, Answer>,
  )

/** The same, for answers that must give a fact. */
export function factFrom<F, C extends string>(probe: Probe<F, C>, texts: Readonly<Record<C, Printed>>): F {
  const reading = parsed(probe, texts)
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

export type Reading = readonly [Probe<unknown>, Parsed<unknown>]
export const reading = <F, C extends string>(probe: Probe<F, C>, texts: Readonly<Record<C, Printed>>): Reading => [
  probe as Probe<unknown>,
  parsed(probe, texts),
]

/** What a fixture node answers. */
export function readOfFixture(node: string): Read {
  const cache = new Map<string, Parsed<unknown>>()
  return <F, C extends string>(probe: Probe<F, C>) => {
    const known = cache.get(probe.id)
    if (known !== undefined) return known as Parsed<F>
    const { captures } = fixtureRecording(node, [probe as Probe<unknown>])
    const found = readProbe(probe, byKey(captures))
    cache.set(probe.id, found)
    return found
  }
}

/** How it reads, and the weight and platform of each of its signs. */
export const weighed = (found: Observation): readonly string[] =>
  'signs' in found
    ? [found.indicates, ...found.signs.map(({ weight, platform }) => `${weight} ${platform}`)]
    : [found.indicates]
export const observedText = (found: Observation): string =>
  'signs' in found
    ? [...found.signs.map(({ step }) => step.text), ...found.steps.map(({ text }) => text)].join('\n')
    : found.reason
