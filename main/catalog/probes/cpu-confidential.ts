import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, isAbsent, lines } from '../read-text.ts'

export interface ConfidentialGuest {
  /** The protection of this system's memory by the processor against the party that runs the machine; null where the kernel shows none. */
  readonly protection: 'Intel TDX' | 'AMD SEV-SNP' | 'IBM Secure Execution' | null
}

/** Documentation/virt/coco/sev-guest.rst and drivers/virt/coco/tdx-guest: their devices exist in such guests only; so does the flag. */
export const cpuConfidential = defineProbe({
  id: 'cpu.confidential',
  title: 'Confidential computing of the processor',
  why: 'Shows whether this system is a guest whose memory the processor protects from the provider by encryption.',
  commands: {
    devices: run(['ls', '-d', '/dev/tdx_guest', '/dev/sev-guest', '/sys/firmware/uv/prot_virt_guest']),
    flags: run(['grep', '-m1', '-ow', 'tdx_guest', '/proc/cpuinfo']),
    secure: run(['grep', '-H', '', '/sys/firmware/uv/prot_virt_guest']),
  },
  parse({ devices, flags, secure }) {
    if (devices.exitCode !== 0 && !isAbsent(devices))
      return unknown('the devices of confidential guests could not be looked for')
    if (!grepIsComplete(flags) || !grepIsComplete(secure))
      return unknown('the marks of confidential guests could not be read')
    const found = new Set(lines(devices.text).filter((path) => path.startsWith('/')))
    const isTdx = found.has('/dev/tdx_guest') || lines(flags.text).includes('tdx_guest')
    const isSecure = lines(secure.text).some((line) => /^\/sys\/firmware\/uv\/prot_virt_guest:1\s*$/.test(line))
    return known<ConfidentialGuest>({
      protection: isTdx
        ? 'Intel TDX'
        : found.has('/dev/sev-guest')
          ? 'AMD SEV-SNP'
          : isSecure
            ? 'IBM Secure Execution'
            : null,
    })
  },
})
