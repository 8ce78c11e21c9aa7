import { X509Certificate } from 'node:crypto'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { fail, type Outcome, ok } from '../../core/failure.ts'

/** Certificate chain and key that a server is reached with, PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

const OLDEST = { minVersion: 'TLSv1.2' } as const

/** What new connections are answered with. Fails with input.refused for a certificate and key that cannot be used together. */
export function secureOptions(tls: TlsFiles): Outcome<TlsFiles & typeof OLDEST> {
  const options = { ...tls, ...OLDEST }
  try {
    createSecureContext(options)
    return ok(options)
  } catch {
    return fail('input.refused', 'listen.tls: the certificate or key cannot be used')
  }
}

/** A certificate that was read again: its fingerprint, SHA-256, and what answers new connections with it. Connections that are open stay. */
export interface Renewed {
  readonly fingerprint: string
  readonly present: (server: Server) => void
}

/** The certificate that differs from the one that is presented; null where none does. Fails as secureOptions(). */
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
