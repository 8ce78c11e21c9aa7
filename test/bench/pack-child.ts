import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPack, writePack } from '../../main/adapters/pack/index.ts'
import { PATHS } from '../../main/core/pack-files.ts'
import type { StoredBytes } from '../../main/core/ports.ts'

/** One measured step in a process of its own: `write FOLDER PACK` or `verify FOLDER PACK`. Prints its milliseconds and its memory. */
export interface ChildFigures {
  readonly milliseconds: number
  /** The most memory this process ever had, by /proc/self/status. */
  readonly peakMiB: number
  /** The same, just before the step. */
  readonly beforeMiB: number
}

const [step = '', folder = '', pack = ''] = process.argv.slice(2)

/** A file on disk whose size and digest are known, as the evidence store knows them. */
class StoredFile implements StoredBytes {
  readonly path: string
  readonly size: number
  readonly sha256: string
  constructor(path: string, size: number, sha256: string) {
    this.path = path
    this.size = size
    this.sha256 = sha256
  }
  async read(): Promise<Uint8Array> {
    return readFileSync(join(folder, 'pack', this.path))
  }
  open(): AsyncIterable<Uint8Array> {
    return createReadStream(join(folder, 'pack', this.path), { highWaterMark: 1024 ** 2 })
  }
}

function* lines(manifest: Buffer): Generator<{ readonly digest: string; readonly path: string }> {
  for (let at = 0; at < manifest.length; ) {
    const end = manifest.indexOf(10, at)
    yield { digest: manifest.toString('latin1', at, at + 64), path: manifest.toString('latin1', at + 66, end) }
    at = end + 1
  }
}

function storedFiles(): Map<string, Uint8Array | StoredBytes> {
  const manifest = readFileSync(join(folder, 'pack', PATHS.manifest))
  const packed = readFileSync(join(folder, 'sizes'))
  const files = new Map<string, Uint8Array | StoredBytes>([[PATHS.manifest, manifest]])
  for (const { digest, path } of lines(manifest))
    files.set(path, new StoredFile(path, packed.readDoubleLE((files.size - 1) * 8), digest))
  return files
}

async function verify(): Promise<void> {
  const opened = await openPack(pack)
  if (!opened.ok) throw new Error(opened.error.detail)
  const bytes = await opened.value.read(PATHS.manifest)
  const manifest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let count = 1
  for (const { digest, path } of lines(manifest)) {
    if ((await opened.value.sha256(path)) !== digest) throw new Error(`${path} was altered`)
    count += 1
  }
  if (count !== opened.value.paths.length) throw new Error('the list and the files differ')
  await opened.value.close()
}

const peakMiB = (): number =>
  Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? Number.NaN) / 1024)

const files = step === 'write' ? storedFiles() : null
const beforeMiB = peakMiB()
const began = process.hrtime.bigint()
if (files === null) await verify()
else {
  const written = await writePack(pack, files)
  if (!written.ok) throw new Error(written.error.detail)
}
const milliseconds = Number(process.hrtime.bigint() - began) / 1e6
process.stdout.write(`${JSON.stringify({ milliseconds, peakMiB: peakMiB(), beforeMiB } satisfies ChildFigures)}\n`)
