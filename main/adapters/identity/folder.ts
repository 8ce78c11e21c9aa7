import { type KeyObject, sign } from 'node:crypto'
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sha256 } from '../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Clock, Entropy, Signer } from '../../core/ports/ports.ts'
import { DEMO_NAME } from '../seal/x509.ts'
import { isCode, makeFile, makeFolder, messageOf, readPlain, syncFolder } from '../store/durable.ts'
import { makeIdentity } from './certificates.ts'

/**
 * Identities on disk: one folder each, of mode 0700, files of mode 0600. leaf.pem, chain.pem, root.pem, crl.pem,
 * retired/ and rotations.jsonl are public; key.json and root-key.json contain private keys, each in its own envelope;
 * token.json names a key that never leaves its token. In this module an identity is its files: path to text.
 */
export type IdentityFiles = Readonly<Record<string, string>>

export const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/
const TOP = [
  'leaf.pem',
  'chain.pem',
  'root.pem',
  'crl.pem',
  'key.json',
  'root-key.json',
  'token.json',
  'rotations.jsonl',
]
const RETIRED = /^retired\/[0-9a-f]{64}\/leaf\.pem$/
const LARGEST_FILE = 1 << 22

/** Path of the certificate of a leaf that no longer seals. */
export const retiredPath = (fingerprint: string): string => `retired/${fingerprint}/leaf.pem`
export const isIdentityPath = (path: string): boolean => TOP.includes(path) || RETIRED.test(path)

/** The names of identities in a folder. A missing folder has none. Fails with store.failed. */
export async function namesIn(folder: string): Promise<Outcome<readonly string[]>> {
  try {
    return ok((await readdir(folder)).filter((name) => NAME.test(name)).sort())
  } catch (problem) {
    return isCode(problem, 'ENOENT') ? ok([]) : fail('store.failed', describe(problem))
  }
}

/**
 * The files of one identity; other files in its folder are ignored. Fails with identity.missing or identity.unreadable.
 */
export async function readFiles(folder: string, name: string): Promise<Outcome<IdentityFiles>> {
  if (!NAME.test(name)) return fail('identity.missing', plain(name))
  try {
    const home = join(folder, name)
    const found = (await readdir(home)).filter((file) => TOP.includes(file))
    const retired = await readdir(join(home, 'retired')).catch(() => [])
    const paths = [...found, ...retired.map(retiredPath)].filter(isIdentityPath)
    const texts = paths.map(async (path) => [path, (await readPlain(join(home, path), LARGEST_FILE)).toString('utf8')])
    return ok(Object.fromEntries(await Promise.all(texts)))
  } catch (problem) {
    if (!isCode(problem, 'ENOENT')) return fail('identity.unreadable', describe(problem))
    const aside = join(folder, setAside(name))
    if ((await lstat(aside).catch(() => null)) === null) return fail('identity.missing', name)
    return fail('identity.unreadable', `a change of ${name} was interrupted; rename ${aside} to ${join(folder, name)}`)
  }
}

const setAside = (name: string): string => `.before-${name}`

/** Stores a new identity: all its files at once, or nothing. Fails with identity.exists or store.failed. */
export async function placeNew(folder: string, name: string, files: IdentityFiles): Promise<Outcome<null>> {
  return await written(folder, files, async (unfinished) => {
    try {
      await rename(unfinished, join(folder, name))
      return ok(null)
    } catch (problem) {
      const taken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'].some((code) => isCode(problem, code))
      return taken ? fail('identity.exists', name) : fail('store.failed', describe(problem))
    }
  })
}

/**
 * Replaces the files of an identity. The previous folder is moved aside until the new one is complete, then deleted,
 * with everything that the new files no longer contain. Fails with store.failed.
 */
export async function replaceAll(folder: string, name: string, files: IdentityFiles): Promise<Outcome<null>> {
  const home = join(folder, name)
  const aside = join(folder, setAside(name))
  return await written(folder, files, async (unfinished) => {
    await rm(aside, { recursive: true, force: true })
    await rename(home, aside)
    try {
      await rename(unfinished, home)
    } catch (problem) {
      await rename(aside, home)
      throw problem
    }
    await syncFolder(folder)
    await rm(aside, { recursive: true, force: true })
    return ok(null)
  })
}

/** Writes a folder of files under a temporary name, and passes it on; removes it when it was not used. */
async function written(
  folder: string,
  files: IdentityFiles,
  use: (unfinished: string) => Promise<Outcome<null>>,
): Promise<Outcome<null>> {
  try {
    await makeFolder(folder, 0o700)
    const unfinished = await mkdtemp(join(folder, '.new-'))
    try {
      for (const [path, text] of Object.entries(files)) {
        await makeFolder(dirname(join(unfinished, path)), 0o700)
        await makeFile(join(unfinished, path), 'wx', text)
      }
      return await use(unfinished)
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
  } catch (problem) {
    return fail('store.failed', describe(problem))
  }
}

/** Writes a file elsewhere, readable by its owner only; never overwrites one. Fails with store.failed. */
export async function writeApart(path: string, text: string): Promise<Outcome<null>> {
  try {
    await makeFile(path, 'wx', text)
    await syncFolder(dirname(path))
    return ok(null)
  } catch (problem) {
    return fail('store.failed', isCode(problem, 'EEXIST') ? `${path} already exists` : describe(problem))
  }
}

export const describe = (problem: unknown): string => plain(messageOf(problem), 500)

interface SignerParts {
  readonly leaf: Uint8Array
  readonly root: Uint8Array
  readonly crl: Uint8Array
  readonly subject: string
  readonly key: KeyObject
}

/** Signs with a private key in memory: ECDSA in DER, or PKCS #1 v1.5, over SHA-256. */
export const signWith =
  (key: KeyObject): Signer['sign'] =>
  async (data) =>
    new Uint8Array(sign('sha256', data, key))

/** A P-256 private key in memory as a Signer, directly under its root. */
export const signerOf = ({ leaf, root, crl, subject, key }: SignerParts): Signer => ({
  certificate: leaf,
  chain: [root],
  crls: [crl],
  keyType: 'EC',
  fingerprint: sha256(leaf),
  subject,
  sign: signWith(key),
})

/**
 * A key for one demo, created in memory and never stored. Its certificates state so in their names and by a private
 * mark; readers report it as a demo and never trust it, whatever they are configured to trust.
 */
export async function createDemoSigner(clock: Clock, entropy: Entropy): Promise<Signer> {
  const commonName = `${DEMO_NAME} — do not trust`
  const made = makeIdentity({
    commonName,
    rootCommonName: `${commonName} (root)`,
    demo: true,
    now: clock.now(),
    entropy,
  })
  return signerOf({ ...made, subject: commonName, key: made.leafKey })
}
