import ssh2 from 'ssh2'
import { fingerprintOf } from '../../core/known-hosts.ts'

export interface DemoKey {
  /** OpenSSH private key. */
  readonly pem: string
  /** Public key blob as in known_hosts, before base64. */
  readonly blob: Uint8Array
  readonly fingerprint: string
}

const TRIES = 20

/**
 * A key pair for one demo. ssh2 1.17 drops the leading zero bytes of one Ed25519 key in 250 (lib/keygen.js), and then
 * refuses to read it; such a key is discarded and another generated.
 */
export function demoKey(generate: () => string = () => ssh2.utils.generateKeyPairSync('ed25519').private): DemoKey {
  for (let tries = 1; ; tries++) {
    const pem = generate()
    const parsed = ssh2.utils.parseKey(pem)
    if (!(parsed instanceof Error)) {
      const blob = parsed.getPublicSSH()
      return { pem, blob, fingerprint: fingerprintOf(blob) }
    }
    if (tries === TRIES) throw parsed
  }
}
