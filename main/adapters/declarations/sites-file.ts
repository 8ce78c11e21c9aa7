import { basename } from 'node:path'
import type { SiteList, SiteSignature, SitesInFile } from '../../../schemas/types.ts'
import type { DeclaredSites } from '../../core/all-ports.ts'
import { readSigned, signerOf } from '../../core/cms-plain.ts'
import { sha256 } from '../../core/digest.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { fromPem } from '../../core/pem.ts'
import { oneLine, quote } from '../../core/plain-text.ts'
import { isDay } from '../../core/register/days.ts'
import { ok } from '../../core/result.ts'
import { placeOf, readNamed } from './document.ts'
import { siteRowsInCsv } from './sites-csv.ts'
import { siteRowsInRedfish } from './sites-redfish.ts'

const LARGEST_MIB = 16
const LARGEST_SIGNATURE_MIB = 1
/** The part of a signature that a scope stores, in base64. */
const LONGEST_SIGNATURE = 40_000
const LONGEST_NAME = 200

/**
 * The provider's site record, CSV or Redfish, with its signature where one is named. Fails with input.not-found and
 * input.refused; every problem names its line or path. An invalid signature, or one by another certificate than the
 * declared one, refuses the whole record.
 */
export async function readSites(
  { file, source, on, declaredBy, signature, signer }: SitesInFile,
  beside: string | null,
): Promise<Outcome<DeclaredSites>> {
  if (!isDay(on)) return fail('input.refused', `sites.on: ${quote(on)} is not a calendar date`)
  const path = placeOf(file, beside)
  const bytes = await readNamed(path, LARGEST_MIB)
  if (typeof bytes === 'string') return unread(path, bytes)
  const name = oneLine(basename(path).slice(0, LONGEST_NAME), LONGEST_NAME).slice(0, LONGEST_NAME)
  const kind = looksLikeJson(bytes) ? 'redfish' : 'csv'
  const { rows, problems } = kind === 'redfish' ? siteRowsInRedfish(bytes) : siteRowsInCsv(bytes)
  if (problems.length > 0) {
    const told = problems.map(({ at, text }) => `${quote(name)}${at === null ? '' : `, ${at},`} ${text}`)
    return fail('input.refused', told.join('; '))
  }
  const signed = signature === undefined ? ok(undefined) : await signatureOf(placeOf(signature, beside), bytes)
  if (!signed.ok) return signed
  const known = signer?.replaceAll(':', '').toLowerCase()
  if (known !== undefined && known !== signed.value?.fingerprint)
    return fail('input.refused', `sites.signer: ${quote(name)} ${notTheirs(signed.value)}`)
  const sites: SiteList = {
    source,
    kind,
    on,
    declaredBy,
    file: { name, size: bytes.length, sha256: sha256(bytes) },
    rows: [...rows],
    ...(signed.value === undefined ? {} : { signature: signed.value }),
    ...(known === undefined ? {} : { signer: known }),
  }
  return ok({ sites, bytes })
}

const notTheirs = (signature: SiteSignature | undefined): string =>
  signature === undefined
    ? 'has no signature (sites.signature), so the signer is not confirmed'
    : `is signed by ${quote(signature.subject)} with another certificate, ${signature.fingerprint}`

const unread = (path: string, why: string): Outcome<never> =>
  fail(why.startsWith('could') ? 'input.not-found' : 'input.refused', `${path} ${why}`)

/** By the first non-blank character: no supported table starts with a bracket. */
const looksLikeJson = (bytes: Uint8Array): boolean =>
  /^\uFEFF?\s*[[{]/.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, 1024)))

/**
 * A detached CMS signature over the record, in DER or PEM, under the certificate it contains. The signer's identity is
 * not checked here.
 */
async function signatureOf(path: string, content: Uint8Array): Promise<Outcome<SiteSignature>> {
  const file = await readNamed(path, LARGEST_SIGNATURE_MIB)
  if (typeof file === 'string') return unread(path, file)
  const text = Buffer.from(file).toString('latin1')
  const bytes = ['CMS', 'PKCS7'].flatMap((label) => fromPem(label, text))[0] ?? file
  const cms = Buffer.from(bytes).toString('base64')
  if (cms.length === 0 || cms.length > LONGEST_SIGNATURE)
    return fail('input.refused', `${path} is not a signature within the size limit`)
  const message = readSigned(bytes)
  if (message === null)
    return fail(
      'input.refused',
      `${path} is not a supported signature: CMS in PEM or DER by one signer, RSA or ECDSA, with signed attributes`,
    )
  const signer = signerOf(message, content)
  return signer.ok
    ? ok({ ...signer.value, cms })
    : fail('input.refused', `${path}: the signature is invalid: ${signer.error}`)
}
