import type { Figure } from '../../../schemas/figure.ts'
import type { Assessment, NodeAssessment, Register, Scope, TracedNode } from '../../../schemas/types.ts'
import { sudoReconciliation } from '../../catalog/access/sudo/rights.ts'
import { figuresOf } from '../../catalog/figures/figures.ts'
import { type Outcome, ok } from '../../core/base/failure.ts'
import { grouped } from '../../core/base/grouping.ts'
import type { SudoReconciliation } from '../../core/collector/sudoers.ts'
import { assessNode, compareNodes, conclude, latest, populationOf, termsOf } from '../../core/conclusion/assess.ts'
import { traceNode, withVerdicts } from '../../core/history/trace.ts'
import { filesOfNodes, layered } from '../../core/pack/pack.ts'
import {
  type NodeFiles,
  type PackContent,
  type PackFiles,
  recordingFiles,
  storedRecordingFiles,
} from '../../core/pack/pack-files.ts'
import type { Parsed } from '../../core/recording/probe.ts'
import {
  type LoadedRecording,
  outlineOf,
  type RecordingOutline,
  type RecordingSource,
} from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { type CapturedTexts, capturedTexts } from '../../present/html/captured.ts'
import { analysedNodes } from '../../present/report/nodes/isolation.ts'
import { locatedNodes } from '../../present/report/nodes/location.ts'
import { MANY_NODES } from '../../present/report/parts/figures.ts'
import { matterOf, type ReportInput } from '../../present/report.ts'
import { registerInScope } from '../common/attachments.ts'
import { shared } from '../common/shared.ts'

export interface ToEvaluate {
  readonly scope: Scope
  readonly recordings: readonly RecordingSource[]
  readonly asOf: string
  readonly register: Register
  /** Receives the number of finished nodes, after each. */
  readonly onNode?: (nodes: number) => void
}

/** Parts of reports that come from the recordings of nodes. */
interface NodeParts {
  readonly outlines: readonly RecordingOutline[]
  /** By node, for a small fleet only. */
  readonly figures: ReadonlyMap<string, readonly Figure[]>
  /** Text of captures by node, for a small fleet only. */
  readonly captured: ReadonlyMap<string, CapturedTexts>
  readonly sudo: ReadonlyMap<string, Parsed<SudoReconciliation>>
}

/** Adds the parts of one node after the other. */
export function nodeParts(share: <T>(value: T) => T) {
  const outlines: RecordingOutline[] = []
  const figures = new Map<string, readonly Figure[]>()
  const captured = new Map<string, CapturedTexts>()
  const sudo = new Map<string, Parsed<SudoReconciliation>>()
  let isSmall: boolean | null = null
  const parts: NodeParts = { outlines, figures, captured, sudo }
  return {
    parts,
    add: (loaded: LoadedRecording, outline: RecordingOutline, assessed: NodeAssessment, scope: Scope): void => {
      const { node } = assessed
      outlines.push(outline)
      sudo.set(node, share(sudoReconciliation(loaded)))
      // For a larger fleet, only selected nodes are drawn, once all are known, and no captured text is printed.
      isSmall ??= populationOf(scope).length <= MANY_NODES
      if (!isSmall) return
      figures.set(node, figuresOf(loaded, assessed, scope))
      captured.set(node, capturedTexts(loaded))
    },
  }
}

/** Input of an export. */
export interface Evaluated extends NodeParts {
  readonly assessment: Assessment
  readonly files: PackFiles
  readonly traced: readonly TracedNode[]
}

/** One declared node at a time, so that captures stored in files are in memory for one node only. */
export async function evaluate(
  catalog: Catalog,
  { scope, recordings, asOf, register, onNode }: ToEvaluate,
): Promise<Outcome<Evaluated>> {
  const alone: NodeAssessment[] = []
  const traced: TracedNode[] = []
  const [inMemory, stored]: [Map<string, PackContent>, NodeFiles[]] = [new Map(), []]
  const byNode = grouped(recordings, nodeOf)
  let demo = false
  const share = shared()
  const { parts, add } = nodeParts(share)
  for (const node of populationOf(scope)) {
    const found = await restedOn(byNode.get(node) ?? [], node, share)
    if (!found.ok) return found
    const rested = found.value
    const assessed = share(assessNode(catalog, node, rested, termsOf({ ...scope, asOf })))
    alone.push(assessed)
    onNode?.(alone.length)
    traced.push(share(traceNode(catalog, rested, assessed)))
    if (rested === null) continue
    const { source } = rested
    demo ||= rested.recording.demo
    const outline = outlineOf(rested)
    add(rested, outline, assessed, scope)
    if (source.blob !== null) stored.push(storedRecordingFiles(outline, source.blob))
    else for (const [path, content] of recordingFiles(rested)) inMemory.set(path, content)
  }
  const nodes = compareNodes(catalog, alone, asOf)
  const assessment: Assessment = {
    schema: 'barewitness.assessment/1',
    ...conclude(catalog, { scope, asOf, demo, register: registerInScope(catalog, register, scope) }, nodes),
    nodes,
  }
  const files = layered(inMemory, filesOfNodes(stored))
  const compared = new Map(nodes.map((node) => [node.node, node]))
  const tracedWhole = traced.map((one) => withVerdicts(catalog, one, compared.get(one.node)))
  return ok({ ...parts, assessment, files, traced: tracedWhole })
}

interface RestedOn extends LoadedRecording {
  readonly source: RecordingSource
}

const nodeOf = ({ recording }: RecordingSource): readonly string[] => [recording.node.name]

/** The recording of a node that its assessment rests on; null where there is none. */
async function restedOn(
  recordings: readonly RecordingSource[],
  node: string,
  share: <T>(value: T) => T,
): Promise<Outcome<RestedOn | null>> {
  const loaded: RestedOn[] = []
  for (const source of recordings) {
    const one = await source.load()
    if (!one.ok) return one
    const captures = one.value.captures.map((answer) => ({ ...answer, meta: share(answer.meta) }))
    loaded.push({ recording: share(one.value.recording), captures, source })
  }
  return ok(latest(loaded, node))
}

/** Figures for the nodes of a large fleet whose analyses are shown; they are selected once all nodes are assessed. */
export async function picturesOf(
  about: ReportInput,
  recordings: readonly RecordingSource[],
): Promise<Outcome<ReadonlyMap<string, readonly Figure[]>>> {
  const figures = new Map<string, readonly Figure[]>()
  const byNode = grouped(recordings, nodeOf)
  const matter = matterOf(about)
  for (const assessed of new Set([...analysedNodes(matter), ...locatedNodes(matter)])) {
    const rested = await restedOn(byNode.get(assessed.node) ?? [], assessed.node, (value) => value)
    if (!rested.ok) return rested
    if (rested.value !== null) figures.set(assessed.node, figuresOf(rested.value, assessed, about.assessment.scope))
  }
  return ok(figures)
}
