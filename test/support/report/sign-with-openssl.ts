import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BYTE_RANGE_PLACEHOLDER, SIGNATURE_BYTES } from '../../../main/adapters/pdf/index.ts'

const exec = promisify(execFile)

/**
 * Fills the placeholder of a report with a signature made by the openssl program and a throw-away key in `folder`: shows that the
 * room we leave is right for software that is not ours. Gives the signed file's path; root.pem lies beside it.
 */
export async function signWithOpenssl(pdf: Uint8Array, folder: string): Promise<string> {
  const key = join(folder, 'key.pem')
  const certificate = join(folder, 'root.pem')
  const subject = [
    '-subj',
    '/CN=Test signer',
    '-days',
    '2',
    '-addext',
    'keyUsage=digitalSignature,nonRepudiation,keyCertSign',
  ]
  await exec('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ])
  const text = Buffer.from(pdf).toString('latin1')
  const from = text.indexOf(`<${'0'.repeat(SIGNATURE_BYTES * 2)}>`)
  const to = from + SIGNATURE_BYTES * 2 + 2
  const range = `[0 ${from} ${to} ${pdf.length - to}]`.padEnd(BYTE_RANGE_PLACEHOLDER.length, ' ')
  const ranged = Buffer.from(text.replace(BYTE_RANGE_PLACEHOLDER, range), 'latin1')
  const covered = join(folder, 'covered.bin')
  await writeFile(covered, Buffer.concat([ranged.subarray(0, from), ranged.subarray(to)]))
  const signature = join(folder, 'signature.der')
  const cms = [
    'cms',
    '-sign',
    '-cades',
    '-binary',
    '-outform',
    'DER',
    '-md',
    'sha256',
    '-signer',
    certificate,
    '-inkey',
    key,
  ]
  await exec('openssl', [...cms, '-in', covered, '-out', signature])
  const hex = (await readFile(signature)).toString('hex').padEnd(SIGNATURE_BYTES * 2, '0')
  const signed = join(folder, 'signed.pdf')
  await writeFile(
    signed,
    Buffer.concat([ranged.subarray(0, from + 1), Buffer.from(hex, 'latin1'), ranged.subarray(to - 1)]),
  )
  return signed
}
