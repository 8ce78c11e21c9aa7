import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

export interface BuiltFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Every file of the built window by its exact path, read once at start. A request is a lookup, so that no path is computed from it. */
export function builtFiles(folder: string): ReadonlyMap<string, BuiltFile> {
  const files = new Map<string, BuiltFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { type, bytes: new Uint8Array(readFileSync(path)) })
  }
  return files
}
