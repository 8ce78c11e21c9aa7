import { X509Certificate } from 'node:crypto'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'

/** Certificate chain and private key of the server, PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

const OLDEST = { minVersion: 'TLSv1.2' } as const

/** TLS options of new connections. Fails with input.refused for a certificate and key that cannot be used together. */
export function secureOptions(tls: TlsFiles): Outcome<TlsFiles & typeof OLDEST> {
  const options = { ...tls, ...OLDEST }
  try {
    createSecureContext(options)
    return ok(options)
  } catch {
    return fail('input.refused', 'listen.tls: the certificate or key cannot be used')
  }
}

/** A renewed certificate: its SHA-256 fingerprint, and a function that uses it for new connections. Open connections stay. */
export interface Renewed {
  readonly fingerprint: string
  readonly present: (server: Server) => void
}

/** The certificate to renew to; null where certificate and key are unchanged or there is no TLS. Fails as secureOptions() does. */
export function renewedOf(presented: TlsFiles | null, wanted: TlsFiles | null): Outcome<Renewed | null> {
  if (presented === null || wanted === null || (presented.cert === wanted.cert && presented.key === wanted.key))
    return ok(null)
  const options = secureOptions(wanted)
  if (!options.ok) return options
  return ok({
    fingerprint: new X509Certificate(wanted.cert).fingerprint256.replaceAll(':', '').toLowerCase(),
    present: (server) => server.setSecureContext(options.value),
  })
}
