import type { RunTrace } from '../../../schemas/types.ts'
import type { Difference, RulesReading } from '../../../schemas/verification.ts'
import { addAll } from '../../core/budgets.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { nodeFolder } from '../../core/pack-files.ts'
import { quote } from '../../core/plain-text.ts'
import type { PackSource, SchemaValidator } from '../../core/ports.ts'
import { nodeProblems, wholeProblems } from './complete.ts'
import { readNodes, strangeFolders } from './nodes.ts'
import { nodeFolders, readPack } from './read.ts'
import { compareNode, wordingDiffers } from './reproduce.ts'
import { assessorOfPack, falsifiedRules, type RulesSources, rulesAtHand, rulesReading } from './rules.ts'

/** The enclosed nodes of a part of a run’s pack, re-evaluated. */
export interface SampledReading {
  /** Inconsistencies. */
  readonly problems: readonly string[]
  readonly differences: readonly Difference[]
  /** Differences, one sentence each. */
  readonly details: readonly string[]
  readonly nodes: number
  readonly stated: number
  readonly identical: number
  /** The stated rules; null where none are stated. */
  readonly rules: RulesReading | null
  /** Why those are not the rules of the stated version; null otherwise. */
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

/** Re-evaluates the nodes enclosed in a part of a run’s pack from their captures, as verifyPack() does; empty where none is enclosed. */
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
  const judge = await assessorOfPack(rules, reading)
  const found = {
    ...NOTHING,
    problems: [...wholeProblems(reading, strangeFolders(source, reading))],
    differences: [] as Difference[],
    details: [] as string[],
    falsified: stated !== null && rules?.status === 'falsified' ? falsifiedRules(stated, rules.reference) : null,
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
    if (rules?.status !== 'same' || compared.details.length > 0) continue
    addAll(found.details, wordingDiffers(node))
    if (node.traced === null) continue
    if (canonicalJson(node.traced) !== canonicalJson(traced.get(node.node) ?? null))
      found.details.push(`Node ${quote(node.node)}: the run trace differs from the captures.`)
  }
  return { ...found, rules: stated === null || rules === null ? null : rulesReading(stated, rules.status, found) }
}

/** Nodes with a folder. */
function enclosedNodes(source: PackSource, nodes: readonly string[]): ReadonlySet<string> {
  const folders = nodeFolders(source)
  return new Set(nodes.filter((node) => folders.has(nodeFolder(node))))
}
