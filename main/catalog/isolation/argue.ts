import type { Catalog, IsolationArgument, SignalNote } from '../../core/catalog.ts'
import type { Context } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { COUNTS } from './counts.ts'
import { adversaryLevels } from './levels.ts'
import { CANNOT_SHOW, WITHOUT_LIVE_TESTS, WITHOUT_RIGHTS } from './limits.ts'
import { liveAsked } from './live-tests.ts'
import { decideAttachments } from './locality/decide.ts'
import { type Observed, readFrom, signsOf } from './observe.ts'
import { hardwarePins } from './pins.ts'
import { decideEnvironment } from './rules.ts'
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
  const { environment, platform, concealed, grade, rule, likelihood, minimum, observed, because } =
    decideEnvironment(read)
  const tenancy = decideTenancy(read, context)
  return {
    environment,
    platform,
    concealed,
    tenancy: tenancy.tenancy,
    attachments: decideAttachments(read, environment),
    grade,
    rule,
    likelihood,
    signals: observed.map(reading),
    anomalies: anomalies(observed),
    minimum,
    adversaries: adversaryLevels(observed),
    limitations: cannotShow(read, observed),
    openPoints: openPoints(read, observed),
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
    indicates: found.indicates,
    value: plain(value, VALUE_LENGTH),
    weight: weightHere(one),
    probes: found.indicates === 'unreadable' ? [found.probe.id] : signal.probes.map(({ id }) => id),
  }
}

const rank = (weight: Weight): number => (weight === 'impossible' ? 0 : 1)

/** The impossible first. */
const anomalies = (observed: readonly Observed[]): IsolationArgument['anomalies'] =>
  [...signsOf(observed)]
    .sort((a, b) => rank(a.sign.weight) - rank(b.sign.weight))
    .flatMap(({ signal, sign: { weight, step } }) =>
      weight === 'impossible' || weight === 'odd'
        ? [
            {
              class: weight === 'impossible' ? 'impossible' : 'unexplained',
              signal: signal.id,
              family: signal.family,
              step,
            },
          ]
        : [],
    )

function cannotShow(read: Read, observed: readonly Observed[]): readonly string[] {
  const withoutRights = observed.some(
    ({ found }) => found.indicates === 'unreadable' && found.reason.includes('administrator rights'),
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
