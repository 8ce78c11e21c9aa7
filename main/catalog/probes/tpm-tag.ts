import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface TpmTag {
  /** Indices of the TPM’s memory that are defined, by number. What they hold is not read. */
  readonly indices: readonly number[]
}

const MOST = 256

/**
 * tpm2_getcap(1). It lists numbers and nothing else. An index in which a data center keeps the tag of a machine is only named: reading one
 * of unknown policy, or making a key for a quote over it, would be more than a look.
 */
export const tpmTag = defineProbe({
  id: 'location.tpm-tag',
  title: 'TPM memory indexes in use',
  why: 'Some data centers write a tag of the machine into its TPM. Only its presence is read, not its content.',
  commands: {
    indices: runAsRoot(['tpm2_getcap', '-T', 'device:/dev/tpmrm0', 'handles-nv-index'], {
      needsPath: ['/dev/tpmrm0'],
      timeoutSeconds: 30,
      maxBytes: 65536,
    }),
  },
  parse({ indices }) {
    if (indices.exitCode !== 0) return unknown('the TPM did not list its memory')
    const found = lines(indices.text).map((line) => /^- 0x([0-9A-Fa-f]{1,8})$/.exec(line.trim())?.[1])
    return found.length > MOST || found.includes(undefined)
      ? unknown('the list of the TPM’s memory has an unexpected format')
      : known<TpmTag>({ indices: found.map((hex) => Number.parseInt(hex ?? '', 16)) })
  },
})
