import type { Parsed, Probe } from '../../core/probe.ts'
import type { Observation, Read, Sign, Signal } from './signal.ts'

/** A signal with what it found on this node. */
export interface Observed {
  readonly signal: Signal
  readonly found: Observation
}

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

/** Readings by probe id, as signals requires them; a probe without a reading counts as not collected. */
export const readFrom =
  (readings: ReadonlyMap<string, Parsed<unknown>>): Read =>
  <F, C extends string>(probe: Probe<F, C>) =>
    (readings.get(probe.id) ?? NOT_COLLECTED) as Parsed<F>

export const observeAll = (signals: readonly Signal[], read: Read): readonly Observed[] =>
  signals.map((signal) => ({ signal, found: signal.observe(read) }))

/** All signs of virtualization that were seen, each with the signal it belongs to. */
export const signsOf = (observed: readonly Observed[]): readonly { readonly signal: Signal; readonly sign: Sign }[] =>
  observed.flatMap(({ signal, found }) =>
    found.indicates === 'virtual' ? found.signs.map((sign) => ({ signal, sign })) : [],
  )

/** Whether the signal with this id reads so on this node. */
export const reads = (observed: readonly Observed[], id: string, as: Observation['indicates']): boolean =>
  observed.some(({ signal, found }) => signal.id === id && found.indicates === as)
