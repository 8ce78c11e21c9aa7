import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createIdentities } from '../../main/adapters/identity/index.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { realClock, realEntropy } from './deps.ts'
import { must } from './outcomes.ts'
import { type TestCa, testCa } from './test-ca.ts'

/** A security token in software (SoftHSM2) with a P-256 and an RSA key, each certified by an authority of the test's own. */
export interface SoftHsm {
  readonly module: string
  readonly token: string
  readonly pin: string
  readonly ca: TestCa
  /** Where the token's objects lie: without it, the token is gone. */
  readonly tokens: string
  readonly certificate: (kind: KeyKind) => string
  /** Points SoftHSM, in this process, at this token. To be called before every use, as there may be several. */
  readonly plugIn: () => void
  readonly stop: () => void
}

export type KeyKind = 'EC' | 'RSA'

const MODULE = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so'].find((path) => existsSync(path))
const PIN = '648219'
const TOKEN = 'barewitness test'

/** Why there is no token here, or null. Builds pkcs11js where it can. */
export function whyNoSoftHsm(): string | null {
  if (MODULE === undefined || spawnSync('softhsm2-util', ['--version']).status !== 0) return 'SoftHSM2 is not installed'
  if (spawnSync('pkcs11-tool', ['--help']).error !== undefined) return 'pkcs11-tool is not installed'
  if (spawnSync('openssl', ['version']).status !== 0) return 'openssl is not installed'
  if (isBuilt()) return null
  spawnSync('npm', ['rebuild', 'pkcs11js', '--ignore-scripts=false'], { cwd: resolve('.') })
  return isBuilt() ? null : 'pkcs11js is not built and cannot be here'
}

function isBuilt(): boolean {
  try {
    createRequire(import.meta.url)('pkcs11js')
    return true
  } catch {
    return false
  }
}

/** Makes a token in a folder of its own. `alwaysAsk` makes keys that want the PIN for every signature. */
export function softHsm({ alwaysAsk = false }: { readonly alwaysAsk?: boolean } = {}): SoftHsm {
  const folder = mkdtempSync(join(tmpdir(), 'bw-softhsm-'))
  const tokens = join(folder, 'tokens')
  mkdirSync(tokens)
  const conf = join(folder, 'softhsm2.conf')
  writeFileSync(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`)
  const module = MODULE ?? ''
  const tool = (program: string, ...argv: string[]): Buffer =>
    execFileSync(program, argv, { env: { ...process.env, SOFTHSM2_CONF: conf }, stdio: 'pipe' })
  tool('softhsm2-util', '--init-token', '--free', '--label', TOKEN, '--so-pin', '87654321', '--pin', PIN)
  const onToken = (...argv: string[]): Buffer =>
    tool('pkcs11-tool', '--module', module, '--token-label', TOKEN, '--login', '--pin', PIN, ...argv)
  const ca = testCa(join(folder, 'ca'))
  for (const [kind, type, id] of [
    ['EC', 'EC:prime256v1', '01'],
    ['RSA', 'rsa:3072', '02'],
  ] as const) {
    const always = alwaysAsk ? ['--always-auth'] : []
    onToken('--keypairgen', '--key-type', type, '--label', kind, '--id', id, '--usage-sign', ...always)
    onToken('--read-object', '--type', 'pubkey', '--id', id, '-o', join(ca.folder, `${kind}.spki`))
    ca.openssl('pkey', '-pubin', '-inform', 'DER', '-in', `${kind}.spki`, '-pubout', '-out', `${kind}.pub`)
    ca.certify(`${kind}.pub`, `Token ${kind}`)
  }
  return {
    module,
    token: TOKEN,
    pin: PIN,
    ca,
    tokens,
    certificate: (kind) => join(ca.folder, `Token ${kind}.pem`),
    plugIn: () => {
      process.env.SOFTHSM2_CONF = conf
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The files of a token's certificates: the leaf, its issuer, the root. */
export const chainFiles = ({ ca, certificate }: SoftHsm, kind: KeyKind): readonly Uint8Array[] =>
  [certificate(kind), join(ca.folder, 'issuer.pem'), join(ca.folder, 'root.pem')].map((path) => readFileSync(path))

/** A signer whose key lies on a token made for it, the root to trust, and an end. */
export async function softhsmSigner(
  kind: KeyKind,
): Promise<{ readonly signer: Signer; readonly root: Uint8Array; readonly stop: () => void }> {
  const hsm = softHsm()
  hsm.plugIn()
  const folder = join(hsm.tokens, '..', 'identities')
  const identities = createIdentities(realClock, realEntropy, folder)
  const { module, token, pin } = hsm
  const certificates = chainFiles(hsm, kind)
  const crls = hsm.ca.crls.map((path) => readFileSync(path))
  const added = await identities.addToken({ folder, name: 'token', module, token, key: kind, pin, certificates, crls })
  if (!added.ok) throw new Error(`${added.error.code}: ${added.error.detail}`)
  const opened = must(await identities.open(folder, 'token', pin))
  const sign: Signer['sign'] = (data) => {
    hsm.plugIn()
    return opened.sign(data)
  }
  return { signer: { ...opened, sign }, root: hsm.ca.root, stop: hsm.stop }
}
