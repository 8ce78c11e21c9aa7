import { catalog } from '../../main/catalog/definition/index.ts'
import { captureKey, type Parsed, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import { type Check, type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { thresholdValues } from '../../main/core/rules/profile.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording, fixtureSettings } from './fixtures.ts'

/** A fixture node with what every probe read and every check concluded, each worked out when it is first asked for. */
export interface Evaluated {
  readonly name: string
  readonly loaded: LoadedRecording
  readonly captures: ReadonlyMap<string, CapturedAnswer>
  readonly readings: ReadonlyMap<string, Parsed<unknown>>
  readonly context: Context
  readonly conclusions: ReadonlyMap<string, Conclusion>
}

export const { probes, checks } = catalog
export const byKey = (captures: readonly CapturedAnswer[]): ReadonlyMap<string, CapturedAnswer> =>
  new Map(captures.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function evaluate(name: string): Evaluated {
  const loaded = once(() => fixtureRecording(name, probes))
  const captures = once(() => byKey(loaded().captures))
  const readings = once(() => new Map(probes.map((probe) => [probe.id, readProbe(probe, captures())])))
  const context = once((): Context => {
    const { location } = fixtureSettings(name)
    return {
      node: loaded().recording.node,
      asOf: FIXTURE_TIME,
      observedAt: FIXTURE_TIME,
      thresholds: thresholdValues(catalog.thresholds, undefined),
      ...(location === undefined ? {} : { location }),
    }
  })
  const conclusions = once(() => new Map(checks.map((check) => [check.id, conclude(check, readings(), context())])))
  return {
    name,
    get loaded() {
      return loaded()
    },
    get captures() {
      return captures()
    },
    get readings() {
      return readings()
    },
    get context() {
      return context()
    },
    get conclusions() {
      return conclusions()
    },
  }
}

/** Every fixture node, evaluated once, where it is used. */
export const fixtures = fixtureNames().map(evaluate)

export function fixtureOf(name: string): Evaluated {
  const fixture = fixtures.find((one) => one.name === name)
  if (fixture === undefined) throw new Error(`no fixture ${name}`)
  return fixture
}

export function checkOf(id: string): Check {
  const check = checks.find((one) => one.id === id)
  if (check === undefined) throw new Error(`no check ${id}`)
  return check
}

/** A check over a fixture node, with readings and parts of the context in place of its own. */
export function concludeOn(
  check: Check,
  name: string,
  changed: Iterable<readonly [string, Parsed<unknown>]> = [],
  context: Partial<Context> = {},
): Conclusion {
  const fixture = fixtureOf(name)
  return conclude(check, new Map([...fixture.readings, ...changed]), { ...fixture.context, ...context })
}
