import data from './provider-certificates.json' with { type: 'json' }

/**
 * With what providers sign the identity documents of machines, region by region, as they publish it. Regions that are not here cannot be
 * verified. Each is signed on its own, and none has a chain: that it is the provider’s depends on the page it was published on.
 */
export interface ProviderCertificate {
  readonly provider: string
  readonly region: string
  /** Over `der`. */
  readonly sha256: string
  /** Base64. */
  readonly der: string
}

export const PROVIDER_CERTIFICATES: readonly ProviderCertificate[] = data.certificates
/** The list with its day and its source. */
export const PROVIDER_CERTIFICATE_LIST: typeof data = data
