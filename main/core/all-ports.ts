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
import type { KeptRules } from './assessor.ts'
import type { Outcome } from './failure.ts'
import type { FleetProblem } from './fleet.ts'
import type { HistoryStore } from './history.ts'
import type { Identities } from './identities.ts'
import type { Notice } from './notice.ts'
import type { Integrations } from './outbox/delivery.ts'
import type { PackFiles } from './pack-files.ts'
import type { Zones } from './period/cadence.ts'
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
} from './ports.ts'
import type { LoadedRecording, RecordingSource, StoredBytes } from './recording.ts'
import type { Paper, ReportDocument } from './report-document.ts'
import type { OpenRunChain } from './run-chain/entry.ts'
import type { ScheduleStore, Timers } from './schedule/schedule.ts'
import type { TableRow } from './table.ts'
import type { UnsignedVantage } from './vantage.ts'

/** Everything outside that use cases may ask for. Each use case takes those that it uses; `main/adapters/ports.ts` makes the real ones. */
export interface Ports {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly zones: Zones
  /** Resolves after a pause. */
  readonly pause: (milliseconds: number) => Promise<void>
  /** Gives back memory that nothing holds any more, where that can be asked for: between the parts of what takes much of it. */
  readonly tidyMemory: () => void
  readonly compression: Compression
  readonly validator: SchemaValidator
  /** Who runs this program, and where: stated by this computer, read once. */
  readonly operator: () => Promise<Operator>
  readonly transport: Transport
  readonly fleets: Fleets
  readonly hostKeys: HostKeys
  readonly importers: Importers
  readonly files: Files
  /** The register in a file; null when nothing is there. Fails with input.refused, naming the line. */
  readonly readRegister: (path: string) => Promise<Outcome<Register | null>>
  /** Rows of text as one CSV file. */
  readonly csv: (rows: Iterable<readonly string[]>) => string
  /** The same in pieces, for as many rows as there are; for an importer without the mark that a spreadsheet needs. */
  readonly csvPieces: (rows: Iterable<readonly string[]>, reader?: CsvReader) => Iterable<string>
  /** Sheets as one workbook; the same sheets give the same bytes. */
  readonly xlsx: (sheets: readonly Sheet[], print: PrintSetup) => Promise<Uint8Array>
  /** A table that a person filled in: CSV or the first sheet of a workbook. Fails with input.not-found and input.refused. */
  readonly readTable: (path: string) => Promise<Outcome<readonly TableRow[]>>
  readonly declarations: Declarations
  readonly openStore: (folder: string) => Promise<Outcome<EvidenceStore>>
  /** The history of runs below a folder. */
  readonly openHistory: (folder: string) => Promise<Outcome<HistoryStore>>
  readonly schedules: ScheduleStore
  readonly timers: Timers
  readonly writeRecording: (folder: string, loaded: LoadedRecording) => Promise<Outcome<null>>
  /** Recordings in folders; each is checked in full when it is loaded. */
  readonly readRecordings: (folders: readonly string[]) => Promise<Outcome<readonly RecordingSource[]>>
  readonly sealing: Sealing
  readonly timestamps: Timestamps
  readonly identities: Identities
  readonly packs: Packs
  /**
   * The chain of runs in a folder, begun with this id when there is none; no other process can add to it until it is closed. Fails with
   * chain.broken, input.refused or store.failed.
   */
  readonly openRunChain: (
    folder: string,
    beginning: { readonly id: string; readonly fleet: string },
  ) => Promise<Outcome<OpenRunChain>>
  /** The rules of earlier versions, for one verification; closed after it. */
  readonly keptRules: () => KeptRules & { readonly begin: () => void; readonly close: () => void }
  /** Whether the rules of this program were signed for release, in words. */
  readonly rulesState: string
  readonly reports: { readonly render: (document: ReportDocument, options: RenderOptions) => Promise<Uint8Array> }
  /** Notifies one place of a change. Fails with notice.undelivered or input.refused; its text holds no secret. */
  readonly notify: (to: Notify, notice: Notice) => Promise<Outcome<null>>
  /** Sending of packs to other systems. */
  readonly integrations: Integrations
  readonly demo: { readonly start: () => Promise<DemoFleet> }
}

/**
 * Declarations in files other than the fleet file. A relative path is resolved from the folder of `beside`, where that is given; problems name file,
 * line and field.
 */
export interface Declarations {
  /** An engagement file (YAML or JSON) and the inventory that it names, read and checked. It may name rows of the given mappings. */
  readonly engagement: (
    file: string,
    beside: string | null,
    mappings: readonly Mapping[],
  ) => Promise<Outcome<DeclaredEngagement>>
  /** A provider's list as a table by itself (CSV); problems name the line. */
  readonly inventory: (file: string) => Promise<Outcome<InventoryTable>>
  /** The columns under which a list gives these rows; null where no choice of columns does. */
  readonly inventoryColumns: (bytes: Uint8Array, rows: Inventory['rows']) => InventoryColumns | null
  /** A provider profile: one that ships, by its id, or a file. */
  readonly provider: (idOrFile: string, beside: string | null) => Promise<Outcome<ProviderProfile>>
  /** A framework of the customer's own, from a YAML or JSON mapping, and the OSCAL catalog that it names. */
  readonly mapping: (file: string, beside: string | null) => Promise<Outcome<Mapping>>
  /** A vantage record whose signature is valid. */
  readonly vantage: (file: string, beside: string | null) => Promise<Outcome<VantageRecord>>
  /** The provider's record of where machines stand, and its bytes. */
  readonly sites: (declared: SitesInFile, beside: string | null) => Promise<Outcome<DeclaredSites>>
  readonly addressDatabase: (
    declared: AddressDatabaseInFile,
    beside: string | null,
  ) => Promise<Outcome<OpenAddressDatabase>>
}

export interface DeclaredEngagement {
  readonly engagement: Engagement
  /** The bytes of the provider's list as it was read; null without one. */
  readonly inventory: Uint8Array | null
}

export interface DeclaredSites {
  readonly sites: SiteList
  /** As they were read. */
  readonly bytes: Uint8Array
}

/** A database of addresses, open for questions. */
export interface OpenAddressDatabase {
  readonly about: Omit<AddressDatabase, 'answers'>
  /** What it states of an address; null for a family that it does not hold, and for what is no public address. */
  readonly answer: (address: string) => AddressAnswer | null
}

export interface InventoryTable extends Pick<Inventory, 'file' | 'rows'> {
  /** As they were read. */
  readonly bytes: Uint8Array
}

/** One sheet of a workbook. The first row names the columns; cells are text or numbers, never formulas. */
export interface Sheet {
  readonly name: string
  /** Widths in characters, one for each column. */
  readonly widths: readonly number[]
  /** Number of first columns that name a row: they stay visible, and are printed on every page. None where it is absent. */
  readonly keys?: number
  readonly rows: readonly (readonly (string | number)[])[]
}

/** What reads a CSV file. */
export type CsvReader = 'spreadsheet' | 'importer'

/** How the sheets of a workbook are printed. */
export interface PrintSetup {
  readonly paper: Paper
  /** At the foot of each page, before the name of the sheet and the page number. */
  readonly foot: string
}

export interface Fleets {
  /** A fleet file, read and checked; problems name file, line and field. */
  readonly read: (path: string) => Promise<Outcome<FleetFile>>
  /** The same file with its problems one by one; `fleet` is null where there are any. Fails where it cannot be read at all. */
  readonly inspect: (path: string) => Promise<Outcome<InspectedFleet>>
  /** What `read` would report of a fleet stored at this path, by field. */
  readonly problems: (fleet: Fleet, path: string) => readonly FleetProblem[]
  /** The same fleet for another folder: its relative paths are resolved against the folder of `path`. */
  readonly moved: (fleet: Fleet, path: string) => Fleet
  /** The text of a new fleet file, or of a file that it names: YAML, or JSON where the path ends so. */
  readonly textOf: (value: Fleet | EngagementInFile | ProviderProfile | MappingFile, path: string) => string
  /** A fleet file with “hostKey” of these nodes, by name, added; everything else in it stays, comments too. */
  readonly withHostKeys: (
    bytes: Uint8Array,
    keys: ReadonlyMap<string, { readonly fingerprint: string; readonly note: string }>,
  ) => string
}

export interface InspectedFleet {
  readonly fleet: Fleet | null
  readonly problems: readonly FileProblem[]
}

export interface FleetFile {
  readonly fleet: Fleet
  /** One target per node that is collected, in the file's order. Without `decisionsFile`, the one next to the fleet file. */
  readonly targets: (options: TargetOptions) => readonly ConnectTarget[]
}

export interface TargetOptions {
  readonly ask?: (question: string) => Promise<string | null>
  readonly decisionsFile?: string
}

/** Host keys that a person decided about, and the means to decide: the key a server shows before any login. */
export interface HostKeys {
  readonly scan: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<ScannedKey>>
  /** Whether the trust of the target covers the key it showed. */
  readonly decide: (target: ConnectTarget, key: ScannedKey) => Promise<Outcome<HostKey>>
  /**
   * Appends a decision, in known_hosts format with the reason as its comment. `list`: what the key was compared with, and the line that holds it; it
   * is kept next to the file.
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
      /** Follow what an ssh configuration includes from files of this computer: only where the text is the user's own. */
      readonly follow?: boolean
      /** What the columns of a table are, in their order; guessed from their headings where this is absent. */
      readonly columns?: readonly (ImportField | null)[]
    },
  ) => Promise<{
    readonly nodes: readonly FleetNode[]
    readonly lines: readonly ImportLine[]
    /** By node: the known_hosts files that an ssh configuration names for it, absolute or below `~/`, where they are not the usual ones. */
    readonly knownHosts?: ReadonlyMap<string, readonly string[]>
    /** Of a table that could be read. */
    readonly columns?: readonly ImportColumn[]
  }>
}

/** What became of one line of an imported file, or of a file that it includes. */
export interface ImportLine {
  /** The included file, where the line is in one. */
  readonly file?: string
  readonly line: number
  readonly text: string
  /** `read`: it belongs to a node that another line defines. */
  readonly outcome: 'added' | 'already' | 'read' | 'skipped' | 'problem'
  readonly why: string
  readonly node?: string
}

export interface Files {
  /** Fails with `input.refused` for a file of more than 512 MiB. With `largest`, only an ordinary file of at most so many bytes: links, pipes and devices are refused. */
  readonly read: (path: string, largest?: number) => Promise<Outcome<Uint8Array>>
  /** Size and SHA-256 of a file of any size. */
  readonly digest: (path: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** Writes a whole file or nothing; makes folders on the way. */
  readonly write: (path: string, bytes: Uint8Array | string) => Promise<Outcome<null>>
  /** As write, piece by piece as they come, so that a large file is never in memory as a whole. Rejects as the source of the pieces does. */
  readonly writePieces: (
    path: string,
    pieces: Iterable<string | Uint8Array>,
  ) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /**
   * Adds a line to a file that is only appended to, and makes file and folders where there are none. It is on the disk when this resolves. A
   * last line without its end, which was reported to no caller, is cut. Holds the file’s folder meanwhile; fails with store.failed.
   */
  readonly append: (path: string, line: string) => Promise<Outcome<null>>
  /** Whether a file or folder of this name is there. */
  readonly isThere: (path: string) => Promise<boolean>
  /** Copies a file of any size, whole or not at all, never over another. Size and SHA-256 of the copy, read back from where it is stored. */
  readonly copyNew: (from: string, to: string) => Promise<Outcome<{ readonly size: number; readonly sha256: string }>>
  /** The ordinary files at most so many names below a folder, sorted, as paths from it with “/”; none where there is no folder. */
  readonly below: (folder: string, depth?: number) => Promise<Outcome<FilesBelow>>
  /**
   * When a file was written last (ISO 8601), and a mark that is another one after it was written to or replaced; null where no ordinary file
   * is there.
   */
  readonly mark: (path: string) => Promise<{ readonly mark: string; readonly writtenAt: string } | null>
  /** A file as bytes to be read later, of the size and digest that it has now. */
  readonly stored: (path: string) => Promise<Outcome<StoredBytes>>
  /** Writes bytes kept elsewhere as a new file, whole and compared with their size and digest, or not at all. */
  readonly putNew: (path: string, content: StoredBytes) => Promise<Outcome<null>>
  /** Gives a file a second name, never over another file; false where the file system gives it none. */
  readonly linkNew: (from: string, to: string) => Promise<Outcome<boolean>>
  /**
   * Holds a folder, made where there is none, against other programs of ours, until it is released. Waits `patience` milliseconds for
   * another program that does, ten seconds by default. Fails with store.failed.
   */
  readonly hold: (folder: string, patience?: number) => Promise<Outcome<{ readonly release: () => Promise<void> }>>
  /** Removes half-written files that a process of ours left directly in a folder when it was ended; those of processes that run stay. */
  readonly clearParts: (folder: string) => Promise<Outcome<null>>
  /** From now on the file can only be read. */
  readonly lock: (path: string) => Promise<Outcome<null>>
  /** Takes away a file, or a folder with all that is in it: only for what we made ourselves. */
  readonly remove: (path: string) => Promise<Outcome<null>>
}

export interface FilesBelow {
  readonly files: readonly string[]
  /** Links, pipes and devices, which are never followed or opened. */
  readonly others: readonly string[]
}

export interface Sealing {
  readonly signDetached: (signer: Signer, content: Uint8Array) => Promise<Uint8Array>
  /** Level B-B, in a PDF that left room for it. */
  readonly signPdf: (pdf: Uint8Array, signer: Signer) => Promise<Uint8Array>
  /** What a time-stamp of this PDF's next level must be over, and how its token goes in. Fails with pdf.unsuitable. */
  readonly nextPdfStamp: (pdf: Uint8Array, material: ArchiveMaterial) => Promise<Outcome<NextStamp>>
  readonly reader: SealReader
  /** What differs between a sealed PDF and the same one written again, not signed: a sentence each, the pages first. */
  readonly comparePages: (sealed: Uint8Array, again: Uint8Array) => Promise<readonly string[]>
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
  /** Whether a server takes connections at this address; nothing is asked of them. Fails with timestamp.unreachable. */
  readonly reachable: (url: string) => Promise<Outcome<null>>
  /** A query to be carried, and what its answer must fit. */
  readonly query: (imprint: Uint8Array) => Promise<Uint8Array>
  /** An answer that was carried, against its query and what should have been asked. */
  readonly accept: (
    query: Uint8Array,
    answer: Uint8Array,
    imprint: Uint8Array,
    offered: readonly Uint8Array[],
  ) => Promise<Outcome<Stamp>>
  /** Revocation lists for every certificate below the root: those `known` that fit, else from where the certificate states. */
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

export interface Packs {
  /** Writes files (paths under `pack/`) as one deterministic archive. Fails with input.refused where something is there already. */
  readonly write: (path: string, files: PackFiles) => Promise<Outcome<null>>
  /** As write, with the paths under another folder: for files that are given to people together. */
  readonly handOut: (path: string, files: PackFiles, folder: string) => Promise<Outcome<null>>
  /** As write, in place of an archive that is there: for one that holds all of it, and more. */
  readonly replace: (path: string, files: PackFiles) => Promise<Outcome<null>>
  /** Renames a finished archive to its final name in one step. Fails with input.refused where something is there already. */
  readonly publish: (from: string, to: string) => Promise<Outcome<null>>
  /** Whether write() would find nothing there: also where only a killed process had reserved the name. */
  readonly isFree: (path: string) => Promise<boolean>
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
  /**
   * Begins to find the problems of the redaction index in a thread of its own, as indexProblems() finds them. Null where that is not possible;
   * rejects where the thread ends without an answer, as it does when the pack is closed.
   */
  readonly indexApart: () => Promise<readonly string[]> | null
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
  /** What a recording of a demo node states of itself. */
  readonly marks: (node: string) => Pick<Recording, 'demo' | 'synthetic'>
  /** The register for it, made up like its nodes; days are counted from the given moment. */
  readonly declared: (asOf: string) => DemoDeclared
  /** What another machine would have timed shortly before, made up, and not signed yet. */
  readonly vantage: (asOf: string) => UnsignedVantage
  readonly close: () => Promise<void>
}

export interface DemoDeclared extends DeclaredEngagement {
  readonly provider: ProviderProfile
  readonly register: Register
  /** Bytes of the attached records, by SHA-256. */
  readonly documents: ReadonlyMap<string, Uint8Array>
  readonly location: DeclaredLocation
  /** The bytes of the provider's record of where machines stand. */
  readonly sites: Uint8Array
}
