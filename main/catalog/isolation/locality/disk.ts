import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { quote } from '../../../core/plain-text.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../probes/inventory-disks.ts'
import { type PciDevice, pciDevices } from '../../probes/pci-devices.ts'
import { type RemoteStorage, storageRemote } from '../../probes/storage-remote.ts'
import {
  attachmentOf,
  emulatorOf,
  fullName,
  IMITATED_CONTROLLERS,
  instanceStoreOf,
  isVirtualMedia,
  networkOf,
  serviceOf,
} from '../disk-tables.ts'
import type { Read } from '../signal.ts'
import { answer, type Place, real } from './real.ts'

interface Around {
  readonly environment: Environment
  readonly remote: RemoteStorage | null
  /** The PCI function that the drive hangs on, where both were read. */
  readonly controller: PciDevice | undefined
}

/** Where each drive is. Drives that other machines serve are listed too where the kernel gives them a name of their own. */
export function diskAnswers(read: Read, environment: Environment): readonly DeviceAttachment[] {
  const [disks, ways, pci] = [read(inventoryDisks), read(storageRemote), read(pciDevices)]
  const remote = ways.ok ? ways.fact : null
  const functions = new Map(pci.ok ? pci.fact.devices.map((device) => [device.address, device]) : [])
  const own = disks.ok
    ? disks.fact.disks.map((disk) => {
        const name = `${disk.name}${disk.model === '' ? '' : ` ${disk.model}`}`
        const controller = functions.get(diskFunction(disk) ?? '')
        return answer('disk', name, placeOf(disk, { environment, remote, controller }))
      })
    : []
  // These two hang under no device, so the list of drives leaves them out.
  const served = [
    ...(remote?.nbd ?? []).map((name) =>
      answer('disk', name, {
        attachment: 'remote',
        text: 'A network block device (NBD): a process serves it, here or elsewhere.',
      }),
    ),
    ...(remote?.drbd ?? []).map((name) =>
      answer('disk', name, {
        attachment: 'remote',
        text: 'A replicated drive (DRBD): what is written here is written to another machine as well.',
      }),
    ),
  ]
  return [...own, ...served]
}

function placeOf(disk: Disk, around: Around): Place {
  return remotePlace(disk, around) ?? presentedPlace(disk, around) ?? attachedPlace(disk, around)
}

function remotePlace(disk: Disk, { remote }: Around): Place | null {
  const network = networkOf(disk, remote)
  if (network !== null)
    return {
      attachment: 'remote',
      text: `Reached over ${network}: the drive is not in this machine.${servedBy(disk, remote)}`,
    }
  const service = serviceOf(disk)
  return service === null
    ? null
    : { attachment: 'remote', text: `A volume of ${service}: the data is stored elsewhere in the provider’s network.` }
}

/** The target behind an iSCSI session, or how an NVMe controller over a network is reached. */
function servedBy({ path, address }: Disk, remote: RemoteStorage | null): string {
  const session = /\/(session\d+)\//.exec(path)?.[1]
  const target = remote?.iscsi.find((one) => one.session === session)
  if (target !== undefined && target.target !== '')
    return ` Its target is ${quote(target.target)}${target.portal === '' ? '' : ` at ${quote(target.portal, 60)}`}.`
  const at = /traddr=([^,\s]{1,60})/.exec(address)?.[1]
  return at === undefined ? '' : ` It is served from ${quote(at, 60)}.`
}

/** Drives that a person presents to this system: a provider's card, a hypervisor, an emulator, a management controller. */
function presentedPlace(disk: Disk, { environment, controller }: Around): Place | null {
  const isMetal = environment === 'bare-metal' || environment === 'hypervisor-host'
  const store = instanceStoreOf(disk)
  if (store !== null) {
    const local = `${store}: a drive inside the machine, presented by the provider’s card`
    if (isMetal) return { attachment: 'physical', text: `${local}.` }
    return { attachment: 'virtual-function', text: `${local}, which can serve other guests of the machine as well.` }
  }
  const emulator = emulatorOf(disk)
  if (emulator !== null || VIRTUAL_VENDORS.has(controller?.vendor ?? ''))
    return { attachment: 'virtual', text: 'An emulated drive; the storage behind it is not visible.' }
  switch (attachmentOf(disk)) {
    case 'virtio':
      return isMetal
        ? {
            attachment: 'virtual',
            text: 'A virtio drive on real hardware: a data-processing unit presents it. Whether it is a drive in the machine or a volume on the network is not visible.',
          }
        : { attachment: 'virtual', text: 'A virtio drive of a hypervisor; the storage behind it is not visible.' }
    case 'virtio-mmio':
    case 'xen':
    case 'hyper-v':
      return {
        attachment: 'virtual',
        text: 'A paravirtual drive of a hypervisor; the storage behind it is not visible.',
      }
    case 'network':
      return {
        attachment: 'virtual',
        text: 'NVMe over a loop inside this system: its storage is a file or another drive.',
      }
    default:
  }
  // pci.ids: 15b3:6001 is BlueField’s emulated NVMe controller; no drive of this manufacturer exists.
  if (controller?.vendor === '15b3')
    return {
      attachment: 'undetermined',
      text: 'Presented by a BlueField data-processing unit: it can be a drive in the machine or a volume on the network; neither is visible.',
    }
  return isVirtualMedia(disk)
    ? {
        attachment: 'virtual',
        text: 'Presented over USB by the management controller; the storage behind it is not visible.',
      }
    : null
}

function attachedPlace(disk: Disk, { environment, controller }: Around): Place {
  const attached = attachmentOf(disk)
  if (attached === 'usb') return real(environment, 'A drive on USB')
  const where = controller === undefined ? '' : ` (${controller.vendor}:${controller.device} at ${controller.address})`
  if (environment !== 'virtual-machine') return real(environment, `A drive on a controller of this machine${where}`)
  if (disk.name.startsWith('nvme')) return real(environment, `An NVMe drive with its controller${where}`)
  return controller === undefined || IMITATED_CONTROLLERS.has(`${controller.vendor}:${controller.device}`)
    ? {
        attachment: 'virtual',
        text: `A drive of a guest${where}: emulators present this controller; the storage behind it is not visible.`,
      }
    : {
        attachment: 'undetermined',
        text: `A drive of a guest on a controller that emulators do not usually present${where}: passed through, or imitated under a manufacturer’s name (${quote(fullName(disk), 60)}).`,
      }
}

const VIRTUAL_VENDORS: ReadonlySet<string> = new Set(['1b36', '15ad', '80ee', '5853', '1ab8'])
