import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../schemas/ipc.ts'
import { createWorld } from '../adapters/world.ts'
import { createEngine } from '../app/engine.ts'
import { catalog } from '../catalog/index.ts'

/** The engine as the window has it: the real world, the one catalog, this user's folder. */
export const createDesktopEngine = async ({ dataFolder }: { readonly dataFolder: string }): Promise<Engine> =>
  createEngine(createWorld(catalog.probes), catalog, {
    folder: dataFolder,
    ask: async () => storedPassphrase(dataFolder),
    keyNote:
      'Your signing key is protected by the file permissions of this computer only: whoever reads your files can sign as you.',
  })

/**
 * The passphrase of the window's signing key: made once, kept in a file that only this user can read. The window has no way yet to ask a
 * person for a secret, and every export says what this protection is worth.
 */
function storedPassphrase(dataFolder: string): string {
  const path = join(dataFolder, 'identity-passphrase')
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    mkdirSync(dataFolder, { recursive: true })
    const passphrase = randomBytes(24).toString('hex')
    writeFileSync(path, `${passphrase}\n`, { mode: 0o600, flag: 'wx' })
    return passphrase
  }
}
