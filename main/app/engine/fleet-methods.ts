import type { CallFailure, Chosen } from '../../../schemas/ipc.ts'
import type { FleetView, HostKeyRow, ImportKind, ImportPreview } from '../../../schemas/ipc-views.ts'
import type { Fleet, FleetNode } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { ConnectTarget } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import type { ImportLine, ScannedKey, World } from '../../core/world.ts'
import { fleetView } from '../views.ts'
import type { Session } from './session.ts'

/** What was shown to a person and not yet accepted or confirmed. Forgotten when the program ends. */
export interface Pending {
  readonly imports: Map<string, readonly FleetNode[]>
  readonly keys: Map<string, { readonly key: ScannedKey; readonly row: HostKeyRow }>
}
export const nothingPending = (): Pending => ({ imports: new Map(), keys: new Map() })

/** Where the window keeps its own fleet and the decisions about host keys. */
export const fleetPath = (folder: string): string => `${folder}/fleet.json`
export const decisionsPath = (folder: string): string => `${folder}/host-keys`

const OUTCOMES = { added: 'will-add', already: 'already-here', skipped: 'skipped', problem: 'skipped' } as const

export async function previewImport(
  world: World,
  session: Session,
  pending: Pending,
  kind: ImportKind,
  text: string,
  file: string | null,
): Promise<Outcome<ImportPreview>> {
  const { nodes, lines } = await world.importers.preview(kind, text, session.demo ? [] : (session.fleet?.nodes ?? []))
  const handle = Buffer.from(world.entropy.bytes(16)).toString('hex')
  pending.imports.set(handle, nodes)
  const rows = lines.map((line: ImportLine) => ({
    line: line.line,
    text: line.text,
    outcome: OUTCOMES[line.outcome],
    node: line.node ?? null,
    note: line.why,
  }))
  return ok({ handle, file, rows, willAdd: nodes.length })
}

export async function chooseImport(
  world: World,
  session: Session,
  pending: Pending,
  kind: ImportKind,
  chosen: Chosen | undefined,
): Promise<Outcome<ImportPreview | null>> {
  if (chosen === undefined) return ok(null)
  const bytes = await world.files.read(chosen.path)
  if (!bytes.ok) return bytes
  return await previewImport(
    world,
    session,
    pending,
    kind,
    new TextDecoder().decode(bytes.value),
    chosen.path.split(/[/\\]/).at(-1) ?? null,
  )
}

export async function acceptImport(
  world: World,
  session: Session,
  pending: Pending,
  folder: string,
  handle: string,
): Promise<Outcome<FleetView>> {
  const nodes = pending.imports.get(handle)
  if (nodes === undefined) return fail('input.refused', 'this preview was already used or forgotten')
  pending.imports.delete(handle)
  const before: Fleet =
    session.demo || session.fleet === null
      ? { name: 'My servers', nodes: [] as unknown as Fleet['nodes'] }
      : session.fleet
  const known = new Set(before.nodes.map(({ name }) => name))
  const fleet = { ...before, nodes: [...before.nodes, ...nodes.filter(({ name }) => !known.has(name))] } as Fleet
  const written = await world.files.write(fleetPath(folder), `${JSON.stringify(fleet, null, 2)}\n`)
  if (!written.ok) return written
  const read = await world.fleets.read(fleetPath(folder))
  if (!read.ok) return read
  Object.assign(session, { fleet: read.value.fleet, demo: false, run: null })
  return ok(fleetView(read.value.fleet, false))
}

/** The stored fleet's targets, or none where there is no fleet yet. */
export async function storedTargets(world: World, folder: string): Promise<Outcome<readonly ConnectTarget[]>> {
  const read = await world.fleets.read(fleetPath(folder))
  return read.ok ? ok(read.value.targets({ decisionsFile: decisionsPath(folder) })) : read
}

const blank = (node: string): HostKeyRow => ({
  node,
  state: 'not-asked',
  keyType: null,
  fingerprint: null,
  onRecord: null,
  confirmedBy: null,
  failure: null,
})

export const listKeys = (session: Session, pending: Pending): readonly HostKeyRow[] =>
  (session.fleet?.nodes ?? [])
    .filter(({ jumpOnly }) => jumpOnly !== true)
    .map(({ name }) => pending.keys.get(name)?.row ?? blank(name))

export async function scanKeys(
  world: World,
  session: Session,
  pending: Pending,
  folder: string,
  names: readonly string[],
): Promise<Outcome<readonly HostKeyRow[]>> {
  const targets = await storedTargets(world, folder)
  if (!targets.ok) return targets
  const wanted = targets.value.filter(({ node }) => names.includes(node.name))
  for (const target of wanted) {
    const scanned = await world.hostKeys.scan(target, AbortSignal.timeout(20_000))
    if (scanned.ok) await judge(world, pending, target, scanned.value)
    else
      pending.keys.set(target.node.name, {
        key: NO_KEY,
        row: { ...blank(target.node.name), state: 'unreachable', failure: scanned.error },
      })
  }
  return ok(listKeys(session, pending))
}

const NO_KEY: ScannedKey = { type: '', fingerprint: '', blob: new Uint8Array() }

const STATES: Readonly<Record<string, HostKeyRow['state']>> = {
  'ssh.host-key-changed': 'changed',
  'ssh.host-key-revoked': 'revoked',
  'ssh.host-key-unknown': 'unknown',
}

async function judge(world: World, pending: Pending, target: ConnectTarget, key: ScannedKey): Promise<void> {
  const judged = await world.hostKeys.judge(target, key)
  const shown = { ...blank(target.node.name), keyType: key.type, fingerprint: key.fingerprint }
  const row: HostKeyRow = judged.ok
    ? { ...shown, state: 'confirmed', confirmedBy: `${judged.value.trust.how}: ${judged.value.trust.detail}` }
    : {
        ...shown,
        state: STATES[judged.error.code] ?? 'unknown',
        onRecord: judged.error.code === 'ssh.host-key-changed' ? judged.error.detail : null,
        failure: judged.error as CallFailure,
      }
  pending.keys.set(target.node.name, { key, row })
}

export async function confirmKey(
  world: World,
  session: Session,
  pending: Pending,
  folder: string,
  input: { readonly node: string; readonly fingerprint: string; readonly howVerified: string },
): Promise<Outcome<readonly HostKeyRow[]>> {
  const scanned = pending.keys.get(input.node)
  if (scanned === undefined || scanned.key.fingerprint !== input.fingerprint)
    return fail('input.refused', 'this is not the key that the node showed last; ask it again', input.node)
  const targets = await storedTargets(world, folder)
  if (!targets.ok) return targets
  const target = targets.value.find(({ node }) => node.name === input.node)
  if (target === undefined) return fail('input.refused', 'there is no such node', input.node)
  const recorded = await world.hostKeys.record(decisionsPath(folder), target, scanned.key, input.howVerified)
  if (!recorded.ok) return recorded
  await judge(world, pending, target, scanned.key)
  return ok(listKeys(session, pending))
}
