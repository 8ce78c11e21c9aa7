import type { Fleet, FleetNode, HostKey, Recording, Register } from '../../schemas/types.ts'
import type { Outcome } from './failure.ts'
import type { PackFiles } from './pack-files.ts'
import type {
  Clock,
  ConnectTarget,
  Entropy,
  EvidenceStore,
  PackSource,
  PadesLevel,
  SchemaValidator,
  SealReader,
  Signer,
  StoredBytes,
  TimestampReading,
  Transport,
} from './ports.ts'
import type { LoadedRecording, RecordingSource } from './recording.ts'
import type { ReportDocument } from './report.ts'
import type { OpenRunChain } from './run-chain/entry.ts'

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
  /** The register in a file; null when nothing is there. Fails with input.refused, naming the line. */
  readonly readRegister: (path: string) => Promise<Outcome<Register | null>>
  /** Rows of text as one CSV file. */
  readonly csv: (rows: readonly (readonly string[])[]) => string
  readonly openStore: (folder: string) => Promise<Outcome<EvidenceStore>>
  readonly writeRecording: (folder: string, loaded: LoadedRecording) => Promise<Outcome<null>>
  /** Recordings in folders; each is checked in full when it is loaded. */
  readonly readRecordings: (folders: readonly string[]) => Promise<Outcome<readonly RecordingSource[]>>
  readonly sealing: Sealing
  readonly timestamps: Timestamps
  readonly identities: Identities
  readonly packs: Packs
  /**
   * The chain of runs in a folder, begun with this id when there is none; nobody else can add to it until it is closed. Fails with
   * chain.broken, input.refused or store.failed.
   */
  readonly openRunChain: (
    folder: string,
    beginning: { readonly id: string; readonly fleet: string },
  ) => Promise<Outcome<OpenRunChain>>
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
  /** `read`: it belongs to a node that another line brings. */
  readonly outcome: 'added' | 'already' | 'read' | 'skipped' | 'problem'
  readonly why: string
  readonly node?: string
}

export interface Files {
  /** With `largest`, only an ordinary file of at most so many bytes: links, pipes and devices are refused. */
  readonly read: (path: string, largest?: number) => Promise<Outcome<Uint8Array>>
  /** Size and SHA-256 of a file of any size. */
  readonly digest: (path: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** Writes a whole file or nothing; makes folders on the way. */
  readonly write: (path: string, bytes: Uint8Array | string) => Promise<Outcome<null>>
  /** Whether a file or folder of this name is there. */
  readonly isThere: (path: string) => Promise<boolean>
  /** Copies a file of any size, whole or not at all, never over another. Size and SHA-256 of the copy, read back from where it now lies. */
  readonly copyNew: (from: string, to: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** From now on the file can only be read. */
  readonly lock: (path: string) => Promise<Outcome<null>>
  /** Takes away a file, or a folder with all that is in it: only for what we made ourselves. */
  readonly remove: (path: string) => Promise<Outcome<null>>
}

export interface Sealing {
  readonly signDetached: (signer: Signer, content: Uint8Array) => Promise<Uint8Array>
  /** Level B-B, in a PDF that left room for it. */
  readonly signPdf: (pdf: Uint8Array, signer: Signer) => Promise<Uint8Array>
  /** What a time-stamp of this PDF's next level must be over, and how its token goes in. Fails with pdf.unsuitable. */
  readonly nextPdfStamp: (pdf: Uint8Array, material: ArchiveMaterial) => Promise<Outcome<NextStamp>>
  readonly reader: SealReader
  /** A key made in memory for one demonstration; no reader ever trusts it. */
  readonly demoSigner: () => Promise<Signer>
}

/** Certificates and revocation lists for later checks, DER. */
export interface ArchiveMaterial {
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

export interface NextStamp {
  /** The level that the token leads to. */
  readonly level: PadesLevel
  /** False when the PDF is at that level already, and only its cover is made longer. */
  readonly first: boolean
  /** SHA-256 of what is to be stamped. */
  readonly imprint: Uint8Array
  readonly apply: (token: Uint8Array) => Outcome<Uint8Array>
  /** Certificates that the PDF carries already: of its signer, and of the authorities before. */
  readonly certificates: readonly Uint8Array[]
}

/** Time-stamp authorities (RFC 3161), on the network or carried. */
export interface Timestamps {
  /** Asks; the answer has passed every rule for clients. Fails with timestamp.unreachable, timestamp.refused or timestamp.wrong. */
  readonly stamp: (url: string, imprint: Uint8Array, offered: readonly Uint8Array[]) => Promise<Outcome<Stamp>>
  /** A query to be carried, and what its answer must fit. */
  readonly query: (imprint: Uint8Array) => Promise<Uint8Array>
  /** An answer that was carried, against its query and what should have been asked. */
  readonly accept: (
    query: Uint8Array,
    answer: Uint8Array,
    imprint: Uint8Array,
    offered: readonly Uint8Array[],
  ) => Promise<Outcome<Stamp>>
  /** Revocation lists for every certificate below the root: those `known` that fit, else from where the certificate says. */
  readonly revocationLists: (
    chain: readonly Uint8Array[],
    known: readonly Uint8Array[],
  ) => Promise<{ readonly lists: readonly Uint8Array[]; readonly missing: readonly string[] }>
}
export interface Stamp {
  /** TimeStampResp in the one form that packs keep. */
  readonly response: Uint8Array
  /** TimeStampToken, DER. */
  readonly token: Uint8Array
  readonly reading: TimestampReading
  /** The authority's certificates, DER, its own first. */
  readonly certificates: readonly Uint8Array[]
}

/** Keys that seal, where their owner keeps them: here and encrypted, or on a token. */
export interface Identities {
  readonly defaultFolder: string
  readonly list: (folder: string) => Promise<Outcome<readonly IdentityInfo[]>>
  readonly create: (input: {
    readonly folder: string
    readonly name: string
    readonly subject: string
    readonly passphrase: string
  }) => Promise<Outcome<IdentityInfo & { readonly rootPath: string }>>
  /** For a key on a token, the passphrase is its PIN: tried once. */
  readonly open: (folder: string, name: string, passphrase: string) => Promise<Outcome<Signer>>
  readonly trust: (folder: string, name: string) => Promise<Outcome<IdentityTrust>>
  /** One file with all that is kept here, keys encrypted as they are, or anew with `rekey`; never over another file. */
  readonly backup: (folder: string, name: string, to: string, rekey?: Rekey) => Promise<Outcome<IdentityInfo>>
  /** Never over another identity. */
  readonly restore: (folder: string, backup: Uint8Array) => Promise<Outcome<IdentityInfo>>
  readonly rotate: (input: RotateInput) => Promise<Outcome<IdentityInfo>>
  readonly revoke: (input: RevokeInput) => Promise<Outcome<IdentityInfo>>
  readonly takeRootOffline: (folder: string, name: string, to: string) => Promise<Outcome<IdentityInfo>>
  readonly importPkcs12: (input: ImportInput) => Promise<Outcome<IdentityInfo>>
  readonly addToken: (input: AddTokenInput) => Promise<Outcome<IdentityInfo>>
}
export interface IdentityInfo {
  readonly name: string
  /** Made here under a root of its own; taken from a PKCS #12 file; or on a token. */
  readonly kind: 'local' | 'imported' | 'token'
  readonly subject: string
  /** SHA-256 of the leaf certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly notAfter: string
  /** Leaves that sealed before this one. */
  readonly retired: readonly { readonly fingerprint: string; readonly notAfter: string }[]
}
/** A backup opens with another passphrase than the identity: the system keeps the present one, and no person knows it. */
export interface Rekey {
  readonly passphrase: string
  readonly next: string
}
/** What an auditor needs, by another way than a pack. */
export interface IdentityTrust {
  readonly rootPem: string
  readonly rootFingerprint: string
  readonly leafFingerprint: string
}
interface OfLocalIdentity {
  readonly folder: string
  readonly name: string
  readonly passphrase: string
  /** The file with the root's key, when it was taken offline. */
  readonly rootKey?: Uint8Array
}
export interface RotateInput extends OfLocalIdentity {
  readonly why: string
}
export interface RevokeInput extends OfLocalIdentity {
  /** Fingerprint of the leaf. */
  readonly leaf: string
  readonly reason: 'superseded' | 'key-compromise' | 'cessation'
  /** UTC, ISO 8601; now, unless told. */
  readonly from?: string
}
interface CertifiedByOthers {
  readonly folder: string
  readonly name: string
  /** Files of certificates, PEM or DER, that may complete the chain. */
  readonly certificates: readonly Uint8Array[]
  /** Files of revocation lists, PEM or DER. */
  readonly crls: readonly Uint8Array[]
}
export interface ImportInput extends CertifiedByOthers {
  readonly p12: Uint8Array
  readonly p12Passphrase: string
  /** For the key as it is kept from now on. */
  readonly passphrase: string
}
export interface AddTokenInput extends CertifiedByOthers {
  /** Path of the PKCS #11 module. */
  readonly module: string
  /** Label of the token, and of the key on it. */
  readonly token: string
  readonly key: string
  readonly pin: string
}

export interface Packs {
  /** Writes files (paths under `pack/`) as one deterministic archive. */
  readonly write: (path: string, files: PackFiles) => Promise<Outcome<null>>
  readonly open: (path: string) => Promise<Outcome<OpenPack>>
}
export interface OpenPack extends PackSource {
  /** The folder, where the pack is one; null for an archive. */
  readonly folder: string | null
  /**
   * Where an archive is not, byte for byte, the one that Barewitness writes from the same files: packed again by something else, or
   * tampered with where no list of digests reaches. Empty for a folder.
   */
  readonly departures: readonly string[]
  /** One file, to be copied. Throws for a path that is not in it. */
  readonly stored: (path: string) => StoredBytes
  readonly close: () => Promise<void>
}

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
