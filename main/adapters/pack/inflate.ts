import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { quote } from '../../core/plain-text.ts'
import { unsafe } from './limits.ts'

/** The packed and unpacked size in the list of entries. */
interface Stated {
  readonly name: string
  readonly packed: number
  readonly size: number
}

export const larger = ({ name }: Stated) => unsafe(`entry ${quote(name)} is larger than its stated size`)
export const smaller = ({ name }: Stated) => unsafe(`entry ${quote(name)} is smaller than its stated size`)
const broken = ({ name }: Stated) => unsafe(`entry ${quote(name)} cannot be unpacked`)
const trailing = ({ name }: Stated) => unsafe(`entry ${quote(name)} has bytes after its end that belong to no entry`)

/** Unpacks a small entry (RFC 1951) at once, to no more than its stated size. Throws a Refusal. */
export function inflateWhole(packed: Buffer, entry: Stated): Buffer {
  try {
    // With `info` it returns its engine too, which counts the bytes it used; the types lack this.
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

/** Unpacks an entry of any size as a stream; the caller limits the output size. Throws a Refusal. */
export async function* inflate(packed: AsyncIterable<Buffer>, entry: Stated): AsyncGenerator<Buffer> {
  const engine = zlib.createInflateRaw({ chunkSize: 64 * 1024 })
  const fed = pipeline(Readable.from(copies(packed)), engine)
  // Its failure is reported by the engine as well.
  fed.catch(() => undefined)
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) yield chunk
  } catch {
    throw broken(entry)
  } finally {
    engine.destroy()
    // The reader that feeds it is idle again.
    await fed.catch(() => undefined)
  }
  if (engine.bytesWritten !== entry.packed) throw trailing(entry)
}

// The engine works on a chunk while the reader may already reuse its memory.
async function* copies(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}
