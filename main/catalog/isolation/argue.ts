import type { Catalog, IsolationArgument, SignalNote } from '../../core/catalog.ts'
import type { Context } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { COUNTS } from './counts.ts'
import { providerLevels } from './levels.ts'
import { CANNOT_SHOW, WITHOUT_LIVE_TESTS, WITHOUT_RIGHTS } from './limits.ts'
import { liveAsked } from './live-tests.ts'
import { decideLocality } from './locality/decide.ts'
import { type Observed, readFrom, signsOf } from './observe.ts'
import { hardwarePins } from './pins.ts'
import { decideLayer } from './rules.ts'
import { openPoints } from './settle.ts'
import type { Read, Signal, Weight } from './signal.ts'
import { SIGNALS } from './signals.ts'
import { decideTenancy, TENANCY_LIMITS } from './tenancy.ts'
import { weightHere } from './weight.ts'

/**
 * The four isolation answers with the dossier behind them: what the system runs on, who uses it, where each device is, and how good the
 * evidence is. Never one number.
 */
export const assessIsolation: Catalog['assessIsolation'] = (readings, context) => argue(readings, context)

function argue(readings: ReadonlyMap<string, Parsed<unknown>>, context: Context): IsolationArgument {
  const read = readFrom(readings)
  const { layer, platform, concealed, grade, rule, weight, minimum, observed, because } = decideLayer(read)
  const tenancy = decideTenancy(read, context)
  return {
    layer,
    platform,
    concealed,
    tenancy: tenancy.tenancy,
    locality: decideLocality(read, layer),
    grade,
    rule,
    weight,
    signals: observed.map(reading),
    contradictions: contradictions(observed),
    minimum,
    levels: providerLevels(observed),
    cannotShow: cannotShow(read, observed),
    settle: openPoints(read, observed),
    pins: hardwarePins(read),
    observations: [...because, ...tenancy.because],
  }
}

const VALUE_LENGTH = 160

function reading(one: Observed): IsolationArgument['signals'][number] {
  const { signal, found } = one
  const value = 'reason' in found ? found.reason : found.value
  return {
    id: signal.id,
    reads: found.reads,
    value: plain(value, VALUE_LENGTH),
    weight: weightHere(one),
    probes: found.reads === 'unreadable' ? [found.probe.id] : signal.probes.map(({ id }) => id),
  }
}

const rank = (weight: Weight): number => (weight === 'impossible' ? 0 : 1)

/** The impossible first. */
const contradictions = (observed: readonly Observed[]): IsolationArgument['contradictions'] =>
  [...signsOf(observed)]
    .sort((a, b) => rank(a.sign.weight) - rank(b.sign.weight))
    .flatMap(({ signal, sign: { weight, step } }) =>
      weight === 'impossible' || weight === 'odd'
        ? [{ class: weight === 'impossible' ? 'K1' : 'K2', signal: signal.id, family: signal.family, step }]
        : [],
    )

function cannotShow(read: Read, observed: readonly Observed[]): readonly string[] {
  const withoutRights = observed.some(
    ({ found }) => found.reads === 'unreadable' && found.reason.includes('administrator rights'),
  )
  return [
    ...CANNOT_SHOW,
    ...TENANCY_LIMITS,
    ...(withoutRights ? [WITHOUT_RIGHTS] : []),
    ...(liveAsked(read) ? [] : [WITHOUT_LIVE_TESTS]),
  ]
}

/** The signals as data, for the catalog's snapshot: what each looks at, what it costs to fake, where it misleads, and what was counted. */
export const SIGNAL_NOTES: readonly SignalNote[] = SIGNALS.map(note)

function note({ observe: _, probes, ...data }: Signal): SignalNote {
  return { ...data, probes: probes.map(({ id }) => id), counts: COUNTS[data.id] ?? null }
}
