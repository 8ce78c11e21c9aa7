// Generated from the JSON Schemas beside this file by `npm run types`. Do not edit.

export type Sha256 = string
/**
 * UTC, ISO 8601
 */
export type Instant = string
export type ControlState =
  | 'not-supported'
  | 'insufficient-evidence'
  | 'manual-evidence-required'
  | 'supported-with-exceptions'
  | 'supported'
  | 'not-applicable'
  | 'out-of-scope'

/**
 * What the fleet file said about this node when it was collected; checks compare it with what the node answered.
 */
export interface DeclaredNode {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly user: string
  readonly sudo: boolean
  readonly role?: string
  readonly location?: Place
  readonly vantage?: Place
  readonly ephiPaths?: readonly string[]
  /**
   * Login names of people and services that are meant to be on the node.
   */
  readonly roster?: readonly string[]
  /**
   * Parts that an earlier collection found, pinned beside the fleet file.
   *
   * @maxItems 4096
   */
  readonly hardware?: readonly HardwarePin[]
  /**
   * @maxItems 5000
   */
  readonly accounts?: readonly DeclaredAccount[]
  /**
   * @maxItems 5000
   */
  readonly services?: readonly DeclaredService[]
}
/**
 * A declared place: WGS 84 degrees, the radius in km that the declaration is good to, and who declared it.
 */
export interface Place {
  readonly name: string
  readonly country?: string
  readonly latitude: number
  readonly longitude: number
  readonly radiusKm: number
  readonly declaredBy: string
}
/**
 * A serial or address of a part of this machine, so that a later run notices a moved or swapped one.
 */
export interface HardwarePin {
  readonly kind: 'board' | 'chassis' | 'system' | 'processor' | 'memory' | 'gpu' | 'disk' | 'nic' | 'hca' | 'bmc' | 'tpm'
  /**
   * Which part: a slot, a bus address, an interface name.
   */
  readonly part: string
  readonly value: string
}
/**
 * An account that is meant to exist on a node, and what for. Beside the roster, which only names who may have one.
 */
export interface DeclaredAccount {
  readonly account: string
  readonly kind: 'person' | 'service' | 'emergency' | 'provider'
  /**
   * The person who answers for it.
   */
  readonly owner?: string
  /**
   * Meant to have root’s rights. Default false.
   */
  readonly administrator?: boolean
  /**
   * The last day on which it is meant to exist, UTC: a leaver’s.
   */
  readonly until?: string
}
/**
 * A port that is meant to be listened on.
 */
export interface DeclaredService {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly name: string
}
export interface HostKey {
  readonly type: string
  readonly fingerprint: string
  readonly trust: {
    readonly how: 'known-hosts' | 'fingerprint' | 'host-ca' | 'decision' | 'demo'
    readonly detail: string
  }
}
/**
 * How we were connected. uid 0 means root itself; privilege says how root-only questions were asked.
 */
export interface Session {
  readonly transport: 'ssh2' | 'openssh' | 'script' | 'replay'
  readonly authMethod: string
  readonly privilege: 'root' | 'sudo' | 'none'
  readonly serverVersion?: string
  readonly algorithms?: {
    [k: string]: string
  }
  readonly jump?: readonly string[]
}
/**
 * One command's answer: one line of captures.jsonl.
 */
export interface Capture {
  readonly probe: string
  readonly command: string
  /**
   * As in the catalog; elements with * are constant path patterns, expanded by the node's shell.
   *
   * @maxItems 200
   */
  readonly argv: readonly string[]
  /**
   * collector: measured by us during the session, not answered by a command.
   */
  readonly source: 'node' | 'collector'
  readonly privilege: 'user' | 'sudo' | 'root'
  /**
   * Only done and no-path can support anything. not-run: privilege was not available. no-path: the device or file that the command asks of does not exist, so it was not run; stderr names the path. lost: the session ended before the answer did.
   */
  readonly status: 'done' | 'timed-out' | 'truncated' | 'not-run' | 'no-path' | 'lost'
  readonly exitCode: number | null
  readonly startedAt: Instant
  readonly durationMs: number
  readonly stdout: Stream
  readonly stderr: Stream
  /**
   * How many secrets the redactor replaced before hashing and storing; absent when none.
   */
  readonly redactions?: number
  /**
   * Live tests over a session of ours: milliseconds between hearing the command's first and last frame, by the auditor's own clock. durationMs is the node's.
   */
  readonly heardMs?: number
}
export interface Stream {
  readonly sha256: Sha256
  readonly size: number
}
/**
 * Everything a node answered in one run, except the bytes: recording.json. The captures are the lines of captures.jsonl beside it; their bytes are sha256/<hex>.
 */
export interface Recording {
  readonly schema: 'barewitness.recording/1'
  /**
   * Unique within a run; also the folder name.
   */
  readonly id: string
  readonly run: string
  readonly node: DeclaredNode
  readonly hostKey: null | HostKey
  readonly session: null | Session
  readonly collector: {
    readonly version: string
    readonly catalogVersion: string
    readonly catalogDigest: Sha256
  }
  readonly startedAt: Instant
  readonly endedAt: Instant
  /**
   * The node's wall clock against ours, in seconds (node minus ours), with the bound of the error; null when not read.
   */
  readonly clock: null | {
    readonly offsetSeconds: number
    readonly uncertaintySeconds: number
  }
  readonly outcome: {
    readonly status: 'complete' | 'partial' | 'failed'
    readonly failure: null | {
      readonly code: string
      readonly detail: string
    }
  }
  /**
   * True for the built-in demo fleet; shown on every page.
   */
  readonly demo: boolean
  /**
   * How the recording was made up, where it was; null for a recording of a real machine.
   */
  readonly synthetic: string | null
  /**
   * True where live tests were asked for: bounded measurements that keep a processor busy for seconds. Absent where they were not.
   */
  readonly liveTests?: boolean
  /**
   * Digest of the recording that a resumed run completed.
   */
  readonly continues?: string
}
export interface FleetNode {
  readonly name: string
  readonly address: string
  readonly port?: number
  readonly user?: string
  readonly hostKey?: string
  readonly knownHosts?: string
  readonly identityFile?: string
  /**
   * Use the SSH agent named by SSH_AUTH_SOCK. Default: true when no identityFile is given.
   */
  readonly agent?: boolean
  /**
   * Names of nodes of this fleet, in order.
   *
   * @maxItems 4
   */
  readonly jump?: readonly string[]
  /**
   * Reached through, never collected, not part of the population.
   */
  readonly jumpOnly?: boolean
  readonly transport?: 'auto' | 'ssh2' | 'openssh'
  /**
   * Ask root-only questions through exact sudo -n lines. Default false.
   */
  readonly sudo?: boolean
  readonly role?: string
  readonly location?: Place
  readonly ephiPaths?: readonly string[]
  readonly roster?: readonly string[]
  /**
   * @maxItems 5000
   */
  readonly accounts?: readonly DeclaredAccount[]
  /**
   * @maxItems 5000
   */
  readonly services?: readonly DeclaredService[]
}
/**
 * The declared population: which nodes are in scope and how to reach them. YAML or JSON.
 */
export interface Fleet {
  readonly name: string
  /**
   * @minItems 1
   * @maxItems 20000
   */
  readonly nodes: [FleetNode, ...FleetNode[]]
  readonly frameworks?: readonly ('hipaa' | 'soc2' | 'nprm')[]
  readonly ephiPaths?: readonly string[]
  readonly roster?: readonly string[]
  readonly vantage?: Place
  /**
   * Path of a known_hosts file for all nodes; relative to the fleet file.
   */
  readonly knownHosts?: string
  readonly profile?: 'baseline' | 'cis' | 'stig'
  readonly timestampAuthority?: string
  readonly concurrency?: number
  /**
   * Numbers that checks compare against, moved from what the profile says. Each needs a reason; reports show them all.
   *
   * @maxItems 100
   */
  readonly thresholds?: readonly ThresholdChange[]
  /**
   * @maxItems 5000
   */
  readonly accounts?: readonly DeclaredAccount[]
  /**
   * @maxItems 5000
   */
  readonly services?: readonly DeclaredService[]
}
/**
 * A threshold that the fleet moved from what its profile says, and why. Shown in every report.
 */
export interface ThresholdChange {
  threshold:
    | 'ssh.auth-tries'
    | 'ssh.login-grace'
    | 'ssh.idle'
    | 'ssh.sessions'
    | 'ssh.rsa-bits'
    | 'lockout.failures'
    | 'lockout.seconds'
    | 'password.length'
    | 'password.classes'
    | 'password.remembered'
    | 'password.days'
    | 'account.idle-days'
    | 'shell.idle'
    | 'sudo.remembers'
    | 'audit.backlog'
    | 'log.days'
    | 'time.offset'
    | 'tls.days-left'
    | 'tls.rsa-bits'
    | 'updates.list-days'
    | 'malware.days'
    | 'integrity.days'
    | 'backup.hours'
    | 'scan.days'
    | 'disk.worn'
    | 'storage.scrub-days'
  readonly value: number
  readonly reason: string
}
/**
 * Parts of each node as an earlier collection found them: the file <fleet file>.hardware.json.
 */
export interface HardwarePins {
  /**
   * @maxItems 4096
   */
  [k: string]: readonly HardwarePin[]
}
export interface NodeAssessment {
  readonly node: string
  /**
   * Which evidence this rests on; null when the declared node has none.
   */
  readonly recording: null | {
    readonly id: string
    /**
     * SHA-256 of recording.json then captures.jsonl
     */
    readonly digest: string
  }
  readonly status: 'complete' | 'partial' | 'failed' | 'missing'
  readonly failure: null | {
    readonly code: string
    readonly detail: string
  }
  readonly observedAt: null | Instant
  readonly ageDays: number | null
  /**
   * Older than 30 days at asOf, or dated after asOf: supports nothing.
   */
  readonly stale: boolean
  readonly privilege: 'root' | 'sudo' | 'none' | null
  readonly synthetic: string | null
  readonly isolation: null | Isolation
  readonly findings: readonly Finding[]
}
/**
 * Four separate answers, never one number.
 */
export interface Isolation {
  readonly layer: 'metal' | 'vm' | 'container' | 'lpar' | 'hypervisor-host' | 'unknown'
  /**
   * The platform's name where evidence names it, such as KVM or VMware.
   */
  readonly platform: string | null
  readonly tenancy: 'single-observed' | 'shared' | 'unknown'
  readonly locality: readonly DeviceLocality[]
  readonly grade: 'A' | 'B' | 'C' | 'D'
  /**
   * Virtual, and it hides that: contradictions show it, no hypervisor names itself.
   */
  readonly concealed: boolean
  readonly rule: DecidingRule
  readonly weight: WeightOfEvidence
  readonly signals: readonly SignalReading[]
  readonly contradictions: readonly Contradiction[]
  readonly minimum: readonly MinimumItem[]
  readonly levels: readonly ProviderLevel[]
  readonly cannotShow: readonly string[]
  readonly settle: readonly OpenPoint[]
  readonly pins: readonly HardwarePin[]
  readonly reasons: readonly Reason[]
}
export interface DeviceLocality {
  readonly kind: 'gpu' | 'nic' | 'hca' | 'disk'
  readonly device: string
  readonly is: 'native' | 'virtual-function' | 'passthrough' | 'virtual' | 'remote' | 'unknown'
  readonly text: string
}
/**
 * The first rule that applied, and why, in words.
 */
export interface DecidingRule {
  readonly id: 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7'
  readonly text: string
}
/**
 * Natural-log weight of evidence, above zero toward a virtual machine. Honest: as counted. Adversarial: what a provider could set at will counts for nothing in favour of hardware.
 */
export interface WeightOfEvidence {
  readonly honest: number
  readonly adversarial: number
  readonly families: readonly FamilyWeight[]
}
export interface FamilyWeight {
  family:
    | 'cpu-identity'
    | 'cpu-features'
    | 'timing'
    | 'firmware'
    | 'pci'
    | 'storage'
    | 'network'
    | 'gpu'
    | 'management'
    | 'session'
  readonly honest: number
  readonly adversarial: number
}
export interface SignalReading {
  readonly id: string
  /**
   * Unreadable never counts as absent.
   */
  readonly reads: 'virtual' | 'metal' | 'neutral' | 'unreadable' | 'not-applicable'
  /**
   * What was read in a few words, or why it was not.
   */
  readonly value: string
  /**
   * Natural-log weight toward virtual, from the counts in the catalog; null where machines were not counted.
   */
  readonly weight: number | null
  /**
   * The questions it rests on; for unreadable, the one that gave no answer.
   */
  readonly probes: readonly string[]
}
/**
 * K1: cannot happen on the hardware that the machine says it is. K2: needs an explanation.
 */
export interface Contradiction {
  readonly class: 'K1' | 'K2'
  readonly signal: string
  family:
    | 'cpu-identity'
    | 'cpu-features'
    | 'timing'
    | 'firmware'
    | 'pci'
    | 'storage'
    | 'network'
    | 'gpu'
    | 'management'
    | 'session'
  readonly text: string
  readonly probe: string | null
  readonly captures: readonly CaptureRef[]
}
export interface CaptureRef {
  readonly command: string
  readonly sha256: Sha256
}
/**
 * One part of the minimum evidence for hardware. Unread is no.
 */
export interface MinimumItem {
  readonly item: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'
  readonly title: string
  readonly holds: 'yes' | 'no' | 'not-applicable'
  readonly text: string
}
/**
 * What a provider of this skill would have to fake, what would still be seen, and which of that was read on this node (signal ids).
 */
export interface ProviderLevel {
  readonly level: 'P0' | 'P1' | 'P2' | 'P3' | 'P4'
  readonly provider: string
  readonly mustFake: readonly string[]
  readonly wouldStillShow: readonly string[]
  readonly readHere: readonly string[]
}
/**
 * An open point and the exact command or right that would settle it.
 */
export interface OpenPoint {
  readonly what: string
  readonly how: string
  readonly signals: readonly string[]
}
/**
 * One step of the argument, citing the captures it rests on.
 */
export interface Reason {
  readonly says: 'for' | 'against' | 'unclear'
  readonly text: string
  readonly probe: string | null
  readonly captures: readonly CaptureRef[]
}
export interface Finding {
  readonly check: string
  property:
    | 'isolation'
    | 'encryption-at-rest'
    | 'encryption-in-transit'
    | 'location'
    | 'access'
    | 'audit'
    | 'integrity'
    | 'operations'
    | 'evidence'
  readonly verdict: 'met' | 'not-met' | 'inconclusive' | 'not-applicable' | 'not-tested' | 'informational'
  readonly reasons: readonly Reason[]
}
export interface ControlAssessment {
  readonly framework: 'hipaa' | 'soc2' | 'nprm'
  /**
   * The control's key, unique within its framework.
   */
  readonly control: string
  readonly state: ControlState
  /**
   * The state of the part that node evidence can bear; null where it bears none.
   */
  readonly nodePart: null | ControlState
  readonly checks: readonly ControlCheck[]
  /**
   * Records that no server can show and that are not attached.
   */
  readonly outstanding: readonly string[]
}
export interface ControlCheck {
  readonly check: string
  /**
   * False: the mapping names this check, and this catalog does not have it; it counts as not tested.
   */
  readonly built: boolean
  readonly population: number
  readonly met: number
  readonly notMet: number
  readonly inconclusive: number
  readonly notTested: number
  readonly notApplicable: number
  readonly informational: number
}
/**
 * The declared population and frameworks. A declared node without a recording counts as not collected.
 */
export interface Scope {
  readonly fleet: string
  readonly population: readonly string[]
  readonly frameworks: readonly ('hipaa' | 'soc2' | 'nprm')[]
  readonly profile?: ChosenProfile
}
/**
 * Which numbers checks compare against: a profile of the catalog, and the fleet’s own changes to it. Without one, baseline.
 */
export interface ChosenProfile {
  readonly name: 'baseline' | 'cis' | 'stig'
  /**
   * @maxItems 100
   */
  readonly changes: readonly ThresholdChange[]
}
export interface CatalogReference {
  readonly version: string
  readonly digest: Sha256
}
/**
 * data/assessment.json in a pack: an assessment whose nodes stand in files of their own, so that a reader can take one node at a time.
 */
export interface AssessmentIndex {
  readonly schema: 'barewitness.assessment-index/1'
  readonly asOf: Instant
  /**
   * Version of the rules engine.
   */
  readonly engine: string
  readonly catalog: CatalogReference
  readonly scope: Scope
  readonly demo: boolean
  readonly nodes: {
    readonly node: string
    /**
     * Of the node’s own assessment.json.
     */
    readonly sha256: string
  }[]
  readonly controls: readonly ControlAssessment[]
}
/**
 * Everything concluded from recordings, as of one moment. Derived: the same recordings, scope and asOf give the same bytes.
 */
export interface Assessment {
  readonly schema: 'barewitness.assessment/1'
  readonly asOf: Instant
  /**
   * Version of the rules engine.
   */
  readonly engine: string
  readonly catalog: CatalogReference
  readonly scope: Scope
  readonly demo: boolean
  readonly nodes: readonly NodeAssessment[]
  readonly controls: readonly ControlAssessment[]
}
/**
 * statement.json in a pack: an in-toto Statement v1 whose subjects are the list of every payload file, and the documents that people ask for.
 */
export interface Statement {
  readonly _type: 'https://in-toto.io/Statement/v1'
  readonly subject: {
    readonly name: string
    readonly digest: {
      readonly sha256: Sha256
    }
  }[]
  readonly predicateType: 'https://barewitness.dev/evidence-pack/v1'
  readonly predicate: PackPredicate
}
export interface PackPredicate {
  readonly run: string
  readonly fleet: string
  readonly demo: boolean
  readonly asOf: Instant
  readonly producer: string
  readonly catalog: {
    readonly version: string
    readonly digest: Sha256
  }
  readonly nodes: {
    readonly name: string
    /**
     * Digest of the recording; null when none.
     */
    readonly recording: string | null
    readonly hostKey: string | null
  }[]
  readonly report: {
    readonly evidenceDigest: Sha256
  }
}
/**
 * A finding that somebody accepts for a time: at most 366 days, in UTC. The verdict stays what it is.
 */
export interface Exception {
  readonly id: string
  readonly check: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly run: null | string
  readonly reason: string
  readonly compensatingMeasure: string
  readonly owner: string
  readonly requestedBy: string
  readonly approvedBy: string
  readonly acceptedAt: Instant
  readonly expiresAt: Instant
  readonly withdrawn: null | Withdrawal
}
/**
 * Taken back; it stays listed.
 */
export interface Withdrawal {
  readonly at: Instant
  readonly by: string
  readonly reason: string
}
/**
 * One row of a framework.
 */
export interface ControlRef {
  readonly framework: 'hipaa' | 'soc2' | 'nprm'
  readonly control: string
}
/**
 * Manual evidence: a file, or a note, as somebody gave it. The bytes are stored by their digest and never run.
 */
export interface Attachment {
  readonly id: string
  readonly kind: 'file' | 'note'
  readonly name: string
  readonly mediaType: string
  readonly size: number
  readonly sha256: Sha256
  /**
   * @maxItems 400
   */
  readonly controls: readonly ControlRef[]
  readonly need: null | string
  readonly shows: string
  readonly saidBy: string
  readonly method: 'examined' | 'asked' | 'received'
  readonly owner: string
  readonly attachedAt: Instant
  readonly validUntil: null | Instant
  readonly withdrawn: null | Withdrawal1
}
/**
 * Taken back; it stays listed.
 */
export interface Withdrawal1 {
  readonly at: Instant
  readonly by: string
  readonly reason: string
}
/**
 * Who is to bring a record that no server can show, by when.
 */
export interface RecordRequest {
  readonly framework: 'hipaa' | 'soc2' | 'nprm'
  readonly control: string
  readonly need: string
  readonly owner: string
  readonly due: Instant
}
/**
 * What people said about the evidence of a fleet: accepted exceptions, attached records, and who is to bring a record by when. It never changes a verdict, and nothing in it is ever deleted.
 */
export interface Register {
  readonly schema: 'barewitness.register/1'
  /**
   * @maxItems 20000
   */
  readonly exceptions: readonly Exception[]
  /**
   * @maxItems 5000
   */
  readonly attachments: readonly Attachment[]
  /**
   * @maxItems 5000
   */
  readonly requests: readonly RecordRequest[]
}
