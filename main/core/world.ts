import type { Fleet, FleetNode, HostKey, Recording } from '../../schemas/types.ts'
import type { Outcome } from './failure.ts'
import type {
  Clock,
  ConnectTarget,
  Entropy,
  EvidenceStore,
  PackSource,
  SchemaValidator,
  SealReader,
  Signer,
  Transport,
} from './ports.ts'
import type { LoadedRecording } from './recording.ts'
import type { ReportDocument } from './report.ts'

/** All ports in one value: what the use cases may ask of the outside. `main/adapters/world.ts` makes the real one. */
export interface World {
  readonly clock: Clock
  readonly entropy: Entropy
  /** Resolves after a pause. */
  readonly pause: (milliseconds: number) => Promise<void>
  readonly validator: SchemaValidator
  readonly transport: Transport
  readonly fleets: Fleets
  readonly hostKeys: HostKeys
  readonly importers: Importers
  readonly files: Files
  /** Rows of text as one CSV file. */
  readonly csv: (rows: readonly (readonly string[])[]) => string
  readonly openStore: (folder: string) => Promise<Outcome<EvidenceStore>>
  readonly writeRecording: (folder: string, loaded: LoadedRecording) => Promise<Outcome<null>>
  readonly readRecordings: (folders: readonly string[]) => Promise<Outcome<readonly LoadedRecording[]>>
  readonly sealing: Sealing
  readonly identities: Identities
  readonly packs: Packs
  readonly reports: { readonly render: (document: ReportDocument, options: RenderOptions) => Promise<Uint8Array> }
  readonly demo: { readonly start: () => Promise<DemoFleet> }
}

export interface Fleets {
  /** A fleet file, read and checked; problems name file, line and field. */
  readonly read: (path: string) => Promise<Outcome<FleetFile>>
}
export interface FleetFile {
  readonly fleet: Fleet
  /** One target per node that is collected, in the file's order. Without `decisionsFile`, the one beside the fleet file. */
  readonly targets: (options: TargetOptions) => readonly ConnectTarget[]
}
export interface TargetOptions {
  readonly ask?: (question: string) => Promise<string | null>
  readonly decisionsFile?: string
}

/** Host keys that a person decided about, and the means to decide: the key a server shows before anybody logs in. */
export interface HostKeys {
  readonly scan: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<ScannedKey>>
  /** Whether the trust of the target covers the key it showed. */
  readonly judge: (target: ConnectTarget, key: ScannedKey) => Promise<Outcome<HostKey>>
  /** Appends a decision, in known_hosts format with the reason as its comment. */
  readonly record: (file: string, target: ConnectTarget, key: ScannedKey, howVerified: string) => Promise<Outcome<null>>
}
export interface ScannedKey {
  readonly type: string
  readonly fingerprint: string
  readonly blob: Uint8Array
}

export interface Importers {
  readonly preview: (
    kind: 'ssh-config' | 'csv' | 'ansible',
    text: string,
    existing: readonly FleetNode[],
  ) => Promise<{ readonly nodes: readonly FleetNode[]; readonly lines: readonly ImportLine[] }>
}
/** What became of one line of an imported file. */
export interface ImportLine {
  readonly line: number
  readonly text: string
  readonly outcome: 'added' | 'already' | 'skipped' | 'problem'
  readonly why: string
  readonly node?: string
}

export interface Files {
  readonly read: (path: string) => Promise<Outcome<Uint8Array>>
  /** Writes a whole file or nothing; makes folders on the way. */
  readonly write: (path: string, bytes: Uint8Array | string) => Promise<Outcome<null>>
}

export interface Sealing {
  readonly signDetached: (signer: Signer, content: Uint8Array) => Promise<Uint8Array>
  readonly signPdf: (pdf: Uint8Array, signer: Signer) => Promise<Uint8Array>
  readonly reader: SealReader
  /** A key made in memory for one demonstration; no reader ever trusts it. */
  readonly demoSigner: () => Promise<Signer>
}

/** Local keys, encrypted at rest. */
export interface Identities {
  readonly defaultFolder: string
  readonly list: (folder: string) => Promise<Outcome<readonly IdentityInfo[]>>
  readonly create: (input: {
    readonly folder: string
    readonly name: string
    readonly subject: string
    readonly passphrase: string
  }) => Promise<Outcome<IdentityInfo & { readonly rootPath: string }>>
  readonly open: (folder: string, name: string, passphrase: string) => Promise<Outcome<Signer>>
}
export interface IdentityInfo {
  readonly name: string
  readonly subject: string
  /** SHA-256 of the leaf certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly notAfter: string
}

export interface Packs {
  /** Writes files (paths under `pack/`) as one deterministic archive. */
  readonly write: (path: string, files: ReadonlyMap<string, Uint8Array>) => Promise<Outcome<null>>
  readonly open: (path: string) => Promise<Outcome<OpenPack>>
}
export type OpenPack = PackSource & { readonly close: () => Promise<void> }

export interface RenderOptions {
  readonly attachments: readonly { readonly name: string; readonly bytes: Uint8Array; readonly description: string }[]
  /** UTC, ISO 8601: every date in the file. */
  readonly created: string
}

/** The built-in demo fleet while its servers run. */
export interface DemoFleet {
  readonly fleet: Fleet
  readonly targets: readonly ConnectTarget[]
  /** What a recording of a demo node says of itself. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  readonly close: () => Promise<void>
}
