import type { HostKeyRow } from '../../../schemas/ipc-views.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { ConnectTarget } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import type { ScannedKey } from '../../core/world.ts'
import { inLanes } from '../lanes.ts'
import { askInTurn } from './asking.ts'
import type { EngineContext, Handlers } from './context.ts'
import { type KeyToMatch, matchKeys } from './match-keys.ts'
import { decisionsPath, fleetPath } from './places.ts'
import { notAsked, shownKey, unreachable } from './shown-keys.ts'
import { collectedNodes } from './stored-runs.ts'

type Methods =
  | 'hostkeys.list'
  | 'hostkeys.scan'
  | 'hostkeys.confirm'
  | 'hostkeys.match-text'
  | 'hostkeys.confirm-matched'

type Rows = Outcome<readonly HostKeyRow[]>

const ASKED_AT_A_TIME = 32
const PATIENCE_MS = 20_000

/** Host keys: shown by the nodes, compared and decided about by a person. Nobody logs in, and nothing is trusted in bulk. */
export function hostKeyMethods(context: EngineContext): Pick<Handlers, Methods> {
  const { session } = context
  return {
    'hostkeys.list': async () => ok(rows(context)),
    'hostkeys.scan': async ({ nodes }) => await scan(context, new Set(nodes)),
    'hostkeys.confirm': async ({ node, fingerprint, howVerified }) => {
      const shown = session.keys.get(node)
      if (shown?.key == null || shown.key.fingerprint !== fingerprint)
        return fail('input.refused', 'this is not the key that the node showed last; ask it again', node)
      return await decide(context, [{ node, key: shown.key }], howVerified)
    },
    'hostkeys.match-text': async ({ text }) => await match(context, text),
    'hostkeys.confirm-matched': async ({ howVerified }) => {
      const matched = [...session.keys].flatMap(([node, { key, row }]) =>
        key !== null && row.matched !== null && row.state !== 'confirmed' ? [{ node, key }] : [],
      )
      if (matched.length === 0) return fail('input.refused', 'no key that waits for a decision was matched')
      return await decide(context, matched, howVerified)
    },
  }
}

/** The stored fleet's targets with its recorded decisions; who runs needs a secret is asked one question at a time. */
export async function storedTargets({
  world,
  folder,
  desktop,
}: EngineContext): Promise<Outcome<readonly ConnectTarget[]>> {
  const read = await world.fleets.read(fleetPath(folder))
  if (!read.ok) return read
  return ok(read.value.targets({ decisionsFile: decisionsPath(folder), ask: askInTurn(desktop.ask) }))
}

const rows = ({ session }: EngineContext): readonly HostKeyRow[] =>
  (session.fleet === null ? [] : collectedNodes(session.fleet)).map(
    (node) => session.keys.get(node)?.row ?? notAsked(node),
  )

/** The targets of the current fleet. The demo fleet has none: it shows new keys each time, and nobody decides about them. */
async function ownTargets(context: EngineContext): Promise<Outcome<ReadonlyMap<string, ConnectTarget>>> {
  if (context.session.demo) return fail('input.refused', 'the keys of the demo fleet are made anew each time')
  const targets = await storedTargets(context)
  return targets.ok ? ok(new Map(targets.value.map((target) => [target.node.name, target]))) : targets
}

async function scan(context: EngineContext, names: ReadonlySet<string>): Promise<Rows> {
  const { world, session } = context
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  const wanted = [...targets.value.values()].filter(({ node }) => names.has(node.name))
  await inLanes(wanted, ASKED_AT_A_TIME, async (target) => {
    const { name } = target.node
    const scanned = await world.hostKeys.scan(target, AbortSignal.timeout(PATIENCE_MS))
    if (scanned.ok) await judge(context, target, scanned.value)
    else session.keys.set(name, unreachable(name, scanned.error))
  })
  return ok(rows(context))
}

async function judge({ world, session }: EngineContext, target: ConnectTarget, key: ScannedKey): Promise<void> {
  session.keys.set(target.node.name, shownKey(target.node.name, key, await world.hostKeys.judge(target, key)))
}

async function match(context: EngineContext, text: string): Promise<Rows> {
  const { session } = context
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  const shown = [...session.keys].flatMap(([name, { key, row }]): readonly KeyToMatch[] => {
    const node = targets.value.get(name)?.node
    if (key === null || node === undefined || row.state === 'revoked') return []
    return [{ node: name, address: node.address, port: node.port, fingerprint: key.fingerprint }]
  })
  const found = matchKeys(text, shown)
  for (const [name, { key, row }] of session.keys) {
    const line = found.get(name)
    session.keys.set(name, { key, row: { ...row, matched: line === undefined ? null : `pasted line ${line}` } })
  }
  return ok(rows(context))
}

/** Records one decision after the other, since they go into one file; ends at the first that cannot be recorded. */
async function decide(
  context: EngineContext,
  decided: readonly { readonly node: string; readonly key: ScannedKey }[],
  howVerified: string,
): Promise<Rows> {
  const { world, folder, session } = context
  const why = howVerified.trim()
  if (why.length < 3) return fail('input.refused', 'say how the key was verified; nothing was recorded')
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  for (const { node, key } of decided) {
    const target = targets.value.get(node)
    if (target === undefined) return fail('input.refused', 'the fleet has no such node', node)
    const now = await world.hostKeys.judge(target, key)
    if (!now.ok && now.error.code === 'ssh.host-key-revoked')
      return fail('ssh.host-key-revoked', now.error.detail, node)
    const recorded = await world.hostKeys.record(decisionsPath(folder), target, key, why)
    if (!recorded.ok) return recorded
    const matched = session.keys.get(node)?.row.matched ?? null
    await judge(context, target, key)
    const judged = session.keys.get(node)
    if (judged !== undefined) session.keys.set(node, { ...judged, row: { ...judged.row, matched } })
  }
  return ok(rows(context))
}
