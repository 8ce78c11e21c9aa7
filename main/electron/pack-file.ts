import { stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'

/** Extensions of files that can contain a pack: the archive, and the report with embedded evidence. */
export const PACK_ENDINGS = ['zip', 'barewitness', 'pdf'] as const

const endsAsPack = (path: string): boolean =>
  PACK_ENDINGS.some((ending) => extname(path).toLowerCase() === `.${ending}`)

/** The path of an existing regular file that can contain a pack, else null. */
export async function packFile(path: string): Promise<string | null> {
  if (!endsAsPack(path) || path.includes('\0')) return null
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true ? path : null
}

/** The first such file among the arguments of a launch; switches, links with a scheme and everything else are ignored. */
export async function packIn(argv: readonly string[], folder: string): Promise<string | null> {
  for (const argument of argv) {
    if (argument.startsWith('-') || /^[a-z][a-z0-9+.-]+:/i.test(argument)) continue
    const path = await packFile(resolve(folder, argument))
    if (path !== null) return path
  }
  return null
}
