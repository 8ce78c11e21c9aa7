import { plain } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type Read, readFrom } from '../../../core/recording/readings.ts'
import type { Catalog, IsolationArgument, SignalNote } from '../../../core/rules/catalog.ts'
import type { Context } from '../../../core/rules/check.ts'
import { decideTenancy, TENANCY_LIMITS } from '../tenancy/argue.ts'
import { decideAttachments } from './attachments.ts'
import { adversaryLevels, COUNTS, openPoints, weightHere } from './levels.ts'
import { hardwarePins } from './pins.ts'
import { liveAsked } from './processors/live-tests.ts'
import { decideEnvironment } from './rules.ts'
import { type Observed, type Signal, signsOf, type Weight } from './signal.ts'
import { SIGNALS } from './signals.ts'

/** What no reading from inside a running system can show. Printed with every isolation result. */
const CANNOT_SHOW: readonly string[] = [
  'A party with root in the system’s image (a modified kernel, shell or SSH server) can make it respond like any hardware, or replay another machine, at the cost of text alone.',
  'A hypervisor built to hide, which passes every device through and emulates every register, is not visible from inside.',
  'Overlays and mirroring in the switches of the network, and who else is behind them.',
  'Replication or snapshots of storage behind a data-processing unit that looks like a local drive.',
  'Who can reach the management controller, and what it was used for.',
  'Whether data of earlier tenants was erased, and what earlier tenants left in firmware.',
  'Guests, users or jobs that were started after this collection, or had ended before it.',
]

const WITHOUT_RIGHTS =
  'The collection had no administrator rights: the contents of firmware tables, registers of the processor, the kernel’s log and the lists of container and guest managers were not read.'
const WITHOUT_LIVE_TESTS =
  'Live tests were not requested: the cost of CPUID, clock steal over an interval, and counters that change with the load were not measured.'

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
