import type { DeviceLocality } from '../../../schemas/types.ts'
import type { Layer } from '../../../schemas/words.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import type { Disk } from '../probes/inventory-disks.ts'
import type { NetInterface } from '../probes/net-interfaces.ts'
import { isGpu } from '../probes/pci-devices.ts'
import { CONNECTX_VIRTUAL_FUNCTIONS, isVirtualFunction } from './pci-tables.ts'
import type { DeviceReadings } from './readings.ts'

type Is = DeviceLocality['is']

/** Where each device is, one answer per device. A device that looks real is called native only where the system was argued to run on hardware. */
export function decideLocality(readings: DeviceReadings, layer: Layer): readonly DeviceLocality[] {
  const devices = [
    ...gpuAnswers(readings, layer),
    ...nicAnswers(readings, layer),
    ...hcaAnswers(readings, layer),
    ...diskAnswers(readings, layer),
  ]
  return devices.sort((a, b) => compare(a.kind, b.kind) || compare(a.device, b.device))
}

/** What a real-looking device is, given what the system runs on. */
function real(layer: Layer): { readonly is: Is; readonly text: string } {
  if (layer === 'metal' || layer === 'hypervisor-host')
    return { is: 'native', text: 'A physical function, and the system runs on the hardware.' }
  return layer === 'vm'
    ? { is: 'passthrough', text: 'A physical function that was handed to this guest.' }
    : { is: 'unknown', text: 'It looks like a physical function; what the system runs on is not decided.' }
}

const answer = (kind: DeviceLocality['kind'], device: string, is: Is, text: string): DeviceLocality => ({
  kind,
  device: plain(device, 80),
  is,
  text,
})

function gpuAnswers({ pci, gpus }: DeviceReadings, layer: Layer): readonly DeviceLocality[] {
  if (!pci.ok) return []
  const driver = new Map(gpus.ok ? gpus.fact.gpus.map((gpu) => [gpu.address, gpu]) : [])
  return pci.fact.devices.filter(isGpu).map((device) => {
    const gpu = driver.get(device.address)
    const name = `${device.address}${gpu === undefined ? '' : ` ${gpu.name}`}`
    if (gpu !== undefined && /^VGPU$/i.test(gpu.virtualization))
      return answer('gpu', name, 'virtual', 'The driver says that it is a virtual GPU.')
    if (gpu !== undefined && gpu.migMode === 'Enabled' && layer !== 'metal')
      return answer('gpu', name, 'virtual', 'The GPU is divided, and we may see one slice.')
    if (gpu !== undefined && /^Pass-?Through$/i.test(gpu.virtualization))
      return answer('gpu', name, 'passthrough', 'The driver says that it was handed to a guest.')
    if (gpu === undefined && device.vendor === '10de' && layer === 'metal')
      return answer('gpu', name, 'unknown', 'The driver gave no answer about it.')
    const { is, text } = real(layer)
    return answer('gpu', name, is, text)
  })
}

const VIRTUAL_DRIVERS: ReadonlySet<string> = new Set([
  'virtio_net',
  'virtio-pci',
  'vmxnet3',
  'xen_netfront',
  'vif',
  'hv_netvsc',
  'ena',
  'gve',
  'e1000',
])
// Cards that emulators imitate. In a guest they are taken for imitations; on hardware they are what they say.
const IMITATED_DRIVERS: ReadonlySet<string> = new Set(['e1000e', 'igb', '8139cp', '8139too', 'tulip', 'pcnet32'])
const FUNCTION_DRIVERS: ReadonlySet<string> = new Set(['iavf', 'i40evf', 'ixgbevf', 'igbvf', 'mana'])

function nicIs({ driver, pciId }: NetInterface): Is | null {
  const [vendor = '', device = ''] = (pciId ?? '').split(':')
  if (driver === null) return null
  if (VIRTUAL_DRIVERS.has(driver)) return 'virtual'
  return FUNCTION_DRIVERS.has(driver) || (vendor === '15b3' && CONNECTX_VIRTUAL_FUNCTIONS.has(device))
    ? 'virtual-function'
    : null
}

function nicAnswers({ nics }: DeviceReadings, layer: Layer): readonly DeviceLocality[] {
  if (!nics.ok) return []
  return nics.fact.interfaces.flatMap((nic) => {
    if (nic.driver === null) return []
    const is = layer === 'vm' && IMITATED_DRIVERS.has(nic.driver) ? 'virtual' : nicIs(nic)
    if (is === 'virtual')
      return [
        answer('nic', nic.name, is, `Its driver ${plain(nic.driver, 40)} is for emulated or provider-made adapters.`),
      ]
    if (is === 'virtual-function')
      return [answer('nic', nic.name, is, 'It is one virtual function of an adapter that others may share.')]
    const whole = real(layer)
    return [answer('nic', nic.name, whole.is, whole.text)]
  })
}

function hcaAnswers({ fabric, pci, nics }: DeviceReadings, layer: Layer): readonly DeviceLocality[] {
  if (!fabric.ok) return []
  // An adapter's name does not say which PCI function it is; one virtual function of its maker among them leaves all of them open.
  const functions = pci.ok ? pci.fact.devices.filter(isVirtualFunction) : []
  const isOpen = functions.length > 0 || !pci.ok || !nics.ok
  return fabric.fact.adapters.map(({ name }) => {
    const whole = real(layer)
    return isOpen
      ? answer(
          'hca',
          name,
          functions.length > 0 ? 'virtual-function' : 'unknown',
          functions.length > 0
            ? 'Virtual functions of a fabric adapter are on the PCI bus.'
            : 'The PCI bus was not read.',
        )
      : answer('hca', name, whole.is, whole.text)
  })
}

const EMULATED = {
  is: 'virtual',
  text: 'An emulated or paravirtual drive; what stands behind it is not visible.',
} as const

function diskIs({ path, transport, model }: Disk): { readonly is: Is; readonly text: string } | null {
  if (/^(tcp|rdma|fc|loop)$/.test(transport))
    return { is: 'remote', text: `Reached over a network (NVMe over ${transport}).` }
  if (/\/session\d+\/|\/(rbd|nbd|drbd)\d*/.test(path)) return { is: 'remote', text: 'Reached over a network.' }
  if (/Elastic Block Store|nvme_card-pd|MSFT NVMe Accelerator|PersistentDisk/i.test(model))
    return { is: 'remote', text: 'A volume of the provider’s storage service.' }
  if (/\/virtio\d+\/|\/vmbus|\/vbd-|\/LNRO0005/i.test(path) || /^(QEMU|VMware|VBOX|ORCL-VBOX|Msft)/i.test(model))
    return EMULATED
  return null
}

function diskAnswers({ disks }: DeviceReadings, layer: Layer): readonly DeviceLocality[] {
  if (!disks.ok) return []
  return disks.fact.disks.map((disk) => {
    const isImitated = layer === 'vm' && !disk.name.startsWith('nvme')
    const { is, text } = diskIs(disk) ?? (isImitated ? EMULATED : real(layer))
    return answer('disk', `${disk.name}${disk.model === '' ? '' : ` ${disk.model}`}`, is, text)
  })
}
