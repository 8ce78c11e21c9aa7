import { open } from 'node:fs/promises'
import { isCode, readPlain } from './store/durable.ts'

/**
 * Appends one line, its end included, to an append-only file. It is on the disk when this resolves. Throws past
 * `largest` bytes.
 */
export async function appendLine(path: string, line: string, largest: number): Promise<void> {
  const handle = await open(path, 'a', 0o600)
  try {
    const { size } = await handle.stat()
    if (size + Buffer.byteLength(line) > largest) throw new Error(`${path} would be larger than ${largest} bytes`)
    await handle.appendFile(line)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** A line without its end was being written when a process was killed: its writer never confirmed it. */
export async function cutTornLine(path: string, largest: number): Promise<void> {
  const bytes = await bytesIfThere(path, largest)
  const whole = (bytes?.lastIndexOf(0x0a) ?? -1) + 1
  if (bytes === null || whole === bytes.length) return
  const handle = await open(path, 'r+')
  try {
    await handle.truncate(whole)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const bytesIfThere = (path: string, largest: number): Promise<Buffer | null> =>
  readPlain(path, largest).catch((problem) => {
    if (isCode(problem, 'ENOENT')) return null
    throw problem
  })
