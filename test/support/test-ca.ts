import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromPem } from '../../main/core/base/pem.ts'

/** A certification authority run by openssl in a folder: a root, an issuer under it, and their revocation lists. */
export interface TestCa {
  readonly folder: string
  readonly root: Uint8Array
  /** Certifies a public key (PEM file) for signing documents; gives the PEM file of the certificate. `extensions` is a section below. */
  readonly certify: (publicKey: string, name: string, extensions?: 'leaf' | 'server') => string
  readonly crls: readonly string[]
  readonly openssl: (...argv: string[]) => string
}

const CONFIG = `
[req]
distinguished_name = dn
[dn]
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature,nonRepudiation
extendedKeyUsage = emailProtection,1.3.6.1.5.5.7.3.36
crlDistributionPoints = URI:http://crl.invalid/issuer.crl
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
[list]
database = index.txt
crlnumber = crl-number
default_md = sha256
default_crl_days = 300
`

/** Makes one. Needs openssl. */
export function testCa(folder: string): TestCa {
  mkdirSync(folder, { recursive: true })
  const openssl = (...argv: string[]): string =>
    execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
  for (const [file, text] of [
    ['ca.cnf', CONFIG],
    ['index.txt', ''],
    ['crl-number', '01\n'],
  ] as const)
    writeFileSync(join(folder, file), text)
  const key = (name: string): string =>
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`)
  const certify = (publicKey: string, name: string, by: string, extensions: string): void => {
    const subject = `/O=Test Org/CN=${name}`
    const request = ['-new', '-config', 'ca.cnf', '-key', `${by}.key`, '-subj', subject, '-out', `${name}.csr`]
    openssl('req', ...request)
    const issuer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', '300', '-sha256']
    const as = ['-extfile', 'ca.cnf', '-extensions', extensions, '-force_pubkey', publicKey, '-out', `${name}.pem`]
    openssl('x509', '-req', '-in', `${name}.csr`, ...issuer, ...as)
  }
  key('root')
  const asRoot = ['-extensions', 'authority', '-subj', '/CN=Test root', '-days', '3000', '-sha256', '-out', 'root.pem']
  openssl('req', '-x509', '-config', 'ca.cnf', '-key', 'root.key', ...asRoot)
  key('issuer')
  openssl('pkey', '-in', 'issuer.key', '-pubout', '-out', 'issuer.pub')
  certify('issuer.pub', 'issuer', 'root', 'authority')
  for (const by of ['root', 'issuer']) {
    const signedBy = ['-cert', `${by}.pem`, '-keyfile', `${by}.key`, '-out', `${by}.crl.pem`]
    openssl('ca', '-gencrl', '-config', 'ca.cnf', '-name', 'list', ...signedBy)
  }
  return {
    folder,
    root: fromPem('CERTIFICATE', readFileSync(join(folder, 'root.pem'), 'latin1'))[0] ?? new Uint8Array(),
    certify: (publicKey, name, extensions = 'leaf') => {
      certify(publicKey, name, 'issuer', extensions)
      return join(folder, `${name}.pem`)
    },
    crls: ['root', 'issuer'].map((by) => join(folder, `${by}.crl.pem`)),
    openssl,
  }
}
