import { isSignedBy, readSigned } from '../../core/cms-plain.ts'
import { asRecord, asText, readJson } from '../read-text.ts'
import { PROVIDER_CERTIFICATES, type ProviderCertificate } from './provider-certificates.ts'

/** An identity document, and what is behind it. */
export interface Identity {
  readonly instance: string
  readonly region: string
  readonly zone: string | null
  /** Whose certificate its signature is under; null where we hold none for its region. */
  readonly signer: ProviderCertificate | null
}

/**
 * Reads a signed identity document of EC2. A signature under the certificate of one region is worth nothing for a document that names
 * another. A reason where the signature does not stand, or where it is no such document.
 */
export function readIdentity(
  rsa2048: string,
  certificates: readonly ProviderCertificate[] = PROVIDER_CERTIFICATES,
): { readonly ok: true; readonly identity: Identity } | { readonly ok: false; readonly reason: string } {
  const signed = readSigned(new Uint8Array(Buffer.from(rsa2048, 'base64')))
  const content = signed?.content ?? null
  if (signed === null || content === null)
    return { ok: false, reason: 'it is not a signed document of a supported format' }
  const document = readJson(new TextDecoder().decode(content), 'the provider')
  const { instanceId, region, availabilityZone } = asRecord(document.ok ? document.fact : undefined)
  const [instance, place] = [asText(instanceId), asText(region)]
  if (instance === null || place === null || !/^i-[0-9a-f]{8,17}$/.test(instance) || !/^[a-z0-9-]{4,40}$/.test(place))
    return { ok: false, reason: 'it names no machine and region' }
  const signer = certificates.find((one) => one.provider === 'aws' && one.region === place) ?? null
  if (signer !== null && !isSignedBy(signed, content, new Uint8Array(Buffer.from(signer.der, 'base64'))))
    return {
      ok: false,
      reason: `its signature does not verify with the certificate that the provider publishes for ${place}`,
    }
  return {
    ok: true,
    identity: { instance, region: place, zone: asText(availabilityZone)?.slice(0, 60) ?? null, signer },
  }
}
