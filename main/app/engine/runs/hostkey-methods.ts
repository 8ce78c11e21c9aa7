import type { HostKeyRow } from '../../../../schemas/ipc-views.ts'
import type { Fleet } from '../../../../schemas/types.ts'
import type { ScannedKey } from '../../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { decisionsPath, fleetPath } from '../../../core/base/layout.ts'
import { type KeyToMatch, listProblem, matchKeys } from '../../../core/fleet/host-key-list.ts'
import type { ConnectTarget } from '../../../core/ports/ports.ts'
import { mapConcurrently } from '../../common/concurrency.ts'
import { type Desktop, type EngineContext, methods, type Session } from '../context/context.ts'
import { inTurn } from '../context/kept-json.ts'
import { notAsked, type ShownKey, shownKey, unreachable, waysIn, wayTo } from '../context/shown-keys.ts'
import { collectedNodes } from './stored-runs.ts'

type Rows = Outcome<readonly HostKeyRow[]>

const ASKED_AT_A_TIME = 32
const PATIENCE_MS = 20_000

/**
 * Host keys that nodes showed, compared and decided by a person. No login takes place, and nothing is trusted in
 * bulk.
 */
export function hostKeyMethods(context: EngineContext) {
  const { session } = context
  const turn = inTurn()
  return methods({
    'hostkeys.list': async () => ok(rows(context)),
    'hostkeys.scan': async ({ nodes }) => await scan(context, new Set(nodes)),
    'hostkeys.confirm': async ({ node, fingerprint, howVerified }) => {
      const shown = session.keys.get(node)
      if (shown?.key == null || shown.key.fingerprint !== fingerprint)
        return fail('input.refused', 'this is not the key that the node showed last; request it again', node)
      const decided = [{ node, way: shown.way, key: shown.key }]
      return await turn(() => decide(context, decided, howVerified))
    },
    'hostkeys.match-text': async ({ text }) => await match(context, text),
    'hostkeys.confirm-matched': async ({ howVerified }) => {
      const { keyList } = session
      const matched = [...session.keys].flatMap(([node, { way, key, row }]): readonly Decided[] => {
        const line = keyList?.lines.get(node)
        return key !== null && keyList !== null && line !== undefined && waitsForList(row)
          ? [{ node, way, key, list: { text: keyList.text, line } }]
          : []
      })
      if (matched.length === 0) return fail('input.refused', 'no key was matched that a list can confirm')
      return await turn(() => decide(context, matched, howVerified))
    },
  })
}

/**
 * Whether a list can confirm a key: one that is not verified, or only by a decision. A changed key is decided
 * individually, whatever a list contains.
 */
const waitsForList = ({ state, byDecision }: HostKeyRow): boolean => state === 'unknown' || byDecision

/** The stored fleet and its targets with recorded decisions; secrets are requested one prompt at a time. */
export async function storedTargets({
  ports,
  folder,
  desktop,
}: EngineContext): Promise<Outcome<{ readonly fleet: Fleet; readonly targets: readonly ConnectTarget[] }>> {
  const read = await ports.fleets.read(fleetPath(folder))
  if (!read.ok) return read
  const { fleet, targets } = read.value
  return ok({
    fleet,
    targets: targets({ decisionsFile: decisionsPath(fleetPath(folder)), ask: askInTurn(desktop.ask) }),
  })
}

const rows = ({ session }: EngineContext): readonly HostKeyRow[] =>
  (session.fleet === null ? [] : collectedNodes(session.fleet)).map(
    (node) => session.keys.get(node)?.row ?? notAsked(node),
  )

/**
 * The targets of the current fleet. The demo fleet has none: it creates new keys each time, and they need no decision.
 */
async function ownTargets(context: EngineContext): Promise<Outcome<ReadonlyMap<string, ConnectTarget>>> {
  if (context.session.demo) return fail('input.refused', 'the demo fleet creates new host keys at each start')
  const stored = await storedTargets(context)
  return stored.ok ? ok(new Map(stored.value.targets.map((target) => [target.node.name, target]))) : stored
}

async function scan(context: EngineContext, names: ReadonlySet<string>): Promise<Rows> {
  const { ports, session } = context
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  const wanted = [...targets.value.values()].filter(({ node }) => names.has(node.name))
  await mapConcurrently(wanted, ASKED_AT_A_TIME, async (target) => {
    const scanned = await ports.hostKeys.scan(target, AbortSignal.timeout(PATIENCE_MS))
    keep(
      session,
      target,
      scanned.ok
        ? shownKey(target, scanned.value, await ports.hostKeys.decide(target, scanned.value))
        : unreachable(target, scanned.error),
    )
  })
  return ok(rows(context))
}

/** Keeps the key that a node showed, unless its name belongs to another machine now. */
function keep({ fleet, demo, keys }: Session, { node: { name } }: ConnectTarget, shown: ShownKey): void {
  if (!demo && fleet !== null && waysIn(fleet).get(name) === shown.way) keys.set(name, shown)
}

async function match(context: EngineContext, text: string): Promise<Rows> {
  const { session } = context
  const problem = listProblem(text)
  if (problem !== null) return fail('input.refused', problem)
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  const shown = [...session.keys].flatMap(([name, { way, key, row }]): readonly KeyToMatch[] => {
    const target = targets.value.get(name)
    if (key === null || target === undefined || wayTo(target) !== way || row.state === 'revoked') return []
    const { node } = target
    return [{ node: name, address: node.address, port: node.port, fingerprint: key.fingerprint }]
  })
  const found = matchKeys(
    text,
    shown,
    [...targets.value.values()].map(({ node: { name, address, port } }) => ({ node: name, address, port })),
  )
  session.keyList = { text, lines: found }
  for (const [name, one] of session.keys) {
    const line = found.get(name)
    const matched = line === undefined ? null : `pasted line ${line}`
    session.keys.set(name, { ...one, row: { ...one.row, matched } })
  }
  return ok(rows(context))
}

/** A key to decide on, and the list that it was compared with, if any. */
interface Decided {
  readonly node: string
  readonly way: string
  readonly key: ScannedKey
  readonly list?: { readonly text: string; readonly line: number }
}

/** Records decisions one at a time, since they share one file; stops at the first that cannot be recorded. */
async function decide(context: EngineContext, decided: readonly Decided[], howVerified: string): Promise<Rows> {
  const { ports, folder, session } = context
  const why = howVerified.trim()
  if (why.length < 3) return fail('input.refused', 'enter how you verified the key; nothing was recorded')
  const targets = await ownTargets(context)
  if (!targets.ok) return targets
  for (const { node, way, key, list } of decided) {
    const target = targets.value.get(node)
    if (target === undefined) return fail('input.refused', 'the fleet has no node of this name', node)
    if (wayTo(target) !== way)
      return fail('input.refused', 'its address has changed since it showed this key; request the key again', node)
    const now = await ports.hostKeys.decide(target, key)
    if (!now.ok && now.error.code === 'ssh.host-key-revoked')
      return fail('ssh.host-key-revoked', now.error.detail, node)
    const recorded = await ports.hostKeys.record(decisionsPath(fleetPath(folder)), target, key, why, list)
    if (!recorded.ok) return recorded
    const judged = shownKey(target, key, await ports.hostKeys.decide(target, key))
    // The node may have been queried again, and may have shown another key.
    const last = session.keys.get(node)
    if (last?.key === key) keep(session, target, { ...judged, row: { ...judged.row, matched: last.row.matched } })
  }
  return ok(rows(context))
}

/**
 * Asks for the secrets of one run with one prompt at a time, and no longer once a person closed a prompt. Otherwise a
 * thousand nodes could open a thousand prompts.
 */
function askInTurn(ask: Desktop['ask']): Desktop['ask'] {
  let declined = false
  let last: Promise<unknown> = Promise.resolve()
  return (question) => {
    const answer = last.then(async () => {
      if (declined) return null
      const given = await ask(question)
      declined = given === null
      return given
    })
    last = answer.catch(() => undefined)
    return answer
  }
}
