import type {
  Assessment,
  CatalogReference,
  NodeAssessment,
  Operator,
  Planned,
  Reconciliation,
  Recording,
  Register,
  RunTrace,
  Scope,
  SharedIdentities,
  TracedNode,
} from '../../../schemas/types.ts'
import { type Sha256, sha256 } from '../base/digest.ts'
import { traceNode, traceOf } from '../history/trace.ts'
import { captureKey, type Probe } from '../recording/probe.ts'
import { compare, keepKnownDigest, type LoadedRecording } from '../recording/recording.ts'
import type { NodeVerdicts } from '../register/documents.ts'
import { type Catalog, catalogFor, catalogReference } from '../rules/catalog.ts'
import type { Threshold } from '../rules/profile.ts'
import type { PackScope } from './assess.ts'
import { assessNode, conclude, termsOf, withNodesCompared } from './assess.ts'

/** What the results of all nodes of a pack depend on, as stated in the pack. */
interface AssessedPack {
  readonly scope: PackScope
  readonly shared: SharedIdentities
}

/**
 * The results of a node and its part of the trace, or a sentence where a rule threw an exception, which is a bug of
 * ours.
 */
export type AssessedNode =
  | { readonly assessment: NodeAssessment; readonly traced: TracedNode }
  | { readonly threw: string }

/** Everything that an assessment states besides its nodes. */
export type AssessedWhole = Omit<Assessment, 'nodes' | 'schema'>

/** The captures that results may rest on, by key. */
export interface Reads {
  readonly checks: readonly {
    readonly id: string
    readonly isAboutLocation: boolean
    readonly comparesNodes: boolean
    readonly answers: readonly string[]
  }[]
  /** Captures that identify the machine. */
  readonly identity: readonly string[]
  /** Captures of all questions. */
  readonly all: readonly string[]
}

export interface AboutRules {
  readonly reference: CatalogReference
  readonly thresholds: readonly Threshold[]
  readonly reads: Reads
}

/**
 * The rules of one version, as verification calls them. Arguments and results are plain data, so that the rules can
 * be a module of their own that runs isolated from everything else.
 */
interface Rules {
  /** How packs with this scope name these rules, their thresholds, and the captures that they read. */
  readonly about: (scope: Pick<Scope, 'mappings'>) => AboutRules
  readonly pack: (pack: AssessedPack) => PackRules
}

interface PackRules {
  /** `digest`: the digest of the recording, which is computed where it is absent. */
  readonly node: (node: string, recording: LoadedRecording | null, digest?: Sha256) => AssessedNode
  /** Concludes from the verdicts of all nodes. `demo`: whether any rests on demonstration data. */
  readonly whole: (
    nodes: readonly NodeVerdicts[],
    about: { readonly demo: boolean; readonly register: Register },
  ) => AssessedWhole
  readonly trace: (
    nodes: readonly TracedNode[],
    about: {
      readonly run: string
      readonly planned: Planned | null
      readonly demo: boolean
      /** As stated in the assessment; absent in a pack of one node without an identity. */
      readonly shared: SharedIdentities | undefined
      /** As stated in the assessment. */
      readonly reconciliation: Reconciliation | undefined
    },
  ) => RunTrace
}

/** The same rules, possibly in another thread. A rejected promise is a bug of ours. */
export interface Assessor {
  readonly about: (scope: Pick<Scope, 'mappings'>) => Promise<AboutRules>
  readonly pack: (pack: AssessedPack) => Promise<PackAssessor>
}

export type PackAssessor = {
  readonly [Ask in keyof PackRules]: (...asked: Parameters<PackRules[Ask]>) => Promise<ReturnType<PackRules[Ask]>>
}

/** Rules of this program and of earlier versions, each in the module that its packs name. */
export interface KeptRules {
  /** Null where the module of that version is missing, or where the one present has another digest. */
  readonly of: (version: string) => Promise<Assessor | null>
  /** Requested versions whose module is not the one that was kept, or was not signed for release. */
  readonly refused: () => readonly string[]
}

export const rulesOf = (catalog: Catalog): Rules => ({
  about: (scope) => ({
    reference: catalogReference(catalog, scope),
    thresholds: catalog.thresholds,
    reads: readsOf(catalog),
  }),
  pack: ({ scope, shared }) => {
    const { asOf, ...declared } = scope
    const compared = withNodesCompared(catalog, shared, asOf)
    const terms = termsOf(scope)
    return {
      node: (node, recording, digest) => {
        if (recording !== null && digest !== undefined) keepKnownDigest(recording, digest)
        try {
          const assessment = compared(assessNode(catalog, node, recording, terms))
          return { assessment, traced: traceNode(catalogFor(catalog, scope), recording, assessment) }
        } catch (thrown) {
          // A pack must not be able to prevent the results of other nodes.
          return { threw: thrown instanceof Error ? thrown.message : String(thrown) }
        }
      },
      whole: (nodes, about) => conclude(catalog, { ...about, scope: declared, asOf }, nodes),
      trace: (nodes, { run, planned, demo, shared: stated, reconciliation }) =>
        traceOf(catalog, {
          run,
          planned,
          assessment: {
            asOf,
            scope: declared,
            demo,
            ...(stated && { shared: stated }),
            ...(reconciliation && { reconciliation }),
          },
          nodes,
        }),
    }
  },
})

export const readsOf = ({ checks, identity, probes }: Pick<Catalog, 'checks' | 'identity' | 'probes'>): Reads => ({
  checks: checks.map(({ id, property, amongNodes, requires, optional = {} }) => ({
    id,
    isAboutLocation: property === 'location',
    comparesNodes: amongNodes !== undefined,
    answers: answersTo([...Object.values(requires), ...Object.values(optional)]),
  })),
  identity: answersTo(identity.probes),
  all: answersTo(probes),
})

const answersTo = (probes: readonly Probe<unknown>[]): readonly string[] =>
  probes.flatMap(({ id, commands }) => Object.keys(commands).map((command) => captureKey(id, command)))

/** The rules of this program, run in this thread. */
export function assessorHere(catalog: Catalog): Assessor {
  const rules = rulesOf(catalog)
  return {
    about: async (scope) => rules.about(scope),
    pack: async (pack) => {
      const { node, whole, trace } = rules.pack(pack)
      return {
        node: async (...asked) => node(...asked),
        whole: async (...asked) => whole(...asked),
        trace: async (...asked) => trace(...asked),
      }
    },
  }
}

/**
 * The rules of a version: those of this program, or kept ones. For any other version, those of this program, whose
 * results then show nothing. Rules run isolated wherever their module exists. It does not in a source tree that was
 * not built; there, the rules of this program run in this thread.
 */
export const assessorOf = async (
  { catalog, kept }: { readonly catalog: Catalog; readonly kept: KeptRules },
  version: string = catalog.version,
): Promise<Assessor> => (await kept.of(version)) ?? (await kept.of(catalog.version)) ?? assessorHere(catalog)

interface Recorded {
  readonly recording: Recording
}

/** Operator and number of recordings; null where a recording does not state its operator. */
interface Collected {
  readonly operator: Operator | null
  readonly recordings: number
}

/** Why the collecting person or computer is not independent of the nodes under test. */
export type Dependence =
  | { readonly kind: 'host'; readonly host: string; readonly node: string; readonly by: 'boot' | 'name' }
  | { readonly kind: 'user'; readonly user: string; readonly nodes: readonly string[]; readonly role: Role }
type Role = 'administrator' | 'account' | 'roster'

/** Account names that many computers have, so that an equal name shows nothing about a person. */
const EVERYWHERE: ReadonlySet<string> = new Set(['root', 'admin', 'user', 'runner'])

/** The operators of recordings, as the collecting computers state them, sorted by name. */
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
 * Which recorded operators are themselves under test: a computer that runs the kernel of a node (same boot id) or has
 * its name, and a user whose account the nodes declare. An empty list does not show independence, since the
 * statements of the collecting computer are not verified.
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
      // Different boot ids are different kernels, whatever the names.
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

/** A name without its domain; a numeric address is left unchanged. */
const shortName = (name: string): string => {
  const lower = name.toLowerCase()
  return /^[\d.:]+$/.test(lower) ? lower : (lower.split('.')[0] ?? lower)
}
