import type { DeclaredNode, Scope } from '../../schemas/types.ts'
import { scopeOf } from '../app/run.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { profileOf } from '../core/fleet.ts'
import type { RecordingSource } from '../core/recording.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { frameworkList } from './options.ts'

export interface ScopeOptions {
  readonly fleet?: string
  readonly framework?: string
}

export interface Declared {
  readonly scope: Scope
  readonly timestampAuthority: string | undefined
}

/** The declared scope: of the fleet file where one is named, else exactly the recorded nodes. */
export async function scopeFor(
  world: World,
  options: ScopeOptions,
  recordings: readonly Pick<RecordingSource, 'recording'>[],
): Promise<Outcome<Declared>> {
  if (options.fleet === undefined) {
    const frameworks = frameworkList(options.framework)
    return frameworks.ok
      ? ok({ scope: scopeOf('recordings', recordings, frameworks.value), timestampAuthority: undefined })
      : frameworks
  }
  const read = await world.fleets.read(options.fleet)
  if (!read.ok) return read
  const { fleet, targets } = read.value
  const frameworks = frameworkList(options.framework, fleet.frameworks ?? ['hipaa', 'soc2'])
  if (!frameworks.ok) return frameworks
  const population = targets({}).map(({ node }) => node.name)
  return ok({
    scope: { fleet: fleet.name, population, frameworks: frameworks.value, ...profileOf(fleet) },
    timestampAuthority: fleet.timestampAuthority,
  })
}

/** What the fleet file declares of a node; without a fleet file, its name alone. */
export async function declaredNode(
  world: World,
  fleet: string | undefined,
  name: string,
): Promise<Outcome<DeclaredNode>> {
  if (fleet === undefined) return ok({ name, address: 'not connected', port: 22, user: 'unknown', sudo: false })
  const read = await world.fleets.read(fleet)
  if (!read.ok) return read
  const target = read.value.targets({}).find(({ node }) => node.name === name)
  return target === undefined
    ? fail('input.refused', `--node ${name}: ${fleet} has no node of that name`)
    : ok(target.node)
}
