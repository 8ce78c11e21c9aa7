import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scheduling } from '../app/engine/context/context.ts'

/**
 * Node.js and the command line, which a timer can start without a window; null where one of them is missing. The app itself cannot be used: it
 * runs no scripts (see the fuses), and only it can read its archive.
 */
export function commandLine(
  beside: string = dirname(fileURLToPath(import.meta.url)),
  path: string = process.env.PATH ?? '',
): Scheduling['program'] {
  const cli = join(beside, 'cli.js')
  if (cli.includes('.asar') || !can(cli, constants.R_OK)) return null
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const node = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => can(file, constants.X_OK))
  return node === undefined ? null : [node, cli]
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
