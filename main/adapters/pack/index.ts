import { stat } from 'node:fs/promises'
import type { OpenPack, Packs } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import { LIMITS, type Limits, Refusal } from './limits.ts'
import { openFolder } from './open-folder.ts'
import { openZip } from './open-zip.ts'
import { publishPack, replacePack, writePack } from './write.ts'

export { replacePack, writePack } from './write.ts'

/**
 * Opens a pack, an archive or an unpacked folder, after checking that reading it is safe. Fails with input.not-found,
 * pack.unsafe (built to deceive or exhaust its reader), pack.repacked (by another program, otherwise safe) or
 * pack.unreadable.
 */
export async function openPack(path: string, limits: Limits = LIMITS): Promise<Outcome<OpenPack>> {
  try {
    const found = await stat(path)
    if (!found.isFile() && !found.isDirectory()) return fail('pack.unreadable', 'it is neither a file nor a folder')
    return ok(found.isDirectory() ? await openFolder(path, limits) : await openZip(path, limits))
  } catch (problem) {
    if (problem instanceof Refusal) return fail(problem.code, plain(problem.message, 500))
    const { code, message } = problem as NodeJS.ErrnoException
    return code === 'ENOENT' ? fail('input.not-found', plain(path)) : fail('pack.unreadable', plain(message ?? '', 500))
  }
}

/** The packs port: archives on this computer. */
export const packs: Packs = {
  write: writePack,
  replace: replacePack,
  publish: publishPack,
  open: (path) => openPack(path),
}
