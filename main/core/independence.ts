import type { Assessment, Operator, Recording } from '../../schemas/types.ts'
import { sha256 } from './digest.ts'
import { compare } from './recording.ts'

interface Recorded {
  readonly recording: Recording
}

/** Who collected how many recordings; null where a recording does not state it. */
export interface Collected {
  readonly operator: Operator | null
  readonly recordings: number
}

/** Why the person or the computer that collected is not independent of the nodes under test. */
export type Dependence =
  | { readonly kind: 'host'; readonly host: string; readonly node: string; readonly by: 'boot' | 'name' }
  | { readonly kind: 'user'; readonly user: string; readonly nodes: readonly string[]; readonly role: Role }
type Role = 'administrator' | 'account' | 'roster'

/** Accounts that many computers have, so that an equal name shows nothing about a person. */
const EVERYWHERE: ReadonlySet<string> = new Set(['root', 'admin', 'user', 'runner'])

/** The operators of recordings, as the collecting computers state them, in the order of their names. */
export function collectedBy(recordings: readonly Recorded[]): readonly Collected[] {
  const found = new Map<string, Collected>()
  for (const { recording } of recordings) {
    const { operator = null } = recording.collector
    const key = JSON.stringify(
      operator === null ? null : [operator.user, operator.host, operator.boot, operator.program],
    )
    found.set(key, { operator, recordings: (found.get(key)?.recordings ?? 0) + 1 })
  }
  return [...found].sort(([a], [b]) => compare(a, b)).map(([, one]) => one)
}

/**
 * What of the recorded collectors is under test itself: a computer that runs the kernel of a node, by its boot id, or
 * otherwise has its name; a user whose account the nodes declare. An empty list shows no independence: what the
 * collecting computer states is not verified.
 */
export function dependenceOf(
  recordings: readonly Recorded[],
  { nodes }: Pick<Assessment, 'nodes'>,
): readonly Dependence[] {
  const operators = collectedBy(recordings).flatMap(({ operator }) => (operator === null ? [] : [operator]))
  const addresses = new Map(recordings.map(({ recording }) => [recording.node.name, recording.node.address]))
  const hosts = operators.flatMap((operator) =>
    nodes.flatMap(({ node, machine }): readonly Dependence[] => {
      const boot = machine?.identity?.boot ?? null
      const isBoot = boot !== null && operator.boot !== null && sha256(boot) === operator.boot
      const names = [node, addresses.get(node) ?? node].map(shortName)
      const isNamed = shortName(operator.host) !== 'localhost' && names.includes(shortName(operator.host))
      // Two boot ids that differ are two kernels, whatever their names.
      if (!isBoot && (!isNamed || (boot !== null && operator.boot !== null))) return []
      return [{ kind: 'host', host: operator.host, node, by: isBoot ? 'boot' : 'name' }]
    }),
  )
  const users = [...new Set(operators.map(({ user }) => user))].flatMap((user): readonly Dependence[] => {
    if (EVERYWHERE.has(user)) return []
    const roles = recordings.flatMap(({ recording: { node } }) => {
      const role = roleOf(user, node)
      return role === null ? [] : [[node.name, role] as const]
    })
    const role = ROLES.find((one) => roles.some(([, found]) => found === one))
    if (role === undefined) return []
    return [{ kind: 'user', user, role, nodes: [...new Set(roles.map(([node]) => node))].sort(compare) }]
  })
  const seen = new Set<string>()
  return [...hosts, ...users].filter((one) => !seen.has(JSON.stringify(one)) && seen.add(JSON.stringify(one)))
}

const ROLES: readonly Role[] = ['administrator', 'account', 'roster']

function roleOf(user: string, { accounts = [], roster = [] }: Recording['node']): Role | null {
  const declared = accounts.find(({ account }) => account === user)
  if (declared?.administrator === true) return 'administrator'
  if (declared !== undefined) return 'account'
  return roster.includes(user) ? 'roster' : null
}

/** A name without its domain. An address in numbers stays whole. */
const shortName = (name: string): string => {
  const lower = name.toLowerCase()
  return /^[\d.:]+$/.test(lower) ? lower : (lower.split('.')[0] ?? lower)
}
