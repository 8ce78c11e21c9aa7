import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { count, named, supports, unclear } from '../../../base/steps.ts'
import { isGpuFunction, isWholeById } from '../../../hardware/gpu/models.ts'
import { gpuNvidia, type NvidiaGpu } from '../../../hardware/gpu/nvidia.ts'
import { gpuConfCompute, gpuFabric, gpuModules, gpuServiceRuns } from '../../../hardware/gpu/probes.ts'
import { hostSerials } from '../../../hardware/machine/identity.ts'
import { gpusOf, pciDevices } from '../../../hardware/pci/probes.ts'
import { hintSign, metal, neutral, notApplicable, oddSign, type Signal, unreadable, virtual } from '../signal.ts'
import { lacksNvidia, onNvidia, onPci } from './fabric.ts'

const isBlank = (text: string | null): boolean => text !== null && /^(?=-*0)[0-]{4,}$/.test(text.trim())
const isSet = (serial: string): boolean =>
  serial !== '' && !/^(n\/a|\[n\/a\]|redacted)$/i.test(serial) && !isBlank(serial)

/** The chassis that the boards name, where it is the one that the firmware names: only servers built as one have it. */
function sharedChassis(
  read: Read,
  gpus: readonly NvidiaGpu[],
): { readonly serial: string; readonly agrees: boolean } | null {
  const named = [...new Set(gpus.flatMap(({ platform }) => platform.chassisSerial ?? []))]
  const serials = read(hostSerials)
  const [stated] = named
  if (stated === undefined || !isSet(stated) || !serials.ok) return null
  const { product, board, chassis } = serials.fact
  return {
    serial: stated,
    agrees: named.length === 1 && [product, board, chassis].some((serial) => serial.trim() === stated),
  }
}

const identity: Signal = {
  id: 'gpu.identity',
  family: 'gpu',
  title: 'Serial numbers of the GPUs',
  onMetal: 'set, each its own, and in rack-wide servers with the serial of the chassis',
  onGuest: 'all zeros where a provider hides them; the real ones where it does not',
  spoofingEffort: 'S1',
  pitfalls: [
    'Boards for home use have no serial number, and boards with several GPUs have one for all.',
    'One provider’s boards show zeros on its whole machines as well.',
    'A guest with a whole GPU shows the real serial.',
  ],
  source: 'NVML reference, nvmlDeviceGetSerial and nvmlPlatformInfo_t. Measured: 0000000000000 on A10G and T4 guests.',
  probes: [gpuNvidia, pciDevices, hostSerials],
  observe: (read) =>
    onNvidia(read, ({ gpus }) => {
      const blank = gpus.filter(({ serial, boardPart }) => isBlank(serial) || isBlank(boardPart))
      const uuids = gpus.map(({ uuid }) => uuid).filter((uuid) => /^GPU-[0-9a-f]{8}-/.test(uuid))
      const repeated = uuids.length - new Set(uuids).size
      const serials = gpus.filter(({ serial }) => isSet(serial)).length
      const summary = `${serials} of ${count(gpus.length, 'GPU')} with a serial number`
      const signs = [
        ...(repeated > 0
          ? [oddSign(`${count(repeated, 'GPU repeats', 'GPUs repeat')} the id of another one.`, gpuNvidia)]
          : []),
        ...(blank.length > 0
          ? [
              hintSign(
                `${count(blank.length, 'GPU shows', 'GPUs show')} zeros for the serial or part number.`,
                gpuNvidia,
              ),
            ]
          : []),
      ]
      if (signs.length > 0) return virtual(summary, ...signs)
      const chassis = sharedChassis(read, gpus)
      if (chassis === null) return neutral(summary)
      return chassis.agrees
        ? metal(
            summary,
            supports(`The GPUs report the same chassis as the firmware, ${quote(chassis.serial, 40)}.`, gpuNvidia),
          )
        : neutral(
            summary,
            unclear(
              `The GPUs report the chassis ${quote(chassis.serial, 40)}, which matches no serial number of the firmware; in a rack-wide server it can be the rack’s.`,
              gpuNvidia,
            ),
          )
    }),
}

const mig: Signal = {
  id: 'gpu.mig',
  family: 'gpu',
  title: 'GPUs divided into slices (MIG)',
  onMetal: 'off, or divided by the customer, with all slices and the whole memory in view',
  onGuest: 'divided, with one slice of it in view',
  spoofingEffort: 'S1',
  pitfalls: [
    'A customer divides GPUs too, and may set up a single slice.',
    'A container is given single slices of its own system’s GPUs.',
  ],
  source: 'NVIDIA Multi-Instance GPU user guide; nvidia-smi(1), “MIG Devices”.',
  probes: [gpuNvidia, pciDevices],
  observe: (read) =>
    onNvidia(read, ({ gpus }) => {
      const divided = gpus.filter(({ migMode }) => /^Enabled$/i.test(migMode))
      const slices = divided.reduce((sum, { migDevices }) => sum + migDevices, 0)
      const summary =
        divided.length === 0
          ? 'no GPU is divided'
          : `${count(divided.length, 'GPU')} divided, ${count(slices, 'slice')} in view`
      const alone = divided.filter(
        ({ slices: own, memory }) =>
          own.length === 1 && memory.totalMib !== null && (own[0]?.memoryMib ?? 0) < memory.totalMib * 0.9,
      )
      const hidden = divided.filter(({ slices: own, memory }) => own.length === 1 && memory.totalMib === null)
      const found = [...alone, ...hidden]
      return found.length === 0
        ? neutral(summary)
        : virtual(
            summary,
            hintSign(
              hidden.length > 0
                ? `Of ${count(found.length, 'divided GPU')} one slice is in view, and the memory of the whole is not: this is how a rented slice looks.`
                : `Of ${count(found.length, 'divided GPU')} one slice is in view, smaller than the GPU: the rest can belong to another tenant.`,
              gpuNvidia,
            ),
          )
    }),
}

const confidential: Signal = {
  id: 'gpu.cc',
  family: 'gpu',
  title: 'Confidential computing of the GPUs',
  onMetal: 'off: the mode has no use without a confidential guest',
  onGuest: 'on, in a confidential guest; off in all others',
  spoofingEffort: 'S0',
  pitfalls: ['Off is no evidence: most guests have it off.', 'GPUs before Hopper cannot do it.'],
  source:
    'NVIDIA, “Deployment guide for secure AI”: the mode needs a guest under AMD SEV-SNP or Intel TDX; nvidia-smi(1), conf-compute.',
  probes: [gpuConfCompute, gpuNvidia, pciDevices],
  observe(read) {
    const none = lacksNvidia(read)
    if (none !== null) return none
    const state = read(gpuConfCompute)
    if (!state.ok) return unreadable(gpuConfCompute, state.reason)
    const { isOn, isProtectedGroup, processor } = state.fact
    if (!isOn && !isProtectedGroup) return neutral('off')
    return virtual(
      isOn ? 'on' : 'protected group of GPUs',
      oddSign(
        `The GPUs run in ${isOn ? 'confidential-computing mode' : 'the mode that protects a group of them'}, which serves a confidential virtual machine${processor === null ? '' : ` (processor: ${quote(processor, 40)})`}.`,
        gpuConfCompute,
      ),
    )
  },
}

const LENDING_MODULES: ReadonlySet<string> = new Set(['nvidia_vgpu_vfio', 'gim', 'kvmgt'])

const lending: Signal = {
  id: 'gpu.mdev',
  family: 'gpu',
  title: 'Lending of virtual GPUs to guests',
  onMetal: 'nothing, or the drivers of a host that lends parts of its GPUs',
  onGuest: 'nothing',
  spoofingEffort: 'S0',
  pitfalls: [
    'A guest to which nothing is lent shows the same.',
    'It indicates a host with guests, and so concerns tenancy, not what this system runs on.',
  ],
  source:
    'Documentation/driver-api/vfio-mediated-device.rst; NVIDIA vGPU software, “installing the manager”; AMD’s GPU-IOV module (gim).',
  probes: [gpuModules, gpuFabric],
  observe(read) {
    const modules = read(gpuModules)
    if (!modules.ok) return unreadable(gpuModules, modules.reason)
    const services = read(gpuFabric)
    const lend = [
      ...modules.fact.modules.filter((name) => LENDING_MODULES.has(name)),
      ...modules.fact.dividing,
      ...(services.ok
        ? (['nvidia-vgpud', 'nvidia-vgpu-mgr'] as const).filter((unit) => gpuServiceRuns(services.fact, unit))
        : []),
    ]
    return lend.length === 0
      ? neutral('nothing lends virtual GPUs')
      : neutral(
          named(lend, 3),
          unclear(`This system can lend parts of its GPUs to guests: ${named(lend, 4)}.`, gpuModules),
        )
  },
}

const AMD = '1002'

const part: Signal = {
  id: 'gpu.function',
  family: 'gpu',
  title: 'Virtual functions of AMD accelerators',
  onMetal: 'whole accelerators; on a host that assigns them, functions in addition to the whole one',
  onGuest: 'a virtual function, and nowhere the accelerator that it is a part of',
  spoofingEffort: 'S1',
  pitfalls: [
    'A guest with a whole accelerator shows no function.',
    'An ID that is on no list, of whole devices or of functions, is no evidence.',
  ],
  source:
    'pci.ids and libdrm amdgpu.ids (MxGPU and VF ids); Linux amdgpu driver; the lists of functions in AMD’s GPU operator for Kubernetes; PCI Express SR-IOV: functions belong to a physical one.',
  probes: [pciDevices],
  observe: (read) =>
    onPci(read, (devices) => {
      const gpus = gpusOf(devices).filter(({ vendor }) => vendor === AMD)
      if (gpus.length === 0) return notApplicable('The PCI bus has no accelerator of AMD.')
      const functions = gpus.filter(isGpuFunction)
      const whole = gpus.filter(isWholeById)
      const strange = gpus.length - functions.length - whole.length
      const summary = `${whole.length} whole, ${count(functions.length, 'function')}${strange > 0 ? `, ${strange} of models on no record` : ''}`
      if (functions.length === 0)
        return strange === 0
          ? metal(summary)
          : neutral(
              summary,
              unclear(
                `Whether ${count(strange, 'accelerator')} of AMD ${strange === 1 ? 'is' : 'are'} whole is not known: the id is on no list.`,
                pciDevices,
                'ids',
              ),
            )
      return functions.length < gpus.length
        ? neutral(summary)
        : virtual(
            summary,
            oddSign(
              `${count(functions.length, 'virtual function')} of AMD accelerators, and no whole one on the bus: it is in a host above this system.`,
              pciDevices,
              'ids',
            ),
          )
    }),
}

export const partSignals: readonly Signal[] = [identity, mig, confidential, lending, part]
