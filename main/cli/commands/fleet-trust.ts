import { fail, type Outcome } from '../../core/failure.ts'
import { listProblem, matchKeys, readDecision } from '../../core/host-key-list.ts'
import { decidedPin, type KeyList, type PinDecision, pinInKnownHosts, pinInList } from '../../core/host-key-pins.ts'
import { keysFor, parseKnownHosts } from '../../core/known-hosts.ts'
import { plain } from '../../core/plain-text.ts'
import type { ConnectTarget } from '../../core/ports.ts'
import { ok } from '../../core/result.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, say } from '../terminal.ts'

export interface BulkOptions {
  readonly fromKnownHosts?: readonly string[]
  readonly list?: readonly string[]
  /** The source of the list and how it was verified: with it, keys confirmed manually before are compared with the list. */
  readonly how?: string
  readonly json?: true
}

type Told =
  | PinDecision
  /** The key was confirmed manually before; its entry now names the list, which is stored next to it as evidence. */
  | { readonly kind: 'compared'; readonly fingerprint: string; readonly from: string }

const WORDS: Readonly<Record<Told['kind'], string>> = {
  found: 'pinned',
  compared: 'confirmed before; the list contains the same key and is stored with that decision',
  already: 'already pinned to the same key',
  other: 'NOT CHANGED: already pinned to another key',
  ambiguous: 'not pinned: several keys match',
  revoked: 'NOT PINNED: its key is marked as revoked',
  authority: 'not pinned: only a certificate authority is listed; use “knownHosts” for it',
  none: 'not pinned: not in the list',
}

/** `fleet trust FILE --from-known-hosts …` and `--list …`: pins all nodes at once, as `hostKey` in the fleet file. Contacts no node. */
export async function pinFromLists(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { ports } = context
  const fleet = await ports.fleets.read(file)
  if (!fleet.ok) return endWith(context, fleet.error)
  const read = async (paths: readonly string[]): Promise<readonly KeyList[] | null> => {
    const lists: KeyList[] = []
    for (const path of paths) {
      const bytes = await ports.files.read(path)
      if (!bytes.ok) {
        endWith(context, bytes.error)
        return null
      }
      lists.push({ file: path, text: new TextDecoder().decode(bytes.value) })
    }
    return lists
  }
  const known = await read(options.fromKnownHosts ?? [])
  const given = known === null ? null : await read(options.list ?? [])
  if (known === null || given === null) return
  const { how } = options
  const compared =
    how === undefined ? ok(new Map()) : await comparedDecisions(context, fleet.value.targets({}), given, how)
  if (!compared.ok) return endWith(context, compared.error)
  const decided = fleet.value.fleet.nodes.map((node): Told & { readonly node: string } => {
    const borne = compared.value.get(node.name)
    if (borne !== undefined) return { node: node.name, kind: 'compared', ...borne }
    const listed = given.length === 0 ? ({ kind: 'none' } as const) : pinInList(node, given)
    return {
      node: node.name,
      ...decidedPin(node.hostKey, listed.kind === 'none' ? pinInKnownHosts(node, known) : listed),
    }
  })
  const pins = decided.flatMap((one) => (one.kind === 'found' ? [[one.node, one] as const] : []))
  if (pins.length > 0) {
    const before = await ports.files.read(file)
    if (!before.ok) return endWith(context, before.error)
    const day = ports.clock.now().slice(0, 10)
    const notes = new Map(pins.map(([node, { fingerprint, from }]) => [node, { fingerprint, note: `${from}, ${day}` }]))
    const written = await ports.files.write(file, ports.fleets.withHostKeys(before.value, notes))
    if (!written.ok) return endWith(context, written.error)
  }
  if (options.json === true) emit(decided)
  for (const one of decided)
    say(`  ${one.node}  ${WORDS[one.kind]}${'from' in one && one.from !== '' ? `  (${plain(one.from, 300)})` : ''}`)
  const settled: readonly Told['kind'][] = ['found', 'already', 'compared']
  const open = decided.filter(({ kind }) => !settled.includes(kind)).length
  const also = compared.value.size === 0 ? '' : `; ${compared.value.size} confirmed before and in the list`
  say(
    `Pinned ${pins.length} of ${decided.length} nodes in ${file}${also}; ${open} not verified. No node was contacted.`,
  )
  if (open > 0) context.exit(EXIT.incomplete)
}

interface Borne {
  readonly fingerprint: string
  readonly from: string
}

/**
 * Keys that were confirmed manually only, and that a list contains: the decision is recorded again with the list and the line, as in the
 * window, so that the list becomes evidence of every later collection. Nodes that are pinned in the fleet file stay unchanged.
 */
async function comparedDecisions(
  { ports }: Context,
  targets: readonly ConnectTarget[],
  lists: readonly KeyList[],
  how: string,
): Promise<Outcome<ReadonlyMap<string, Borne>>> {
  if (how.trim().length < 3)
    return fail('input.refused', 'enter the source of the list, and how you verified it, with --verified-by')
  const problem = lists.map(({ file, text }) => [file, listProblem(text)] as const).find(([, said]) => said !== null)
  if (problem !== undefined) return fail('input.refused', `${problem[0]}: ${problem[1]}`)
  const decisions = new Map<string, string>()
  for (const path of new Set(targets.flatMap(({ trust }) => trust.decisionsFile ?? []))) {
    const bytes = await ports.files.read(path)
    if (bytes.ok) decisions.set(path, new TextDecoder().decode(bytes.value))
  }
  const fleet = targets.map(({ node: { name, address, port } }) => ({ node: name, address, port }))
  const waiting = targets.flatMap((target) => {
    const { node, trust } = target
    const text = decisions.get(trust.decisionsFile ?? '')
    if (text === undefined || trust.fingerprint !== undefined) return []
    const lines = new Map(parseKnownHosts(text).map((one) => [one.line, one]))
    return keysFor(text, node.address, node.port).flatMap(({ line, type, fingerprint, marker }) => {
      const { key, comment } = lines.get(line) ?? { key: '', comment: '' }
      return marker !== null || readDecision(comment).list !== null
        ? []
        : [{ target, key: { type, fingerprint, blob: Buffer.from(key, 'base64') } }]
    })
  })
  const borne = new Map<string, Borne>()
  const done = new Set<(typeof waiting)[number]>()
  // A server has one key of each type; a list may contain several of them.
  for (const type of new Set(waiting.map(({ key }) => key.type)))
    for (const { file, text } of lists) {
      const own = waiting.filter((one) => one.key.type === type && !done.has(one))
      const shown = own.map(({ target: { node }, key }) => ({
        node: node.name,
        address: node.address,
        port: node.port,
        fingerprint: key.fingerprint,
      }))
      const found = matchKeys(text, shown, fleet)
      for (const one of own) {
        const { target, key } = one
        const line = found.get(target.node.name)
        if (line === undefined) continue
        const decisionsFile = target.trust.decisionsFile ?? ''
        const recorded = await ports.hostKeys.record(decisionsFile, target, key, how.trim(), { text, line })
        if (!recorded.ok) return recorded
        done.add(one)
        borne.set(target.node.name, { fingerprint: key.fingerprint, from: `${file} line ${line}` })
      }
    }
  return ok(borne)
}
