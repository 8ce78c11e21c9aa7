import type { FileProblem } from '../../schemas/ipc-declarations.ts'
import type { ImportColumn, ImportField } from '../../schemas/ipc-views.ts'
import type {
  AddressAnswer,
  AddressDatabase,
  AddressDatabaseInFile,
  DeclaredLocation,
  Engagement,
  EngagementInFile,
  Fleet,
  FleetNode,
  HostKey,
  Inventory,
  InventoryColumns,
  Mapping,
  MappingFile,
  Notify,
  Operator,
  ProviderProfile,
  Recording,
  Register,
  SiteList,
  SitesInFile,
  VantageRecord,
} from '../../schemas/types.ts'
import type { Outcome } from './base/failure.ts'
import type { Paper, ReportDocument } from './base/report-document.ts'
import type { TableRow } from './base/table.ts'
import type { KeptRules } from './conclusion/assessor.ts'
import type { FleetProblem } from './fleet/fleet.ts'
import type { UnsignedVantage } from './fleet/vantage.ts'
import type { HistoryStore } from './history/history.ts'
import type { Integrations } from './outbox/delivery.ts'
import type { PackFiles } from './pack/pack-files.ts'
import type { Identities } from './ports/identities.ts'
import type { Notice } from './ports/notice.ts'
import type {
  Clock,
  Compression,
  ConnectTarget,
  Entropy,
  EvidenceStore,
  PackSource,
  PadesLevel,
  SchemaValidator,
  SealReader,
  Signer,
  TimestampReading,
  Transport,
} from './ports/ports.ts'
import type { LoadedRecording, RecordingSource, StoredBytes } from './recording/recording.ts'
import type { Zones } from './run-chain/cadence.ts'
import type { OpenRunChain } from './run-chain/entry.ts'
import type { ScheduleStore, Timers } from './schedule/schedule.ts'

/**
 * Everything outside the program that use cases need. Each use case takes only the ports that it uses; `main/adapters/ports.ts` provides the real
 * ones.
 */
export interface Ports {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly zones: Zones
  /** Resolves after a pause. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Frees unreferenced memory where the runtime offers that; called between the parts of memory-intensive work. */
  readonly tidyMemory: () => void
  readonly compression: Compression
  readonly validator: SchemaValidator
  /** The person and computer that run this program, as this computer states them; read once. */
  readonly operator: () => Promise<Operator>
  readonly transport: Transport
  readonly fleets: Fleets
  readonly hostKeys: HostKeys
  readonly importers: Importers
  readonly files: Files
  /** The register in a file; null where the file does not exist. Fails with input.refused, naming the line. */
  readonly readRegister: (path: string) => Promise<Outcome<Register | null>>
  /** Rows of text as one CSV file. */
  readonly csv: (rows: Iterable<readonly string[]>) => string
  /** The same in pieces, for any number of rows. For an importer, without the byte order mark that a spreadsheet needs. */
  readonly csvPieces: (rows: Iterable<readonly string[]>, reader?: CsvReader) => Iterable<string>
  /** Sheets as one workbook; equal sheets give equal bytes. */
  readonly xlsx: (sheets: readonly Sheet[], print: PrintSetup) => Promise<Uint8Array>
  /** A table that a person filled in: CSV, or the first sheet of a workbook. Fails with input.not-found or input.refused. */
  readonly readTable: (path: string) => Promise<Outcome<readonly TableRow[]>>
  readonly declarations: Declarations
  readonly openStore: (folder: string) => Promise<Outcome<EvidenceStore>>
  /** The history of runs below a folder. */
  readonly openHistory: (folder: string) => Promise<Outcome<HistoryStore>>
  readonly schedules: ScheduleStore
  readonly timers: Timers
  readonly writeRecording: (folder: string, loaded: LoadedRecording) => Promise<Outcome<null>>
  /** Recordings in folders; each is fully checked when it is loaded. */
  readonly readRecordings: (folders: readonly string[]) => Promise<Outcome<readonly RecordingSource[]>>
  readonly sealing: Sealing
  readonly timestamps: Timestamps
  readonly identities: Identities
  readonly packs: Packs
  /**
   * The run chain in a folder, created with this id if there is none. No other process can add to it until it is closed. Fails with chain.broken,
   * input.refused or store.failed.
   */
  readonly openRunChain: (
    folder: string,
    beginning: { readonly id: string; readonly fleet: string },
  ) => Promise<Outcome<OpenRunChain>>
  /** The rules of earlier versions, for one verification; to be closed after it. */
  readonly keptRules: () => KeptRules & { readonly begin: () => void; readonly close: () => void }
  /** Whether the rules of this program were signed for release, in words. */
  readonly rulesState: string
  readonly reports: { readonly render: (document: ReportDocument, options: RenderOptions) => Promise<Uint8Array> }
  /** Notifies one recipient of a change. The text contains no secret. Fails with notice.undelivered or input.refused. */
  readonly notify: (to: Notify, notice: Notice) => Promise<Outcome<null>>
  /** Deliveries of packs to other systems. */
  readonly integrations: Integrations
  readonly demo: { readonly start: () => Promise<DemoFleet> }
}

/**
 * Declarations in files other than the fleet file. A relative path is resolved from the folder of `beside`, if given; problems name file, line and
 * field.
 */
export interface Declarations {
  /** An engagement file (YAML or JSON) and the inventory that it names, read and checked. It may refer to rows of the given mappings. */
  readonly engagement: (
    file: string,
    beside: string | null,
    mappings: readonly Mapping[],
  ) => Promise<Outcome<DeclaredEngagement>>
  /** A provider’s inventory as a table of its own (CSV); problems name the line. */
  readonly inventory: (file: string) => Promise<Outcome<InventoryTable>>
  /** The choice of columns under which an inventory gives these rows; null where there is none. */
  readonly inventoryColumns: (bytes: Uint8Array, rows: Inventory['rows']) => InventoryColumns | null
  /** A provider profile, either one that ships (by its id) or a file. */
  readonly provider: (idOrFile: string, beside: string | null) => Promise<Outcome<ProviderProfile>>
  /** A framework defined by the customer in a YAML or JSON mapping, with the OSCAL catalog that it names. */
  readonly mapping: (file: string, beside: string | null) => Promise<Outcome<Mapping>>
  /** A vantage record with a valid signature. */
  readonly vantage: (file: string, beside: string | null) => Promise<Outcome<VantageRecord>>
  /** The provider’s site records, with their bytes. */
  readonly sites: (declared: SitesInFile, beside: string | null) => Promise<Outcome<DeclaredSites>>
  readonly addressDatabase: (
    declared: AddressDatabaseInFile,
    beside: string | null,
  ) => Promise<Outcome<OpenAddressDatabase>>
}

export interface DeclaredEngagement {
  readonly engagement: Engagement
  /** The bytes of the provider’s inventory as it was read; null without one. */
  readonly inventory: Uint8Array | null
}

export interface DeclaredSites {
  readonly sites: SiteList
  /** The bytes as they were read. */
  readonly bytes: Uint8Array
}

/** An open address database. */
export interface OpenAddressDatabase {
  readonly about: Omit<AddressDatabase, 'answers'>
  /** What the database states about an address; null for an address family that it does not contain, and for addresses that are not public. */
  readonly answer: (address: string) => AddressAnswer | null
}

export interface InventoryTable extends Pick<Inventory, 'file' | 'rows'> {
  /** The bytes as they were read. */
  readonly bytes: Uint8Array
}

/** One sheet of a workbook. The first row contains the column titles; cells are text or numbers, never formulas. */
export interface Sheet {
  readonly name: string
  /** Widths in characters, one for each column. */
  readonly widths: readonly number[]
  /** Number of leading columns that identify a row: they remain visible when scrolling and are repeated on every printed page. Absent: none. */
  readonly keys?: number
  readonly rows: readonly (readonly (string | number)[])[]
}

/** The program for which a CSV file is written. */
export type CsvReader = 'spreadsheet' | 'importer'

/** How the sheets of a workbook are printed. */
export interface PrintSetup {
  readonly paper: Paper
  /** Printed at the foot of each page, before the name of the sheet and the page number. */
  readonly foot: string
}

export interface Fleets {
  /** A fleet file, read and checked; problems name file, line and field. */
  readonly read: (path: string) => Promise<Outcome<FleetFile>>
  /** The same file with its problems listed one by one; `fleet` is null where there are any. Fails where the file cannot be read at all. */
  readonly inspect: (path: string) => Promise<Outcome<InspectedFleet>>
  /** The problems that `read` would report for a fleet stored at this path, by field. */
  readonly problems: (fleet: Fleet, path: string) => readonly FleetProblem[]
  /** The same fleet with its relative paths resolved against the folder of `path`. */
  readonly moved: (fleet: Fleet, path: string) => Fleet
  /** The text of a new fleet file, or of a file that it names: JSON where the path ends in .json, otherwise YAML. */
  readonly textOf: (value: Fleet | EngagementInFile | ProviderProfile | MappingFile, path: string) => string
  /** Adds “hostKey” of these nodes, by name, to the text of a fleet file; everything else stays, including comments. */
  readonly withHostKeys: (
    bytes: Uint8Array,
    keys: ReadonlyMap<string, { readonly fingerprint: string; readonly note: string }>,
  ) => string
}

interface InspectedFleet {
  readonly fleet: Fleet | null
  readonly problems: readonly FileProblem[]
}

export interface FleetFile {
  readonly fleet: Fleet
  /**
   * One target for each node to be collected, in the order of the file. Without `decisionsFile`, decisions are read from the file next to the fleet
   * file.
   */
  readonly targets: (options: TargetOptions) => readonly ConnectTarget[]
}

export interface TargetOptions {
  readonly ask?: (question: string) => Promise<string | null>
  readonly decisionsFile?: string
}

/** Decisions about host keys, and the scan that they are based on: the key that a server presents before any login. */
export interface HostKeys {
  readonly scan: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<ScannedKey>>
  /** Whether the trust anchors of the target cover the key that it presented. */
  readonly decide: (target: ConnectTarget, key: ScannedKey) => Promise<Outcome<HostKey>>
  /**
   * Appends a decision in known_hosts format, with the reason as its comment. `list` is what the key was compared with, and the line that contains
   * it; it is stored next to the file.
   */
  readonly record: (
    file: string,
    target: ConnectTarget,
    key: ScannedKey,
    howVerified: string,
    list?: { readonly text: string; readonly line: number },
  ) => Promise<Outcome<null>>
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
    options?: {
      /** Follow the Include directives of an SSH configuration to files of this computer; only for text that is the user’s own. */
      readonly follow?: boolean
      /** The fields of the columns, in order; guessed from their headings where absent. */
      readonly columns?: readonly (ImportField | null)[]
    },
  ) => Promise<{
    readonly nodes: readonly FleetNode[]
    readonly lines: readonly ImportLine[]
    /** By node, the known_hosts files that an SSH configuration names for it (absolute or below `~/`), where they differ from the defaults. */
    readonly knownHosts?: ReadonlyMap<string, readonly string[]>
    /** Only of a table that could be read. */
    readonly columns?: readonly ImportColumn[]
  }>
}

/** The result of one line of an imported file, or of a file that it includes. */
export interface ImportLine {
  /** The included file that contains the line, if any. */
  readonly file?: string
  readonly line: number
  readonly text: string
  /** `read`: the line belongs to a node that another line defines. */
  readonly outcome: 'added' | 'already' | 'read' | 'skipped' | 'problem'
  readonly why: string
  readonly node?: string
}

export interface Files {
  /**
   * Fails with `input.refused` for a file of more than 512 MiB. With `largest`, reads only a regular file of at most that many bytes; links, pipes
   * and devices are refused.
   */
  readonly read: (path: string, largest?: number) => Promise<Outcome<Uint8Array>>
  /** Size and SHA-256 of a file of any size. */
  readonly digest: (path: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** Writes a whole file or nothing, creating folders as needed. */
  readonly write: (path: string, bytes: Uint8Array | string) => Promise<Outcome<null>>
  /** As `write`, in pieces as they arrive, so that a large file is never in memory as a whole. Rejects if the source of the pieces does. */
  readonly writePieces: (
    path: string,
    pieces: Iterable<string | Uint8Array>,
  ) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /**
   * Appends a line to an append-only file, creating file and folders as needed; the line is durable when this resolves. An incomplete last line,
   * which no caller was told of, is removed first. Locks the folder meanwhile. Fails with store.failed.
   */
  readonly append: (path: string, line: string) => Promise<Outcome<null>>
  /** Whether a file or folder of this name exists. */
  readonly isThere: (path: string) => Promise<boolean>
  /** Copies a file of any size, whole or not at all, and never over another. Returns size and SHA-256 of the copy, read back from storage. */
  readonly copyNew: (from: string, to: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** Regular files at most `depth` levels below a folder, as sorted relative paths with “/”; none where the folder does not exist. */
  readonly below: (folder: string, depth?: number) => Promise<Outcome<FilesBelow>>
  /**
   * The time of the last change of a file (ISO 8601), and a mark that differs after the file was changed or replaced; null where no regular file
   * exists.
   */
  readonly mark: (path: string) => Promise<{ readonly mark: string; readonly writtenAt: string } | null>
  /** A file as bytes to be read later, with the size and digest that it has now. */
  readonly stored: (path: string) => Promise<Outcome<StoredBytes>>
  /** Writes bytes stored elsewhere as a new file, whole and compared with their size and digest, or not at all. */
  readonly putNew: (path: string, content: StoredBytes) => Promise<Outcome<null>>
  /** Creates a hard link, never over another file; false where the file system does not support it. */
  readonly linkNew: (from: string, to: string) => Promise<Outcome<boolean>>
  /**
   * Locks a folder, created if necessary, against other Barewitness processes until it is released. Waits `patience` milliseconds for a process
   * that holds it, ten seconds by default. Fails with store.failed.
   */
  readonly hold: (folder: string, patience?: number) => Promise<Outcome<{ readonly release: () => Promise<void> }>>
  /** Removes incomplete files that an ended Barewitness process left directly in a folder; those of running processes stay. */
  readonly clearParts: (folder: string) => Promise<Outcome<null>>
  /** Makes the file read-only. */
  readonly lock: (path: string) => Promise<Outcome<null>>
  /** Deletes a file, or a folder with its content; used only for what Barewitness created. */
  readonly remove: (path: string) => Promise<Outcome<null>>
}

interface FilesBelow {
  readonly files: readonly string[]
  /** Links, pipes and devices, which are never followed or opened. */
  readonly others: readonly string[]
}

export interface Sealing {
  readonly signDetached: (signer: Signer, content: Uint8Array) => Promise<Uint8Array>
  /** Signs at level B-B a PDF that has room reserved for the signature. */
  readonly signPdf: (pdf: Uint8Array, signer: Signer) => Promise<Uint8Array>
  /** The imprint that a time-stamp for the next level of this PDF must cover, and how to insert its token. Fails with pdf.unsuitable. */
  readonly nextPdfStamp: (pdf: Uint8Array, material: ArchiveMaterial) => Promise<Outcome<NextStamp>>
  readonly reader: SealReader
  /** Differences between a sealed PDF and the same one laid out again without a signature: one sentence each, pages first. */
  readonly comparePages: (sealed: Uint8Array, again: Uint8Array) => Promise<readonly string[]>
  /** A key generated in memory for one demonstration; no reader ever trusts it. */
  readonly demoSigner: () => Promise<Signer>
}

/** Certificates and revocation lists for later validation, DER. */
export interface ArchiveMaterial {
  readonly certificates: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
}

export interface NextStamp {
  /** The level that the token achieves. */
  readonly level: PadesLevel
  /** False where the PDF already has that level and the token only extends its validity. */
  readonly first: boolean
  /** SHA-256 to be time-stamped. */
  readonly imprint: Uint8Array
  readonly apply: (token: Uint8Array) => Outcome<Uint8Array>
  /** Certificates that the PDF already contains: those of its signer, and of earlier authorities. */
  readonly certificates: readonly Uint8Array[]
}

/** Time-stamp authorities (RFC 3161), over the network or by transferred files. */
export interface Timestamps {
  /**
   * Requests a time-stamp; the response has passed every check that RFC 3161 requires of clients. Fails with timestamp.unreachable,
   * timestamp.refused or timestamp.wrong.
   */
  readonly stamp: (url: string, imprint: Uint8Array, offered: readonly Uint8Array[]) => Promise<Outcome<Stamp>>
  /** Whether a server accepts connections at this address; nothing is requested. Fails with timestamp.unreachable. */
  readonly reachable: (url: string) => Promise<Outcome<null>>
  /** A query to be transferred as a file. */
  readonly query: (imprint: Uint8Array) => Promise<Uint8Array>
  /** Checks a transferred response against its query and the expected request. */
  readonly accept: (
    query: Uint8Array,
    answer: Uint8Array,
    imprint: Uint8Array,
    offered: readonly Uint8Array[],
  ) => Promise<Outcome<Stamp>>
  /**
   * Revocation lists for every certificate below the root: from `known` where they fit, otherwise from the distribution points of the certificate.
   */
  readonly revocationLists: (
    chain: readonly Uint8Array[],
    known: readonly Uint8Array[],
  ) => Promise<{ readonly lists: readonly Uint8Array[]; readonly missing: readonly string[] }>
}

export interface Stamp {
  /** TimeStampResp, in the one form that packs contain. */
  readonly response: Uint8Array
  /** TimeStampToken, DER. */
  readonly token: Uint8Array
  readonly reading: TimestampReading
  /** The authority’s certificates, DER, its own first. */
  readonly certificates: readonly Uint8Array[]
}

export interface Packs {
  /** Writes files (paths under `pack/`) as one deterministic archive. Fails with input.refused where the name is taken. */
  readonly write: (path: string, files: PackFiles) => Promise<Outcome<null>>
  /** As `write`, with the paths under another folder: for files that are handed out together. */
  readonly handOut: (path: string, files: PackFiles, folder: string) => Promise<Outcome<null>>
  /** As `write`, replacing an existing archive by one that contains all of it and more. */
  readonly replace: (path: string, files: PackFiles) => Promise<Outcome<null>>
  /** Renames a finished archive to its final name in one step. Fails with input.refused where the name is taken. */
  readonly publish: (from: string, to: string) => Promise<Outcome<null>>
  /** Whether `write` would find the name free; also where only a killed process had reserved it. */
  readonly isFree: (path: string) => Promise<boolean>
  readonly open: (path: string) => Promise<Outcome<OpenPack>>
}

export interface OpenPack extends PackSource {
  /** The folder of an unpacked pack; null for an archive. */
  readonly folder: string | null
  /**
   * Where an archive differs from the one that Barewitness writes from the same files, because another program repacked it or because it was
   * altered outside the listed digests. Empty for a folder.
   */
  readonly departures: readonly string[]
  /** One file, for copying. Throws for a path that the pack does not contain. */
  readonly stored: (path: string) => StoredBytes
  /**
   * Starts to search the redaction index for problems in a thread of its own, as indexProblems() does. Null where no thread is available; rejects
   * where the thread ends without a result, as it does when the pack is closed.
   */
  readonly indexApart: () => Promise<readonly string[]> | null
  readonly close: () => Promise<void>
}

export interface RenderOptions {
  readonly attachments: readonly { readonly name: string; readonly bytes: Uint8Array; readonly description: string }[]
  /** UTC, ISO 8601; used for every date in the file. */
  readonly created: string
}

/** The built-in demo fleet while its servers run. */
export interface DemoFleet {
  readonly fleet: Fleet
  readonly targets: readonly ConnectTarget[]
  /** The marks of a recording of a demo node. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  /** The register for it, invented like its nodes; days are counted from the given time. */
  readonly declared: (asOf: string) => DemoDeclared
  /** What another computer would have measured shortly before; invented, and not signed yet. */
  readonly vantage: (asOf: string) => UnsignedVantage
  readonly close: () => Promise<void>
}

export interface DemoDeclared extends DeclaredEngagement {
  readonly provider: ProviderProfile
  readonly register: Register
  /** Bytes of the attached records, by SHA-256. */
  readonly documents: ReadonlyMap<string, Uint8Array>
  readonly location: DeclaredLocation
  /** The bytes of the provider’s site records. */
  readonly sites: Uint8Array
}
