import type { RunTrace } from '../../../schemas/types.ts'
import type { Difference } from '../../../schemas/verification.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Catalog, catalogFor } from '../catalog.ts'
import { nodeFolder } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SchemaValidator } from '../ports.ts'
import { traceNode } from '../trace.ts'
import { nodeProblems, wholeProblems } from './complete.ts'
import { readNodes, strangeFolders } from './nodes.ts'
import { nodeFolders, readPack } from './read.ts'
import { compareNode, hasSameRules, wordingDiffers } from './reproduce.ts'

/** The enclosed nodes of a part of a run's pack, evaluated again. */
export interface SampledReading {
  /** What does not fit together. */
  readonly problems: readonly string[]
  readonly differences: readonly Difference[]
  /** What came out otherwise, one sentence each. */
  readonly details: readonly string[]
  readonly nodes: number
  readonly stated: number
  readonly identical: number
  /** False where it was evaluated under other rules than those at hand. */
  readonly sameRules: boolean
}

const NOTHING: SampledReading = {
  problems: [],
  differences: [],
  details: [],
  nodes: 0,
  stated: 0,
  identical: 0,
  sameRules: true,
}

/** Evaluates the nodes that a part of a run's pack encloses from their raw answers, as verifyPack() does; nothing where it encloses none. */
export async function readSampled(
  source: PackSource,
  trace: RunTrace | null,
  { validator, catalog }: { readonly validator: SchemaValidator; readonly catalog: Catalog },
): Promise<SampledReading> {
  if (nodeFolders(source).size === 0) return NOTHING
  const reading = await readPack(source, validator)
  const sameRules = reading.assessment === null || hasSameRules(reading.assessment, catalog)
  const found = {
    ...NOTHING,
    problems: [...wholeProblems(reading, strangeFolders(source, reading))],
    differences: [] as Difference[],
    details: [] as string[],
    sameRules,
  }
  const traced = new Map(trace?.nodes.map((node) => [node.node, node]))
  const enclosed = enclosedNodes(source, reading.scope?.population ?? [])
  for await (const node of readNodes(source, validator, reading, catalog, enclosed)) {
    const compared = compareNode(node)
    found.nodes += 1
    found.stated += compared.stated
    found.identical += compared.identical
    found.problems.push(...nodeProblems(node, reading))
    found.differences.push(...compared.differences)
    found.details.push(...compared.details)
    if (!sameRules || compared.details.length > 0) continue
    found.details.push(...wordingDiffers(node))
    const { derived, recording } = node
    if (derived === null || 'threw' in derived) continue
    const again = traceNode(catalogFor(catalog, reading.scope ?? {}), recording, derived)
    if (canonicalJson(again) !== canonicalJson(traced.get(node.node) ?? null))
      found.details.push(`Node ${quote(node.node)}: the trace of the run says otherwise than its raw answers.`)
  }
  return found
}

/** Nodes with a folder. */
function enclosedNodes(source: PackSource, nodes: readonly string[]): ReadonlySet<string> {
  const folders = nodeFolders(source)
  return new Set(nodes.filter((node) => folders.has(nodeFolder(node))))
}
