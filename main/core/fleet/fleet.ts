import {
  type FieldProblem,
  FLEET_SECTIONS,
  type FleetChange,
  NODE_SECTIONS,
  type NodeSection,
  type SectionDraft,
  type SectionName,
} from '../../../schemas/ipc-declarations.ts'
import type { ChosenProfile, DeclaredNode, Fleet, FleetNode, ResidencyPolicy } from '../../../schemas/types.ts'
import { canonicalJson } from '../base/canonical-json.ts'
import { isDay } from '../base/days.ts'
import { err, fail, type Outcome, ok, type Result } from '../base/failure.ts'
import { plain } from '../base/plain-text.ts'
import { polygonProblem } from '../geo/relation.ts'
import { vantagePlaceProblem } from './vantage.ts'

/** The account used for login where the fleet file names none; the generated sudoers file is written for it. */
export const DEFAULT_USER = 'bwaudit'
export const DEFAULT_PORT = 22

/**
 * A problem in a fleet document and its position. `text` continues a sentence that begins with the name of the field.
 */
export interface FleetProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** A node of the fleet with all defaults and jump hosts resolved. */
export interface PlannedNode {
  readonly declared: DeclaredNode
  readonly source: FleetNode
  /** Outermost jump host first. */
  readonly jumps: readonly FleetNode[]
}

const LONGEST_CHAIN = 8

/**
 * All nodes of a schema-valid fleet document, including jump hosts, or every problem that the schema cannot express.
 */
export function planFleet(fleet: Fleet): Result<readonly PlannedNode[], readonly FleetProblem[]> {
  const byName = new Map<string, FleetNode>()
  const problems: FleetProblem[] = []
  for (const [index, node] of fleet.nodes.entries()) {
    if (byName.has(node.name))
      problems.push({ path: ['nodes', index, 'name'], text: `is “${node.name}”, which another node has` })
    else byName.set(node.name, node)
  }
  for (const [index, node] of fleet.nodes.entries())
    for (const [at, name] of (node.jump ?? []).entries())
      if (!byName.has(name))
        problems.push({ path: ['nodes', index, 'jump', at], text: `is “${name}”, which is not a node of this fleet` })
  // A policy for a mistyped name would silently apply to no node.
  for (const [index, { nodes }] of (fleet.residency ?? []).entries()) {
    const path = ['residency', index, 'nodes']
    if (nodes?.length === 0) problems.push({ path, text: 'is empty, so the rule applies to no node' })
    for (const [at, name] of (nodes ?? []).entries())
      if (!byName.has(name))
        problems.push({ path: [...path, at], text: `is “${name}”, which is not a node of this fleet` })
  }
  problems.push(...placeProblems(fleet))
  if (fleet.nodes.every(({ jumpOnly }) => jumpOnly === true))
    problems.push({ path: ['nodes'], text: 'contains only jump hosts; no node can be collected' })
  if (problems.length > 0) return err(problems)
  const planned: PlannedNode[] = []
  for (const [index, node] of fleet.nodes.entries()) {
    const jumps = chainTo(node, byName, [])
    if (typeof jumps === 'string') problems.push({ path: ['nodes', index, 'jump'], text: jumps })
    else planned.push({ declared: declaredNode(fleet, node), source: node, jumps })
  }
  return problems.length > 0 ? err(problems) : ok(planned)
}

/** The path to a node: its jump hosts in order, preceded by the path to the first of them. */
function chainTo(
  node: FleetNode,
  byName: ReadonlyMap<string, FleetNode>,
  behind: readonly string[],
): readonly FleetNode[] | string {
  const listed = (node.jump ?? []).flatMap((name) => byName.get(name) ?? [])
  const seen = [...behind, node.name]
  const loop = listed.find(
    ({ name }, at) => seen.includes(name) || listed.findIndex((other) => other.name === name) !== at,
  )
  if (loop !== undefined) return `is circular through “${loop.name}”`
  const first = listed[0]
  if (first === undefined) return []
  const before = chainTo(first, byName, seen)
  if (typeof before === 'string') return before
  const chain = [...before, ...listed]
  if (new Set(chain.map(({ name }) => name)).size !== chain.length) return `is circular through “${first.name}”`
  return chain.length > LONGEST_CHAIN ? `has more than ${LONGEST_CHAIN} hosts` : chain
}

/** The declarations for a node: its own, then those of the fleet. Lists are joined, since both were declared. */
export function declaredNode(fleet: Fleet, node: FleetNode): DeclaredNode {
  const { name, address, port = DEFAULT_PORT, user = DEFAULT_USER, sudo = false, role, location } = node
  const ephiPaths = joined(fleet.ephiPaths, node.ephiPaths)
  const roster = joined(fleet.roster, node.roster)
  const accounts = added(fleet.accounts, node.accounts)
  const services = added(fleet.services, node.services)
  const ephiFlows = added(fleet.ephiFlows, node.ephiFlows)
  return {
    name,
    address,
    port,
    user,
    sudo,
    ...(role === undefined ? {} : { role }),
    ...(location === undefined ? {} : { location }),
    ...(fleet.vantage === undefined ? {} : { vantage: fleet.vantage }),
    ...(ephiPaths === undefined ? {} : { ephiPaths }),
    ...(roster === undefined ? {} : { roster }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(services === undefined ? {} : { services }),
    ...(ephiFlows === undefined ? {} : { ephiFlows }),
  }
}

/** The threshold profile of the fleet and its own changes, as a part of a scope; empty where neither is declared. */
export const profileOf = ({ profile, thresholds }: Fleet): { readonly profile?: ChosenProfile } =>
  profile === undefined && thresholds === undefined
    ? {}
    : { profile: { name: profile ?? 'baseline', changes: thresholds ?? [] } }

const added = <T>(one: readonly T[] | undefined, two: readonly T[] | undefined): readonly T[] | undefined =>
  one === undefined && two === undefined ? undefined : [...(one ?? []), ...(two ?? [])]

const joined = (
  one: readonly string[] | undefined,
  two: readonly string[] | undefined,
): readonly string[] | undefined =>
  one === undefined && two === undefined ? undefined : [...new Set([...(one ?? []), ...(two ?? [])])]

/**
 * Problems of the places in a fleet file that the schema cannot express. Country codes are checked by
 * `declaredLocation`, since the catalog has their list.
 */
function placeProblems({ vantage, sites, residency = [] }: Fleet): readonly FleetProblem[] {
  const from = vantage === undefined ? null : vantagePlaceProblem(vantage)
  return [
    ...(from === null ? [] : [{ path: ['vantage'], text: from }]),
    ...(sites === undefined || isDay(sites.on)
      ? []
      : [{ path: ['sites', 'on'], text: `is “${sites.on}”, which is not a valid date` }]),
    ...residency.flatMap((policy, index) =>
      policyProblems(policy).map(({ path, text }) => ({ path: ['residency', index, ...path], text })),
    ),
  ]
}

function policyProblems({ region, country, polygon }: ResidencyPolicy): readonly FleetProblem[] {
  const given = Object.entries({ region, country, polygon }).flatMap(([key, value]) => (value === undefined ? [] : key))
  if (given.length !== 1)
    return [
      {
        path: [],
        text:
          given.length === 0
            ? 'has no area: one of region, country, polygon is required'
            : `has ${given.join(' and ')}: only one of them is permitted in a rule`,
      },
    ]
  const problem = polygon === undefined ? null : polygonProblem(polygon.map(pointOf))
  return problem === null ? [] : [{ path: ['polygon'], text: `cannot be used: ${problem}` }]
}

const pointOf = ([latitude = Number.NaN, longitude = Number.NaN]: readonly number[]) => ({ latitude, longitude })

/** A file path in a fleet document, and the member that contains it. */
interface PlacedPath {
  readonly path: readonly (string | number)[]
  readonly file: string
}

/**
 * The fleet with every file path replaced by the result of `change`. A provider is a file path only where it is not
 * the id of a built-in profile, which the caller checks.
 */
export function withPaths(fleet: Fleet, change: (found: PlacedPath) => string): Fleet {
  const one = (path: PlacedPath['path'], file: string): string => change({ path, file })
  const many = (key: string, files: readonly string[]): readonly string[] =>
    files.map((file, at) => one([key, at], file))
  const { knownHosts, engagement, provider, mappings, vantages, sites, addressDatabases } = fleet
  return {
    ...fleet,
    ...(knownHosts === undefined ? {} : { knownHosts: one(['knownHosts'], knownHosts) }),
    ...(engagement === undefined ? {} : { engagement: one(['engagement'], engagement) }),
    ...(provider === undefined ? {} : { provider: one(['provider'], provider) }),
    ...(mappings === undefined ? {} : { mappings: many('mappings', mappings) }),
    ...(vantages === undefined ? {} : { vantages: many('vantages', vantages) }),
    ...(sites === undefined
      ? {}
      : {
          sites: {
            ...sites,
            file: one(['sites', 'file'], sites.file),
            ...(sites.signature === undefined ? {} : { signature: one(['sites', 'signature'], sites.signature) }),
          },
        }),
    ...(addressDatabases === undefined
      ? {}
      : {
          addressDatabases: addressDatabases.map((database, at) => ({
            ...database,
            file: one(['addressDatabases', at, 'file'], database.file),
          })),
        }),
    nodes: fleet.nodes.map((node, at) => ({
      ...node,
      ...(node.knownHosts === undefined ? {} : { knownHosts: one(['nodes', at, 'knownHosts'], node.knownHosts) }),
      ...(node.identityFile === undefined
        ? {}
        : { identityFile: one(['nodes', at, 'identityFile'], node.identityFile) }),
    })) as unknown as Fleet['nodes'],
  }
}

/** Every file path in a fleet, in the order of `withPaths`. */
export function pathsIn(fleet: Fleet): readonly PlacedPath[] {
  const found: PlacedPath[] = []
  withPaths(fleet, (one) => {
    found.push(one)
    return one.file
  })
  return found
}

const isNodeSection = (section: SectionName): section is NodeSection => Object.hasOwn(NODE_SECTIONS, section)

/**
 * The fleet with one section replaced; its values are not yet checked. Fails with input.refused for a member of
 * another section, an unknown node, or a section that does not apply to the selection.
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

/** Keeps the order of members, so that a saved file changes only where it was edited. */
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
 * The problems of a fleet in terms of the edited section: each once, with its field relative to the section. A
 * problem elsewhere is reported without a field, and its text states the position.
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

const LONGEST = 120

/** The differences between two fleets: members of the fleet, then nodes by name in the order of the files. */
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

/** A value as displayed to people: short values in full, longer lists by their length. */
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
