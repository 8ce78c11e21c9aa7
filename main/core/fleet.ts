import type { ChosenProfile, DeclaredNode, Fleet, FleetNode, ResidencyPolicy } from '../../schemas/types.ts'
import { polygonProblem } from './geo/polygon.ts'
import { isDay } from './register/days.ts'
import { err, ok, type Result } from './result.ts'
import { vantagePlaceProblem } from './vantage.ts'

/** The account we log in with where the fleet file names none: the one that the generated sudoers drop-in is written for. */
export const DEFAULT_USER = 'bwaudit'
export const DEFAULT_PORT = 22

/** What is wrong with a fleet document, at which place in it. `text` goes on after the name of the field. */
export interface FleetProblem {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** A node of the fleet with every default and jump resolved. */
export interface PlannedNode {
  readonly declared: DeclaredNode
  readonly source: FleetNode
  /** Outermost first. */
  readonly jumps: readonly FleetNode[]
}

const LONGEST_CHAIN = 8

/** All nodes of a schema-valid fleet document, jump hosts included; or every problem that a schema cannot express. */
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
  // A policy for a name that is mistyped would be asked of nobody, and nobody would see it.
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

/** The way to a node: its jumps in order, before the first of them the way to that one. */
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

/** What is declared of a node: its own words first, then those of the fleet. Lists are joined, since both were declared. */
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

/** The profile that the fleet chose and its own changes, as a part of a scope; nothing where it says neither. */
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

/** What a schema cannot express of the places that a fleet file names. Which codes are countries, the catalog knows; see `declaredLocation`. */
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
