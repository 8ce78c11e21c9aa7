import { certificateNames } from '../../core/certificate.ts'
import { firstValue } from '../../core/der/read.ts'
import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent } from '../read-text.ts'

export interface TpmEndorsement {
  /**
   * Who signed the certificate of the TPM’s endorsement key, one name in a line, as it is in the certificate; null where the TPM keeps
   * none.
   */
  readonly issuer: string | null
  readonly validTo: string | null
}

export const NO_TPM_DEVICE = 'the kernel offers no TPM'
// TPM 2.0 part 2, 6.6.3: TPM_RC_HANDLE for the first handle, as tpm2-tss prints it. The index is not defined.
const NO_SUCH_INDEX = /\b0x18B\b/i

/**
 * The certificate that the TPM’s manufacturer left at index 0x1c00002 (TCG EK Credential Profile 2.5, §2.2.1.4). It is public. The index is
 * read with the owner’s authorization, which wrong tries cannot lock; it opens the kernel’s resource manager and nothing else, starts no
 * service, writes no file and asks no network.
 */
export const tpmEk = defineProbe({
  id: 'tpm.ek',
  title: 'Certificate of the TPM’s endorsement key',
  why: 'Its issuer is the manufacturer of the TPM; software TPMs of hypervisors carry one issued by themselves or by their cloud.',
  commands: {
    certificate: runAsRoot(['tpm2_nvread', '-T', 'device:/dev/tpmrm0', '-C', 'o', '0x1c00002'], {
      needsPath: ['/dev/tpmrm0'],
      timeoutSeconds: 30,
      maxBytes: 16 * 1024,
    }),
  },
  parse({ certificate }) {
    if (isAbsent(certificate)) return unknown(NO_TPM_DEVICE)
    if (certificate.exitCode !== 0 && NO_SUCH_INDEX.test(certificate.errorText))
      return known<TpmEndorsement>({ issuer: null, validTo: null })
    if (certificate.exitCode !== 0) return unknown('the TPM gave no certificate of its endorsement key')
    // An index is often larger than the certificate in it.
    const names = certificateNames(firstValue(certificate.bytes)?.bytes ?? certificate.bytes)
    return names === null
      ? unknown('what the TPM gave is no certificate')
      : known<TpmEndorsement>({ issuer: names.issuer.slice(0, 1000), validTo: names.validTo })
  },
})
