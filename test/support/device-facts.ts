import type { Observation, Read, Signal } from '../../main/catalog/isolation/signal.ts'
import type { Answer, Parsed, Probe } from '../../main/core/probe.ts'
import { captureKey, readProbe } from '../../main/core/probe.ts'
import { fixtureRecording } from './fixtures.ts'

/** What a command said: its text, and where it matters its exit status and complaint. */
export type Said = string | { readonly text: string; readonly exit?: number; readonly error?: string }

/** An answer from text, or from one char a byte. */
export function answered(said: Said): Answer {
  const { text, exit = 0, error = '' } = typeof said === 'string' ? { text: said } : said
  const bytes = Uint8Array.from([...text].map((char) => char.charCodeAt(0)))
  return {
    exitCode: exit,
    text: new TextDecoder().decode(bytes),
    errorText: error,
    bytes,
    seconds: { node: null, auditor: null },
  }
}

/** What the probe reads from these answers. */
export const parsed = <F, C extends string>(probe: Probe<F, C>, said: Readonly<Record<C, Said>>): Parsed<F> =>
  probe.parse(
    Object.fromEntries(Object.entries<Said>(said).map(([name, one]) => [name, answered(one)])) as Record<C, Answer>,
  )

/** The same, for answers that must give a fact. */
export function factFrom<F, C extends string>(probe: Probe<F, C>, said: Readonly<Record<C, Said>>): F {
  const reading = parsed(probe, said)
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

export type Reading = readonly [Probe<unknown>, Parsed<unknown>]
export const reading = <F, C extends string>(probe: Probe<F, C>, said: Readonly<Record<C, Said>>): Reading => [
  probe as Probe<unknown>,
  parsed(probe, said),
]

/** Readings as signals ask for them; the rest was not collected. */
export const readOf = (...readings: readonly Reading[]): Read => {
  const byId = new Map(readings.map(([{ id }, found]) => [id, found]))
  return <F, C extends string>({ id }: Probe<F, C>) =>
    (byId.get(id) ?? { ok: false, reason: 'this was not collected' }) as Parsed<F>
}

/** What a fixture node answers. */
export function readOfFixture(node: string): Read {
  const cache = new Map<string, Parsed<unknown>>()
  return <F, C extends string>(probe: Probe<F, C>) => {
    const known = cache.get(probe.id)
    if (known !== undefined) return known as Parsed<F>
    const { captures } = fixtureRecording(node, [probe as Probe<unknown>])
    const found = readProbe(
      probe,
      new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture])),
    )
    cache.set(probe.id, found)
    return found
  }
}

/** What one of the signals finds, and the weight and platform of each of its signs. */
export function observed(signals: readonly Signal[], id: string, read: Read): Observation {
  const signal = signals.find((one) => one.id === id)
  if (signal === undefined) throw new Error(`no signal ${id}`)
  return signal.observe(read)
}
export const weighed = (found: Observation): readonly string[] =>
  'signs' in found
    ? [found.reads, ...found.signs.map(({ weight, platform }) => `${weight} ${platform}`)]
    : [found.reads]
export const said = (found: Observation): string =>
  'signs' in found
    ? [...found.signs.map(({ step }) => step.text), ...found.steps.map(({ text }) => text)].join('\n')
    : found.reason
