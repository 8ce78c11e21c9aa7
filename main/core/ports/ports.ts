import type { DeclaredNode, HostKey, PathTiming, Recording, Session } from '../../../schemas/types.ts'
import type { Sha256 } from '../base/digest.ts'
import type { Outcome } from '../base/failure.ts'
import type { MethodsHeard, SshOffer } from '../fleet/ssh-methods.ts'
import type { CapturedAnswer, LoadedRecording, RecordingSource } from '../recording/recording.ts'

/**
 * Everything outside the program, from the point of view of the use cases. Each port has one adapter for real use, and a replay or fake for tests.
 */

/** Lossless compression in memory. */
export interface Compression {
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** Restores the original bytes; throws where they do not have this size. */
  readonly restore: (compressed: Uint8Array, size: number) => Uint8Array
}

/** The only source of time and randomness. */
export interface Clock {
  /** UTC, ISO 8601 with milliseconds. */
  readonly now: () => string
  /** Monotonic, in nanoseconds. */
  readonly ticks: () => bigint
}

export interface Entropy {
  readonly bytes: (count: number) => Uint8Array
}

/** How to reach and log in to one node, after defaults, jump hosts and relative paths were resolved. */
export interface ConnectTarget {
  readonly node: DeclaredNode
  readonly trust: HostKeyTrust
  readonly credentials: Credentials
  readonly transport: 'auto' | 'ssh2' | 'openssh'
  /** Outermost first. */
  readonly jumps: readonly Omit<ConnectTarget, 'jumps'>[]
  /** Only of a demo node: recorded in place of measurements, and only in a recording marked as demo data. */
  readonly roundTrips?: EmulatedTimes
}

/** Times that a demo node emulates, in milliseconds. */
export interface EmulatedTimes {
  readonly echoMs: number
  readonly tcpMs: number
}

export interface HostKeyTrust {
  /** Fingerprint from the fleet file, `SHA256:…`. */
  readonly fingerprint?: string
  /** known_hosts files, in order. */
  readonly knownHostsFiles: readonly string[]
  /** Recorded decisions (a file of ours in known_hosts format), consulted last. */
  readonly decisionsFile?: string
}

export interface Credentials {
  readonly identityFile?: string
  readonly agent: boolean
  /** Asks a person, on a terminal or in the window’s prompt; null where no one answers. The answer is never logged. */
  readonly ask?: (question: string) => Promise<string | null>
}

/** An open, authenticated connection to one node with a verified host key. Each collection uses one. */
export interface Connection {
  readonly hostKey: HostKey
  /** The list that contains the host key, where a person compared the key with one; stored as evidence. */
  readonly hostKeyList?: string | null
  readonly session: Omit<Session, 'privilege'>
  /** Starts one remote command and returns its streams. Called once per collection. */
  readonly exec: (command: string) => Promise<Outcome<RemoteProcess>>
  /** The algorithms that the server offered in this connection’s key exchange; null or absent where the adapter cannot read them. */
  readonly offer?: SshOffer | null
  /**
   * Opens a TCP stream from the node to one of its own ports through this connection (RFC 4254 §7.2). Absent where the adapter does not support it.
   */
  readonly dial?: (host: string, port: number) => Promise<Dialed>
  /**
   * Asks an SSH server of the node, through this connection, which login methods it offers a user, by a request without credentials; `late` ends
   * the wait. Absent where the adapter does not support it.
   */
  readonly askMethods?: (
    target: { readonly host: string; readonly port: number; readonly user: string },
    late: Promise<unknown>,
  ) => Promise<MethodsHeard>
  /** Measures the network path to the server; displayed with the echo times, and bounds nothing. Absent where the adapter does not support it. */
  readonly timePath?: () => Promise<PathTiming>
  readonly close: () => void
}

/**
 * `refused`: the SSH server does not allow forwarding. `failed`: forwarding was attempted, but nothing accepted the connection. `lost`: the session
 * has ended.
 */
export type Dialed =
  | { readonly ok: true; readonly stream: ByteStream }
  | { readonly ok: false; readonly why: 'refused' | 'failed' | 'lost' }
export interface ByteStream {
  readonly write: (data: Uint8Array) => void
  readonly onData: (listener: (chunk: Uint8Array) => void) => void
  /** Resolves when the other end closed the stream, or the connection was lost. */
  readonly closed: Promise<'ended' | 'lost'>
  readonly close: () => void
}

export interface RemoteProcess {
  readonly write: (data: Uint8Array) => void
  readonly end: () => void
  readonly onStdout: (listener: (chunk: Uint8Array) => void) => void
  readonly onStderr: (listener: (chunk: Uint8Array) => void) => void
  /** Resolves when the process and both streams, or the connection, have ended. */
  readonly closed: Promise<{ readonly exitCode: number | null; readonly lost: boolean }>
  readonly kill: () => void
}

export interface Transport {
  readonly connect: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<Connection>>
}

/** Append-only, content-addressed evidence. */
export interface EvidenceStore {
  /** Opens or resumes a recording for writing. Each append is durable when its promise resolves. */
  readonly begin: (recording: Recording) => Promise<Outcome<RecordingWriter>>
  readonly load: (run: string, id: string) => Promise<Outcome<LoadedRecording>>
  /** A stored recording without its outputs, which are read when needed, even after the store was closed. */
  readonly source: (recording: Recording) => RecordingSource
  readonly list: (run: string) => Promise<Outcome<readonly Recording[]>>
  readonly runs: () => Promise<Outcome<readonly string[]>>
  /** Deletes stored bytes that no recording refers to any more; returns their total. */
  readonly sweep: () => Promise<Outcome<number>>
}

export interface RecordingWriter {
  readonly append: (answer: CapturedAnswer) => Promise<Outcome<null>>
  /** Completes the recording. Its outputs are not read back unless it already had some when it was opened. */
  readonly finish: (recording: Recording) => Promise<Outcome<FinishedRecording>>
}

export interface FinishedRecording extends RecordingSource {
  /** Number of captures. */
  readonly answers: number
}

/** A private signing key, whether in a local file, a PKCS #12 file or on a token. */
export interface Signer {
  /** DER of the leaf certificate, followed by its chain up to the root. */
  readonly certificate: Uint8Array
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  readonly keyType: 'EC' | 'RSA'
  /** SHA-256 fingerprint of the leaf, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly subject: string
  /**
   * Signs the SHA-256 of `data`; returns a DER ECDSA-Sig-Value, or PKCS #1 v1.5. `content` is what `data` contains the digest of; a signer at
   * another computer reads it before signing an entry.
   */
  readonly sign: (data: Uint8Array, content?: Uint8Array) => Promise<Uint8Array>
  /** A person at another computer has to confirm, which may take minutes; nothing that others need is locked meanwhile. */
  readonly mayTakeLong?: boolean
}

/** A certificate as displayed to people. */
export interface CertificateName {
  readonly subject: string
  /** SHA-256 of the certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
}

/** The reading of a detached CMS signature over given bytes. Empty `problems` means that the signature verifies cryptographically. */
export interface SealReading {
  readonly problems: readonly string[]
  /** Its validity is that of the whole chain: the latest beginning, the earliest end. */
  readonly signer:
    | (CertificateName & {
        readonly notBefore: string
        readonly notAfter: string
        /** SHA-256 of the public key, since several certificates can have one key. */
        readonly key: string
      })
    | null
  /** The root of the signer’s chain; null for an incomplete chain. */
  readonly root: CertificateName | null
  /** Where the signature verifies but the chain ends before a root: a sentence naming the missing issuer. */
  readonly incomplete: string | null
  /** Signed by a demonstration key. */
  readonly demo: boolean
  readonly revoked: { readonly at: string } | null
  /** A verified revocation list covers every certificate below the root. */
  readonly revocationCovered: boolean
  /** End of validity of those lists; null where none states it. */
  readonly revocationUntil: string | null
  /** The same two values for those certificates below the root that state a revocation source; null where none does. */
  readonly revocationNamed: { readonly covered: boolean; readonly until: string | null } | null
  /** In order: the first covers the signature, each further one everything before it. */
  readonly timestamps: readonly TimestampReading[]
}

/** The reading of one time-stamp token (RFC 3161). Whether its authority is trusted is decided by the reader. */
export interface TimestampReading {
  /** Empty: a well-formed token over the given bytes, signed by a certificate for time-stamping. */
  readonly problems: readonly string[]
  /** genTime: UTC, ISO 8601; empty where it cannot be read. */
  readonly at: string
  readonly authority: CertificateName | null
  readonly root: CertificateName | null
  /** As in SealReading. */
  readonly incomplete: string | null
  /** Earliest end of validity in the authority’s chain; until then the token can be verified by itself. */
  readonly until: string
  readonly revoked: { readonly at: string } | null
  readonly revocationCovered: boolean
  /** Made with a demonstration key. */
  readonly demo: boolean
}

/** A token and the exact bytes that it must cover. */
export interface StampedBytes {
  /** DER of the TimeStampToken (a CMS ContentInfo), or of the TimeStampResp that contains it. */
  readonly token: Uint8Array
  readonly over: Uint8Array
}

export interface SealInput {
  readonly content: Uint8Array
  readonly signature: Uint8Array
  /** DER certificates that may complete the signer’s chain. */
  readonly chain: readonly Uint8Array[]
  /** DER revocation lists of the signer’s issuers. */
  readonly crls: readonly Uint8Array[]
  readonly timestamps: readonly StampedBytes[]
  /** The same for the time-stamp authorities. */
  readonly tsaChain: readonly Uint8Array[]
  readonly tsaCrls: readonly Uint8Array[]
  /** Revocation lists supplied by the reader, of any issuers; those of unrelated issuers are ignored. */
  readonly freshCrls: readonly Uint8Array[]
}

export interface SealReader {
  readonly read: (input: SealInput) => Promise<SealReading>
  /** Reads a signed PDF. `offered` are certificates that may complete chains; they are not trusted by being offered. */
  readonly readPdf: (
    pdf: Uint8Array,
    offered: readonly Uint8Array[],
    freshCrls: readonly Uint8Array[],
  ) => Promise<PdfReading>
}

/**
 * The PAdES baseline levels (ETSI EN 319 142-1 §6) that Barewitness writes. It never writes B-LT alone, which shows little without a time-stamp
 * over it.
 */
export type PadesLevel = 'B-B' | 'B-T' | 'B-LTA'

/** The reading of a PDF, by the strict profile of Barewitness reports. */
export interface PdfReading {
  /** `report`: has the form of a Barewitness report, whether or not it verifies. `foreign`: a PDF from another program, which is not evaluated. */
  readonly kind: 'report' | 'foreign' | 'not-a-pdf'
  /** Departures of the file from the profile, or of its signatures from the bytes. Empty for an intact report. */
  readonly problems: readonly string[]
  readonly level: PadesLevel | null
  /** The author’s signature; its `timestamps` are the signature’s own token, then each document time-stamp, oldest first. */
  readonly seal: SealReading | null
  /** SHA-256 of the bytes that the author’s signature covers; null where it cannot be read. */
  readonly covered: Sha256 | null
  /** The evidence digest stated in the file’s own data, 64 hex characters. */
  readonly evidenceDigest: string | null
  /** Embedded files of the first revision, by name. */
  readonly attachments: ReadonlyMap<string, Uint8Array>
}

/** An opened pack that was checked to be safe to read (no path traversal, links, duplicates or decompression bombs). Paths are inside `pack/`. */
export interface PackSource {
  readonly paths: readonly string[]
  readonly sha256: (path: string) => Promise<string>
  /** Size of a file in bytes; null where it does not exist. */
  readonly size: (path: string) => number | null
  /** Rejects for a file of more than `most` bytes, as far as its size is known before reading. */
  readonly read: (path: string, most?: number) => Promise<Uint8Array>
  /** The SHA-256 that read() compares with the bytes it returns, rejecting others; absent where it compares nothing. */
  readonly comparedWith?: (path: string) => string
}

/** Validates JSON against one of our schemas. Problems are plain sentences with the position in the document. */
export interface SchemaValidator {
  readonly problems: (
    schema:
      | 'recording'
      | 'capture'
      | 'assessment'
      | 'assessment-index'
      | 'node-assessment'
      | 'fleet'
      | 'statement'
      | 'register'
      | 'mapping'
      | 'engagement'
      | 'provider'
      | 'scope'
      | 'trace'
      | 'period'
      | 'earlier-runs'
      | 'schedules',
    value: unknown,
  ) => readonly string[]
}

/** Events of a run, for the window, the terminal and logs alike. */
export type RunEvent =
  | { readonly kind: 'run-started'; readonly run: string; readonly nodes: readonly string[] }
  | { readonly kind: 'node-connecting'; readonly node: string }
  | { readonly kind: 'node-collecting'; readonly node: string; readonly done: number; readonly total: number }
  /** All questions are answered; only round-trip times are still being measured. */
  | { readonly kind: 'node-timing'; readonly node: string; readonly secondsLeft: number }
  | {
      readonly kind: 'node-done'
      readonly node: string
      readonly captures: number
      readonly partial: boolean
      /** The message of a sudo that completed no command; empty where it gave none. Absent for any other node. */
      readonly sudoRefused?: string
    }
  | { readonly kind: 'node-failed'; readonly node: string; readonly code: string; readonly detail: string }
  | { readonly kind: 'run-done'; readonly run: string; readonly cancelled: boolean }
