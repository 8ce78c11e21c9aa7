import type { RunTrace } from '../../../schemas/types.ts'
import type { Difference, RulesReading } from '../../../schemas/verification.ts'
import { canonicalJson } from '../canonical-json.ts'
import { nodeFolder } from '../pack-files.ts'
import { quote } from '../plain-text.ts'
import type { PackSource, SchemaValidator } from '../ports.ts'
import { addAll } from './budgets.ts'
import { nodeProblems, wholeProblems } from './complete.ts'
import { readNodes, strangeFolders } from './nodes.ts'
import { nodeFolders, readPack } from './read.ts'
import { compareNode, wordingDiffers } from './reproduce.ts'
import { falsifiedRules, judgeOfPack, type RulesSources, rulesAtHand, rulesReading } from './rules.ts'

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
  /** By which rules it was judged, as it states; null where it states none. */
  readonly rules: RulesReading | null
  /** Why those are not the rules of the version they are named after; null otherwise. */
  readonly falsified: string | null
}

const NOTHING: SampledReading = {
  problems: [],
  differences: [],
  details: [],
  nodes: 0,
  stated: 0,
  identical: 0,
  rules: null,
  falsified: null,
}

/** Evaluates the nodes that a part of a run's pack encloses from their raw answers, as verifyPack() does; nothing where it encloses none. */
export async function readSampled(
  source: PackSource,
  trace: RunTrace | null,
  input: RulesSources & { readonly validator: SchemaValidator },
): Promise<SampledReading> {
  if (nodeFolders(source).size === 0) return NOTHING
  const { validator } = input
  const reading = await readPack(source, validator)
  const stated = reading.assessment?.catalog ?? null
  const rules = reading.assessment === null ? null : await rulesAtHand(input, reading.assessment)
  const judge = await judgeOfPack(rules, reading)
  const found = {
    ...NOTHING,
    problems: [...wholeProblems(reading, strangeFolders(source, reading))],
    differences: [] as Difference[],
    details: [] as string[],
    falsified: stated !== null && rules?.standing === 'falsified' ? falsifiedRules(stated, rules.reference) : null,
  }
  const traced = new Map(trace?.nodes.map((node) => [node.node, node]))
  const enclosed = enclosedNodes(source, reading.scope?.population ?? [])
  for await (const node of readNodes(source, validator, reading, judge, enclosed)) {
    const compared = compareNode(node)
    found.nodes += 1
    found.stated += compared.stated
    found.identical += compared.identical
    addAll(found.problems, nodeProblems(node, reading))
    addAll(found.differences, compared.differences)
    addAll(found.details, compared.details)
    if (rules?.standing !== 'same' || compared.details.length > 0) continue
    addAll(found.details, wordingDiffers(node))
    if (node.traced === null) continue
    if (canonicalJson(node.traced) !== canonicalJson(traced.get(node.node) ?? null))
      found.details.push(`Node ${quote(node.node)}: the trace of the run says otherwise than its raw answers.`)
  }
  return { ...found, rules: stated === null || rules === null ? null : rulesReading(stated, rules.standing, found) }
}

/** Nodes with a folder. */
function enclosedNodes(source: PackSource, nodes: readonly string[]): ReadonlySet<string> {
  const folders = nodeFolders(source)
  return new Set(nodes.filter((node) => folders.has(nodeFolder(node))))
}
