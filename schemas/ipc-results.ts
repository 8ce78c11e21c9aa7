import type { ControlRole, DocumentState, EvidenceLevel, ServerState, Severity } from './conclusion-words.ts'
import type { ExplanationView, RiskAcceptanceView } from './ipc-register.ts'
import type { FleetNodeView, FrameworkName, Source } from './ipc-views.ts'
import type { Assessment, Capture, ControlAssessment, Isolation, NodeAssessment, Recording } from './types.ts'
import type { Property, Verdict } from './words.ts'

/** Data in replies of the engine: results of a run or a pack. */

/** The results of one run, small enough for a thousand nodes. `node.get` returns the reasons for one node. */
export interface AssessmentView extends Pick<Assessment, 'asOf' | 'engine' | 'catalog' | 'scope' | 'demo'> {
  readonly of: Source
  readonly run: string
  readonly checks: readonly CheckView[]
  /** Properties with at least one check, in the order of PROPERTIES. */
  readonly properties: readonly Property[]
  readonly rows: readonly NodeRow[]
  /** For each of `checks`, the verdicts on all declared nodes. */
  readonly checksCounted: readonly Counted[]
  /** Checks that compare with an earlier collection, where no node has one. They are decided from the second run on. */
  readonly fromSecondRun: readonly string[]
  readonly frameworks: readonly FrameworkView[]
  /** The evidence requests of the catalog. Controls reference them by id, because many controls share one. */
  readonly requests: readonly EvidenceRequestView[]
  /** Off-node checks of the catalog. */
  readonly offNodeChecks: readonly OffNodeCheckView[]
  /** Thresholds for which the fleet declares other values than its profile, relaxed ones first. */
  readonly moved: readonly MovedLimitView[]
  /** Names of the same machine, which counts once, with their common properties. */
  readonly sameMachines: readonly { readonly nodes: readonly string[]; readonly text: string }[]
}

/**
 * Counts of verdicts (main/core/conclusion/tally.ts): the number of each verdict in the order of VERDICTS, then of those that can be decided, then of all.
 * An array without names, because there are thousands of them.
 */
export type Counted = readonly number[]
export interface MovedLimitView {
  readonly threshold: string
  readonly title: string
  /** Value with unit; `shownBefore`: that of the profile. */
  readonly shown: string
  readonly shownBefore: string
  readonly moved: 'stricter' | 'looser'
  readonly reason: string
}

/** One declared node in the matrix. */
export interface NodeRow
  extends Pick<NodeAssessment, 'node' | 'status' | 'failure' | 'privilege' | 'observedAt' | 'ageDays' | 'stale'> {
  readonly environment: Isolation['environment'] | null
  readonly platform: string | null
  readonly concealed: boolean
  /** Declared place, or null. */
  readonly place: string | null
  /** One of `verdictLetters` for each check, in the order of `checks`. */
  readonly verdicts: string
  /** One of `verdictLetters` for each of the view's `properties`: the worst verdict among its checks. */
  readonly worst: string
  /** For each of the view's `properties`: the verdicts of its checks. */
  readonly counted: readonly Counted[]
  /** Checks with a risk acceptance in effect for this node at `asOf`, with its end and owner. */
  readonly accepted: readonly { readonly check: string; readonly until: string; readonly owner: string }[]
  /** Checks whose risk acceptance has expired. */
  readonly expired: readonly string[]
}

/** Everything about one node. */
export interface NodeView {
  readonly assessment: NodeAssessment
  readonly recording: Recording | null
  readonly declared: FleetNodeView | null
  readonly riskAcceptances: readonly RiskAcceptanceView[]
  /** Explanations of isolation signals of this node that are in effect. */
  readonly explanations: readonly ExplanationView[]
}

export interface NodeMoment {
  readonly run: string
  readonly at: string
  readonly status: NodeAssessment['status']
  readonly changed: readonly { readonly check: string; readonly before: Verdict; readonly after: Verdict }[]
}

/** The content of the catalog, identical for every run: probes and signals by id. */
export interface CatalogView {
  readonly version: string
  readonly digest: string
  readonly checks: readonly CheckView[]
  readonly probes: readonly ProbeView[]
  readonly signals: readonly SignalView[]
}

/** An isolation signal of the catalog. */
export interface SignalView {
  readonly id: string
  readonly family: string
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  readonly spoofingEffort: 'S0' | 'S1' | 'S2' | 'S3'
  readonly pitfalls: readonly string[]
  readonly source: string
  /** Labeled machines on which it indicates a guest, and the number of machines read, by kind of machine. */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}

export interface CheckView {
  readonly id: string
  readonly property: Property
  /** Of a deviation from it, before any condition raises or lowers it. */
  readonly severity: Severity
  readonly expected: string
  readonly limitations: string
  /** Probe ids. */
  readonly requires: readonly string[]
  readonly optional: readonly string[]
}

export interface ProbeView {
  readonly id: string
  readonly title: string
  readonly why: string
}

export interface FrameworkView {
  readonly id: FrameworkName
  readonly title: string
  readonly version: string
  readonly status: string
  readonly proposed: boolean
  readonly controls: readonly ControlRow[]
  readonly parts: PartsView
}

/** Controls in scope of one framework, counted by server part (lines) and document part (columns), as in the report. */
export interface PartsView {
  readonly documents: readonly DocumentState[]
  readonly lines: readonly { readonly server: ServerState; readonly counts: readonly number[] }[]
}

/** One row of a framework with its conclusion in this run: the server part, the document part, and each check with its counts. */
export interface ControlRow extends ControlView {
  /** Without framework and control, which the row contains. */
  readonly assessed: Omit<ControlAssessment, 'framework' | 'control'> | null
  /** The documents that the control requires or accepts, each once; empty where the control is not in scope. */
  readonly documents: readonly ControlDocumentView[]
  /** The verdicts of all its checks on all nodes; null for a control without a result in this run. */
  readonly counted: Counted | null
}

export interface ControlView {
  readonly key: string
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly level: string
  readonly group: string
  /** SOC 2 category (AICPA TSP section 100); null for other frameworks. */
  readonly category: string | null
  /** `ephi`: once the ePHI map is inspected, only nodes that store or transmit ePHI are counted. */
  readonly scope: 'all' | 'ephi'
  readonly mappings: readonly MappingView[]
  readonly notCovered: string
  readonly responsibility: readonly string[]
}

/** A mapped check with its role and the reason for that role. */
interface MappingView {
  readonly check: string
  /** What it shows about the control; null where the claim of the check applies and `why` gives the reason. */
  readonly shows: string | null
  readonly role: ControlRole
  readonly why: string | null
}

/** An evidence request of the catalog. */
export interface EvidenceRequestView {
  readonly id: string
  readonly title: string
  /** What an auditor inspects in it. */
  readonly inspects: string
  readonly owner: string
  /** The lowest evidence level at which it counts. */
  readonly minimum: EvidenceLevel
  /** Checks whose results this document may answer: any result, or only undecided ones. */
  readonly mayAnswer: readonly { readonly check: string; readonly answers: 'any' | 'undecided' }[]
}

/** One document of a control with its status. */
export interface ControlDocumentView {
  /** One of the view’s `requests`; null for a need of a mapping of the customer without an evidence request of the catalog. */
  readonly request: Pick<EvidenceRequestView, 'id' | 'minimum'> | null
  /** Title of the evidence request, or the need itself. */
  readonly title: string
  /** The wording of the control; empty where only a check requires the document. */
  readonly needs: readonly string[]
  /** Mapped checks that it answers for this control. */
  readonly checks: readonly string[]
  /** False where it is only supporting; it is then never outstanding. */
  readonly mandatory: boolean
  /** The highest level of its current attached documents; null where there are none. */
  readonly level: EvidenceLevel | null
  /** State in the assessment. `optional`: it does not support yet and is not required. */
  readonly state: 'held' | 'outstanding' | 'deviation' | 'optional'
  /** The source that replaces an attached document; null otherwise. */
  readonly heldElsewhere: 'decision' | 'population' | 'declaration' | 'pack' | 'chain' | null
  /** Ids of its current attached documents. */
  readonly attached: readonly string[]
  readonly askedOf: { readonly owner: string; readonly due: string; readonly overdue: boolean } | null
}

export interface OffNodeCheckView {
  /** The check's id. */
  readonly id: string
  readonly source: 'document' | 'runs' | 'pack' | 'population'
  readonly why: string
  /** The evidence request whose document answers it; null where the pack, the run chain or the reconciliation does. */
  readonly request: { readonly id: string; readonly title: string } | null
}

export interface EvidenceList {
  readonly recording: Recording | null
  readonly captures: readonly Capture[]
}

export interface EvidencePiece {
  readonly capture: Capture
  readonly stream: 'stdout' | 'stderr'
  /** Decoded as UTF-8, with U+FFFD for invalid bytes. Cut between characters. */
  readonly text: string
  readonly offset: number
  /** Byte offset of the next piece; null at the end. */
  readonly nextOffset: number | null
  readonly size: number
  /** Lines of `text`, counted from 0, that contain a value of the parsed fact. */
  readonly marked: readonly number[]
  /** SHA-256 of the stored bytes, computed for this reply. */
  readonly digestNow: string
  /** The fact that the probe parsed from its captures, as indented JSON, or the reason why there is none. */
  readonly reading: { readonly ok: true; readonly fact: string } | { readonly ok: false; readonly reason: string }
}
