import { catalog } from '../../main/catalog/index.ts'
import { type Conclusion, type Context, conclude } from '../../main/core/check.ts'
import { captureKey, type Parsed, readProbe } from '../../main/core/probe.ts'
import { limitsOf } from '../../main/core/profile.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording.ts'
import { FIXTURE_TIME, fixtureNames, fixtureRecording, fixtureSettings } from './fixtures.ts'

/** A fixture node with what every probe read and every check concluded. */
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

function evaluate(name: string): Evaluated {
  const loaded = fixtureRecording(name, probes)
  const captures = byKey(loaded.captures)
  const readings = new Map(probes.map((probe) => [probe.id, readProbe(probe, captures)]))
  const limits = limitsOf(catalog.thresholds, undefined)
  const { location } = fixtureSettings(name)
  const context: Context = {
    node: loaded.recording.node,
    asOf: FIXTURE_TIME,
    observedAt: FIXTURE_TIME,
    limits,
    ...(location === undefined ? {} : { location }),
  }
  const conclusions = new Map(checks.map((check) => [check.id, conclude(check, readings, context)]))
  return { name, loaded, captures, readings, context, conclusions }
}

/** Every fixture node, evaluated once. */
export const fixtures = fixtureNames().map(evaluate)
