import type { Compression } from '../../core/ports.ts'

/** Bytes of answers in memory. */
export interface HeldBytes {
  /** The bytes that are held under this digest; what has another length is held apart. */
  readonly hold: (digest: string, own: Uint8Array) => Held
  /** To be called when all answers of a node are held. */
  readonly nodeDone: () => void
}

/** In full, or compressed while no other node gave the same. */
export interface Held {
  readonly isFull: () => boolean
  readonly bytes: () => Uint8Array
}

/** Smaller answers would gain less than the compressed copy takes beside its bytes. */
const LEAST_BYTES = 1024
/** After so many further nodes, an answer that none of them gave is taken for one of a single node, as a list of serial numbers is. */
const NODES_UNTIL_OWN = 16

/**
 * Holds each of several equal answers once. Those that a single node gave are compressed: in a large fleet they take more memory than all
 * others. One that a later node gives as well is held in full again, since every node of its kind is then read from it.
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

/** A class, because a large fleet has some ten thousand of these: functions of its own for each would take more memory. */
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

  /** Another node gave `own`, the same bytes. */
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
