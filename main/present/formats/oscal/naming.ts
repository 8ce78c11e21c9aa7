import type { Assessment, CheckResult, NodeAssessment } from '../../../../schemas/types.ts'
import type { Verdict } from '../../../../schemas/words.ts'
import { sha256 } from '../../../core/digest.ts'
import type { Control } from '../../../core/framework.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { tokenOf, uuidOf } from './words.ts'

/** Above this many nodes there is one observation per check and verdict, with its nodes, instead of one per node. */
export const MOST_NODES = 50

/** Shared by all parts of the document: the input, and one identifier for each object that parts refer to. */
export interface Names {
  readonly input: FormatInput
  readonly grouped: boolean
  readonly tool: string
  readonly node: (name: string) => string
  readonly observation: (check: string, verdict: Verdict, node: string) => string
  readonly risk: (exception: string) => string
  /** The token of a control. */
  readonly control: (framework: string, key: string) => string
  readonly controlOf: (framework: string, key: string) => Control | undefined
}

export function namesOf(input: FormatInput): Names {
  const { assessment, catalog, run } = input
  const grouped = assessment.nodes.length > MOST_NODES
  const tokens = controlTokens(assessment)
  const nodes = new Map(assessment.nodes.map(({ node }) => [node, uuidOf(run, 'node', node)]))
  return {
    input,
    grouped,
    tool: uuidOf('tool', input.producer),
    node: (name) => nodes.get(name) ?? uuidOf(run, 'node', name),
    observation: (check, verdict, node) =>
      grouped ? uuidOf(run, 'observation', check, verdict) : uuidOf(run, 'observation', check, verdict, node),
    risk: (exception) => uuidOf(run, 'risk', exception),
    control: (framework, key) => tokens.get(`${framework}\n${key}`) ?? tokenOf(key),
    controlOf: controlIndex(catalog),
  }
}

/** Control keys as tokens. Keys that would give the same token are distinguished by a part of their digest. */
export function controlTokens({ controls }: Pick<Assessment, 'controls'>): ReadonlyMap<string, string> {
  const plainly = (framework: string, key: string): string =>
    tokenOf(key.startsWith(`${framework}:`) ? key : `${framework}:${key}`)
  const uses = new Map<string, number>()
  for (const { framework, control } of controls)
    uses.set(plainly(framework, control), (uses.get(plainly(framework, control)) ?? 0) + 1)
  return new Map(
    controls.map(({ framework, control }) => {
      const token = plainly(framework, control)
      const name = `${framework}\n${control}`
      return [name, uses.get(token) === 1 ? token : `${token}-${sha256(name).slice(0, 12)}`]
    }),
  )
}

/** Verdicts with an observation: results that are not tested have none. */
export const isObserved = ({ verdict }: CheckResult, { observedAt }: NodeAssessment): boolean =>
  verdict !== 'not-tested' && observedAt !== null
