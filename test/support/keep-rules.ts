import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isSigned, type KeptEntry, type KeptList, signedText } from '../../main/adapters/kept-rules/index.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { catalogDigest } from '../../main/core/rules/catalog.ts'
import { buildRules, readLock } from './rules-module.ts'

const FOLDER = 'main/adapters/kept-rules'

/**
 * `npm run rules:keep [-- --key FILE]`: keeps the module of the locked version, so that later versions of the program can run it. `--key` is
 * the private key of releases (Ed25519, PEM). It signs the entry, and those kept before it without a signature; from then on, an entry without one is
 * refused. Rules that are kept already stay as they are. Returns what was done, for people; throws where nothing may be written.
 */
export async function keepRules(keyFile: string | null, folder: string = resolve(FOLDER)): Promise<string> {
  const { code, sha256: module } = await buildRules()
  const { version, sha256: locked } = readLock()
  const list = JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8')) as KeptList
  const before = list.rules.find((one) => one.version === version)
  if (module !== locked || catalog.version !== version)
    throw new Error('the rules are not those locked: npm run rules:lock')
  if (before !== undefined && before.module !== module)
    throw new Error(`other rules are kept as version ${version}: raise it in main/catalog/definition/version.ts`)
  const key = keyFile === null ? null : releaseKey(keyFile)
  const publicKey = key === null ? null : String(createPublicKey(key).export({ type: 'spki', format: 'pem' }))
  if (list.releaseKey !== null && list.releaseKey !== publicKey)
    throw new Error('give the private key of releases: --key FILE')
  mkdirSync(join(folder, 'modules'), { recursive: true })
  const pathOf = (one: string): string => join(folder, 'modules', `${one}.mjs`)
  writeFileSync(pathOf(version), code)
  const entry: KeptEntry = { version, module, catalog: catalogDigest(catalog), signature: null }
  const all = [...list.rules.filter((one) => one.version !== version), entry]
  const kept: KeptList = {
    releaseKey: publicKey,
    rules: key === null ? all : all.map((one) => signed(one, key, pathOf)),
  }
  if (publicKey !== null && !kept.rules.every((one) => isSigned(one, publicKey)))
    throw new Error('an entry of the list was signed by another key')
  writeFileSync(join(folder, 'list.json'), `${JSON.stringify(kept, null, 2)}\n`)
  return `Kept the rules of version ${version}, ${module}, ${key === null ? 'without a signature' : 'signed'}.`
}

function releaseKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the key of releases must be an Ed25519 key')
  return key
}

/** Signs only what is there: the module of the entry, byte for byte. */
function signed(entry: KeptEntry, key: KeyObject, pathOf: (version: string) => string): KeptEntry {
  if (entry.signature !== null) return entry
  const path = pathOf(entry.version)
  if (!existsSync(path) || sha256(readFileSync(path)) !== entry.module)
    throw new Error(`the module of version ${entry.version} is not the one that was kept`)
  return { ...entry, signature: sign(null, Buffer.from(signedText(entry)), key).toString('base64') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const at = process.argv.indexOf('--key')
  keepRules(at === -1 ? null : (process.argv[at + 1] ?? null)).then(
    (line) => process.stdout.write(`${line}\n`),
    (problem: unknown) => {
      process.exitCode = 1
      process.stderr.write(`${String(problem)}\n`)
    },
  )
}
