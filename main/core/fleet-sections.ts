import {
  type FieldProblem,
  FLEET_SECTIONS,
  NODE_SECTIONS,
  type NodeSection,
  type SectionDraft,
  type SectionName,
} from '../../schemas/ipc-declarations.ts'
import type { Fleet } from '../../schemas/types.ts'
import { fail, type Outcome } from './failure.ts'
import type { FleetProblem } from './fleet.ts'
import { ok } from './result.ts'

export const isNodeSection = (section: SectionName): section is NodeSection => Object.hasOwn(NODE_SECTIONS, section)

/**
 * A fleet in which one section is replaced; its values are not checked yet. Fails with input.refused for a member of
 * another section, an unknown node, and a section that is not for what was named.
 */
export function withSection(fleet: Fleet, { section, nodes, value }: SectionDraft): Outcome<Fleet> {
  const members: readonly string[] = isNodeSection(section) ? NODE_SECTIONS[section] : FLEET_SECTIONS[section]
  const foreign = Object.keys(value).find((member) => !members.includes(member))
  if (foreign !== undefined) return fail('input.refused', `${foreign} is not part of this section`)
  if (isNodeSection(section) !== nodes.length > 0)
    return fail('input.refused', nodes.length > 0 ? 'this section is of the whole fleet' : 'no node was named')
  const unknown = nodes.find((name) => !fleet.nodes.some((node) => node.name === name))
  if (unknown !== undefined) return fail('input.refused', 'the fleet has no node of this name', unknown)
  if (!isNodeSection(section)) return ok(replaced(fleet, members, value))
  const meant = new Set(nodes)
  const edited = fleet.nodes.map((node) => (meant.has(node.name) ? replaced(node, members, value) : node))
  return ok({ ...fleet, nodes: edited as unknown as Fleet['nodes'] })
}

/** The members in their order, so that a saved file changes only where it was edited. */
function replaced<T extends object>(whole: T, members: readonly string[], value: Readonly<Record<string, unknown>>): T {
  const kept = Object.entries(whole).flatMap(([key, before]) =>
    !members.includes(key) ? [[key, before] as const] : Object.hasOwn(value, key) ? [[key, value[key]] as const] : [],
  )
  const added = members.flatMap((key) =>
    Object.hasOwn(value, key) && !Object.hasOwn(whole, key) ? [[key, value[key]] as const] : [],
  )
  return Object.fromEntries([...kept, ...added]) as T
}

/**
 * Problems of a fleet as problems of the section that was edited: each once, from its own member on. A problem
 * elsewhere is reported without a field, with the place in its text.
 */
export function problemsOfSection(
  { section, nodes }: SectionDraft,
  fleet: Fleet,
  problems: readonly FleetProblem[],
): readonly FieldProblem[] {
  const members: readonly string[] = isNodeSection(section) ? NODE_SECTIONS[section] : FLEET_SECTIONS[section]
  const meant = new Set(nodes)
  const found = problems.map(({ path, text }): FieldProblem => {
    const [top, at, ...below] = path
    const name = typeof at === 'number' && top === 'nodes' ? fleet.nodes[at]?.name : undefined
    const own = !isNodeSection(section) ? path : name !== undefined && meant.has(name) ? below : null
    return own !== null && typeof own[0] === 'string' && members.includes(own[0])
      ? { path: own, text }
      : { path: [], text: `${[...(name === undefined ? path : [name, ...below])].join('.')} ${text}` }
  })
  return found.filter(
    ({ path, text }, index) =>
      found.findIndex((other) => other.text === text && other.path.join() === path.join()) === index,
  )
}
