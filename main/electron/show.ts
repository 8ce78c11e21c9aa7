import { open, realpath } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { shell } from 'electron'
import { fail, type Outcome } from '../core/failure.ts'
import { FOLDERS } from '../core/layout.ts'
import { ok } from '../core/result.ts'

/** File types that may be opened in the system’s viewer, by extension, with their leading bytes. None is executable. */
const VIEWABLE: Readonly<Record<string, Buffer>> = {
  '.pdf': Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d]),
  '.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  '.jpg': Buffer.from([0xff, 0xd8, 0xff]),
  '.jpeg': Buffer.from([0xff, 0xd8, 0xff]),
}

/**
 * Opens a copy of an image or PDF in the system’s viewer: a file directly inside the folder `shown` of the app data, whose extension matches
 * its first bytes. Any other file is refused.
 */
export async function showFile(dataFolder: string, path: string): Promise<Outcome<null>> {
  try {
    const real = await realpath(path)
    if (dirname(real) !== join(await realpath(dataFolder), FOLDERS.shown))
      return fail('input.refused', 'the file is not in the folder for viewing')
    const expected = Object.hasOwn(VIEWABLE, extname(real)) ? VIEWABLE[extname(real)] : undefined
    if (expected === undefined) return fail('input.refused', 'only images and PDF files can be opened')
    if (!(await firstBytes(real, expected.length)).equals(expected))
      return fail('input.refused', 'the content does not match the file name')
    const problem = await shell.openPath(real)
    return problem === '' ? ok(null) : fail('input.refused', `the system could not open the file: ${problem}`)
  } catch {
    return fail('input.not-found', 'the file was not found')
  }
}

async function firstBytes(path: string, count: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    if (!(await handle.stat()).isFile()) return Buffer.alloc(0)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
