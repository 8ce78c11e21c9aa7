import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { grepIsComplete, isAbsent, lines } from '../../base/read-text.ts'
import { contradicts, count, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { gpuConfCompute } from '../gpu/probes.ts'
import { gpusOf, isNvidiaGpu, type PciDevice, pciDevices } from '../pci/probes.ts'
import { type CpuFeatures, cpuFeatures } from '../processors/features.ts'
import data from './checks.json' with { type: 'json' }

interface ConfidentialGuest {
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

/**
 * Off altogether is recorded, not counted as a deviation: no rule requires it, and most servers have it off. Half of it is: a confidential
 * guest that hands its data to GPUs without protection.
 */
export const encryptionInUseCcState = defineCheck({
  id: 'encryption.in-use.cc-state',
  property: 'encryption-at-rest',
  expected:
    'The processor encrypts the memory of this system against the operator of the machine, and its GPUs run in confidential-computing mode.',
  limitations:
    'As reported by the kernel and the GPU driver. Only remote attestation, which was not performed, ties it to genuine hardware. Encryption of the whole memory by a host (TME, SME) is not evaluated: it does not protect against the host.',
  requires: { cpu: cpuConfidential, pci: pciDevices },
  optional: { gpus: gpuConfCompute, features: cpuFeatures },
  evaluate({ cpu, pci }, { gpus, features }): Conclusion {
    const { protection } = cpu
    const devices = gpusOf(pci.devices)
    const [isOn, onGpus] = [gpus.ok && (gpus.fact.isOn || gpus.fact.isProtectedGroup), gpuSteps(devices)]
    if (protection === null && !isOn && (gpus.ok || !devices.some(isNvidiaGpu))) {
      const named = gpus.ok ? gpus.fact.processor : null
      return named === null
        ? { verdict: 'informational', observations: [off(features), ...onGpus(false)] }
        : decide([
            off(features),
            unclear(`The GPU driver names ${quote(named, 40)} for this processor.`, gpuConfCompute),
          ])
    }
    const onProcessor =
      protection === null ? NO_MARK : supports(`This system is a confidential guest (${protection}).`, cpuConfidential)
    const ofGpus = devices.length === 0 ? [] : gpus.ok ? onGpus(isOn) : unclearAbout(gpuConfCompute, gpus)
    return decide([onProcessor, ...ofGpus])
  },
})

const NO_MARK = unclear('The kernel shows no mark of a confidential guest, by a device or a flag.', cpuConfidential)

/**
 * Without a mark, the operator of a machine reads its memory, unless this is a guest: protected ones show none under AMD SEV without SNP, behind a
 * paravisor (Azure), or without the driver of their device (Linux drivers/virt/coco/sev-guest, CONFIG_SEV_GUEST). On x86 every guest of a
 * hypervisor that names itself has the bit for software that runs on one (CPUID.1:ECX[31]).
 */
const off = (features: Parsed<CpuFeatures>): DraftObservation =>
  features.ok && features.fact.architecture === 'x86' && !features.fact.hypervisorBit
    ? unclear(
        'The kernel shows no mark of a confidential guest: memory in use is readable by the operator of the machine.',
        cpuConfidential,
      )
    : unclear(
        'The kernel shows no mark of a confidential guest. Some guests are protected and show none, so that it is not known whether the operator of the machine can read memory in use.',
        cpuConfidential,
      )

const gpuSteps =
  (devices: readonly PciDevice[]) =>
  (isOn: boolean): readonly DraftObservation[] => {
    const others = devices.filter((device) => !isNvidiaGpu(device)).length
    const own = devices.length - others
    return [
      ...(own === 0
        ? []
        : isOn
          ? [supports(`The driver reports confidential computing as on for ${count(own, 'GPU')}.`, gpuConfCompute)]
          : [
              contradicts(`The driver reports confidential computing as off for ${count(own, 'GPU')}.`, gpuConfCompute),
            ]),
      ...(others > 0
        ? [unclear(`For ${count(others, 'accelerator')} of other manufacturers this is not known.`, pciDevices)]
        : []),
    ]
  }

export const memoryEncryptionSubject = defineSubject({
  id: 'memory-encryption',
  title: 'Memory encryption',
  probes: [cpuConfidential],
  checks: [encryptionInUseCcState],
  data,
})
