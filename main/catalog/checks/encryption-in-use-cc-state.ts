import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { cpuConfidential } from '../probes/cpu-confidential.ts'
import { gpuConfCompute } from '../probes/gpu-conf-compute.ts'
import { isGpu, isNvidiaGpu, type PciDevice, pciDevices } from '../probes/pci-devices.ts'
import { contradicts, count, decide, supports, unclear } from '../steps.ts'

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
  optional: { gpus: gpuConfCompute },
  evaluate({ cpu, pci }, { gpus }): Conclusion {
    const { protection } = cpu
    const devices = pci.devices.filter((device) => isGpu(device) || isNvidiaGpu(device))
    const [isOn, onGpus] = [gpus.ok && (gpus.fact.isOn || gpus.fact.isProtectedGroup), gpuSteps(devices)]
    if (protection === null && gpus.ok && !isOn)
      return { verdict: 'informational', observations: [off, ...onGpus(false)] }
    if (protection === null && devices.length === 0) return { verdict: 'informational', observations: [off] }
    const onProcessor =
      protection === null
        ? unclear('The kernel shows no mark of a confidential guest, by a device or a flag.', cpuConfidential)
        : supports(`This system is a confidential guest (${protection}).`, cpuConfidential)
    const ofGpus = devices.length === 0 ? [] : gpus.ok ? onGpus(isOn) : unclearAbout(gpuConfCompute, gpus)
    return decide([onProcessor, ...ofGpus])
  },
})

const off: DraftObservation = unclear(
  'The kernel shows no mark of a confidential guest: memory in use is readable by the operator of the machine.',
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
