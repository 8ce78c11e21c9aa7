import type { Assessment, DeclaredNode, Register } from '../../../schemas/types.ts'
import { chosenFrameworks, type Declared, declaredScope } from '../../app/collect/collect-run.ts'
import { scopeOf } from '../../app/collect/run.ts'
import { registerInScope } from '../../app/common/attachments.ts'
import { askDatabases } from '../../app/location/ask-databases.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { assess } from '../../core/conclusion/assess.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { type LoadedRecording, loadAll, type RecordingSource } from '../../core/recording/recording.ts'
import { frameworkList, instant } from './options.ts'
import { readRegister } from './register.ts'

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

/** As scopeFor(), with the entries of the declared address databases for these recordings. */
export async function scopeWithDatabases(
  ports: Ports,
  options: ScopeOptions,
  recordings: readonly RecordingSource[],
): Promise<Outcome<ScopeDeclared>> {
  const declared = await scopeFor(ports, options, recordings)
  if (!declared.ok) return declared
  const asked = await askDatabases(declared.value.scope, declared.value.databases, recordings)
  return asked.ok ? ok({ ...declared.value, scope: asked.value }) : asked
}

interface AssessOptions extends ScopeOptions {
  readonly asOf?: string
  readonly register?: string
}

interface AssessedFolders {
  readonly assessment: Assessment
  readonly register: Register
  readonly recordings: readonly LoadedRecording[]
}

/** Recordings in folders, evaluated as of one time with a register. Fails as reading recordings, fleet file and register does. */
export async function assessFolders(
  ports: Ports,
  folders: readonly string[],
  options: AssessOptions,
): Promise<Outcome<AssessedFolders>> {
  const asOf = instant('--as-of', options.asOf, ports.clock)
  if (!asOf.ok) return asOf
  const read = await ports.readRecordings(folders)
  if (!read.ok) return read
  const declared = await scopeWithDatabases(ports, options, read.value)
  if (!declared.ok) return declared
  const { scope } = declared.value
  const stored = await readRegister(ports, options.register)
  if (!stored.ok) return stored
  const loaded = await loadAll(read.value)
  if (!loaded.ok) return loaded
  const register = registerInScope(catalog, stored.value.register, scope)
  const assessment = assess({ catalog, scope, recordings: loaded.value, asOf: asOf.value, register })
  return ok({ assessment, register, recordings: loaded.value })
}

/** The targets of a fleet file, or those of the named nodes. Fails with input.refused for an unknown node. */
export function targetsNamed(
  fleet: string,
  all: readonly ConnectTarget[],
  names: readonly string[] | undefined,
): Outcome<readonly ConnectTarget[]> {
  const unknown = names?.find((name) => !all.some(({ node }) => node.name === name))
  return unknown === undefined
    ? ok(all.filter(({ node }) => names?.includes(node.name) ?? true))
    : unknownNode(fleet, unknown)
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
  return target === undefined ? unknownNode(fleet, name) : ok(target.node)
}

const unknownNode = (fleet: string, name: string): Outcome<never> =>
  fail('input.refused', `--node ${name}: ${fleet} has no node with this name`)
