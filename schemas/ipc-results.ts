import type { ControlRole, DocumentState, EvidenceLevel, ServerState } from './conclusion-words.ts'
import type { ExplanationView, RiskAcceptanceView } from './ipc-register.ts'
import type { FleetNodeView, FrameworkName, Source } from './ipc-views.ts'
import type { Assessment, Capture, ControlAssessment, Isolation, NodeAssessment, Recording } from './types.ts'
import type { Property, Verdict } from './words.ts'

/** Plain data that the engine answers the window with: what a run or a pack shows. */

/** One run's judgement, small enough for a thousand nodes: reasons come node by node, with `node.get`. */
export interface AssessmentView {
  readonly of: Source
  readonly run: string
  readonly asOf: string
  readonly engine: string
  readonly catalog: Assessment['catalog']
  readonly scope: Assessment['scope']
  readonly demo: boolean
  readonly checks: readonly CheckView[]
  /** Those that a check is about, in the order of PROPERTIES. */
  readonly properties: readonly Property[]
  readonly rows: readonly NodeRow[]
  /** For each of `checks`: its verdicts on all declared nodes. */
  readonly checksCounted: readonly Counted[]
  /** Checks that compare with an earlier collection, where no node has one: they are decided from the second run on. */
  readonly fromSecondRun: readonly string[]
  readonly frameworks: readonly FrameworkView[]
  /** The evidence requests of the catalog, in full: controls name them by id, as many controls share one. */
  readonly requests: readonly EvidenceRequestView[]
  /** Checks of the catalog that no server can answer, and what answers them. */
  readonly offNodeChecks: readonly OffNodeCheckView[]
  /** Numbers that the fleet moved from the values of its profile, loosened ones first. */
  readonly moved: readonly MovedLimitView[]
  /** Names that turned out to be one machine, which counts once, with what they have in common. */
  readonly sameMachines: readonly { readonly nodes: readonly string[]; readonly text: string }[]
}

/**
 * Verdicts counted by the engine (main/core/tally.ts): how many of each, in the order of VERDICTS, then how many can be decided, then all.
 * Numbers without names, as there are thousands of them.
 */
export type Counted = readonly number[]
export interface MovedLimitView {
  readonly threshold: string
  readonly title: string
  /** Value and unit, and the same of the profile's own. */
  readonly shown: string
  readonly shownBefore: string
  readonly moved: 'stricter' | 'looser'
  readonly reason: string
}

/** One declared node in the matrix. */
export interface NodeRow {
  readonly node: string
  readonly status: NodeAssessment['status']
  readonly failure: NodeAssessment['failure']
  readonly privilege: NodeAssessment['privilege']
  readonly observedAt: string | null
  readonly ageDays: number | null
  readonly stale: boolean
  readonly environment: Isolation['environment'] | null
  readonly platform: string | null
  readonly concealed: boolean
  /** Where it is declared to be, or null. */
  readonly place: string | null
  /** One of `verdictLetters` for each check, in the order of `checks`. */
  readonly verdicts: string
  /** One of `verdictLetters` for each of the view's `properties`: the worst verdict among its checks. */
  readonly worst: string
  /** For each of the view's `properties`: the verdicts of its checks. */
  readonly counted: readonly Counted[]
  /** Checks whose finding on this node is accepted as of `asOf`, with the end of the acceptance and its owner. */
  readonly accepted: readonly { readonly check: string; readonly until: string; readonly owner: string }[]
  /** Checks whose acceptance has ended. */
  readonly expired: readonly string[]
}

/** Everything about one node. */
export interface NodeView {
  readonly assessment: NodeAssessment
  readonly recording: Recording | null
  readonly declared: FleetNodeView | null
  readonly riskAcceptances: readonly RiskAcceptanceView[]
  /** Explanations of single readings of this node that are in force. */
  readonly explanations: readonly ExplanationView[]
}

export interface NodeMoment {
  readonly run: string
  readonly at: string
  readonly status: NodeAssessment['status']
  readonly changed: readonly { readonly check: string; readonly before: Verdict; readonly after: Verdict }[]
}

/** What the catalog states, the same for every run: probes and signals by id. */
export interface CatalogView {
  readonly version: string
  readonly digest: string
  readonly checks: readonly CheckView[]
  readonly probes: readonly ProbeView[]
  readonly signals: readonly SignalView[]
}

/** What the catalog states of one signal of isolation. */
export interface SignalView {
  readonly id: string
  readonly family: string
  readonly title: string
  readonly onMetal: string
  readonly onGuest: string
  readonly spoofingEffort: 'S0' | 'S1' | 'S2' | 'S3'
  readonly pitfalls: readonly string[]
  readonly source: string
  /** Machines of known truth that read as on a guest, out of those read. */
  readonly counts: {
    readonly vm: readonly [number, number]
    readonly dressed: readonly [number, number]
    readonly metal: readonly [number, number]
  } | null
}

export interface CheckView {
  readonly id: string
  readonly property: Property
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
  /** Without the names of the control, which the row has. */
  readonly assessed: Omit<ControlAssessment, 'framework' | 'control'> | null
  /** The documents that the control needs or accepts, each once; none where the control is not in scope. */
  readonly documents: readonly ControlDocumentView[]
  /** The verdicts of all its checks on all nodes; null for a control that this run has no result of. */
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
  /** `ephi`: once the data map was inspected, only nodes that hold or carry ePHI are counted. */
  readonly scope: 'all' | 'ephi'
  readonly mappings: readonly MappingView[]
  readonly notCovered: string
  readonly responsibility: readonly string[]
}

/** A mapped check, how it counts for the control, and the reason for that role. */
interface MappingView {
  readonly check: string
  /** What it shows of the control; null where the view has the check’s own claim and `why` gives the reason. */
  readonly shows: string | null
  readonly role: ControlRole
  readonly why: string | null
}

/** A document that auditors ask for, as it is listed in the catalog. */
export interface EvidenceRequestView {
  readonly id: string
  readonly title: string
  /** What an auditor inspects in it. */
  readonly inspects: string
  readonly owner: string
  /** The least level at which it counts. */
  readonly minimum: EvidenceLevel
  /** Checks whose results this document may answer: `any` result, or only an `undecided` one. */
  readonly mayAnswer: readonly { readonly check: string; readonly answers: 'any' | 'undecided' }[]
}

/** One document of a control, and how far it is there. */
export interface ControlDocumentView {
  /** One of the view’s `requests`; null for a need of the customer’s own mapping, which no evidence request of the catalog answers. */
  readonly request: Pick<EvidenceRequestView, 'id' | 'minimum'> | null
  /** What is asked for: the title of the evidence request, or the need itself. */
  readonly title: string
  /** The control’s own words for it; empty where only a check asks for it. */
  readonly needs: readonly string[]
  /** Mapped checks that it answers here. */
  readonly checks: readonly string[]
  /** False where it only supports: it is never outstanding. */
  readonly mandatory: boolean
  /** The highest level reached by what is attached and current; null where nothing is. */
  readonly level: EvidenceLevel | null
  /** As the assessment counts it. `optional`: it does not support yet and is not required. */
  readonly state: 'held' | 'outstanding' | 'deviation' | 'optional'
  /** What holds it instead of an attached document; null otherwise. */
  readonly heldElsewhere: 'decision' | 'population' | 'declaration' | 'pack' | 'chain' | null
  /** Ids of the documents attached to it that are current. */
  readonly attached: readonly string[]
  readonly askedOf: { readonly owner: string; readonly due: string; readonly overdue: boolean } | null
}

export interface OffNodeCheckView {
  /** The check's id. */
  readonly id: string
  readonly source: 'document' | 'runs' | 'pack' | 'population'
  readonly why: string
  /** The evidence request whose document answers it; null where the pack, the chain of runs or a comparison does. */
  readonly request: { readonly id: string; readonly title: string } | null
}

export interface EvidenceList {
  readonly recording: Recording | null
  readonly captures: readonly Capture[]
}

export interface EvidencePiece {
  readonly capture: Capture
  readonly stream: 'stdout' | 'stderr'
  /** Decoded as UTF-8; bytes that are not become U+FFFD. Cut at a character's edge. */
  readonly text: string
  readonly offset: number
  /** Byte offset of the next piece; null at the end. */
  readonly nextOffset: number | null
  readonly size: number
  /** Lines of `text`, counted from 0, that hold a value of what the probe read. */
  readonly marked: readonly number[]
  /** SHA-256 of the stored bytes, computed again for this answer. */
  readonly digestNow: string
  /** What the probe read from its captures: indented JSON, or why it gave no fact. */
  readonly reading: { readonly ok: true; readonly fact: string } | { readonly ok: false; readonly reason: string }
}
