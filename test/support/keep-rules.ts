import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type KeptEntry, type KeptList, signedText } from '../../main/adapters/kept-rules/index.ts'
import { catalog } from '../../main/catalog/index.ts'
import { catalogDigest } from '../../main/core/catalog.ts'
import { buildRules, readLock } from './rules-module.ts'

const FOLDER = 'main/adapters/kept-rules'

/**
 * `npm run rules:keep [-- --key FILE]`: keeps the module of the locked version, so that later versions of the program can run it. `--key` is
 * the private key of releases (Ed25519, PEM), which signs the entry; from the first release on, an entry without a signature is not run.
 * Rules that are kept already stay as they are.
 */
async function keepRules(keyFile: string | null): Promise<string> {
  const { code, sha256 } = await buildRules()
  const { version, sha256: locked } = readLock()
  const list = JSON.parse(readFileSync(resolve(FOLDER, 'list.json'), 'utf8')) as KeptList
  const before = list.rules.find((one) => one.version === version)
  if (sha256 !== locked || catalog.version !== version)
    throw new Error('the rules are not those locked: npm run rules:lock')
  if (before !== undefined && before.module !== sha256)
    throw new Error(`other rules are kept as version ${version}: raise it in main/catalog/version.ts`)
  const named = { version, module: sha256, catalog: catalogDigest(catalog) }
  const key = keyFile === null ? null : createPrivateKey(readFileSync(keyFile))
  const publicKey = key === null ? null : String(createPublicKey(key).export({ type: 'spki', format: 'pem' }))
  if (list.releaseKey !== null && list.releaseKey !== publicKey)
    throw new Error('give the private key of releases: --key FILE')
  const entry: KeptEntry = {
    ...named,
    signature: key === null ? null : sign(null, Buffer.from(signedText(named)), key).toString('base64'),
  }
  const kept: KeptList = {
    releaseKey: publicKey,
    rules: [...list.rules.filter((one) => one.version !== version), entry],
  }
  mkdirSync(resolve(FOLDER, 'modules'), { recursive: true })
  writeFileSync(resolve(FOLDER, 'modules', `${version}.mjs`), code)
  writeFileSync(resolve(FOLDER, 'list.json'), `${JSON.stringify(kept, null, 2)}\n`)
  return `Kept the rules of version ${version}, ${sha256}, ${key === null ? 'without a signature' : 'signed'}.`
}

const at = process.argv.indexOf('--key')
keepRules(at === -1 ? null : (process.argv[at + 1] ?? null)).then(
  (line) => process.stdout.write(`${line}\n`),
  (problem: unknown) => {
    process.exitCode = 1
    process.stderr.write(`${String(problem)}\n`)
  },
)
