import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { quote } from '../../core/plain-text.ts'
import { unsafe } from './limits.ts'

/** The packed and unpacked size that the list of entries states. */
interface Stated {
  readonly name: string
  readonly packed: number
  readonly size: number
}

export const larger = ({ name }: Stated) => unsafe(`entry ${quote(name)} is larger than it says`)
export const smaller = ({ name }: Stated) => unsafe(`entry ${quote(name)} is smaller than it says`)
const broken = ({ name }: Stated) => unsafe(`entry ${quote(name)} cannot be unpacked`)
const trailing = ({ name }: Stated) => unsafe(`entry ${quote(name)} has bytes after its end that belong to no entry`)

/** Unpacks a small entry (RFC 1951) at once, to no more than its stated size. Throws a Refusal. */
export function inflateWhole(packed: Buffer, entry: Stated): Buffer {
  try {
    // With `info` it gives its engine too, which counts the bytes it used; the types do not know.
    const { buffer, engine } = zlib.inflateRawSync(packed, {
      maxOutputLength: Math.max(entry.size, 1),
      info: true,
    }) as unknown as { readonly buffer: Buffer; readonly engine: zlib.Zlib }
    if (engine.bytesWritten !== packed.length) throw trailing(entry)
    if (buffer.length < entry.size) throw smaller(entry)
    if (buffer.length > entry.size) throw larger(entry)
    return buffer
  } catch (problem) {
    const { code } = problem as { readonly code?: string }
    if (code?.startsWith('pack.')) throw problem
    throw code === 'ERR_BUFFER_TOO_LARGE' ? larger(entry) : broken(entry)
  }
}

/** Unpacks an entry of any size as a stream; how much comes out is for the caller to limit. Throws a Refusal. */
export async function* inflate(packed: AsyncIterable<Buffer>, entry: Stated): AsyncGenerator<Buffer> {
  const engine = zlib.createInflateRaw({ chunkSize: 64 * 1024 })
  const fed = pipeline(Readable.from(copies(packed)), engine)
  // Its failure arrives through the engine as well.
  fed.catch(() => undefined)
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) yield chunk
  } catch {
    throw broken(entry)
  } finally {
    engine.destroy()
    // The reader that feeds it is at rest again.
    await fed.catch(() => undefined)
  }
  if (engine.bytesWritten !== entry.packed) throw trailing(entry)
}

// The engine works on a chunk while the reader that gave it may already reuse its memory.
async function* copies(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
