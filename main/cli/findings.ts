import type { Command } from 'commander'
import { registerInScope } from '../app/attachments.ts'
import { type FindingSources, shownOf } from '../app/finding-views.ts'
import { askDatabases } from '../app/location/ask-databases.ts'
import { catalog } from '../catalog/index.ts'
import { assess } from '../core/assess.ts'
import { type Catalog, catalogFor } from '../core/catalog.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import type { Finding } from '../core/finding/finding.ts'
import { loadAll } from '../core/recording.ts'
import type { Presentation } from '../present/presentation.ts'
import { type Context, instant } from './options.ts'
import { readRegister } from './register.ts'
import { withFleet } from './register-changes.ts'
import { scopeFor } from './scope.ts'

/** Options of every command about findings. */
export interface FindingOptions {
  readonly fleet?: string
  readonly asOf?: string
  readonly register?: string
}

/** Options of the commands that evaluate recordings. */
export const withEvaluation = (command: Command): Command =>
  withFleet(command)
    .option('--register <file>', 'Register of risk acceptances, responses, control decisions and documents')
    .option('--as-of <time>', 'Evaluation date (UTC, ISO 8601); default now')

export interface ShownFindings extends FindingSources {
  readonly shown: Presentation
  /** The most severe first; informational results last. */
  readonly findings: readonly Finding[]
}

/** Recordings, evaluated, with their findings. Fails as reading recordings, fleet file and register does. */
export async function readFindings(
  { ports }: Context,
  folders: readonly string[],
  options: FindingOptions,
): Promise<Outcome<ShownFindings>> {
  const asOf = instant('--as-of', options.asOf, ports.clock)
  if (!asOf.ok) return asOf
  const read = await ports.readRecordings(folders)
  if (!read.ok) return read
  const scope = await scopeFor(ports, options, read.value)
  if (!scope.ok) return scope
  const asked = await askDatabases(scope.value.scope, scope.value.databases, read.value)
  if (!asked.ok) return asked
  const stated = await readRegister(ports, options.register)
  if (!stated.ok) return stated
  const loaded = await loadAll(read.value)
  if (!loaded.ok) return loaded
  const register = registerInScope(catalog, stated.value.register, asked.value)
  const recordings = loaded.value
  const assessment = assess({ catalog, scope: asked.value, recordings, asOf: asOf.value, register })
  const sources = { assessment, catalog, register, recordings }
  const shown = shownOf(sources)
  return ok({ ...sources, shown, findings: [...shown.findings, ...shown.informational] })
}

/** The fleet that references belong to, and its catalog. Fails as reading recordings and the fleet file does. */
export async function findingScope(
  { ports }: Context,
  options: Pick<FindingOptions, 'fleet'>,
): Promise<Outcome<{ readonly fleet: string; readonly catalog: Catalog }>> {
  const declared = await scopeFor(ports, options, [])
  if (!declared.ok) return declared
  const { scope } = declared.value
  return ok({ fleet: scope.fleet, catalog: catalogFor(catalog, scope) })
}

/** The finding of a check. Fails with input.not-found where the recordings show none. */
export function findingOf(findings: readonly Finding[], check: string): Outcome<Finding> {
  const found = findings.find((one) => one.check === check)
  return found === undefined
    ? fail('input.not-found', `these recordings show no deviation from check ${check}`)
    : ok(found)
}
