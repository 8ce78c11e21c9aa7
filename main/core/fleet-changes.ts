import type { FleetChange } from '../../schemas/ipc-declarations.ts'
import type { Fleet, FleetNode } from '../../schemas/types.ts'
import { canonicalJson } from './canonical-json.ts'
import { plain } from './plain-text.ts'

const LONGEST = 120

/** What differs from one fleet to another: members of the fleet, then nodes by name in the order of the files. */
export function fleetChanges(before: Fleet, after: Fleet): readonly FleetChange[] {
  const { nodes: old, ...fleetBefore } = before
  const { nodes: next, ...fleetAfter } = after
  const known = new Map(old.map((node) => [node.name, node]))
  const kept = new Set(next.map(({ name }) => name))
  return [
    ...memberChanges(null, fleetBefore, fleetAfter),
    ...next.flatMap((node) => {
      const was = known.get(node.name)
      return was === undefined ? [wholeNode(node, 'added')] : memberChanges(node.name, was, node)
    }),
    ...old.filter(({ name }) => !kept.has(name)).map((node) => wholeNode(node, 'removed')),
  ]
}

const wholeNode = ({ name, address }: FleetNode, kind: 'added' | 'removed'): FleetChange => ({
  node: name,
  member: null,
  kind,
  before: kind === 'removed' ? address : '',
  after: kind === 'added' ? address : '',
})

function memberChanges(node: string | null, before: object, after: object): readonly FleetChange[] {
  const was = new Map<string, unknown>(Object.entries(before))
  const is = new Map<string, unknown>(Object.entries(after))
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((member): readonly FleetChange[] => {
    const [one, two] = [was.get(member), is.get(member)]
    if (canonicalJson(one ?? null) === canonicalJson(two ?? null)) return []
    const kind = one === undefined ? 'added' : two === undefined ? 'removed' : 'changed'
    return [{ node, member, kind, before: shown(one), after: shown(two) }]
  })
}

/** A value for people: short values in full, lists by their size unless they are short. */
function shown(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return plain(value, LONGEST)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) {
    const texts = value.every((one) => typeof one === 'string') ? value.join(', ') : ''
    if (texts !== '' && texts.length <= LONGEST) return plain(texts)
    return value.length === 1 ? '1 entry' : `${value.length} entries`
  }
  if (typeof value === 'object' && value !== null) {
    const { name, file } = value as { readonly name?: unknown; readonly file?: unknown }
    const title = name ?? file
    return typeof title === 'string' ? plain(title, LONGEST) : plain(canonicalJson(value), LONGEST)
  }
  return String(value)
}
