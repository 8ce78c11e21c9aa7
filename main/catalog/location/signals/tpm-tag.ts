import type { Parsed } from '../../../core/probe.ts'
import { type TpmPresence, tpmPresence } from '../../probes/tpm-presence.ts'
import { type TpmTag, tpmTag } from '../../probes/tpm-tag.ts'
import { type Found, hinted } from '../found.ts'

/** Where the trust agent of Intel’s data-center libraries keeps the digest of an asset tag (NIST IR 8320B describes the practice). */
const TAG_INDEX = 0x1c10110
/** The register that a measured launch extends with that digest. */
const TAG_REGISTER = 22

/**
 * Traces of a geotag. Without a quote over a number of ours, signed by a key that the tag’s authority vouches for, they attest nothing:
 * the class of hardware-attested tags stays empty here.
 */
export function tpmTagSignals(tag: Parsed<TpmTag>, registers: Parsed<TpmPresence>): readonly Found[] {
  const value = registers.ok ? registers.fact.registers.get(TAG_REGISTER) : undefined
  const isExtended = value !== undefined && !/^(00|ff)+$/.test(value)
  return [
    ...(tag.ok && tag.fact.indices.includes(TAG_INDEX)
      ? [
          hinted(
            'tpm-tag.index',
            null,
            'The TPM has an index in which some data centers store the tag of a machine. It was not read, and nothing confirms it.',
            tpmTag,
          ),
        ]
      : []),
    ...(isExtended
      ? [
          hinted(
            'tpm-tag.register',
            null,
            `Register ${TAG_REGISTER} of the TPM, which a measured launch can extend with a tag, is not empty. No quote was requested, so it attests nothing.`,
            tpmPresence,
          ),
        ]
      : []),
  ]
}
