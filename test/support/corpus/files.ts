import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A file of a case, as it was captured; compressed ones are read as what is in them. */
export interface CapturedFile {
  /** Inside the case's folder. */
  readonly path: string
  /** Last part of the path, without .gz. */
  readonly name: string
  readonly bytes: Buffer
  /** One character per byte, so that nothing is lost. */
  readonly text: string
  /** Where a symbolic link leads; null for files. */
  readonly target: string | null
}

const LARGEST = 64 * 1024 * 1024
const MOST = 200_000

/** All files below a folder, in the order of their names. Files too large to be a capture are left out. */
export function capturedFiles(folder: string): readonly CapturedFile[] {
  const found: CapturedFile[] = []
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true }).sort(byName)) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (found.length >= MOST) return
      if (entry.isDirectory()) walk(path)
      else if (entry.isSymbolicLink()) found.push(linkAt(folder, path))
      else if (entry.isFile() && lstatSync(join(folder, path)).size <= LARGEST) found.push(fileAt(folder, path))
    }
  }
  walk('')
  return found
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

function fileAt(folder: string, path: string): CapturedFile {
  const raw = readFileSync(join(folder, path))
  const isPacked = path.endsWith('.gz') && raw[0] === 0x1f && raw[1] === 0x8b
  const bytes = isPacked ? unpacked(raw) : raw
  const own = isPacked ? path.slice(0, -3) : path
  return { path: own, name: basename(own), bytes, text: bytes.toString('latin1'), target: null }
}

function unpacked(raw: Buffer): Buffer {
  try {
    return gunzipSync(raw, { maxOutputLength: LARGEST })
  } catch {
    return Buffer.alloc(0)
  }
}

const linkAt = (folder: string, path: string): CapturedFile => ({
  path,
  name: basename(path),
  bytes: Buffer.alloc(0),
  text: '',
  target: readlinkSync(join(folder, path)),
})
