import { catalog } from '../../main/catalog/definition/index.ts'
import { assessIsolation } from '../../main/catalog/single-tenancy/isolation/argue.ts'
import { type Parsed, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import type { IsolationArgument } from '../../main/core/rules/catalog.ts'
import { type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { checksOf } from '../support/checks-of.ts'
import { fixtureOf } from '../support/evaluated.ts'
import { fixtureSettings } from '../support/fixtures.ts'

/** Isolation, and the inventory, the changes of parts and the identity of the node that belong to its argument. */
const ARGUED =
  /^(inventory\.(hardware|disks|network-interfaces)|lifecycle\.disk-swap|evidence\.(host|collector)|encryption\.in-use)/
export const checks = [...checksOf('isolation'), ...catalog.checks.filter(({ id }) => ARGUED.test(id))].filter(
  (check, at, all) => all.indexOf(check) === at,
)

/** Our checks and the argument read probes of every group. */
export const PROBES: readonly Probe<unknown>[] = catalog.probes

export type Captures = ReadonlyMap<string, CapturedAnswer>
export type Readings = ReadonlyMap<string, Parsed<unknown>>

export const capturesOf = fixtureOf

/** What was read from captures: it is asked for many times and never changes. */
const read = new WeakMap<Captures, Readings>()
export function readingsFrom(captures: Captures): Readings {
  const before = read.get(captures)
  if (before !== undefined) return before
  const readings = new Map(PROBES.map((probe) => [probe.id, readProbe(probe, captures)]))
  read.set(captures, readings)
  return readings
}

export function concludeAll(node: string): ReadonlyMap<string, Conclusion> {
  const { captures, context } = capturesOf(node)
  const readings = readingsFrom(captures)
  return new Map(checks.map((check) => [check.id, conclude(check, readings, context)]))
}

/** Which probes the argument asks for, whatever they answered. */
export function probesArguedFrom(readings: Readings, context: Context): ReadonlySet<string> {
  const asked = new Set<string>()
  const listening = new Map(readings)
  listening.get = (id) => {
    asked.add(id)
    return readings.get(id)
  }
  assessIsolation(listening, context)
  return asked
}

export function argue(node: string): IsolationArgument {
  const { captures, context } = capturesOf(node)
  return assessIsolation(readingsFrom(captures), context)
}

/** The verdicts that a recorded node expects of our checks. */
export function expectedOf(node: string): Readonly<Record<string, string>> {
  const ours = new Set(checks.map(({ id }) => id))
  return Object.fromEntries(Object.entries(fixtureSettings(node).expected ?? {}).filter(([id]) => ours.has(id)))
}
