import type { Command } from 'commander'
import { type FindingSources, shownOf } from '../../app/evaluate/finding-views.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import type { Presentation } from '../../present/presentation.ts'
import { AS_OF, type Context } from './options.ts'
import { withFleet } from './register-changes.ts'
import { assessFolders, scopeFor } from './scope.ts'

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
    .option(...AS_OF)

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
  const assessed = await assessFolders(ports, folders, options)
  if (!assessed.ok) return assessed
  const sources = { ...assessed.value, catalog }
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
