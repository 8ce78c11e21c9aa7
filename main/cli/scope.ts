import type { DeclaredNode } from '../../schemas/types.ts'
import { chosenFrameworks, type Declared, declaredScope } from '../app/collect-run.ts'
import { scopeOf } from '../app/run.ts'
import { catalog } from '../catalog/index.ts'
import type { Ports } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/failure.ts'
import type { RecordingSource } from '../core/recording.ts'
import { frameworkList } from './options.ts'

interface ScopeOptions {
  readonly fleet?: string
  readonly framework?: string
}

interface ScopeDeclared extends Declared {
  readonly timestampAuthority: string | undefined
}

/** The declared scope: that of the fleet file if one is given, otherwise exactly the recorded nodes. */
export async function scopeFor(
  ports: Ports,
  options: ScopeOptions,
  recordings: readonly Pick<RecordingSource, 'recording'>[],
): Promise<Outcome<ScopeDeclared>> {
  const asked = frameworkList(options.framework)
  if (options.fleet === undefined) {
    const frameworks = chosenFrameworks(catalog, [], asked)
    return frameworks.ok
      ? ok({
          scope: scopeOf('recordings', recordings, frameworks.value),
          inventory: null,
          sites: null,
          databases: [],
          timestampAuthority: undefined,
        })
      : frameworks
  }
  const read = await ports.fleets.read(options.fleet)
  if (!read.ok) return read
  const { fleet, targets } = read.value
  const nodes = targets({}).map(({ node }) => node.name)
  const declared = await declaredScope(ports, catalog, { fleet, path: options.fleet, nodes, frameworks: asked })
  return declared.ok ? ok({ ...declared.value, timestampAuthority: fleet.timestampAuthority }) : declared
}

/** The declaration of a node in the fleet file; without a fleet file, its name only. Fails with input.refused for an unknown node. */
export async function declaredNode(
  ports: Ports,
  fleet: string | undefined,
  name: string,
): Promise<Outcome<DeclaredNode>> {
  if (fleet === undefined) return ok({ name, address: 'not connected', port: 22, user: 'unknown', sudo: false })
  const read = await ports.fleets.read(fleet)
  if (!read.ok) return read
  const target = read.value.targets({}).find(({ node }) => node.name === name)
  return target === undefined
    ? fail('input.refused', `--node ${name}: ${fleet} has no node with this name`)
    : ok(target.node)
}
