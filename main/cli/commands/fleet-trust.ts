import { decidedPin, type KeyList, type PinDecision, pinInKnownHosts, pinInList } from '../../core/host-key-pins.ts'
import { plain } from '../../core/plain-text.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, say } from '../terminal.ts'

export interface BulkOptions {
  readonly fromKnownHosts?: readonly string[]
  readonly list?: readonly string[]
  readonly json?: true
}

const WORDS: Readonly<Record<PinDecision['kind'], string>> = {
  found: 'pinned',
  already: 'pinned before, with the same key',
  other: 'NOT CHANGED: pinned before, with another key',
  ambiguous: 'not pinned: several keys, and nothing says which one',
  revoked: 'NOT PINNED: its key is marked as revoked',
  authority: 'not pinned: only a certificate authority is on record; use “knownHosts” for it',
  none: 'not pinned: not in the list',
}

/** `fleet trust FILE --from-known-hosts …` and `--list …`: pins for every node at once, as `hostKey` in the fleet file. Nobody is contacted. */
export async function pinFromLists(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { world } = context
  const fleet = await world.fleets.read(file)
  if (!fleet.ok) return endWith(context, fleet.error)
  const read = async (paths: readonly string[]): Promise<readonly KeyList[] | null> => {
    const lists: KeyList[] = []
    for (const path of paths) {
      const bytes = await world.files.read(path)
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
  const decided = fleet.value.fleet.nodes.map((node) => {
    const listed = given.length === 0 ? ({ kind: 'none' } as const) : pinInList(node, given)
    return {
      node: node.name,
      ...decidedPin(node.hostKey, listed.kind === 'none' ? pinInKnownHosts(node, known) : listed),
    }
  })
  const pins = decided.flatMap((one) => (one.kind === 'found' ? [[one.node, one] as const] : []))
  if (pins.length > 0) {
    const before = await world.files.read(file)
    if (!before.ok) return endWith(context, before.error)
    const day = world.clock.now().slice(0, 10)
    const notes = new Map(pins.map(([node, { fingerprint, from }]) => [node, { fingerprint, note: `${from}, ${day}` }]))
    const written = await world.files.write(file, world.fleets.withHostKeys(before.value, notes))
    if (!written.ok) return endWith(context, written.error)
  }
  if (options.json === true) emit(decided)
  for (const one of decided)
    say(`  ${one.node}  ${WORDS[one.kind]}${'from' in one && one.from !== '' ? `  (${plain(one.from, 300)})` : ''}`)
  const open = decided.filter(({ kind }) => kind !== 'found' && kind !== 'already').length
  say(`Pinned ${pins.length} of ${decided.length} nodes in ${file}; ${open} left open. Nobody was contacted.`)
  if (open > 0) context.exit(EXIT.incomplete)
}
