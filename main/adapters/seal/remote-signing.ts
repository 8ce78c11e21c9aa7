import type { RemoteSigning } from '../../core/team/sealing-orders.ts'
import { contentDigestIn, signDetached, signedAttributes } from './cms.ts'
import { readSeal } from './reader.ts'
import { readCertificate, sameBytes, verifies } from './x509.ts'

/** Certificates and signatures of sealers, through the functions that create and read all other signatures. */
export const remoteSigning: RemoteSigning = {
  read: (der) => {
    const facts = readCertificate(der)
    if (facts === null) return null
    const { subject, fingerprint, notAfter, keyType } = facts
    return { subject, fingerprint, notAfter, keyType }
  },
  attributes: (certificate, digest) => signedAttributes(certificate, Buffer.from(digest, 'hex')),
  digestIn: (certificate, attributes) => {
    const digest = contentDigestIn(attributes)
    if (digest === null || !sameBytes(signedAttributes(certificate, digest), attributes)) return null
    return Buffer.from(digest).toString('hex')
  },
  verifies: (certificate, data, signature) => {
    const facts = readCertificate(certificate)
    return facts !== null && verifies(data, facts, signature)
  },
  signText: (signer, text) => signDetached(signer, Buffer.from(text)),
  textSigner: (text, signature) => {
    const content = Buffer.from(text)
    const read = readSeal({
      content,
      signature,
      chain: [],
      crls: [],
      freshCrls: [],
      timestamps: [],
      tsaChain: [],
      tsaCrls: [],
    })
    return read.problems.length === 0 ? (read.signer?.fingerprint ?? null) : null
  },
}
