import type { FileHandle } from 'node:fs/promises'
import { unreadable, unsafe } from './limits.ts'

/** Files are read and written in blocks of this size, two at a time: one in use while the other is transferred. */
const BLOCK = 4 * 1024 ** 2

/** Maximum size that `BlockReader.take` returns at once. */
export const LARGEST_TAKE = 1024 ** 2

export interface BlockWriter {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Bytes written so far. */
  readonly position: () => number
  /** Resolves when all of it was passed to the operating system. */
  readonly flush: () => Promise<void>
}

/** Writes a file from its start. Bytes are copied at once and their buffer may be reused. */
export function blockWriter(file: FileHandle): BlockWriter {
  let filling = Buffer.allocUnsafeSlow(BLOCK)
  let other = Buffer.allocUnsafeSlow(BLOCK)
  let used = 0
  let handedOver = 0
  let writing = Promise.resolve()
  const handOver = async (): Promise<void> => {
    await writing
    writing = writeAll(file, filling.subarray(0, used), handedOver)
    // Awaited with the next block; until then its rejection is unhandled.
    writing.catch(() => undefined)
    handedOver += used
    used = 0
    ;[filling, other] = [other, filling]
  }
  return {
    write: async (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + BLOCK - used)
        filling.set(part, used)
        used += part.length
        from += part.length
        if (used === BLOCK) await handOver()
      }
    },
    position: () => handedOver + used,
    flush: async () => {
      await handOver()
      await writing
    },
  }
}

/** Writes all of `bytes` at a position in a file, in as many steps as the system needs. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

export interface BlockReader {
  /** The next `count` bytes, at most LARGEST_TAKE, valid until the next call. Throws a Refusal when fewer are left. */
  readonly take: (count: number) => Promise<Buffer>
  /** Position of the next byte in the file. */
  readonly position: () => number
}

/** Reads the bytes from `start` to `end` of a file, in order. `early` is the error for a request beyond the end. */
export function blockReader(file: FileHandle, start: number, end: number, early: string): BlockReader {
  const size = Math.min(BLOCK, end - start)
  let free: Buffer | null = null
  let block: Buffer = Buffer.alloc(0)
  let used = 0
  let position = start
  let fetched = start
  let coming: Promise<Buffer> | null = null
  const fetch = (): Promise<Buffer> => {
    const into = (free ?? Buffer.allocUnsafeSlow(size)).subarray(0, Math.min(size, end - fetched))
    const reading = readAll(file, into, fetched)
    reading.catch(() => undefined)
    fetched += into.length
    return reading
  }
  const advance = async (): Promise<void> => {
    const spent = block
    block = await (coming ?? fetch())
    used = 0
    free = spent.length === size ? spent : null
    coming = fetched < end ? fetch() : null
  }
  return {
    position: () => position,
    take: async (count) => {
      if (count > end - position || count > LARGEST_TAKE) throw unsafe(early)
      position += count
      if (block.length - used >= count) {
        used += count
        return block.subarray(used - count, used)
      }
      const joined = Buffer.allocUnsafe(count)
      for (let done = 0; done < count; ) {
        if (used === block.length) await advance()
        const part = block.subarray(used, used + count - done)
        joined.set(part, done)
        used += part.length
        done += part.length
      }
      return joined
    },
  }
}

/** Bytes of a file, all of them or a Refusal. */
export async function bytesAt(file: FileHandle, at: number, count: number): Promise<Buffer> {
  return readAll(file, Buffer.alloc(count), at)
}

async function readAll(file: FileHandle, into: Buffer, at: number): Promise<Buffer> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, at + done)
    if (bytesRead === 0) throw unreadable('the archive ends early')
    done += bytesRead
  }
  return into
}
