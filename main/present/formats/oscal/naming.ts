import type { Assessment, CheckResult, NodeAssessment } from '../../../../schemas/types.ts'
import type { Verdict } from '../../../../schemas/words.ts'
import { sha256 } from '../../../core/digest.ts'
import type { Control } from '../../../core/framework.ts'
import { controlIndex, type FormatInput } from '../input.ts'
import { tokenOf, uuidOf } from './words.ts'

/** Above this many nodes there is one observation per check and verdict, with its nodes, instead of one per node. */
export const MOST_NODES = 50

/** The documents of one export, which refer to each other. */
export const DOCUMENTS = ['catalog', 'assessment-plan', 'assessment-results', 'poam'] as const
export type DocumentKind = (typeof DOCUMENTS)[number]

/**
 * Shared by all documents: the input, and one identifier for each object that parts refer to. Identifiers are derived from what lasts over
 * runs (the fleet, the declared name of a node, a check, a control, an entry of the register), so that two exports of one fleet correlate;
 * documents, results and files have identifiers of their run. A node keeps its identifier when it gives no evidence and when the machine
 * behind its name is replaced: its serial number and host key are properties.
 */
export interface Names {
  readonly input: FormatInput
  readonly grouped: boolean
  readonly tool: string
  /** The same object in every run of the fleet. */
  readonly lasting: (kind: string, ...names: readonly string[]) => string
  /** An object of this run alone. */
  readonly ofRun: (kind: string, ...names: readonly string[]) => string
  readonly node: (name: string) => string
  readonly observation: (check: string, verdict: Verdict, node: string) => string
  readonly risk: (check: string) => string
  /** The token of a control, and of its assessment objective. */
  readonly control: (framework: string, key: string) => string
  readonly objective: (framework: string, key: string) => string
  readonly controlOf: (framework: string, key: string) => Control | undefined
}

export function namesOf(input: FormatInput): Names {
  const { assessment, catalog, run } = input
  const { fleet } = assessment.scope
  const grouped = assessment.nodes.length > MOST_NODES
  const tokens = controlTokens(assessment)
  const lasting: Names['lasting'] = (kind, ...names) => uuidOf(kind, fleet, ...names)
  const nodes = new Map(assessment.nodes.map(({ node }) => [node, lasting('node', node)]))
  const control: Names['control'] = (framework, key) => tokens.get(`${framework}\n${key}`) ?? tokenOf(key)
  return {
    input,
    grouped,
    tool: uuidOf('tool', input.producer),
    lasting,
    ofRun: (kind, ...names) => uuidOf(kind, fleet, run, assessment.asOf, input.evidenceDigest, ...names),
    node: (name) => nodes.get(name) ?? lasting('node', name),
    observation: (check, verdict, node) =>
      grouped ? lasting('observations', check, verdict) : lasting('observation', check, node),
    risk: (check) => lasting('risk', check),
    control,
    objective: (framework, key) => `${control(framework, key)}_obj`,
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
