import type { Capture, NodeAssessment, Recording } from '../../../../schemas/types.ts'
import type { Compression } from '../../../core/ports/ports.ts'
import type { CapturedAnswer, LoadedRecording } from '../../../core/recording/recording.ts'
import { shared } from '../../common/shared.ts'

/** Bytes of command output in memory. */
interface HeldBytes {
  /** Returns the bytes held under this digest; bytes of another length are held separately. */
  readonly hold: (digest: string, own: Uint8Array) => Held
  /** To be called when all captures of a node are held. */
  readonly nodeDone: () => void
}

/** Bytes that are held in full, or compressed while no other node returned the same. */
export interface Held {
  readonly size: number
  readonly isFull: () => boolean
  readonly bytes: () => Uint8Array
}

/** For smaller output, the overhead of a compressed copy exceeds what it saves. */
const LEAST_BYTES = 1024
/**
 * After this many further nodes without equal output, output counts as specific to one node, such as a list of serial
 * numbers.
 */
const NODES_UNTIL_OWN = 16

/**
 * Holds equal output once. Output of a single node is compressed: in a large fleet it takes more memory than all
 * other output together. When a later node returns the same, it is held uncompressed again, because every node of its
 * kind is then read from it. Output that another run in memory has is shared with that run as it is held there, because
 * it is mostly from the same node.
 */
export function heldBytes(compression: Compression, otherRun: readonly LoadedRecording[] = []): HeldBytes {
  const known = new Map<string, Once>()
  const ofOtherRun = heldOf(otherRun)
  let current: Once[] = []
  const young: Once[][] = []
  return {
    hold: (digest, own) => {
      const there = ofOtherRun.get(digest)
      if (there?.size === own.length) return there
      const before = known.get(digest)
      if (before?.size === own.length) {
        before.share(own)
        return before
      }
      const held = new Once(own, compression)
      known.set(digest, held)
      if (own.length >= LEAST_BYTES) current.push(held)
      return held
    },
    nodeDone: () => {
      young.push(current)
      current = []
      if (young.length > NODES_UNTIL_OWN) for (const held of young.shift() ?? []) held.compress()
    },
  }
}

/** A class, because a large fleet has about ten thousand of these: closures for each would take more memory. */
class Once implements Held {
  readonly size: number
  #compression: Compression
  #full: Uint8Array | null
  #compressed: Uint8Array | null = null
  #isShared = false

  constructor(own: Uint8Array, compression: Compression) {
    this.size = own.length
    this.#full = own
    this.#compression = compression
  }

  isFull(): boolean {
    return this.#full !== null
  }

  bytes(): Uint8Array {
    return this.#full ?? this.#compression.restore(this.#compressed ?? new Uint8Array(), this.size)
  }

  /** Called when another node returned `own`, the same bytes. */
  share(own: Uint8Array): void {
    this.#isShared = true
    this.#full ??= own
    this.#compressed = null
  }

  compress(): void {
    if (this.#isShared || this.#full === null) return
    const compressed = this.#compression.compress(this.#full)
    if (compressed.length * 2 > this.size) return
    this.#compressed = compressed
    this.#full = null
  }
}

/** Holds equal values once, as long as this object is in use. */
interface Sharing {
  /** The recording, with its bytes, arguments and digests replaced by equal ones of earlier recordings. */
  readonly recording: (loaded: LoadedRecording) => LoadedRecording
  readonly node: (assessed: NodeAssessment) => NodeAssessment
}

/**
 * Servers of one kind return the same output for most commands, and the same results, so a fleet takes the memory of
 * a few servers. Shared values are equal in every respect, including the order of keys. They must not be changed;
 * their types are readonly. `otherRun`: the recordings of a run that is in memory at the same time; the bytes of equal
 * output are shared with it.
 */
export function sharing(compression: Compression, otherRun: readonly LoadedRecording[] = []): Sharing {
  const share = shared()
  const bytes = heldBytes(compression, otherRun)
  const answers = new Map<Capture, HeldAnswer>()
  const answerOf = ({ meta, stdout, stderr }: CapturedAnswer): HeldAnswer => {
    // Members are replaced in place, so that the order of keys is kept.
    const timeless = share({ ...meta, startedAt: '', durationMs: 0 })
    const own = {
      meta: timeless,
      stdout: bytes.hold(meta.stdout.sha256, stdout),
      stderr: bytes.hold(meta.stderr.sha256, stderr),
    }
    const known = answers.get(timeless)
    if (known?.stdout === own.stdout && known.stderr === own.stderr) return known
    answers.set(timeless, own)
    return own
  }
  const recent = recentCaptures()
  return {
    recording: ({ recording, captures }) => {
      const packed = {
        answers: captures.map(answerOf),
        startedAt: captures.map(({ meta }) => share(meta.startedAt)),
        durationMs: captures.map(({ meta }) => meta.durationMs),
      }
      bytes.nodeDone()
      const held = unpacked(share(recording), recent, packed)
      ANSWERS_OF.set(held, packed.answers)
      return held
    },
    node: share,
  }
}

/** A capture whose bytes may be compressed. */
interface HeldAnswer {
  readonly meta: Capture
  readonly stdout: Held
  readonly stderr: Held
}

/** The output held for each recording that sharing() returned, for as long as the recording is in memory. */
const ANSWERS_OF = new WeakMap<LoadedRecording, readonly HeldAnswer[]>()

function heldOf(recordings: readonly LoadedRecording[]): ReadonlyMap<string, Held> {
  const held = new Map<string, Held>()
  for (const loaded of recordings)
    for (const { meta, stdout, stderr } of ANSWERS_OF.get(loaded) ?? [])
      held.set(meta.stdout.sha256, stdout).set(meta.stderr.sha256, stderr)
  return held
}

/**
 * The captures of a recording: the parts that other nodes have too, and separately the times, which few others share.
 */
interface Packed {
  readonly answers: readonly HeldAnswer[]
  readonly startedAt: readonly string[]
  readonly durationMs: readonly number[]
}

type Captures = LoadedRecording['captures']
type RecentCaptures = (of: Packed, make: () => Captures) => Captures

/** The captures of the last few recordings that were looked at: a node is evaluated and drawn before the next one. */
function recentCaptures(): RecentCaptures {
  let recent: readonly { readonly of: Packed; readonly captures: Captures }[] = []
  return (of, make) => {
    const known = recent.find((one) => one.of === of)
    if (known !== undefined) return known.captures
    const captures = make()
    recent = [{ of, captures }, ...recent].slice(0, MOST_RECENT)
    return captures
  }
}

const MOST_RECENT = 2

/** A recording whose captures are assembled on demand: for a large fleet they would take more memory than the results. */
const unpacked = (recording: Recording, recent: RecentCaptures, packed: Packed): LoadedRecording => ({
  recording,
  get captures() {
    return recent(packed, () =>
      packed.answers.map(({ meta, stdout, stderr }, at) => {
        const own = { ...meta, startedAt: packed.startedAt[at] ?? '', durationMs: packed.durationMs[at] ?? 0 }
        return stdout.isFull() && stderr.isFull()
          ? { meta: own, stdout: stdout.bytes(), stderr: stderr.bytes() }
          : restored(own, stdout, stderr)
      }),
    )
  },
})

/** A capture whose bytes are decompressed on first use: most callers read few captures of a node, or none. */
function restored(meta: Capture, stdout: Held, stderr: Held): CapturedAnswer {
  let out: Uint8Array | undefined
  let error: Uint8Array | undefined
  return {
    meta,
    get stdout() {
      out ??= stdout.bytes()
      return out
    },
    get stderr() {
      error ??= stderr.bytes()
      return error
    },
  }
}
