import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromPem } from '../../main/core/base/pem.ts'

/** A time-stamp authority run by openssl in a folder: root, one intermediate, the authority's certificate, revocation lists. */
export interface OpensslTsa {
  readonly folder: string
  readonly root: Uint8Array
  readonly chain: readonly Uint8Array[]
  readonly crls: readonly Uint8Array[]
  /** Answers a TimeStampReq (DER) with a TimeStampResp (DER). */
  readonly reply: (query: Uint8Array) => Uint8Array
}

const CONFIG = `
[req]
distinguished_name = dn
[dn]
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[tsa]
default_tsa = one
[one]
dir = .
serial = ./tsa-serial
crypto_device = builtin
signer_cert = ./tsa.pem
certs = ./tsa-chain.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = no
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[list-root]
database = ./root-index.txt
crlnumber = ./crl-number
default_md = sha256
default_crl_days = 3000
[list-mid]
database = ./mid-index.txt
crlnumber = ./crl-number
default_md = sha256
default_crl_days = 3000
`

/** Makes one. `days` is how long its certificates last; `keyType` is of the authority's own key. Needs openssl. */
export function opensslTsa(
  folder: string,
  options: { readonly keyType?: 'EC' | 'RSA'; readonly days?: number } = {},
): OpensslTsa {
  mkdirSync(folder, { recursive: true })
  const run = (...argv: string[]): void => void execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' })
  const days = String(options.days ?? 3000)
  writeFileSync(join(folder, 'tsa.cnf'), CONFIG)
  for (const [name, text] of [
    ['tsa-serial', '01\n'],
    ['crl-number', '01\n'],
    ['root-index.txt', ''],
    ['mid-index.txt', ''],
  ] as const)
    writeFileSync(join(folder, name), text)
  const key = (name: string): void =>
    options.keyType === 'RSA' && name === 'tsa'
      ? run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072', '-out', `${name}.key`)
      : run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`)
  const issue = (name: string, subject: string, by: string, extensions: string): void => {
    key(name)
    run('req', '-new', '-config', 'tsa.cnf', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`)
    run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${by}.pem`,
      '-CAkey',
      `${by}.key`,
      '-CAcreateserial',
      '-days',
      days,
      '-sha256',
      '-extfile',
      'tsa.cnf',
      '-extensions',
      extensions,
      '-out',
      `${name}.pem`,
    )
  }
  key('root')
  run(
    'req',
    '-x509',
    '-config',
    'tsa.cnf',
    '-extensions',
    'ca',
    '-key',
    'root.key',
    '-subj',
    '/CN=Test TSA root',
    '-days',
    days,
    '-sha256',
    '-out',
    'root.pem',
  )
  issue('mid', '/CN=Test TSA issuer', 'root', 'ca')
  issue('tsa', '/CN=Test TSA', 'mid', 'leaf')
  const text = (name: string): string => readFileSync(join(folder, name), 'latin1')
  writeFileSync(join(folder, 'tsa-chain.pem'), text('mid.pem') + text('root.pem'))
  for (const by of ['root', 'mid'])
    run(
      'ca',
      '-gencrl',
      '-config',
      'tsa.cnf',
      '-name',
      `list-${by}`,
      '-cert',
      `${by}.pem`,
      '-keyfile',
      `${by}.key`,
      '-out',
      `${by}.crl.pem`,
    )
  const one = (name: string, label: string): Uint8Array => fromPem(label, text(name))[0] ?? new Uint8Array()
  return {
    folder,
    root: one('root.pem', 'CERTIFICATE'),
    chain: ['tsa.pem', 'mid.pem', 'root.pem'].map((name) => one(name, 'CERTIFICATE')),
    crls: ['root.crl.pem', 'mid.crl.pem'].map((name) => one(name, 'X509 CRL')),
    reply: (query) => {
      writeFileSync(join(folder, 'query.tsq'), query)
      run('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr')
      return new Uint8Array(readFileSync(join(folder, 'reply.tsr')))
    },
  }
}
