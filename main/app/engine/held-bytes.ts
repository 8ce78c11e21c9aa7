import type { Compression } from '../../core/ports.ts'

/** Bytes of answers in memory. */
export interface HeldBytes {
  /** Returns the bytes held under this digest; bytes of another length are held separately. */
  readonly hold: (digest: string, own: Uint8Array) => Held
  /** To be called when all answers of a node are held. */
  readonly nodeDone: () => void
}

/** In full, or compressed while no other node gave the same bytes. */
export interface Held {
  readonly isFull: () => boolean
  readonly bytes: () => Uint8Array
}

/** For smaller answers, the overhead of a compressed copy exceeds what it saves. */
const LEAST_BYTES = 1024
/** After so many further nodes without an equal answer, an answer counts as specific to one node, such as a list of serial numbers. */
const NODES_UNTIL_OWN = 16

/**
 * Holds equal answers once. Answers of a single node are compressed: in a large fleet they take more memory than all others together. When a later
 * node gives the same answer, it is held uncompressed again, because every node of its kind is then read from it.
 */
export function heldBytes(compression: Compression): HeldBytes {
  const known = new Map<string, Once>()
  let current: Once[] = []
  const young: Once[][] = []
  return {
    hold: (digest, own) => {
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

/** A class, because a large fleet has some ten thousand of these: closures for each would take more memory. */
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

  /** Called when another node gave `own`, the same bytes. */
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
