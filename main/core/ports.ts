import type { DeclaredNode, HostKey, PathTiming, Recording, Session } from '../../schemas/types.ts'
import type { Sha256 } from './digest.ts'
import type { Outcome } from './failure.ts'
import type { CapturedAnswer, LoadedRecording, RecordingSource } from './recording.ts'
import type { MethodsHeard, SshOffer } from './ssh-methods.ts'

/** Everything outside, as the use cases see it. Each port has one adapter for real use, and a replay or fake for tests. */

/** Bytes in less memory. */
export interface Compression {
  readonly compress: (bytes: Uint8Array) => Uint8Array
  /** The same bytes as before, of this size; throws where they are not. */
  readonly restore: (compressed: Uint8Array, size: number) => Uint8Array
}

/** Time and chance come in through here and nowhere else. */
export interface Clock {
  /** UTC, ISO 8601 with milliseconds. */
  readonly now: () => string
  /** Monotonic nanoseconds. */
  readonly ticks: () => bigint
}

export interface Entropy {
  readonly bytes: (count: number) => Uint8Array
}

/** How to reach and log in to one node, after defaults, jump names and relative paths were resolved. */
export interface ConnectTarget {
  readonly node: DeclaredNode
  readonly trust: HostKeyTrust
  readonly credentials: Credentials
  readonly transport: 'auto' | 'ssh2' | 'openssh'
  /** Outermost first. */
  readonly jumps: readonly Omit<ConnectTarget, 'jumps'>[]
  /** Of a demo node: recorded in place of what is measured, and only in a recording that is marked as demo data. */
  readonly roundTrips?: EmulatedTimes
}

/** Times that a demo node emulates, in milliseconds. */
export interface EmulatedTimes {
  readonly echoMs: number
  readonly tcpMs: number
}

export interface HostKeyTrust {
  /** Inline fingerprint, `SHA256:…`, from the fleet file. */
  readonly fingerprint?: string
  /** known_hosts files, in order. */
  readonly knownHostsFiles: readonly string[]
  /** Recorded decisions (our own known_hosts-like file), consulted last. */
  readonly decisionsFile?: string
}

export interface Credentials {
  readonly identityFile?: string
  readonly agent: boolean
  /** Asks a person, on a terminal or in the one-field window; null when no person answers. Never logged. */
  readonly ask?: (question: string) => Promise<string | null>
}

/** An open, authenticated connection to one node whose host key was verified. One collection uses one of these. */
export interface Connection {
  readonly hostKey: HostKey
  /** The list that the host key was found in, where a person compared it with one; kept as evidence. */
  readonly hostKeyList?: string | null
  readonly session: Omit<Session, 'privilege'>
  /** Starts one remote command and gives its streams. Called once per collection. */
  readonly exec: (command: string) => Promise<Outcome<RemoteProcess>>
  /** What the server offered in this connection's key exchange; null or absent where the adapter could not read it. */
  readonly offer?: SshOffer | null
  /** A TCP stream from the node to one of its own ports, through this connection (RFC 4254 §7.2); absent where the adapter has none. */
  readonly dial?: (host: string, port: number) => Promise<Dialed>
  /**
   * Asks an SSH server of the node, through this connection, which methods it offers a user, by a request that carries no credential; `late`
   * ends the wait. Absent where the adapter has no means.
   */
  readonly askMethods?: (
    target: { readonly host: string; readonly port: number; readonly user: string },
    late: Promise<unknown>,
  ) => Promise<MethodsHeard>
  /** Times the way to the server: shown with the echo, and bounds nothing. Absent where the adapter has no means. */
  readonly timePath?: () => Promise<PathTiming>
  readonly close: () => void
}

/** `refused`: the SSH server does not forward. `failed`: it tried, and nothing took the connection. `lost`: the session has ended. */
export type Dialed =
  | { readonly ok: true; readonly stream: ByteStream }
  | { readonly ok: false; readonly why: 'refused' | 'failed' | 'lost' }
export interface ByteStream {
  readonly write: (data: Uint8Array) => void
  readonly onData: (listener: (chunk: Uint8Array) => void) => void
  /** Resolves when the other end ended it, or the whole connection was lost. */
  readonly closed: Promise<'ended' | 'lost'>
  readonly close: () => void
}

export interface RemoteProcess {
  readonly write: (data: Uint8Array) => void
  readonly end: () => void
  readonly onStdout: (listener: (chunk: Uint8Array) => void) => void
  readonly onStderr: (listener: (chunk: Uint8Array) => void) => void
  /** Resolves when the process and both streams ended, or the connection did. */
  readonly closed: Promise<{ readonly exitCode: number | null; readonly lost: boolean }>
  readonly kill: () => void
}

export interface Transport {
  readonly connect: (target: ConnectTarget, signal: AbortSignal) => Promise<Outcome<Connection>>
}

/** Append-only, content-addressed evidence. */
export interface EvidenceStore {
  /** Opens (or resumes) a recording for writing. Each append is durable when its promise resolves. */
  readonly begin: (recording: Recording) => Promise<Outcome<RecordingWriter>>
  readonly load: (run: string, id: string) => Promise<Outcome<LoadedRecording>>
  /** A stored recording without its answers, which are read when they are needed, even after the store was closed. */
  readonly source: (recording: Recording) => RecordingSource
  readonly list: (run: string) => Promise<Outcome<readonly Recording[]>>
  readonly runs: () => Promise<Outcome<readonly string[]>>
  /** Takes away stored bytes that no recording holds any more; gives how many that were. */
  readonly sweep: () => Promise<Outcome<number>>
}

export interface RecordingWriter {
  readonly append: (answer: CapturedAnswer) => Promise<Outcome<null>>
  /** The recording as it is stored now. Its answers are not read back, unless it held some when it was begun. */
  readonly finish: (recording: Recording) => Promise<Outcome<FinishedRecording>>
}

export interface FinishedRecording extends RecordingSource {
  /** How many answers it holds. */
  readonly answers: number
}

/** A private key that signs: local file, PKCS#12 or token look the same from here. */
export interface Signer {
  /** DER of the leaf certificate, then its chain up to the root. */
  readonly certificate: Uint8Array
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  readonly keyType: 'EC' | 'RSA'
  /** SHA-256 fingerprint of the leaf, 64 lower-case hex characters. */
  readonly fingerprint: string
  readonly subject: string
  /**
   * Signs the SHA-256 of `data`: DER ECDSA-Sig-Value, or PKCS #1 v1.5. `content` is that of the signature, of which `data` has the digest; a
   * signer at another computer reads it before an entry is signed.
   */
  readonly sign: (data: Uint8Array, content?: Uint8Array) => Promise<Uint8Array>
  /** A person at another computer decides first, which may take minutes: nothing that others need is locked meanwhile. */
  readonly mayTakeLong?: boolean
}

/** A certificate as people read of it. */
export interface CertificateName {
  readonly subject: string
  /** SHA-256 of the certificate, 64 lower-case hex characters. */
  readonly fingerprint: string
}

/** What is found of a detached CMS signature over some bytes. `problems` empty means the signature verifies cryptographically. */
export interface SealReading {
  readonly problems: readonly string[]
  /** The term is that of the whole chain: the latest beginning, the earliest end. */
  readonly signer:
    | (CertificateName & {
        readonly notBefore: string
        readonly notAfter: string
        /** SHA-256 of the public key: one key can be in several certificates. */
        readonly key: string
      })
    | null
  /** The root that the signer's chain ends in, when it does. */
  readonly root: CertificateName | null
  /** Whose issuer is not at hand, in a sentence: the signature verifies, and the chain ends before a root. */
  readonly incomplete: string | null
  /** Signed by a key made for demonstrations. */
  readonly demo: boolean
  readonly revoked: { readonly at: string } | null
  /** A verified revocation list covers every certificate below the root. */
  readonly revocationCovered: boolean
  /** Until when those lists are current; null when none states it. */
  readonly revocationUntil: string | null
  /** Both, of the certificates below the root that state where their revocation is published; null where none does. */
  readonly revocationNamed: { readonly covered: boolean; readonly until: string | null } | null
  /** In order: the first over the signature, each further one over all before it. */
  readonly timestamps: readonly TimestampReading[]
}

/** What is found of one time-stamp token (RFC 3161). Whether its authority is trusted is the reader's to decide. */
export interface TimestampReading {
  /** Empty means: a well-formed token over the bytes at hand, signed by a certificate made for time-stamping. */
  readonly problems: readonly string[]
  /** genTime, UTC, ISO 8601; empty when it cannot be read. */
  readonly at: string
  readonly authority: CertificateName | null
  readonly root: CertificateName | null
  /** As in SealReading. */
  readonly incomplete: string | null
  /** The earliest end in the authority's chain: until then the token can be checked by itself. */
  readonly until: string
  readonly revoked: { readonly at: string } | null
  readonly revocationCovered: boolean
  /** Made by a demonstration key. */
  readonly demo: boolean
}

/** A token and the exact bytes it must be over. */
export interface StampedBytes {
  /** DER of the TimeStampToken (a CMS ContentInfo), or of the whole TimeStampResp that holds it. */
  readonly token: Uint8Array
  readonly over: Uint8Array
}

export interface SealInput {
  readonly content: Uint8Array
  readonly signature: Uint8Array
  /** DER certificates that may complete the signer's chain. */
  readonly chain: readonly Uint8Array[]
  /** DER revocation lists of the signer's issuers. */
  readonly crls: readonly Uint8Array[]
  readonly timestamps: readonly StampedBytes[]
  /** The same for the authorities of the time-stamps. */
  readonly tsaChain: readonly Uint8Array[]
  readonly tsaCrls: readonly Uint8Array[]
  /** Lists that the reader supplied, of any issuers: those of others are passed over. */
  readonly freshCrls: readonly Uint8Array[]
}

export interface SealReader {
  readonly read: (input: SealInput) => Promise<SealReading>
  /** Reads a signed PDF. `offered` are certificates that may complete chains; nothing in it is trusted by that. */
  readonly readPdf: (
    pdf: Uint8Array,
    offered: readonly Uint8Array[],
    freshCrls: readonly Uint8Array[],
  ) => Promise<PdfReading>
}

/** PAdES baseline levels (ETSI EN 319 142-1 §6) that we write. B-LT alone is never written: without a time over it, it shows little. */
export type PadesLevel = 'B-B' | 'B-T' | 'B-LTA'

/** What is found of a PDF, read by the strict profile of the reports we write. */
export interface PdfReading {
  /** `report`: has the form of ours, whether or not it verifies. `foreign`: a PDF that we did not write, and do not evaluate. */
  readonly kind: 'report' | 'foreign' | 'not-a-pdf'
  /** Where the file departs from the profile, or its signatures from the bytes. Empty for a report that is intact. */
  readonly problems: readonly string[]
  readonly level: PadesLevel | null
  /** The author's signature; its `timestamps` holds the signature's own token, then each document time-stamp, oldest first. */
  readonly seal: SealReading | null
  /** SHA-256 of what the author's signature covers; null where none can be read. */
  readonly covered: Sha256 | null
  /** The evidence digest that the file's own data names, 64 hex characters. */
  readonly evidenceDigest: string | null
  /** Embedded files of the first revision, by name. */
  readonly attachments: ReadonlyMap<string, Uint8Array>
}

/** An opened pack: already checked to be safe to read (no traversal, links, duplicates, bombs). Paths are inside `pack/`. */
export interface PackSource {
  readonly paths: readonly string[]
  readonly sha256: (path: string) => Promise<string>
  /** Bytes of a file; null where there is no such file. */
  readonly size: (path: string) => number | null
  /** Rejects for a file of more bytes than `most`, as far as that is known before it is read. */
  readonly read: (path: string, most?: number) => Promise<Uint8Array>
  /** SHA-256 with which read() compares the bytes that it returns, and rejects others; absent where it compares nothing. */
  readonly comparedWith?: (path: string) => string
}

/** Validates JSON against one of our schemas; problems are plain sentences with the place in the document. */
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

/** Moments of a run, for the window, the terminal and logs alike. */
export type RunEvent =
  | { readonly kind: 'run-started'; readonly run: string; readonly nodes: readonly string[] }
  | { readonly kind: 'node-connecting'; readonly node: string }
  | { readonly kind: 'node-collecting'; readonly node: string; readonly done: number; readonly total: number }
  /** Everything is answered; only round trips are still timed, over a while. */
  | { readonly kind: 'node-timing'; readonly node: string; readonly secondsLeft: number }
  | {
      readonly kind: 'node-done'
      readonly node: string
      readonly captures: number
      readonly partial: boolean
      /** The message of a sudo that completed no command, empty where it gave none. Absent for any other node. */
      readonly sudoRefused?: string
    }
  | { readonly kind: 'node-failed'; readonly node: string; readonly code: string; readonly detail: string }
  | { readonly kind: 'run-done'; readonly run: string; readonly cancelled: boolean }
