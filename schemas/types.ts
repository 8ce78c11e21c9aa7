// Generated from the JSON Schemas beside this file by `npm run types`. Do not edit.

export type Sha256 = string
/**
 * UTC, ISO 8601
 */
export type Instant = string
/**
 * Network zone of the node. A team server leaves it to a collector of this zone; elsewhere it has no effect.
 */
export type Zone = string
/**
 * Id of a framework of the catalog or the customer.
 */
export type FrameworkName = string
export type RowState =
  | 'deviations'
  | 'unable-to-conclude'
  | 'documents-outstanding'
  | 'addressable-decision'
  | 'supported'
  | 'not-applicable'
  | 'out-of-scope'
/**
 * How far a document was examined, least first.
 */
export type EvidenceLevel = 'inquiry' | 'received' | 'inspected' | 'reperformed'
/**
 * A whole day in UTC, YYYY-MM-DD.
 */
export type Day = string
/**
 * One date or a period. A declared period is a plan; one run shows one date.
 */
export type ReportingBasis = ReportingDate | ReportingPeriod
/**
 * A check of the catalog, or a reading of its claim tests with the claimed value.
 */
export type ClaimTestReference = ClaimCheck | ClaimReading
/**
 * How a check counts for a control: required and counter checks decide, supporting and context ones do not.
 */
export type ControlRole = 'required' | 'counter' | 'supporting' | 'context'
/**
 * Status that management states. None of them closes a finding.
 */
export type ResponseStatus = 'open' | 'in-progress' | 'ready-for-retest' | 'disputed'
/**
 * Status of a request as its list states it; none of them concludes on a control.
 */
export type AuditorStatus = 'open' | 'ready' | 'received' | 'accepted' | 'returned' | 'not-needed'
/**
 * Receivers of notifications of state changes.
 */
export type Notify = NotifyCommand | NotifyWebhook | NotifySyslog
export type RemediationText = string
export type RemediationCheckId = string
export type DistributionFamily = 'debian' | 'rhel' | 'suse' | 'any'
export type CollectorId = string
export type SealerBytes = string
export type SealerId = string
/**
 * After a change of the name, everything is sent as new.
 */
export type TargetName = string
/**
 * Findings below it are not sent. Default low.
 */
export type TargetSeverity = 'critical' | 'high' | 'medium' | 'low'
/**
 * Scheme, host and port, with a path where the API is below one. https, or http to a loopback address.
 */
export type TargetUrl = string
export type TargetUser = string
export type TargetUuid = string

/**
 * Who collected, as the collecting computer states it: not verified. Absent in recordings of earlier versions and of transcripts: not recorded.
 */
export interface Operator {
  /**
   * Account of the operating system.
   */
  readonly user: string
  /**
   * Host name of the computer.
   */
  readonly host: string
  /**
   * SHA-256 of the boot id of the kernel, in the form of /proc/sys/kernel/random/boot_id without the line end; null where it was not read.
   */
  readonly boot: null | Sha256
  /**
   * SHA-256 over the SHA-256 lines of the files of the built program, sorted by name; null where it does not run from a build.
   */
  readonly program: null | Sha256
}
/**
 * Declarations of the fleet file about this node at the time of collection. Checks compare them with the captures.
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
   * Parts that an earlier collection found, pinned next to the fleet file.
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
  /**
   * @maxItems 5000
   */
  readonly ephiFlows?: readonly DeclaredFlow[]
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
 * Serial number or address of a part of this machine, so that a later run detects a moved or replaced part.
 */
export interface HardwarePin {
  readonly kind: 'board' | 'chassis' | 'system' | 'processor' | 'memory' | 'gpu' | 'disk' | 'nic' | 'hca' | 'bmc' | 'tpm'
  /**
   * Identifier of the part: a slot, a bus address or an interface name.
   */
  readonly part: string
  readonly value: string
}
/**
 * An account that is meant to exist on a node, and its purpose. The roster only names accounts that may exist.
 */
export interface DeclaredAccount {
  readonly account: string
  readonly kind: 'person' | 'service' | 'emergency' | 'provider'
  /**
   * The responsible person.
   */
  readonly owner?: string
  /**
   * Whether it is meant to have root privileges. Default false.
   */
  readonly administrator?: boolean
  /**
   * Last day on which it is meant to exist (UTC), for example for people who leave.
   */
  readonly until?: string
}
/**
 * A port that is expected to be open.
 */
export interface DeclaredService {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly name: string
}
/**
 * A port of the node on which ePHI is received or sent.
 */
export interface DeclaredFlow {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly name: string
}
export interface HostKey {
  readonly type: string
  readonly fingerprint: string
  readonly trust: {
    readonly how: 'known-hosts' | 'fingerprint' | 'host-ca' | 'list' | 'decision' | 'demo'
    readonly detail: string
    /**
     * Digest of the list that a person compared the key with before login, and the line with the key.
     */
    readonly list?: {
      readonly sha256: string
      readonly line: number
    }
  }
}
/**
 * The login of the session. uid 0 is root; privilege states how commands that need root were run.
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
 * The capture of one command: one line of captures.jsonl.
 */
export interface Capture {
  readonly probe: string
  readonly command: string
  /**
   * The command as in the catalog. Elements with * are constant path patterns, which the shell of the node expands.
   *
   * @maxItems 200
   */
  readonly argv: readonly string[]
  /**
   * collector: measured by the collecting computer during the session, not by a command.
   */
  readonly source: 'node' | 'collector'
  readonly privilege: 'user' | 'sudo' | 'root'
  /**
   * Only done and no-path can support a verdict. not-run: the required privilege was not available. not-asked: the command was skipped because sudo had exceeded its time limit several times in a row. no-path: the device or file that the command reads does not exist, so it was not run; stderr names the path. lost: the session ended before the answer was complete.
   */
  readonly status: 'done' | 'timed-out' | 'truncated' | 'not-run' | 'not-asked' | 'no-path' | 'lost'
  readonly exitCode: number | null
  readonly startedAt: Instant
  readonly durationMs: number
  readonly stdout: Stream
  readonly stderr: Stream
  /**
   * Number of secrets that were masked before hashing and storing; absent where there were none.
   */
  readonly maskedCount?: number
  /**
   * Number of masked secrets by class, as named by the markers in the output; absent where there were none, and in recordings of earlier versions.
   */
  readonly masked?: {
    [k: string]: number
  }
  /**
   * For live tests over SSH: milliseconds between the arrival of the first and the last frame of the command, by the clock of the collecting computer. durationMs is by the clock of the node.
   */
  readonly heardMs?: number
}
export interface Stream {
  readonly sha256: Sha256
  readonly size: number
}
/**
 * A recording without the bytes of its captures: recording.json. Captures are the lines of captures.jsonl next to it; their bytes are in sha256/<hex>.
 */
export interface Recording {
  readonly schema: 'barewitness.recording/1'
  /**
   * Name of the node, unique within a run; also the name of its folder.
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
    readonly operator?: Operator
  }
  readonly startedAt: Instant
  readonly endedAt: Instant
  /**
   * Difference of the clocks in seconds (node minus collecting computer), with the maximum error; null where the clock was not read.
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
   * True for the demo fleet; every page shows it.
   */
  readonly demo: boolean
  /**
   * How a synthetic recording was made; null for a recording of a real machine.
   */
  readonly synthetic: string | null
  /**
   * True where live tests were requested: bounded measurements that keep a processor busy for seconds. Otherwise absent.
   */
  readonly liveTests?: boolean
  /**
   * Digest of the earlier recording that this one continues.
   */
  readonly continues?: string
  /**
   * True where requests to the provider’s metadata service and its signed identity document were enabled. Otherwise absent.
   */
  readonly metadata?: boolean
}
/**
 * One node. `location` is the place where it is declared to be; it is the question of the location analysis and no evidence in it.
 */
export interface FleetNode {
  /**
   * Name of the node, unique in the fleet.
   */
  readonly name: string
  /**
   * Host name or IP address.
   */
  readonly address: string
  /**
   * SSH port. Default 22.
   */
  readonly port?: number
  /**
   * Account to log in with. Default `bwaudit`.
   */
  readonly user?: string
  /**
   * SHA-256 fingerprint of the host key. A different key is refused before any login.
   */
  readonly hostKey?: string
  /**
   * Path of a known_hosts file for this node, in place of that of the fleet.
   */
  readonly knownHosts?: string
  /**
   * Path of the private key to log in with.
   */
  readonly identityFile?: string
  /**
   * Use the SSH agent that SSH_AUTH_SOCK names. Default true where no identityFile is given.
   */
  readonly agent?: boolean
  /**
   * Names of nodes of this fleet to connect through, outermost first.
   *
   * @maxItems 4
   */
  readonly jump?: readonly string[]
  /**
   * The node is only connected through. It is not collected and not part of the population.
   */
  readonly jumpOnly?: boolean
  readonly zone?: Zone
  /**
   * SSH client: the built-in one (`ssh2`), the installed OpenSSH client (`openssh`), or the one that suits the node (`auto`). Default `auto`.
   */
  readonly transport?: 'auto' | 'ssh2' | 'openssh'
  /**
   * Run probes that need root through exact `sudo -n` lines. Default false.
   */
  readonly sudo?: boolean
  /**
   * Purpose of the node, in your own words.
   */
  readonly role?: string
  readonly location?: Place
  /**
   * Absolute paths where ePHI is stored on this node.
   */
  readonly ephiPaths?: readonly string[]
  /**
   * Login names that are authorized to have an account on this node.
   */
  readonly roster?: readonly string[]
  /**
   * Authorized accounts on this node, with kind and owner.
   *
   * @maxItems 5000
   */
  readonly accounts?: readonly DeclaredAccount[]
  /**
   * Ports that are expected to be open on this node.
   *
   * @maxItems 5000
   */
  readonly services?: readonly DeclaredService[]
  /**
   * Ports of this node on which ePHI is received or sent.
   *
   * @maxItems 5000
   */
  readonly ephiFlows?: readonly DeclaredFlow[]
}
/**
 * The declared population: the nodes in scope and how to reach them, as YAML or JSON. `vantage` is the place of the collecting computer; without it no round-trip times are evaluated. Paths are relative to the fleet file; `~/` is the home folder.
 */
export interface Fleet {
  /**
   * Name of the fleet. Reports print it, and each fleet has one run chain.
   */
  readonly name: string
  /**
   * The nodes of the fleet. Names are unique.
   *
   * @minItems 1
   * @maxItems 20000
   */
  readonly nodes: [FleetNode, ...FleetNode[]]
  /**
   * Frameworks to report on: `hipaa`, `soc2`, `nprm` (proposed HIPAA rule), `nist-800-53`, `csf-2`, `iso-27001`, `pci-dss-4`, and ids of your own mappings.
   *
   * @maxItems 50
   */
  readonly frameworks?: readonly FrameworkName[]
  /**
   * Absolute paths where ePHI is stored, on every node. Joined with those of a node.
   */
  readonly ephiPaths?: readonly string[]
  /**
   * Login names of people and services that are authorized to have an account on every node. Joined with those of a node.
   */
  readonly roster?: readonly string[]
  readonly vantage?: Place
  /**
   * Path of a known_hosts file for all nodes without their own entry. Without it, the known_hosts files of the user and the system are read.
   */
  readonly knownHosts?: string
  /**
   * Threshold profile: which thresholds checks compare with. Default `baseline`.
   */
  readonly profile?: 'baseline' | 'cis' | 'stig'
  /**
   * URL of the RFC 3161 time-stamp authority for sealing packs.
   */
  readonly timestampAuthority?: string
  /**
   * Number of nodes that are collected at the same time. Default 64.
   */
  readonly concurrency?: number
  /**
   * Thresholds that differ from those of the profile. Each needs a reason, and every report prints them.
   *
   * @maxItems 100
   */
  readonly thresholds?: readonly ThresholdChange[]
  /**
   * Authorized accounts on every node, with kind and owner. Joined with those of a node.
   *
   * @maxItems 5000
   */
  readonly accounts?: readonly DeclaredAccount[]
  /**
   * Ports that are expected to be open on every node, in addition to those declared for a node.
   *
   * @maxItems 5000
   */
  readonly services?: readonly DeclaredService[]
  /**
   * Ports on which ePHI is received or sent, on every node. Joined with those of a node.
   *
   * @maxItems 5000
   */
  readonly ephiFlows?: readonly DeclaredFlow[]
  /**
   * Path of the engagement file.
   */
  readonly engagement?: string
  /**
   * Id of a provider profile that ships, or the path of your own.
   */
  readonly provider?: string
  /**
   * Paths of mapping files (YAML or JSON) for frameworks of your own.
   *
   * @maxItems 20
   */
  readonly mappings?: readonly string[]
  /**
   * Paths of signed measurements from other vantage points, made with the `vantage` command.
   *
   * @maxItems 64
   */
  readonly vantages?: readonly string[]
  readonly sites?: SitesInFile
  /**
   * Address databases (MMDB or CSV), which state where addresses are registered or used.
   *
   * @maxItems 16
   */
  readonly addressDatabases?: readonly AddressDatabaseInFile[]
  /**
   * Residency rules: areas in which nodes must be.
   *
   * @maxItems 100
   */
  readonly residency?: readonly ResidencyPolicy[]
  /**
   * Seconds over which the round trips to a node are spread. Default 60. Used only where `vantage` is declared.
   */
  readonly locationSpreadSeconds?: number
  /**
   * Request the region from the provider’s metadata service, from the node. This is a request that leaves the node. The identity document that the provider signed is then read as well, from the service and from what cloud-init stored. Default false: some systems, such as Vault, accept that document as a login, and the pack contains it.
   */
  readonly askMetadata?: boolean
}
/**
 * A threshold for which the fleet declares another value than its profile, with the reason. Every report shows it.
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
 * The provider’s record of where machines stand: a CSV file, or a Redfish Chassis resource in JSON.
 */
export interface SitesInFile {
  /**
   * Path of the record.
   */
  readonly file: string
  /**
   * Who supplied the record, and from where.
   */
  readonly source: string
  /**
   * Day on which it was supplied.
   */
  readonly on: string
  /**
   * Person who declared it.
   */
  readonly declaredBy: string
  /**
   * Path of a detached CMS signature (PEM or DER) over the file, as `openssl cms -sign -binary` makes it.
   */
  readonly signature?: string
  /**
   * SHA-256 fingerprint of the provider’s certificate, obtained from the provider. Without it, a signature shows only that the file was not changed after signing.
   */
  readonly signer?: string
}
export interface AddressDatabaseInFile {
  /**
   * Path of the database.
   */
  readonly file: string
  /**
   * Origin of its data. Two databases count as separate sources only where this differs.
   */
  readonly provenance?: string
  /**
   * Day on which it was built, where the file does not state it.
   */
  readonly builtOn?: string
}
/**
 * Area in which nodes must be: one of region, country, polygon.
 */
export interface ResidencyPolicy {
  readonly name?: string
  /**
   * The nodes that it is for; without it, all.
   *
   * @maxItems 20000
   */
  readonly nodes?: readonly string[]
  /**
   * A country code, or a group of countries: EU, EEA.
   */
  readonly region?: string
  /**
   * @minItems 1
   * @maxItems 250
   */
  readonly country?: [string, ...string[]]
  /**
   * Corners as [latitude, longitude], joined by straight lines of a plate carrée; it crosses neither a pole nor the date line.
   *
   * @minItems 3
   * @maxItems 1000
   */
  readonly polygon?: [never[], never[], never[], ...never[][]]
}
/**
 * Parts of each node that an earlier collection found: the file <fleet file>.hardware.json.
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
   * The recording that the node assessment is based on; null where the declared node has none.
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
   * Whether the evidence is older than 30 days at asOf or dated after asOf; it then supports nothing.
   */
  readonly stale: boolean
  readonly privilege: 'root' | 'sudo' | 'none' | null
  readonly synthetic: string | null
  readonly isolation: null | Isolation
  readonly results: readonly CheckResult[]
  /**
   * True where the fleet file declared an ePHI path on the node when it was collected; otherwise absent.
   */
  readonly declaresEphi?: true
  readonly machine?: Machine
  readonly claims?: readonly ClaimResult[]
  readonly location?: null | Location
}
/**
 * Four separate results, which are never combined into one number.
 */
export interface Isolation {
  readonly environment: 'bare-metal' | 'virtual-machine' | 'container' | 'logical-partition' | 'hypervisor-host' | 'undetermined'
  /**
   * Name of the platform where evidence states it, such as KVM or VMware.
   */
  readonly platform: string | null
  readonly tenancy: 'single-observed' | 'shared' | 'undetermined'
  readonly attachments: readonly DeviceAttachment[]
  readonly grade: 'B' | 'C' | 'D'
  /**
   * Whether the node is virtual and conceals it: anomalies show it, and no hypervisor identifies itself.
   */
  readonly concealed: boolean
  readonly rule: DecidingRule
  readonly likelihood: Likelihood
  readonly signals: readonly SignalReading[]
  readonly anomalies: readonly Anomaly[]
  readonly minimum: readonly MinimumItem[]
  readonly adversaries: readonly AdversaryLevel[]
  readonly limitations: readonly string[]
  readonly openPoints: readonly OpenPoint[]
  readonly pins: readonly HardwarePin[]
  readonly observations: readonly Observation[]
}
export interface DeviceAttachment {
  readonly kind: 'gpu' | 'nic' | 'hca' | 'disk'
  readonly device: string
  readonly attachment: 'physical' | 'virtual-function' | 'passthrough' | 'virtual' | 'remote' | 'undetermined'
  readonly text: string
}
/**
 * The first rule that applied, with its reason.
 */
export interface DecidingRule {
  readonly id: 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8'
  readonly text: string
}
/**
 * Natural-log weight of evidence, above zero toward a virtual machine. asObserved: every signal as counted. withoutCheapSignals: signals that a provider can set at will do not count in favour of hardware.
 */
export interface Likelihood {
  readonly asObserved: number
  readonly withoutCheapSignals: number
  readonly families: readonly FamilyLikelihood[]
}
export interface FamilyLikelihood {
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
  readonly asObserved: number
  readonly withoutCheapSignals: number
}
export interface SignalReading {
  readonly id: string
  /**
   * unreadable never counts as absent.
   */
  readonly indicates: 'virtual' | 'bare-metal' | 'neutral' | 'unreadable' | 'not-applicable'
  /**
   * The reading in a few words, or the reason why there is none.
   */
  readonly value: string
  /**
   * Natural-log weight toward virtual, from the counts in the catalog; null where machines were not counted.
   */
  readonly weight: number | null
  /**
   * The probes that it is based on; for unreadable, the probe without a usable result.
   */
  readonly probes: readonly string[]
}
/**
 * impossible: cannot occur on the hardware that the machine reports. unexplained: needs an explanation.
 */
export interface Anomaly {
  readonly class: 'impossible' | 'unexplained'
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
 * One part of the minimum evidence for hardware. A part that was not read counts as not met.
 */
export interface MinimumItem {
  readonly item: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'
  readonly title: string
  readonly holds: 'yes' | 'no' | 'not-applicable'
  readonly text: string
}
/**
 * The indicators that a provider of this capability would have to falsify, those that would remain, and those of the latter that were read on this node (signal ids).
 */
export interface AdversaryLevel {
  readonly level: 'PI' | 'P0' | 'P1' | 'P2' | 'P3' | 'P4'
  readonly adversary: string
  readonly wouldNeedToFalsify: readonly string[]
  readonly residualIndicators: readonly string[]
  readonly readOnThisNode: readonly string[]
}
/**
 * An open point and the exact command or right that would resolve it.
 */
export interface OpenPoint {
  readonly point: string
  readonly resolution: string
  readonly signals: readonly string[]
}
/**
 * One step of the argument, with the captures that support it.
 */
export interface Observation {
  readonly direction: 'supports' | 'contradicts' | 'unclear'
  readonly text: string
  readonly probe: string | null
  readonly captures: readonly CaptureRef[]
}
export interface CheckResult {
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
  readonly verdict: 'satisfied' | 'not-satisfied' | 'inconclusive' | 'not-applicable' | 'not-tested' | 'informational'
  readonly observations: readonly Observation[]
}
/**
 * What matches a node with a row of an inventory: the addresses at which it was reached, and the serial numbers that it reports.
 */
export interface Machine {
  readonly address: string
  readonly serials: readonly string[]
  readonly identity?: MachineIdentity
}
/**
 * What nodes of one population are compared by, to find names of the same machine and machines with the same host key.
 */
export interface MachineIdentity {
  /**
   * Boot id of the kernel (random(4)); null where it was not read.
   */
  readonly boot: string | null
  /**
   * Serial numbers and UUID from the firmware, without placeholders.
   */
  readonly marks: readonly MachineMark[]
  /**
   * SHA256:… of the host key that the login used.
   */
  readonly hostKey: string | null
  /**
   * A period in which this boot was certainly running, by the clock of the collecting computer; null where the uptime was not read.
   */
  readonly ran: null | {
    readonly from: Instant
    readonly to: Instant
  }
  /**
   * Whether the evidence shows that the node is a container.
   */
  readonly container: boolean
}
export interface MachineMark {
  readonly part: 'boot' | 'system-serial' | 'board-serial' | 'system-uuid'
  readonly value: string
}
/**
 * The result of one claim of the provider on one node.
 */
export interface ClaimResult {
  readonly claim: string
  readonly result: 'corroborated' | 'contradicted' | 'inconclusive' | 'not-observable' | 'document-required' | 'not-applicable'
  readonly observations: readonly Observation[]
}
/**
 * The declared place of a node, and its evidence. Never one number, and never a pin.
 */
export interface Location {
  readonly claim: null | Place
  readonly results: readonly LocationResult[]
  readonly distanceBounds: readonly DistanceBound[]
  /**
   * Countries with land where the answering party can be; null where no time bounds it, or where the times exclude each other.
   */
  readonly reachable: null | string[]
  readonly frontEnd: null | FrontEnd
  readonly signals: readonly LocationSignal[]
  readonly notes: readonly string[]
}
/**
 * Whether a node is where it is declared, or has, to be.
 */
export interface LocationResult {
  readonly of: 'declared-place' | 'residency'
  readonly title: string
  readonly result: 'contradicted' | 'conflicting' | 'bounded' | 'corroborated' | 'uncorroborated' | 'undetermined'
  /**
   * Result of the round trips alone.
   */
  readonly delay: 'inside' | 'outside' | 'undecided' | 'unusable'
  readonly text: string
  readonly signals: readonly LocationIndication[]
  readonly needed: null | NeededTime
}
export interface LocationIndication {
  readonly id: string
  readonly indicates: 'inside' | 'outside' | 'silent'
}
/**
 * The longest round trip that would still place the node inside the area, and its vantage point; null where none would.
 */
export interface NeededTime {
  readonly vantage: string
  readonly milliseconds: number
}
/**
 * How far the answering party can be from one vantage.
 */
export interface DistanceBound {
  readonly vantage: Place
  /**
   * The signed record it is from; null: measured while collecting.
   */
  readonly record: string | null
  readonly signer: null | Sha256
  readonly at: null | Instant
  /**
   * The second smallest round trip; null where the times are not usable.
   */
  readonly milliseconds: number | null
  readonly samples: number
  /**
   * On the surface: by the speed of light in vacuum, straight through the earth, with the error of the vantage; null where the times are not usable.
   */
  readonly maxDistanceKm: number | null
  /**
   * By the usual speed in fibre (two thirds of that). Drawn only; it decides nothing.
   */
  readonly estimateKm: number | null
  readonly tcpMs: number | null
  readonly keepaliveMs: number | null
  readonly text: string
}
/**
 * The echo compared with the TCP connection: a large gap means that something nearer opens the connection.
 */
export interface FrontEnd {
  readonly echoMs: number
  readonly tcpMs: number
  readonly gapMs: number
  readonly allowedMs: number
  readonly exceeds: boolean
}
/**
 * One statement of where a node is, by its source.
 */
export interface LocationSignal {
  readonly id: string
  readonly class: 'E2' | 'E3' | 'E4' | 'E5' | 'E6'
  /**
   * Anyone can choose it: shown, and counted nowhere.
   */
  readonly hint: boolean
  readonly country: null | string
  readonly place: null | Place
  readonly text: string
  readonly probe: string | null
  readonly captures: readonly CaptureRef[]
}
/**
 * The conclusion on one control: the server part and the document part side by side, and a state for counting.
 */
export interface ControlAssessment {
  readonly framework: FrameworkName
  /**
   * The control's key, unique within its framework.
   */
  readonly control: string
  readonly state: RowState
  readonly server: ServerPart
  readonly documents: DocumentPart
  readonly checks: readonly ControlCheck[]
  /**
   * Id of the approved decision that the control does not apply, while it is in force and nothing deviates.
   */
  readonly rationale: string | null
}
export interface ServerPart {
  state:
    | 'deviations'
    | 'unable-to-conclude'
    | 'scope-limitation'
    | 'not-tested'
    | 'no-deviations'
    | 'not-applicable'
    | 'no-server-test'
  /**
   * Nodes in scope; 0 where no deciding check is about servers.
   */
  readonly population: number
  /**
   * Nodes in scope that were reached.
   */
  readonly tested: number
  /**
   * Nodes with a deviation that no document answers.
   */
  readonly deviating: number
  /**
   * Deviating nodes whose deviations all have a risk acceptance in effect.
   */
  readonly accepted: number
  /**
   * Deviating nodes whose evidence is stale: last observed not satisfied, not retested since.
   */
  readonly notRetested: number
}
export interface DocumentPart {
  readonly state: 'deviations' | 'outstanding' | 'inspected' | 'none-needed'
  /**
   * Required documents, each once.
   */
  readonly needed: number
  /**
   * Documents at or above their required level, in force and supporting.
   */
  readonly held: number
  readonly outstanding: readonly OutstandingDocument[]
  /**
   * Requests, or needs, whose document was inspected and does not support.
   */
  readonly deviations: readonly string[]
}
export interface OutstandingDocument {
  /**
   * Id of the evidence request; null for a need of the customer's own mapping.
   */
  readonly request: string | null
  readonly title: string
  /**
   * The evidence level reached so far; null where no document in force is attached.
   */
  readonly level: null | EvidenceLevel
}
export interface ControlCheck {
  readonly check: string
  readonly role: 'required' | 'counter' | 'supporting' | 'context'
  /**
   * Whether it decides the server part, according to its role and its source in this engagement.
   */
  readonly decides: boolean
  readonly source: 'server' | 'pack' | 'runs' | 'population' | 'document'
  /**
   * False where the catalog has no such check on servers; it then counts as not tested on servers.
   */
  readonly built: boolean
  /**
   * Nodes in scope; 1 for checks that are answered once; 0 where a document answers.
   */
  readonly population: number
  /**
   * Nodes with a result other than not tested: the denominator of deviations.
   */
  readonly tested: number
  readonly satisfied: number
  readonly notSatisfied: number
  readonly inconclusive: number
  readonly notTested: number
  readonly notApplicable: number
  readonly informational: number
  /**
   * Deviations with a risk acceptance in effect.
   */
  readonly accepted: number
  /**
   * Results that an inspected document answers. They stay as observed.
   */
  readonly answeredByDocument: number
  /**
   * Deviations on stale evidence.
   */
  readonly notRetested: number
}
/**
 * The declared population and frameworks. A declared node without a recording counts as not collected.
 */
export interface Scope {
  readonly fleet: string
  readonly population: readonly string[]
  readonly frameworks: readonly FrameworkName[]
  readonly profile?: ChosenProfile
  /**
   * The nodes of the fleet file, where an engagement declares a separate list; the population is the union of both.
   */
  readonly inFleet?: readonly string[]
  readonly engagement?: Engagement
  readonly provider?: ProviderProfile
  readonly mappings?: readonly Mapping[]
  readonly location?: DeclaredLocation
  /**
   * Paper size of the report, where a person chose it. Otherwise US Letter where HIPAA is examined, and A4 elsewhere.
   */
  readonly paper?: 'letter' | 'a4'
}
/**
 * The thresholds that checks compare with: a profile of the catalog, and changes to it by the fleet. The default profile is baseline.
 */
export interface ChosenProfile {
  readonly name: 'baseline' | 'cis' | 'stig'
  /**
   * @maxItems 100
   */
  readonly changes: readonly ThresholdChange[]
}
/**
 * Declarations before an audit: entity, purpose, boundary and population. Each part has an owner and a date. They change no verdict; declared nodes are added to the population.
 */
export interface Engagement {
  /**
   * SOC 2 categories besides Security, which is always examined (AICPA TSP section 100). Absent: no further categories.
   *
   * @maxItems 4
   */
  readonly categories?: readonly ('availability' | 'confidentiality' | 'processing-integrity' | 'privacy')[]
  /**
   * First day of the auditor’s fieldwork. It changes no verdict and no conclusion.
   */
  readonly fieldwork?: null | Day
  readonly schema: 'barewitness.engagement/1'
  readonly entity: string
  readonly audience: string
  readonly purpose: string
  readonly reportingBasis: ReportingBasis
  readonly status: 'draft' | 'final'
  readonly distribution: null | string
  readonly boundary: Boundary
  /**
   * @maxItems 100
   */
  readonly responsibilities: readonly Responsibility[]
  /**
   * @maxItems 50
   */
  readonly subserviceOrganizations: readonly SubserviceOrganization[]
  /**
   * @maxItems 300
   */
  readonly complementaryUserEntityControls: readonly ComplementaryUserEntityControl[]
  readonly ephi: EphiMap
  readonly population: DeclaredPopulation
  readonly inventory: null | Inventory
  /**
   * @maxItems 20
   */
  readonly signOff: readonly SignOff[]
  readonly owner: string
  readonly on: Day
}
export interface ReportingDate {
  readonly kind: 'date'
  readonly date: Day
}
export interface ReportingPeriod {
  readonly kind: 'period'
  readonly from: Day
  readonly to: Day
}
/**
 * Description of the system, and what is excluded from it.
 */
export interface Boundary {
  readonly system: string
  /**
   * @maxItems 100
   */
  readonly services: readonly string[]
  /**
   * @maxItems 100
   */
  readonly sites: readonly string[]
  /**
   * @maxItems 100
   */
  readonly outside: readonly OutsideBoundary[]
  readonly owner: string
  readonly on: Day
}
export interface OutsideBoundary {
  readonly what: string
  readonly why: string
}
/**
 * Responsibilities in one area. A dash means that no one is responsible.
 */
export interface Responsibility {
  readonly area: string
  readonly provider: string
  readonly customer: string
  readonly owner: string
  readonly on: Day
}
/**
 * A subservice organization: its controls are needed besides those of the entity (AT-C 205; SOC 2).
 */
export interface SubserviceOrganization {
  readonly name: string
  readonly services: string
  readonly method: 'carve-out' | 'inclusive'
  readonly report: null | SubserviceReport
  /**
   * @maxItems 200
   */
  readonly controls: readonly SubserviceControl[]
  readonly owner: string
  readonly on: Day
}
/**
 * The available report, its period, and whether a bridge letter covers the time since then.
 */
export interface SubserviceReport {
  readonly title: string
  readonly from: Day
  readonly to: Day
  readonly bridgedUntil: null | Day
}
/**
 * A control that the subservice organization operates, and the controls that it is relevant to.
 */
export interface SubserviceControl {
  readonly text: string
  /**
   * @maxItems 100
   */
  readonly controls: readonly ControlRef[]
}
/**
 * One row of a framework.
 */
export interface ControlRef {
  readonly framework: FrameworkName
  readonly control: string
}
/**
 * A control that the provider’s report assigns to its customers, and the node evidence that is relevant to it.
 */
export interface ComplementaryUserEntityControl {
  readonly id: string
  readonly of: string
  readonly text: string
  /**
   * @maxItems 100
   */
  readonly controls: readonly ControlRef[]
  /**
   * @maxItems 100
   */
  readonly checks: readonly string[]
  readonly owner: string
  readonly on: Day
}
/**
 * Declared places where ePHI is stored and routes over which it is transmitted.
 */
export interface EphiMap {
  /**
   * @maxItems 1000
   */
  readonly stores: readonly EphiStore[]
  /**
   * @maxItems 1000
   */
  readonly flows: readonly EphiFlow[]
  readonly owner: string
  readonly on: Day
}
export interface EphiStore {
  readonly name: string
  readonly path: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly what: string
}
export interface EphiFlow {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly protection: string
}
/**
 * The nodes that the audit is meant to cover, and the source of the list.
 */
export interface DeclaredPopulation {
  readonly source: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly owner: string
  readonly on: Day
}
/**
 * The provider’s own list: an export of its portal, an invoice or an order, row by row.
 */
export interface Inventory {
  readonly source: string
  readonly kind: 'portal-export' | 'invoice' | 'order'
  readonly file: InventoryFile
  /**
   * @maxItems 20000
   */
  readonly rows: readonly InventoryRow[]
  /**
   * @maxItems 20000
   */
  readonly excluded: readonly Excluded[]
  readonly owner: string
  readonly on: Day
}
export interface InventoryFile {
  readonly name: string
  readonly size: number
  readonly sha256: Sha256
}
export interface InventoryRow {
  readonly id: string
  readonly name: null | string
  readonly address: null | string
  readonly serial: null | string
}
/**
 * A row of the inventory that is not a node of this population, and the reason.
 */
export interface Excluded {
  readonly id: string
  readonly why: string
}
/**
 * Preparer, reviewer and approver. It contains no signature of the auditor.
 */
export interface SignOff {
  readonly role: 'collector' | 'reviewer' | 'approver' | 'qualified-person'
  readonly name: string
  readonly title: string
  readonly on: null | Day
}
/**
 * Claims of a provider, from a contract or a page, each with its source and the probes that are relevant to it.
 */
export interface ProviderProfile {
  readonly schema: 'barewitness.provider/1'
  readonly id: string
  readonly name: string
  readonly asOf: Day
  /**
   * @maxItems 20
   */
  readonly notes: readonly string[]
  /**
   * @maxItems 50
   */
  readonly sources: readonly ClaimSource[]
  /**
   * Statements of this provider that do not agree with each other. They are notes on the profile, not results of nodes.
   *
   * @maxItems 20
   */
  readonly conflicts?: readonly StatementConflict[]
  /**
   * @maxItems 200
   */
  readonly claims: readonly ProviderClaim[]
}
/**
 * Source of the claim, and the day on which it was read.
 */
export interface ClaimSource {
  readonly id: string
  readonly kind: 'page' | 'contract' | 'order'
  /**
   * Title of the page or document. Absent where it was not recorded; never reconstructed.
   */
  readonly title?: string
  readonly where: string
  readonly on: Day
  /**
   * Publisher; absent where it is not recorded.
   */
  readonly publisher?: string
  /**
   * Web address of the page. Absent where it was not recorded; never reconstructed.
   */
  readonly address?: string
  /**
   * SHA-256 of a saved copy of the page or document; absent where no copy was saved.
   */
  readonly sha256?: string
}
export interface StatementConflict {
  readonly text: string
  readonly source: string
  readonly against: string
  readonly againstSource: string
  readonly why: string
  readonly documentRequired: string
}
/**
 * One claim, as worded by this project or the customer.
 */
export interface ProviderClaim {
  readonly id: string
  readonly text: string
  readonly source: string
  /**
   * @maxItems 20
   */
  readonly tests: readonly ClaimTestReference[]
  readonly otherwise: null | ('not-observable' | 'document-required')
  readonly why: null | string
  readonly documentRequired: null | string
  /**
   * Quotation of the provider, at most one line; absent where none is recorded.
   */
  readonly quote?: string
  readonly condition?: ClaimCondition
  /**
   * Result where node evidence does not decide the claim and a document would. Absent: not decided.
   */
  readonly whenUndecided?: 'document-required'
  /**
   * The nodes concerned; absent: all nodes.
   *
   * @maxItems 20000
   */
  readonly nodes?: readonly string[]
}
export interface ClaimCheck {
  readonly check: string
  /**
   * A deviation of this check leaves the claim undecided: the customer’s own declarations or settings can cause it.
   */
  readonly supportsOnly?: true
}
export interface ClaimReading {
  readonly test: string
  readonly value: string | number | null
}
/**
 * Conditions of the claim. It applies to a node where every test agrees, and does not apply where a test observes that a condition is absent.
 */
export interface ClaimCondition {
  readonly text: string
  /**
   * @maxItems 5
   */
  readonly tests: readonly ClaimReading[]
}
/**
 * A framework of the customer, read from an OSCAL catalog or a YAML mapping: every control with its mapped checks.
 */
export interface Mapping {
  readonly id: FrameworkName
  readonly title: string
  readonly version: string
  readonly status: 'in-use'
  readonly proposed: false
  /**
   * @maxItems 20
   */
  readonly source: readonly string[]
  /**
   * @maxItems 40
   */
  readonly notes: readonly string[]
  /**
   * @maxItems 5000
   */
  readonly controls: readonly MappedControl[]
}
/**
 * One control of a framework, as the author of the mapping states it.
 */
export interface MappedControl {
  readonly key: string
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly kind: string
  readonly level: string
  readonly group: string
  readonly parent: null | string
  readonly evidenceType: 'technical' | 'mixed' | 'documentary' | 'out-of-scope'
  readonly nodeEvidence: 'primary' | 'supporting' | 'context' | 'none'
  /**
   * @maxItems 400
   */
  readonly mappings: readonly MappedSupport[]
  readonly notCovered: string
  /**
   * @maxItems 60
   */
  readonly documentsRequired: readonly string[]
  /**
   * @maxItems 10
   */
  readonly responsibility: readonly string[]
  readonly refs: {
    /**
     * @maxItems 400
     */
    [k: string]: readonly string[]
  }
}
export interface MappedSupport {
  readonly check: string
  readonly shows: string
  readonly role?: ControlRole
}
/**
 * Evidence from outside the nodes about where they are.
 */
export interface DeclaredLocation {
  /**
   * @maxItems 64
   */
  readonly vantages?: readonly VantageRecord[]
  readonly sites?: SiteList
  /**
   * @maxItems 16
   */
  readonly databases?: readonly AddressDatabase[]
  /**
   * @maxItems 100
   */
  readonly residency?: readonly ResidencyPolicy[]
}
/**
 * Round trips to nodes, measured and signed by one vantage point. assess intersects the records of several.
 */
export interface VantageRecord {
  readonly schema: 'barewitness.vantage/1'
  readonly id: string
  /**
   * Version of the program.
   */
  readonly recorder: string
  readonly vantage: Place
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly demo: boolean
  /**
   * @maxItems 20000
   */
  readonly measurements: readonly VantageMeasurement[]
  readonly signature: VantageSignature
}
/**
 * One node as it was timed from this vantage.
 */
export interface VantageMeasurement {
  readonly node: string
  readonly address: string
  readonly port: number
  /**
   * Fingerprint of the verified host key; null where no connection came to be.
   */
  readonly hostKey: string | null
  readonly at: Instant
  readonly echo: null | EchoTiming
  readonly path: null | PathTiming
  readonly failure: null | {
    readonly code: string
    readonly detail: string
  }
}
/**
 * How long 16 random bytes take through the authenticated session and back.
 */
export interface EchoTiming {
  /**
   * @maxItems 16
   */
  readonly bursts: readonly EchoBurst[]
  /**
   * Round trips before each burst that are not used.
   */
  readonly warmup: number
  /**
   * Answers that were not the nonce that was sent.
   */
  readonly mismatches: number
}
/**
 * Round trips of random nonces, one after the other, by the measuring side’s own monotonic clock.
 */
export interface EchoBurst {
  readonly at: Instant
  /**
   * Milliseconds, in the order they were measured; those of the warm-up are left out.
   *
   * @maxItems 1000
   */
  readonly samples: readonly number[]
  /**
   * SHA-256 over the nonces of these samples as they were sent: 32 hexadecimal digits and a line end each.
   */
  readonly nonces: string
  /**
   * By how much the wall clock and the monotonic one came apart during the burst, in milliseconds.
   */
  readonly wallDriftMs: number
}
/**
 * Measured next to the echo, and bounds nothing: it can be answered by something in between, or early.
 */
export interface PathTiming {
  /**
   * Milliseconds until the TCP connection was open; null through a jump host, or where the adapter cannot measure it.
   */
  readonly tcpMs: number | null
  /**
   * Answers to keepalive@openssh.com, in milliseconds.
   *
   * @maxItems 100
   */
  readonly keepaliveMs: readonly number[]
  readonly jumps: number
  /**
   * The address that the TCP connection reached: that of the first jump host, where there is one.
   */
  readonly remoteAddress: string | null
}
/**
 * A detached CMS signature over the canonical JSON of the record without `signature.cms`: its moment and its certificates are signed too.
 */
export interface VantageSignature {
  readonly fingerprint: Sha256
  readonly at: Instant
  readonly cms: string
  /**
   * @maxItems 8
   */
  readonly chain: readonly string[]
}
/**
 * The provider’s record of where machines stand, as it was read.
 */
export interface SiteList {
  /**
   * Who wrote it.
   */
  readonly source: string
  readonly kind: 'csv' | 'redfish'
  /**
   * Its date, as declared.
   */
  readonly on: string
  readonly declaredBy: string
  readonly file: SiteFile
  /**
   * @maxItems 20000
   */
  readonly rows: readonly SiteRow[]
  readonly signature?: SiteSignature
  /**
   * Fingerprint of the provider’s certificate, as the customer was told it. Only this identifies the signer.
   */
  readonly signer?: string
}
export interface SiteFile {
  readonly name: string
  readonly size: number
  readonly sha256: Sha256
}
/**
 * Place of one machine, by its serial number.
 */
export interface SiteRow {
  readonly line: number
  readonly serial: string
  readonly site: string
  readonly country?: string
  readonly latitude?: number
  readonly longitude?: number
  readonly radiusKm?: number
  readonly address?: string
  readonly room?: string
  readonly rack?: string
  readonly unit?: string
}
/**
 * A detached CMS signature over the file’s bytes.
 */
export interface SiteSignature {
  readonly subject: string
  readonly fingerprint: Sha256
  readonly cms: string
}
/**
 * A database of addresses that the user supplied, with its entries for the addresses concerned. The database itself is not stored.
 */
export interface AddressDatabase {
  readonly file: AddressDatabaseFile
  readonly format: 'mmdb' | 'csv'
  /**
   * Its own name for itself.
   */
  readonly type: string
  /**
   * Whose data it is. Two databases of one provenance count as one.
   */
  readonly provenance: string
  readonly builtOn: string | null
  /**
   * The address families that it holds.
   */
  readonly families: readonly (4 | 6)[]
  /**
   * @maxItems 200000
   */
  readonly answers: readonly AddressAnswer[]
}
export interface AddressDatabaseFile {
  readonly name: string
  readonly size: number
  readonly sha256: Sha256
}
/**
 * Entry of one database for one address.
 */
export interface AddressAnswer {
  readonly address: string
  readonly network: string | null
  readonly country: null | string
  readonly subdivision: string | null
  readonly city: string | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly radiusKm: number | null
  readonly asn: number | null
  readonly organisation: string | null
  /**
   * How much of the answer is usable: a middle of a country, an empty city and a network wider than /20 are worth a country only; `network` names an operator and no place.
   */
  readonly level: 'none' | 'network' | 'country' | 'city'
}
export interface CatalogReference {
  readonly version: string
  /**
   * Digest of data/catalog.json: probes, checks and frameworks, including the customer’s own.
   */
  readonly digest: string
  /**
   * Digest of the module with the rules of this version.
   */
  readonly module: string
}
/**
 * data/assessment.json in a pack: an assessment whose nodes are in separate files, so that a reader can process one node at a time.
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
     * Digest of the assessment.json of the node.
     */
    readonly sha256: string
  }[]
  readonly controls: readonly ControlAssessment[]
  readonly reconciliation?: Reconciliation
  readonly shared?: SharedIdentities
}
/**
 * The declared list, the nodes of the fleet file and the provider inventory, reconciled with each other.
 */
export interface Reconciliation {
  readonly declared: number
  readonly inFleet: number
  readonly collected: number
  readonly inventory: number | null
  readonly nodes: readonly ReconciledNode[]
  readonly inventoryOnly: readonly InventoryOnly[]
  /**
   * Contradictions between the lists, one sentence each.
   */
  readonly conflicts: readonly string[]
  /**
   * Number of unreconciled rows of the inventory. Where it is above 0, no control is supported.
   */
  readonly unreconciled: number
}
export interface ReconciledNode {
  readonly node: string
  readonly declared: boolean
  readonly inFleet: boolean
  readonly collected: boolean
  readonly inventory: null | InventoryMatch
}
export interface InventoryMatch {
  readonly id: string
  readonly by: 'serial' | 'address' | 'name'
}
/**
 * A row of the inventory that matches no node of the population.
 */
export interface InventoryOnly {
  readonly row: InventoryRow
  /**
   * The declared reason why the row is not a node of this population; null where none is declared.
   */
  readonly excluded: string | null
}
/**
 * Common properties of nodes: names of the same machine, and host keys that more than one machine presents.
 */
export interface SharedIdentities {
  /**
   * Nodes whose host key is known and was compared.
   */
  readonly compared: number
  readonly machines: readonly SharedMachine[]
  readonly hostKeys: readonly SharedHostKey[]
}
/**
 * Several names of the same machine, which counts once.
 */
export interface SharedMachine {
  readonly nodes: readonly string[]
  /**
   * Properties that at least two of the names have in common.
   */
  readonly by: readonly MachineMark[]
  /**
   * Whether one of the names is a container of that machine.
   */
  readonly container: boolean
}
/**
 * A host key of several names that are not all the same machine.
 */
export interface SharedHostKey {
  readonly fingerprint: string
  readonly nodes: readonly KeyHolder[]
}
export interface KeyHolder {
  readonly node: string
  /**
   * Names with different numbers are different machines; names with the same number are the same machine. Null: cannot be distinguished from all others.
   */
  readonly machine: number | null
}
/**
 * All results derived from recordings at one evaluation date. The same recordings, scope and asOf give the same bytes.
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
  readonly reconciliation?: Reconciliation
  readonly shared?: SharedIdentities
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
    readonly module: Sha256
  }
  readonly nodes: {
    readonly name: string
    /**
     * Digest of the recording; null where there is none.
     */
    readonly recording: string | null
    readonly hostKey: string | null
  }[]
  readonly report: {
    readonly evidenceDigest: Sha256
  }
  readonly planned?: Planned
}
/**
 * The schedule and the due time of a scheduled run.
 */
export interface Planned {
  readonly schedule: string
  readonly due: Instant
}
/**
 * A deviation whose risk a named person accepts for a time: at most 366 days, in UTC. The verdict is unchanged.
 */
export interface RiskAcceptance {
  readonly id: string
  readonly check: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly run: null | string
  readonly reason: string
  readonly compensatingControl: string
  readonly owner: string
  readonly requestedBy: string
  readonly approvedBy: string
  readonly approverRole?: string
  readonly acceptedAt: Instant
  readonly expiresAt: Instant
  readonly withdrawn: null | Withdrawal
  /**
   * @maxItems 4
   */
  readonly signatures?: readonly EntrySignature[]
}
/**
 * Withdrawal of an entry, which stays listed.
 */
export interface Withdrawal {
  readonly at: Instant
  readonly by: string
  readonly reason: string
}
/**
 * A detached CMS signature over the canonical JSON of the entry without `signatures`, `withdrawn` and `resolved`, with `role` and `at` as `signedAs`. On a risk acceptance, the requester signed its request: the same terms, requested at `at`. Two people sign with different keys. A management response, and an entry about a request of an auditor, has one signature, of its respondent: the person who states it.
 */
export interface EntrySignature {
  readonly role: 'requester' | 'approver' | 'respondent'
  readonly fingerprint: Sha256
  readonly at: Instant
  /**
   * DER, base64.
   */
  readonly cms: string
  /**
   * @maxItems 8
   */
  readonly chain: readonly string[]
}
/**
 * A document: a file or a note that a person supplied. Its bytes are stored by their digest and never executed.
 */
export interface EvidenceDocument {
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
  readonly summary: string
  readonly providedBy: string
  /**
   * Member of registers for earlier rules. Without a level, a document counts as received.
   */
  readonly method?: 'examined' | 'asked' | 'received'
  readonly level?: EvidenceLevel
  readonly inspection?: Inspection
  readonly answers?: AnsweredResults
  readonly effective?: EffectivePeriod
  /**
   * The entry of the earlier version, which stays in the register.
   */
  readonly supersedes?: string
  readonly owner: string
  readonly attachedAt: Instant
  readonly validUntil: null | Instant
  readonly withdrawn: null | Withdrawal
}
/**
 * Inspection of a document: inspector, time, scope (population, sample) and conclusion.
 */
export interface Inspection {
  readonly by: string
  readonly at: Instant
  readonly lookedAt: string
  readonly conclusion: 'supports' | 'does-not-support'
}
/**
 * Results of checks that this document answers: alternative evidence. The results stay as observed.
 */
export interface AnsweredResults {
  /**
   * @maxItems 100
   */
  readonly checks: readonly string[]
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
}
/**
 * Declared days (UTC) on which the content of the document was in effect; null: no end.
 */
export interface EffectivePeriod {
  readonly from: string
  readonly to: null | string
}
/**
 * Owner and due date of a document that no server evidence can replace.
 */
export interface DocumentRequest {
  readonly framework: FrameworkName
  readonly control: string
  readonly need: string
  readonly owner: string
  readonly due: Instant
}
/**
 * Statement of management about a finding, which is one check that is not satisfied on some nodes: owner, due day and plan of its remediation. The latest one that is not withdrawn is current. It changes no verdict and no conclusion; a finding is remediated when a later run finds no deviation, never because a response states it.
 */
export interface ManagementResponse {
  readonly id: string
  readonly check: string
  readonly status: ResponseStatus
  /**
   * Person responsible for remediation; null while none is assigned.
   */
  readonly owner: null | string
  /**
   * The end of the day by which it is to be remedied (UTC).
   */
  readonly due: null | Instant
  /**
   * The plan; for a dispute, the reason why the finding is disputed.
   */
  readonly plan: null | string
  /**
   * The cause, as management states it.
   */
  readonly cause?: string
  readonly statedBy: string
  readonly statedAt: Instant
  readonly withdrawn: null | Withdrawal
  /**
   * @maxItems 4
   */
  readonly signatures?: readonly EntrySignature[]
}
/**
 * Statement of a person about one item of the request list of an auditor: its status, owner and due day. The reference of the auditor identifies the item; the latest entry that is not withdrawn is current. It changes no verdict, no conclusion and no document.
 */
export interface AuditorRequest {
  readonly id: string
  /**
   * As the auditor numbers it.
   */
  readonly reference: string
  readonly title: string
  /**
   * The corresponding evidence request; null where a person named none.
   */
  readonly request: null | string
  readonly status: AuditorStatus
  readonly owner: null | string
  /**
   * The end of the day on which it is due (UTC).
   */
  readonly due: null | Instant
  readonly comment: null | string
  readonly statedBy: string
  readonly statedAt: Instant
  readonly withdrawn: null | Withdrawal
  /**
   * @maxItems 4
   */
  readonly signatures?: readonly EntrySignature[]
}
/**
 * A requested risk acceptance. It accepts nothing. Approval adds a risk acceptance with the same ID, and the request stays listed as resolved.
 */
export interface AcceptanceRequest {
  readonly id: string
  readonly check: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly run: null | string
  readonly reason: string
  readonly compensatingControl: string
  readonly owner: string
  readonly requestedBy: string
  readonly requestedAt: Instant
  readonly expiresAt: Instant
  /**
   * @maxItems 4
   */
  readonly signatures?: readonly EntrySignature[]
  readonly resolved?: Resolution
}
/**
 * Resolution of a request: approved, which adds a risk acceptance with the same ID, rejected or withdrawn. The request stays listed.
 */
export interface Resolution {
  readonly at: Instant
  readonly by: string
  readonly as: 'approved' | 'rejected' | 'withdrawn'
  readonly reason: null | string
}
/**
 * Decision of a named person about one row of a framework, with the reason: on an addressable specification (45 CFR 164.306(d)(3)), or that a row does not apply. Valid for at most 366 days, in UTC. It changes no verdict.
 */
export interface ControlDecision {
  readonly id: string
  readonly framework: FrameworkName
  readonly control: string
  readonly decision: 'implemented' | 'equivalent-alternative' | 'not-implemented' | 'not-applicable'
  readonly reason: string
  readonly factors: null | string
  readonly alternativeMeasure: null | string
  readonly riskAnalysis: null | string
  readonly owner: string
  readonly requestedBy: string
  readonly approvedBy: string
  readonly approverRole: string
  readonly decidedAt: Instant
  readonly expiresAt: Instant
  /**
   * @maxItems 4
   */
  readonly signatures?: readonly EntrySignature[]
  readonly withdrawn: null | Withdrawal
}
/**
 * Explanation by a named person of one reading of the isolation analysis, with the digest of a document that confirms it. Valid for at most 366 days, in UTC. It is shown next to the result and changes no verdict.
 */
export interface Explanation {
  readonly id: string
  readonly signal: string
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly string[]
  readonly text: string
  readonly document: ExplainingDocument
  readonly explainedBy: string
  readonly role: string
  readonly explainedAt: Instant
  readonly expiresAt: Instant
  readonly withdrawn: null | Withdrawal
}
/**
 * A file by its name, size and digest. A pack contains its bytes only where the same file is also attached as a document.
 */
export interface ExplainingDocument {
  readonly name: string
  readonly size: number
  readonly sha256: Sha256
}
/**
 * Statements of people about the evidence of a fleet: risk acceptances, control decisions, documents and evidence requests. They never change a verdict; conclusions on controls consider them. No entry is ever deleted.
 */
export interface Register {
  readonly schema: 'barewitness.register/1'
  /**
   * @maxItems 20000
   */
  readonly riskAcceptances: readonly RiskAcceptance[]
  /**
   * @maxItems 5000
   */
  readonly documents: readonly EvidenceDocument[]
  /**
   * @maxItems 5000
   */
  readonly documentRequests: readonly DocumentRequest[]
  /**
   * @maxItems 5000
   */
  readonly decisions?: readonly ControlDecision[]
  /**
   * @maxItems 20000
   */
  readonly acceptanceRequests?: readonly AcceptanceRequest[]
  /**
   * @maxItems 5000
   */
  readonly responses?: readonly ManagementResponse[]
  /**
   * @maxItems 5000
   */
  readonly explanations?: readonly Explanation[]
  /**
   * @maxItems 20000
   */
  readonly auditorRequests?: readonly AuditorRequest[]
}
/**
 * An engagement as people write it. Members that may be empty may be omitted; they are filled in before validation against the whole schema.
 */
export interface EngagementInFile {
  [k: string]: unknown
}
/**
 * An inventory as the engagement file references it: the list is a CSV file next to the engagement file.
 */
export interface InventoryInFile {
  readonly source: string
  readonly kind: 'portal-export' | 'invoice' | 'order'
  readonly file: string
  readonly columns?: InventoryColumns
  /**
   * @maxItems 20000
   */
  readonly excluded?: readonly Excluded[]
  readonly owner: string
  readonly on: Day
}
/**
 * Headings of columns that differ from the default ones; null: the column is not used.
 */
export interface InventoryColumns {
  readonly id?: string | null
  readonly name?: string | null
  readonly address?: string | null
  readonly serial?: string | null
}
/**
 * A mapping of a customer, YAML or JSON: controls of a framework, and the checks that are relevant to each. With `catalog`, the controls come from an OSCAL catalog next to it.
 */
export interface MappingFile {
  readonly id: FrameworkName
  readonly title: string
  readonly version: string
  /**
   * @maxItems 20
   */
  readonly source?: readonly string[]
  /**
   * @maxItems 20
   */
  readonly notes?: readonly string[]
  readonly catalog?: string
  /**
   * Treatment of rows of the OSCAL catalog that `controls` does not name.
   */
  readonly rest?: 'listed' | 'excluded'
  /**
   * @maxItems 5000
   */
  readonly controls: readonly MappingRow[]
}
export interface MappingRow {
  readonly id: string
  readonly title?: string
  readonly summary?: string
  readonly group?: string
  readonly level?: string
  readonly evidenceType?: 'technical' | 'mixed' | 'documentary' | 'out-of-scope'
  readonly evidence?: 'primary' | 'supporting' | 'context' | 'none'
  /**
   * @maxItems 400
   */
  readonly checks?: readonly (string | MappingCheck)[]
  readonly notCovered?: string
  /**
   * @maxItems 60
   */
  readonly documentsRequired?: readonly string[]
  /**
   * @maxItems 10
   */
  readonly responsibility?: readonly string[]
}
export interface MappingCheck {
  readonly check: string
  readonly shows: string
  readonly role?: ControlRole
}
/**
 * Location of nodes: evidence from outside the node, and the evaluation of all location evidence.
 */
export interface LocationShapes {
  readonly declared?: DeclaredLocation
  readonly location?: Location
}
export interface ScopePart {
  readonly part: string
  readonly sha256: Sha256
}
export interface TracedNode {
  readonly node: string
  /**
   * True where the fleet file declared an ePHI path on the node when it was collected; otherwise absent.
   */
  readonly declaresEphi?: true
  readonly status: 'complete' | 'partial' | 'failed' | 'missing'
  /**
   * Code of the failure that ended the collection.
   */
  readonly failure: null | string
  readonly observedAt: null | Instant
  /**
   * Digest of the recording.
   */
  readonly recording: null | Sha256
  readonly hostKey: null | string
  readonly address: null | string
  /**
   * Digest of the declarations about this node at the time of collection that could affect a verdict.
   */
  readonly declared: null | Sha256
  /**
   * One letter for each check: m supported, c contradicted, i undecided, n not applicable, t not collected, r recorded, - no such check.
   */
  readonly verdicts: string
  /**
   * Twelve hexadecimal digits for each probe: the beginning of the SHA-256 of its reading without volatile parts. Twelve zeros: not run, or wholly volatile. Twelve f: no reading.
   */
  readonly readings: string
  /**
   * @maxItems 4096
   */
  readonly parts: readonly HardwarePin[]
  /**
   * Null where the list of accounts could not be read.
   */
  readonly accounts: null | TracedAccount[]
  /**
   * Keys that permit login to an account; null where they could not be read.
   */
  readonly keys: null | TracedKey[]
}
export interface TracedAccount {
  readonly name: string
  readonly uid: number
  /**
   * Whether it has a login shell; null where this was not read.
   */
  readonly login: null | boolean
  /**
   * Whether it has uid 0 or equivalent rights; null where this was not read.
   */
  readonly administrator: null | boolean
}
export interface TracedKey {
  readonly account: string
  readonly type: string
  /**
   * SHA256:… of the public key.
   */
  readonly fingerprint: string
}
/**
 * Summary of one run for comparison with others: every verdict, and a digest of every reading, small enough to keep for years. Derived from the assessment and the recordings; the same inputs give the same bytes.
 */
export interface RunTrace {
  readonly schema: 'barewitness.run-trace/1'
  readonly run: string
  readonly fleet: string
  readonly asOf: Instant
  readonly demo: boolean
  readonly planned: null | Planned
  readonly engine: string
  readonly catalog: CatalogReference
  readonly rules: Sha256
  /**
   * Digests of the declarations by part, without the nodes.
   *
   * @maxItems 200
   */
  readonly scope: readonly ScopePart[]
  /**
   * Ids of the checks, sorted: the positions of the letters in `verdicts`.
   *
   * @maxItems 5000
   */
  readonly checks: readonly string[]
  /**
   * Ids of the probes, sorted: the positions in `readings`.
   *
   * @maxItems 5000
   */
  readonly probes: readonly string[]
  /**
   * @maxItems 20000
   */
  readonly nodes: readonly TracedNode[]
  /**
   * Names of the same machine, grouped by machine, which counts once. Absent where there are none.
   *
   * @maxItems 10000
   */
  readonly sameMachines?: readonly string[][]
  /**
   * Rows of the provider inventory without a node and without a declared exclusion. Absent without an inventory.
   */
  readonly unreconciled?: number
}
/**
 * A schedule in the run chain: its plan, with start and end. `entry` counts lines of entries.jsonl from 1.
 */
export interface PlannedSpan {
  readonly schedule: string
  readonly cadence: string
  /**
   * A run is in time when it was sealed within this number of minutes after it was due.
   */
  readonly withinMinutes: number
  readonly from: Instant
  readonly until: null | Instant
  readonly entry: number
}
export interface CalendarDay {
  readonly day: string
  readonly planned: number
  /**
   * Planned runs that took place, late ones included.
   */
  readonly completed: number
  /**
   * Completed runs that began later than the schedule allows.
   */
  readonly late: number
  /**
   * Planned runs that did not take place, each with a signed record.
   */
  readonly recorded: number
  /**
   * Planned runs without an entry in the run chain.
   */
  readonly unrecorded: number
  readonly unplanned: number
  /**
   * Declared nodes of the run of that day that reached most nodes.
   */
  readonly declared: number
  /**
   * Nodes of that run that answered in full or in part.
   */
  readonly answered: number
}
export interface CalendarCounts {
  readonly planned: number
  readonly completed: number
  readonly late: number
  readonly recorded: number
  readonly unrecorded: number
  readonly unplanned: number
  readonly days: number
  readonly daysWith: number
}
export interface DaySpan {
  readonly from: string
  readonly to: string
  readonly days: number
}
/**
 * Days are days of UTC.
 */
export interface Calendar {
  /**
   * @maxItems 4000
   */
  readonly days: readonly CalendarDay[]
  readonly counts: CalendarCounts
  /**
   * Days on which no node answered in any run.
   *
   * @maxItems 4000
   */
  readonly without: readonly DaySpan[]
}
/**
 * A sealed run of the period. `catalog` and `rules` are null where its run trace is not available; then only the digest of the seal is stated.
 */
export interface PeriodRun {
  readonly run: string
  readonly entry: number
  readonly at: Instant
  readonly planned: null | Planned
  readonly declared: number
  readonly answered: number
  readonly catalog: null | Sha256
  readonly rules: null | Sha256
  readonly tagManifest: Sha256
  readonly signer: Sha256
}
export interface MissedRunRecord {
  readonly entry: number
  readonly schedule: null | string
  readonly due: Instant
  readonly at: Instant
  readonly why: string
  readonly signer: Sha256
  readonly signed: boolean
}
export interface RunMoment {
  readonly run: string
  readonly at: Instant
}
/**
 * A claim that was contradicted on a node, from the run that found it to the run that shows remediation. A later contradiction is a separate entry.
 */
export interface Deviation {
  readonly node: string
  readonly check: string
  readonly found: RunMoment
  readonly lastSeen: RunMoment
  /**
   * The first later run that shows the claim supported or not applicable; null where there is none.
   */
  readonly fixed: null | RunMoment
  /**
   * Whether remediation is not shown at the end of the period.
   */
  readonly open: boolean
  /**
   * Runs that contradict it.
   */
  readonly runs: number
  /**
   * Runs after the finding, up to remediation or the end of the period, that do not decide it.
   */
  readonly unknown: number
}
/**
 * Earlier runs of the declared period in the order of the run chain, and contradicted claims followed through them up to this run. `kept`: whether the run trace was available; otherwise the run decides nothing.
 */
export interface EarlierRuns {
  /**
   * @maxItems 100000
   */
  readonly runs: {
    readonly run: string
    readonly at: Instant
    readonly tagManifest: string
    readonly kept: boolean
  }[]
  /**
   * @maxItems 1000000
   */
  readonly deviations: readonly Deviation[]
}
/**
 * A part, identified by its serial number or fixed address, or a host key, that moved between nodes, was added or was removed.
 */
export interface HardwareChange {
  readonly kind: string
  readonly part: string
  readonly value: string
  readonly from: null | string
  readonly to: null | string
  readonly before: RunMoment
  readonly after: RunMoment
}
export interface PeriodChange {
  readonly id: string
  readonly list: 'evidence' | 'rules' | 'scope'
  readonly node: null | string
  /**
   * The probe, check or declaration that changed.
   */
  readonly subject: string
  readonly before: null | string
  readonly after: null | string
  readonly from: RunMoment
  readonly to: RunMoment
}
/**
 * A complete population as a CSV file, with the meaning of a row, the source and the parameters.
 */
export interface PopulationFile {
  readonly name: 'runs' | 'nodes' | 'node-runs' | 'accounts' | 'keys' | 'changes'
  readonly path: string
  readonly rows: number
  readonly sha256: Sha256
  readonly unit: string
  readonly source: string
  readonly how: string
}
export interface SampledItem {
  readonly place: number
  readonly key: string
  readonly run: null | string
  readonly node: null | string
}
/**
 * Rows selected by a seed, so that anyone can repeat the selection. `run` and `node` name the raw evidence that is enclosed for a row.
 */
export interface PeriodSample {
  readonly population: 'runs' | 'nodes' | 'node-runs' | 'accounts' | 'keys' | 'changes'
  readonly seed: string
  readonly size: number
  readonly of: number
  /**
   * @maxItems 100000
   */
  readonly sampled: readonly SampledItem[]
}
export interface RulesSpan {
  readonly catalog: Sha256
  readonly engine: string
  readonly rules: Sha256
  readonly from: RunMoment
  readonly to: RunMoment
  readonly runs: number
}
/**
 * Conclusions on controls over the period, by the rules for one run, over node tests: one node in one run is one item. `run` is the last run with evidence. Its register and its declarations determine documents, decisions and the choice of frameworks.
 */
export interface PeriodConclusions {
  readonly run: RunMoment
  /**
   * @maxItems 100
   */
  readonly frameworks: readonly FrameworkName[]
  /**
   * Runs that were counted.
   */
  readonly runs: number
  /**
   * Scheduled runs that did not take place, explained or not.
   */
  readonly missed: number
  /**
   * Sealed runs whose evidence is not available.
   */
  readonly unavailable: number
  /**
   * A schedule was in effect throughout the period, and every scheduled run took place or is explained.
   */
  readonly covered: boolean
  /**
   * @maxItems 100000
   */
  readonly controls: readonly PeriodControl[]
}
/**
 * The conclusion is as for one run; its counts are node tests.
 */
export interface PeriodControl {
  readonly conclusion: ControlAssessment
  /**
   * Null where no deciding check deviated in any run.
   */
  readonly deviations: null | ControlDeviations
}
/**
 * Nodes and runs in which the deciding checks of a control deviated; `first` and `last` are the first and the last run with a deviation.
 */
export interface ControlDeviations {
  /**
   * Nodes with a deviation in any run.
   */
  readonly nodes: number
  /**
   * Nodes on which no later run shows remediation.
   */
  readonly open: number
  readonly first: RunMoment
  readonly last: RunMoment
}
/**
 * Results of the runs of one fleet in a period, derived from the run chain and the sealed run traces, so that a reader derives the same bytes. Days are in UTC, both ends included.
 */
export interface Period {
  readonly schema: 'barewitness.period/1'
  readonly fleet: string
  readonly from: string
  readonly to: string
  readonly asOf: Instant
  readonly demo: boolean
  readonly producer: string
  readonly catalog: CatalogReference1
  /**
   * As declared when the period report was made.
   */
  readonly engagement: null | Engagement
  readonly chain: {
    readonly id: Sha256
    readonly size: number
    readonly root: Sha256
  }
  /**
   * @maxItems 10000
   */
  readonly plans: readonly PlannedSpan[]
  readonly calendar: Calendar
  /**
   * @maxItems 100000
   */
  readonly runs: readonly PeriodRun[]
  /**
   * @maxItems 100000
   */
  readonly missedRuns: readonly MissedRunRecord[]
  /**
   * @maxItems 100000
   */
  readonly rules: readonly RulesSpan[]
  /**
   * Null where the evidence of no run is available.
   */
  readonly conclusions: null | PeriodConclusions
  readonly deviations: readonly Deviation[]
  readonly hardwareChanges: readonly HardwareChange[]
  readonly changes: ChangeCounts
  readonly baseline: null | Baseline
  /**
   * @maxItems 10
   */
  readonly populations: readonly PopulationFile[]
  /**
   * @maxItems 100
   */
  readonly samples: readonly PeriodSample[]
  /**
   * Further notes for the reader, such as runs that were sealed twice or have no evidence, one sentence each.
   *
   * @maxItems 200000
   */
  readonly notes?: readonly string[]
}
/**
 * Catalog of the program that made the period report; it names the checks in the report. The rules of each run are stated with the run.
 */
export interface CatalogReference1 {
  readonly version: string
  /**
   * Digest of data/catalog.json: probes, checks and frameworks, including the customer’s own.
   */
  readonly digest: string
  /**
   * Digest of the module with the rules of this version.
   */
  readonly module: string
}
export interface ChangeCounts {
  readonly evidence: number
  readonly rules: number
  readonly scope: number
}
export interface Baseline {
  readonly run: string
  readonly entry: number
  readonly why: string
}
/**
 * A program, run without a shell. It reads the notice, JSON, on stdin.
 */
export interface NotifyCommand {
  readonly kind: 'command'
  /**
   * @minItems 1
   * @maxItems 50
   */
  readonly argv: [string, ...string[]]
}
export interface NotifyWebhook {
  readonly kind: 'webhook'
  readonly url: string
  /**
   * A file that only its owner can read: the key of the HMAC-SHA-256 over the body.
   */
  readonly secretFile: null | string
}
export interface NotifySyslog {
  readonly kind: 'syslog'
}
/**
 * A schedule of recurring runs.
 */
export interface Schedule {
  readonly name: string
  /**
   * Absolute path of the fleet file.
   */
  readonly fleet: string
  readonly fleetName: string
  /**
   * Absolute path of the folder with evidence, packs and the run chain.
   */
  readonly out: string
  /**
   * For example “every day at 02:00”.
   */
  readonly cadence: string
  /**
   * IANA name of the time zone of the cadence.
   */
  readonly zone: string
  readonly jitterMinutes: number
  readonly retries: Retries
  /**
   * On a team server: hours that a person has for sealing a run. Absent where runs are sealed at once.
   */
  readonly sealHours?: number
  /**
   * Whether a run that was missed while the computer was off takes place once later.
   */
  readonly catchUp: boolean
  readonly gapsExitZero: boolean
  /**
   * @maxItems 20
   */
  readonly notify: readonly Notify[]
  /**
   * Absolute path of a configuration of integrations. The pack of each run is sent by it, through its outbox.
   */
  readonly integrations?: string
  readonly options: ScheduledOptions
  readonly createdAt: Instant
}
/**
 * For a run that did not reach every node: it continues with the missing nodes.
 */
export interface Retries {
  readonly times: number
  readonly waitMinutes: number
}
/**
 * Options of `run` in the unit.
 */
export interface ScheduledOptions {
  readonly identity?: string
  readonly identityFolder?: string
  readonly passphraseFile?: string
  readonly register?: string
  /**
   * The folder with the declarations of the window: engagement, claims, frameworks, risk acceptances and documents. Each run uses its content at the time of sealing.
   */
  readonly declarations?: string
  readonly timestamp?: string
  readonly framework?: string
  readonly also?: string
  readonly liveTests?: boolean
  /**
   * How long the collection of one node may take; 300 where it is absent.
   */
  readonly deadlineSeconds?: number
}
/**
 * The scheduled runs of this user on this computer.
 */
export interface ScheduleFile {
  readonly schema: 'barewitness.schedules/1'
  /**
   * @maxItems 1000
   */
  readonly schedules: readonly Schedule[]
}
export interface RemediationVariant {
  readonly title: RemediationText
  /**
   * The cause that it addresses, where a check has several.
   */
  readonly when?: string
  readonly families: readonly DistributionFamily[]
  /**
   * Values that a person sets first: as shell variables for the commands, and in place of ${NAME} in the files.
   */
  readonly inputs?: readonly RemediationInput[]
  /**
   * Lines of sh, run as root before the files are written, for example to install packages.
   */
  readonly prepare?: readonly RemediationText[]
  readonly files?: readonly RemediationFile[]
  /**
   * Lines of sh, run as root in one shell after the files are written.
   */
  readonly commands?: readonly RemediationText[]
  readonly ask?: readonly RemediationAsk[]
  readonly note?: RemediationText
  readonly verify: RemediationVerify
}
export interface RemediationInput {
  readonly name: string
  readonly is: RemediationText
}
export interface RemediationFile {
  readonly path: string
  readonly content: string
  /**
   * Octal mode. Default 0644.
   */
  readonly mode?: string
}
export interface RemediationAsk {
  readonly of: 'provider' | 'customer security officer' | 'data owner'
  readonly for: RemediationText
  /**
   * The evidence request that the document answers.
   */
  readonly request?: string
}
export interface RemediationVerify {
  /**
   * Command that is run as root on the server. Exactly one of this and inspect is present.
   */
  readonly command?: string
  /**
   * What a person inspects, where no command shows the state.
   */
  readonly inspect?: string
  readonly expected: RemediationText
}
export interface RemediationProof {
  readonly distribution: RemediationText
  /**
   * The verdict before the steps; after them it was satisfied.
   */
  readonly before: 'not-satisfied' | 'inconclusive' | 'informational'
  readonly note?: RemediationText
}
/**
 * Steps that change a server so that a check is satisfied, and their verification. Part of checks.json of a subject.
 */
export interface Remediation {
  readonly whoCanChange: 'tenant' | 'provider' | 'both'
  /**
   * Alternatives: one for each family of distributions and each cause of a deviation.
   */
  readonly steps: readonly RemediationVariant[]
  /**
   * Side effects of the change, including effects on the performance of GPUs and RDMA.
   */
  readonly sideEffects: string
  /**
   * Other checks that the same change satisfies, or helps to satisfy.
   */
  readonly alsoSettles: readonly RemediationCheckId[]
  /**
   * Manual pages and documents of manufacturers.
   */
  readonly source: string
  /**
   * Real systems on which a test saw the check deviate, ran these steps, and saw it satisfied.
   */
  readonly proven?: readonly RemediationProof[]
}
export interface TeamCollector {
  /**
   * Name of the collector in the audit log.
   */
  readonly name: string
  readonly zone: Zone
  /**
   * Name of the one engagement that it collects for.
   */
  readonly engagement: string
  /**
   * Digest of its token, as `barewitness collector --new-token FILE` prints it. The token itself is not stored here.
   */
  readonly tokenDigest: string
}
export interface TeamSealer {
  /**
   * Name of the sealer on the page of exports and in the audit log.
   */
  readonly name: string
  /**
   * Name of the one engagement whose exports it signs.
   */
  readonly engagement: string
  /**
   * Digest of its token, as `barewitness sealer --new-token FILE` prints it. The token itself is not stored here.
   */
  readonly tokenDigest: string
  /**
   * SHA-256 fingerprint of the certificate that it signs with, as `barewitness identity trust` prints it. No other certificate is accepted from it.
   */
  readonly certificate: string
}
export interface TeamEngagement {
  /**
   * Name of the engagement, part of its address.
   */
  readonly name: string
  /**
   * Data folder with fleet.json. It must contain no signing identity and must not overlap with the folder of another engagement.
   */
  readonly folder: string
  /**
   * Demo data can be collected. Default false.
   */
  readonly demo?: boolean
  /**
   * Configuration of integrations. Packs that are sealed from now on are sent by it. No other engagement may name it.
   */
  readonly integrations?: string
  readonly enter: TeamEnter
}
/**
 * Who may enter: by subject of the ID token, or by a value of the groups claim.
 */
export interface TeamEnter {
  /**
   * @maxItems 10000
   */
  readonly people?: readonly string[]
  /**
   * @maxItems 1000
   */
  readonly groups?: readonly string[]
}
/**
 * Configuration of a team server. Relative paths start at the folder of this file.
 */
export interface TeamConfig {
  readonly schema: 'barewitness.team/1'
  readonly listen: TeamListen
  /**
   * Scheme, host and port as browsers use them, without a path. By default, from listen.
   */
  readonly publicUrl?: string
  readonly oidc: TeamOidc
  /**
   * The role for each value of the roles claim. A person with no known value, or with two roles, has no access.
   */
  readonly roles: {
    [k: string]: 'officer' | 'auditor' | 'operator' | 'administrator'
  }
  /**
   * @minItems 1
   * @maxItems 200
   */
  readonly engagements: [TeamEngagement, ...TeamEngagement[]]
  /**
   * Programs in other network zones that collect nodes of an engagement.
   *
   * @maxItems 200
   */
  readonly collectors?: readonly TeamCollector[]
  /**
   * Computers of signers. Each confirms and signs the exports of one engagement; the server has no signing key.
   *
   * @maxItems 200
   */
  readonly sealers?: readonly TeamSealer[]
  /**
   * File of the audit log. Created if missing.
   */
  readonly auditLog: string
  readonly database?: TeamDatabase
  readonly objects?: TeamObjects
  /**
   * collectors: this process answers collectors only and runs next to one that serves people; this needs database. Default everyone.
   */
  readonly serves?: 'everyone' | 'collectors'
  readonly sessions?: TeamSessions
  readonly limits?: TeamLimits
  readonly monitoring?: TeamMonitoring
}
/**
 * Address and port for browsers. Without tls, the address must be a loopback address.
 */
export interface TeamListen {
  /**
   * IP address.
   */
  readonly address: string
  readonly port: number
  readonly tls?: TeamTls
}
export interface TeamTls {
  /**
   * Certificate chain, PEM.
   */
  readonly certificate: string
  /**
   * Private key, PEM, readable by its owner only.
   */
  readonly key: string
}
export interface TeamOidc {
  readonly issuer: string
  readonly clientId: string
  /**
   * File whose first line is the client secret, readable by its owner only. Without it, a public client.
   */
  readonly clientSecretFile?: string
  /**
   * Scopes besides openid and profile.
   *
   * @maxItems 20
   */
  readonly scopes?: readonly string[]
  /**
   * Claim of the ID token with a value or a list of values; roles assigns them.
   */
  readonly rolesClaim: string
  /**
   * Claim of the ID token that groups of engagements are compared with.
   */
  readonly groupsClaim?: string
}
/**
 * PostgreSQL 15 or later for the jobs of collectors, so that several server processes share them, and for sessions of people. Without it, jobs are in the folder of each engagement and sessions in memory.
 */
export interface TeamDatabase {
  /**
   * postgres://USER@HOST:PORT/DATABASE, without a password and without options. A host that begins with %2F is the folder of a Unix socket.
   */
  readonly url: string
  /**
   * File whose first line is the password, readable by its owner only. Without it, the database must identify the server in another way.
   */
  readonly passwordFile?: string
  readonly tls?: TeamDatabaseTls
  readonly owner?: TeamDatabaseOwner
}
/**
 * Required unless the host is a loopback address or a Unix socket.
 */
export interface TeamDatabaseTls {
  /**
   * Certificates that the certificate of the database must be issued by, PEM. By default, those that Node.js trusts.
   */
  readonly ca?: string
}
/**
 * Role that owns the tables and creates or updates them when the server starts. Without it, they must be up to date.
 */
export interface TeamDatabaseOwner {
  readonly user: string
  /**
   * File whose first line is the password of the owner, as passwordFile of the database.
   */
  readonly passwordFile?: string
}
/**
 * Destination for copies of the evidence of every engagement: either a bucket with Object Lock or a folder, which has no lock.
 */
export interface TeamObjects {
  /**
   * Retention of each object in years, from the day on which it is copied. It can be extended and never shortened. Default 6.
   */
  readonly years?: number
  readonly s3?: TeamS3
  /**
   * A folder, for trials only: an account that can write to it can also delete from it.
   */
  readonly folder?: string
}
/**
 * A bucket with Object Lock. Objects are kept under COMPLIANCE retention.
 */
export interface TeamS3 {
  /**
   * Scheme, host and port. With http, its host must be a loopback address.
   */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /**
   * Prefix of every key, before the name of the engagement.
   */
  readonly prefix?: string
  /**
   * File whose first line is ACCESS-KEY:SECRET-KEY, readable by its owner only.
   */
  readonly credentialsFile: string
  /**
   * Certificates that the certificate of the store must be issued by, PEM. By default, those that Node.js trusts.
   */
  readonly ca?: string
}
export interface TeamSessions {
  /**
   * Default 30.
   */
  readonly idleMinutes?: number
  /**
   * Default 480.
   */
  readonly absoluteMinutes?: number
}
export interface TeamLimits {
  /**
   * Maximum size of an upload. Default 64.
   */
  readonly uploadMiB?: number
  /**
   * Time limit for receiving a request. Default 60.
   */
  readonly requestSeconds?: number
  /**
   * Time limit for answering a call. Its work continues after the limit. Default 240.
   */
  readonly callSeconds?: number
  /**
   * Maximum number of concurrent calls of one person, in all sessions together. Default 32.
   */
  readonly callsPerSession?: number
  /**
   * Maximum number of concurrent calls in total. Default 256.
   */
  readonly calls?: number
  /**
   * Maximum number of concurrent verifications for auditors. Default 2.
   */
  readonly verifications?: number
  /**
   * Maximum number of waiting verifications. Default 16.
   */
  readonly verificationsWaiting?: number
  /**
   * For each IPv4 address or IPv6 /64 network. Default 20.
   */
  readonly signInsPerMinute?: number
}
/**
 * Plain HTTP with /healthz, /readyz and /metrics, on a loopback address. Without it, they are not served.
 */
export interface TeamMonitoring {
  readonly address: string
  readonly port: number
}
/**
 * One node to be collected for one run. It contains no commands, and no address except that of the declared node.
 */
export interface CollectorJob {
  readonly id: CollectorId
  readonly zone: Zone
  readonly run: string
  readonly node: DeclaredNode
  /**
   * Fingerprint of the host key in the fleet file of the server; null where the file has none.
   */
  readonly hostKey: string | null
  readonly metadata: boolean
  readonly spreadSeconds: number | null
}
/**
 * A job that is leased to one collector for a limited number of seconds.
 */
export interface CollectorLease {
  readonly job: CollectorJob
  readonly lease: CollectorId
  readonly seconds: number
}
export interface CollectorAsk {
  readonly zone: Zone
  readonly catalogDigest: Sha256
  readonly waitSeconds: number
}
export interface CollectorRenewal {
  readonly lease: CollectorId
  readonly done: number
  readonly total: number
}
/**
 * A recording that the collector holds: its digest and those of its files.
 */
export interface CollectorOffer {
  readonly lease: CollectorId
  readonly recording: Sha256
  /**
   * @maxItems 10000
   */
  readonly digests: Sha256[]
}
/**
 * The digests of the recording, of its header and of its list of captures.
 */
export interface CollectorDelivery {
  readonly lease: CollectorId
  readonly recording: Sha256
  readonly header: Sha256
  readonly captures: Sha256
}
/**
 * Why the collector did not collect the node.
 */
export interface CollectorRefusal {
  readonly lease: CollectorId
  readonly reason: string
}
/**
 * Configuration of a collector in another network zone. Relative paths start at the folder of this file.
 */
export interface CollectorConfig {
  readonly schema: 'barewitness.collector/1'
  /**
   * Scheme, host and port of the team server, as its publicUrl. http only for a loopback address.
   */
  readonly server: string
  /**
   * PEM file of the authority or certificate of the server. Without it, the authorities of Node.js.
   */
  readonly certificate?: string
  /**
   * Network zone of the node. A team server leaves it to a collector of this zone; elsewhere it has no effect.
   */
  readonly zone?: string
  /**
   * File whose first line is the token of this collector, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * Fleet file of the nodes that this collector may connect to, with its own login, host keys and vantage. Other nodes are refused.
   */
  readonly fleet: string
  /**
   * Folder of recordings that were not delivered yet. Created if missing.
   */
  readonly spool: string
  /**
   * Number of nodes that are collected concurrently. Default 4.
   */
  readonly concurrency?: number
}
/**
 * The certificates of the signer, DER in base64. The server accepts the certificate that its configuration names.
 */
export interface SealerAsk {
  readonly certificate: SealerBytes
  /**
   * @maxItems 8
   */
  readonly chain: readonly SealerBytes[]
  /**
   * @maxItems 8
   */
  readonly crls: readonly SealerBytes[]
  readonly waitSeconds: number
}
/**
 * One digest to sign. The signatures of one export, and those of entries that are recorded together, have the same order.
 */
export interface SealingRequest {
  readonly id: SealerId
  readonly order: SealerId
  readonly digest: Sha256
  readonly engagement: string
  readonly purpose: string
  /**
   * The whole signed text, where an entry is signed. The sealer reads it, shows it, and computes the digest itself. Absent for the documents of an export.
   */
  readonly content?: string
  readonly requestedBy: string
  readonly requestedAt: string
}
export interface SealerAnswer {
  readonly signature: SealerBytes
}
export interface SealerRefusal {
  readonly reason: string
}
/**
 * Number of entries of the audit log of the server, and the digest of the last one.
 */
export interface SealerHead {
  readonly size: number
  readonly digest: Sha256
}
export interface SealerHeadAsk {}
/**
 * A statement about the audit log, as the sealer wrote it, and its detached CMS signature, DER in base64.
 */
export interface SealerHeadAnswer {
  readonly statement: string
  readonly cms: SealerBytes
}
/**
 * Configuration of a sealer: the computer of a signer, who confirms and signs exports and entries of a team server. Relative paths start at the folder of this file.
 */
export interface SealerConfig {
  readonly schema: 'barewitness.sealer/1'
  /**
   * Scheme, host and port of the team server, as its publicUrl. http only for a loopback address.
   */
  readonly server: string
  /**
   * PEM file of the authority or certificate of the server. Without it, the authorities of Node.js.
   */
  readonly certificate?: string
  /**
   * File whose first line is the token of this sealer, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * File to which each digest and its request are appended before signing. Created if missing.
   */
  readonly record: string
  /**
   * Whether the head of the server’s audit log is signed every ten minutes, without a question. Default true.
   */
  readonly signAuditLog?: boolean
}
/**
 * Each finding and each pack as JSON, by POST.
 */
export interface WebhookTarget {
  readonly name: TargetName
  /**
   * The complete address: https, or http to a loopback address. It is not treated as a secret; use keyFile to authenticate the sender.
   */
  readonly url: string
  /**
   * File whose first line is the key of the signature in Barewitness-Signature, readable by its owner only.
   */
  readonly keyFile?: string
  readonly minimumSeverity?: TargetSeverity
}
/**
 * One message for each pack.
 */
export interface MessageTarget {
  readonly name: TargetName
  /**
   * File whose first line is the complete address, which is a secret; readable by its owner only.
   */
  readonly urlFile: string
}
/**
 * One issue for each finding, in Jira Cloud.
 */
export interface JiraTarget {
  readonly name: TargetName
  readonly url: TargetUrl
  readonly user: TargetUser
  /**
   * File whose first line is the API token of the user, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * Key of the project.
   */
  readonly project: string
  /**
   * Name of the issue type. Default Task.
   */
  readonly issueType?: string
  readonly minimumSeverity?: TargetSeverity
}
/**
 * One record for each finding, through the Table API.
 */
export interface ServiceNowTarget {
  readonly name: TargetName
  readonly url: TargetUrl
  readonly user?: TargetUser
  /**
   * File whose first line is the password of the user, or without a user an OAuth access token, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * Default incident.
   */
  readonly table?: string
  readonly minimumSeverity?: TargetSeverity
}
/**
 * One evidence for each pack.
 */
export interface CisoAssistantTarget {
  readonly name: TargetName
  readonly url: TargetUrl
  /**
   * File whose first line is a personal access token, readable by its owner only.
   */
  readonly tokenFile: string
  readonly domain: TargetUuid
  /**
   * Applied controls to which the evidence is attached.
   *
   * @maxItems 100
   */
  readonly appliedControls?: readonly TargetUuid[]
}
/**
 * One uploaded file for each pack, in a document.
 */
export interface VantaTarget {
  readonly name: TargetName
  readonly url?: TargetUrl
  /**
   * File whose first line is an OAuth access token, which Vanta issues for an hour, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * ID of the document, the part after documents/ in its address.
   */
  readonly document: string
}
/**
 * One evidence item with one file for each pack.
 */
export interface DrataTarget {
  readonly name: TargetName
  readonly url?: TargetUrl
  /**
   * File whose first line is an API key, readable by its owner only.
   */
  readonly tokenFile: string
  /**
   * ID of the workspace.
   */
  readonly workspace: number
  /**
   * IDs of controls to which the evidence is attached.
   *
   * @maxItems 100
   */
  readonly controls?: readonly number[]
}
/**
 * One log record for each finding and each pack, by OTLP over HTTP with JSON.
 */
export interface OpenTelemetryTarget {
  readonly name: TargetName
  readonly url: TargetUrl
  /**
   * File whose first line is a bearer token, readable by its owner only.
   */
  readonly tokenFile?: string
  readonly minimumSeverity?: TargetSeverity
}
/**
 * One file of JSON lines for each pack.
 */
export interface FileTarget {
  readonly name: TargetName
  /**
   * ocsf: one event for each check result. opentelemetry: one log record for each finding and one for the pack.
   */
  readonly format: 'ocsf' | 'opentelemetry'
  /**
   * Created when it is missing.
   */
  readonly folder: string
}
/**
 * Targets that findings and counts of a verified pack are sent to. Relative paths start at the folder of this file. Names of targets are unique; the outbox stores deliveries by name.
 */
export interface IntegrationsConfig {
  readonly schema: 'barewitness.integrations/1'
  /**
   * Name of the engagement or organization. It is part of every key: after a change, everything is sent as new.
   */
  readonly sender: string
  /**
   * Folder of the journal of planned and delivered items, one for each configuration. Created if missing.
   */
  readonly outbox: string
  /**
   * PEM certificates of signers, or their issuers. A pack of another signer is not sent.
   *
   * @maxItems 50
   */
  readonly trust?: readonly string[]
  /**
   * @maxItems 50
   */
  readonly webhook?: readonly WebhookTarget[]
  /**
   * @maxItems 50
   */
  readonly slack?: readonly MessageTarget[]
  /**
   * @maxItems 50
   */
  readonly teams?: readonly MessageTarget[]
  /**
   * @maxItems 50
   */
  readonly jira?: readonly JiraTarget[]
  /**
   * @maxItems 50
   */
  readonly serviceNow?: readonly ServiceNowTarget[]
  /**
   * @maxItems 50
   */
  readonly cisoAssistant?: readonly CisoAssistantTarget[]
  /**
   * @maxItems 50
   */
  readonly vanta?: readonly VantaTarget[]
  /**
   * @maxItems 50
   */
  readonly drata?: readonly DrataTarget[]
  /**
   * @maxItems 50
   */
  readonly openTelemetry?: readonly OpenTelemetryTarget[]
  /**
   * @maxItems 50
   */
  readonly files?: readonly FileTarget[]
}
