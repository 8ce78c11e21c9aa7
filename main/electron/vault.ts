import { bytesIfThere, writeWhole } from '../adapters/store/durable.ts'
import type { Vault } from '../app/engine/context/context.ts'
import { fail, ok } from '../core/base/failure.ts'

/**
 * The used part of Electron’s safeStorage: the asynchronous API, which older runtimes lack. The synchronous API is never used: it blocks
 * every window while the system prompts its user, and Electron 46 removes it.
 */
export interface SafeStorage {
  readonly isAsyncEncryptionAvailable?: () => Promise<boolean>
  readonly encryptStringAsync?: (plain: string) => Promise<Buffer>
  readonly decryptStringAsync?: (encrypted: Buffer) => Promise<{ readonly result: string }>
  readonly getSelectedStorageBackend?: () => string
}

const LARGEST_FILE = 1024 * 1024
const NAME = /^[a-z0-9][a-z0-9:._-]{0,127}$/
/** `basic_text` and `unknown` give no protection and are therefore not listed. */
const LINUX: Readonly<Record<string, string>> = {
  gnome_libsecret: 'the keyring of this desktop',
  kwallet: 'KWallet',
  kwallet5: 'KWallet',
  kwallet6: 'KWallet',
}

/**
 * The operating system’s vault for this user, or null where it gives no protection: then nothing is stored, and the user is asked.
 * `file` contains the encrypted secrets by name, mode 0600; only the system can decrypt them.
 */
export async function systemVault(
  storage: SafeStorage,
  platform: NodeJS.Platform,
  file: string,
): Promise<Vault | null> {
  const { encryptStringAsync, decryptStringAsync, isAsyncEncryptionAvailable } = storage
  if (!encryptStringAsync || !decryptStringAsync || !isAsyncEncryptionAvailable) return null
  if (!(await isAsyncEncryptionAvailable.call(storage).catch(() => false))) return null
  const described = describedBy(storage, platform)
  if (described === null) return null
  let turn: Promise<unknown> = Promise.resolve()
  return {
    described,
    read: async (name) => {
      try {
        const secret = (await secretsIn(file)).get(name)
        return secret === undefined
          ? null
          : (await decryptStringAsync.call(storage, Buffer.from(secret, 'base64'))).result
      } catch {
        // A vault of another user or computer, or a damaged file: treated as empty, and the user is asked.
        return null
      }
    },
    write: (name, secret) => {
      const write = async () => {
        if (!NAME.test(name)) return fail('store.failed', 'the name is not valid for the vault')
        try {
          const encrypted = (await encryptStringAsync.call(storage, secret)).toString('base64')
          // A file that cannot be read is never replaced: it may contain the passphrase of a key in use.
          const secrets = new Map(await secretsIn(file)).set(name, encrypted)
          const text = `${JSON.stringify({ secrets: Object.fromEntries(secrets) })}\n`
          if (text.length > LARGEST_FILE) return fail('store.failed', 'the vault file would exceed its size limit')
          await writeWhole(file, text)
          return ok(null)
        } catch (problem) {
          return fail('store.failed', `the secret could not be stored: ${(problem as Error).message}`)
        }
      }
      // Sequential, so that no write overwrites another.
      const done = turn.then(write)
      turn = done
      return done
    },
  }
}

function describedBy(storage: SafeStorage, platform: NodeJS.Platform): string | null {
  if (platform === 'darwin') return 'the macOS Keychain'
  if (platform === 'win32') return 'Windows data protection (DPAPI) for your account'
  const backend = storage.getSelectedStorageBackend?.() ?? ''
  return Object.hasOwn(LINUX, backend) ? (LINUX[backend] ?? null) : null
}

/** Rejects when the file exists and has another format; returns nothing when there is no file. */
async function secretsIn(file: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await bytesIfThere(file, LARGEST_FILE)
  if (bytes === null) return new Map()
  const secrets = secretsOf(bytes.toString('utf8'))
  if (typeof secrets !== 'object' || secrets === null) throw new Error(`${file} is damaged or has another format`)
  return new Map(Object.entries(secrets).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function secretsOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly secrets?: unknown } | null)?.secrets
  } catch {
    return null
  }
}
