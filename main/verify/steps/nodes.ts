import type { NodeAssessment, TracedNode } from '../../../schemas/types.ts'
import { populationOf } from '../../core/assess.ts'
import type { PackAssessor } from '../../core/assessor.ts'
import { MOST_PROBLEMS } from '../../core/budgets.ts'
import { sha256 } from '../../core/digest.ts'
import { nodeAssessmentPath, nodeFolder } from '../../core/pack-files.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource, SchemaValidator } from '../../core/ports.ts'
import { compare, type LoadedRecording } from '../../core/recording.ts'
import { canonical, nodeFolders, type PackReading, readRecording, textOf } from './read.ts'

/** One declared node: the stated results, their recording, and the results derived here. */
export interface NodeReading {
  readonly node: string
  readonly recording: LoadedRecording | null
  readonly stated: NodeAssessment | null
  /** Evaluated here from the captures; a sentence when a rule threw, which is a program error. */
  readonly derived: NodeAssessment | { readonly threw: string } | null
  /** Its part of the run trace, from the same evaluation. */
  readonly traced: TracedNode | null
  readonly problems: readonly string[]
}

/**
 * The declared nodes of a pack one after the other, each read, re-evaluated and yielded before the next, so that a
 * pack of any number of nodes needs the memory of one. With `only`, other nodes are skipped. Facts shared between nodes are taken as the
 * pack states them and must be compared with those derived from all nodes: see compareWhole().
 */
export async function* readNodes(
  source: PackSource,
  validator: SchemaValidator,
  { scope, assessment }: PackReading,
  judge: PackAssessor | null,
  only: ReadonlySet<string> | null = null,
): AsyncGenerator<NodeReading> {
  const folders = nodeFolders(source)
  const digests = new Map(assessment?.nodes.map(({ node, sha256: digest }) => [node, digest]))
  // Declaring a node costs a pack a few bytes, evaluating it costs a millisecond: beyond this limit the pack is rejected anyway.
  let unstated = 0
  for (const node of scope === null ? [] : populationOf(scope)) {
    if (only?.has(node) === false) continue
    const folder = nodeFolder(node)
    const paths = folders.get(folder) ?? []
    const { recording, problems } = paths.some((path) => path !== nodeAssessmentPath(node))
      ? await readRecording(source, folder, paths, validator)
      : { recording: null, problems: [] }
    const stated = await readStated(source, validator, node, digests.get(node))
    if (stated.value === null && recording === null) unstated += 1
    const judged = judge === null || unstated > MOST_PROBLEMS ? null : await judge.node(node, recording)
    yield {
      node,
      recording,
      stated: stated.value,
      derived: judged === null || 'threw' in judged ? judged : judged.assessment,
      traced: judged === null || 'threw' in judged ? null : judged.traced,
      problems: [...problems, ...stated.problems],
    }
  }
}

/** Folders below data/nodes that do not belong to a declared node. */
export function strangeFolders(source: PackSource, { scope }: PackReading): readonly string[] {
  const declared = new Set((scope?.population ?? []).map(nodeFolder))
  return [...nodeFolders(source).keys()].filter((folder) => !declared.has(folder)).sort(compare)
}

async function readStated(
  source: PackSource,
  validator: SchemaValidator,
  node: string,
  digest: string | undefined,
): Promise<{ readonly value: NodeAssessment | null; readonly problems: readonly string[] }> {
  const path = nodeAssessmentPath(node)
  const text = await textOf(source, path)
  const found = canonical(text)
  const why =
    found === null
      ? ['it is missing, or not JSON in canonical form']
      : validator.problems('node-assessment', found.value)
  if (found === null || why.length > 0) return { value: null, problems: [`${path}: ${why[0]}.`] }
  const value = found.value as NodeAssessment
  const problems = [
    ...(value.node === node ? [] : [`${path} is of node ${quote(value.node)}.`]),
    ...(digest === undefined || text === null || sha256(text) === digest
      ? []
      : [`${path} differs from the file that the assessment states for node ${quote(node)}.`]),
  ]
  return { value, problems }
}
