import type { DeviceAttachment } from '../../../../schemas/types.ts'
import type { Environment } from '../../../../schemas/words.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { type RemoteStorage, storageRemote } from '../../data-protection/mounts/probes.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../hardware/drives/inventory.ts'
import { type PciDevice, pciDevices } from '../../hardware/pci/probes.ts'

export interface Place {
  readonly attachment: DeviceAttachment['attachment']
  readonly text: string
}

/** One result for one device; its name can hold words of the node. */
export const answer = (
  kind: DeviceAttachment['kind'],
  device: string,
  { attachment, text }: Place,
): DeviceAttachment => ({
  kind,
  device: plain(device, 80),
  attachment,
  text,
})

/**
 * What a device that looks physical is, given what the system runs on: physical only where that was concluded to be
 * hardware.
 */
export function real(environment: Environment, what = 'A physical function'): Place {
  if (environment === 'bare-metal' || environment === 'hypervisor-host')
    return { attachment: 'physical', text: `${what}, and the system runs on the hardware.` }
  return environment === 'virtual-machine'
    ? {
        attachment: 'passthrough',
        text: `${what}, handed to this guest as it seems; a patched emulator can imitate one.`,
      }
    : {
        attachment: 'undetermined',
        text: `${what}, as it seems; the execution environment is undetermined.`,
      }
}

/** Names that emulated drives give themselves, at the beginning of vendor and model, and who presents them. */
const EMULATED_NAMES: readonly (readonly [RegExp, string | null])[] = [
  [/^(ATA )?QEMU( |$)/i, 'QEMU'],
  [/^(ATA )?(VMware,? ?|VMware Virtual)/i, 'VMware'],
  [/^(ATA )?(VBOX |ORCL-VBOX)/i, 'VirtualBox'],
  [/^(ATA )?Parallels /i, 'Parallels'],
  [/^(ATA )?BHYVE/i, 'bhyve'],
  [/^Msft Virtual D/i, 'Microsoft Hyper-V'],
  [/^NUTANIX VDISK/i, 'Nutanix AHV'],
]

/** Vendor and model as one name, as the drive reports them. */
export const fullName = ({ vendor, model }: Disk): string =>
  /^(0x[0-9a-f]+)?$/.test(vendor) || model.toLowerCase().startsWith(vendor.toLowerCase()) ? model : `${vendor} ${model}`

/** The emulator of a drive by the drive’s own name, with that name; null where the name is not that of an emulator. */
export function emulatorOf(disk: Disk): { readonly platform: string | null; readonly words: string } | null {
  const name = fullName(disk)
  const known = EMULATED_NAMES.find(([pattern]) => pattern.test(name))
  if (known !== undefined) return { platform: known[1], words: name }
  // hw/nvme/subsys.c and hw/nvme/ctrl.c of QEMU: every subsystem name begins so, whatever serial number and ids are set.
  if (disk.subsystem.startsWith('nqn.2019-08.org.qemu:')) return { platform: 'QEMU', words: disk.subsystem }
  // The kernel's own name for a namespace without one: nvme., the PCI vendor of the controller, then serial and model.
  if (disk.wwid.startsWith('nvme.1b36-')) return { platform: 'QEMU', words: disk.wwid }
  return null
}

/** How a drive hangs, by its path: what presents it. */
export type DriveBus = 'hyper-v' | 'xen' | 'virtio' | 'virtio-mmio' | 'network' | 'usb' | 'pci' | 'other'

const ATTACHMENTS: readonly (readonly [RegExp, DriveBus])[] = [
  [/\/nvme-fabrics\/|\/session\d+\/|\/rport-\d+:|\/devices\/rbd\/|\/rbd\/\d+\//, 'network'],
  [/\/LNRO0005:|\.virtio_mmio\/|\/virtio-mmio/, 'virtio-mmio'],
  [/\/virtio\d+\//, 'virtio'],
  // A PCI bus below Hyper-V’s own is passed through: what is attached to it is a device, not a paravirtual drive.
  [/\/(VMBUS|MSFT1000):(?!.*\/pci[0-9a-f]{4,8}:)|\/vmbus_\w+\//i, 'hyper-v'],
  [/\/vbd-\d+\//, 'xen'],
  [/\/usb\d+\//, 'usb'],
  [/\/pci[0-9a-f]{4,8}:[0-9a-f]{2}\//, 'pci'],
]

/** The first that fits; NVMe controllers of shared subsystems show no bus on their path, so their transport responses. */
export function attachmentOf({ path, transport }: Disk): DriveBus {
  if (transport !== '' && transport !== 'pcie') return transport === 'apple-nvme' ? 'pci' : 'network'
  const found = ATTACHMENTS.find(([pattern]) => pattern.test(path))?.[1]
  return found ?? (transport === 'pcie' ? 'pci' : 'other')
}

/** Whether the path leads through Hyper-V's own bus, also where a handed-on PCI device hangs below. */
export const isBelowHyperV = ({ path }: Disk): boolean => /\/(VMBUS|MSFT1000):|\/vmbus_\w+\//i.test(path)

/** Over which network a drive is reached, in words; null for a drive that no network was seen for. */
export function networkOf(disk: Disk, remote: RemoteStorage | null): string | null {
  const { path, transport } = disk
  if (/^(tcp|rdma)$/.test(transport)) return `NVMe over ${transport.toUpperCase()}`
  if (transport === 'fc') return 'NVMe over Fibre Channel'
  if (path.includes('/nvme-fabrics/') && transport !== 'loop') return 'NVMe over a network'
  const session = /\/(session\d+)\//.exec(path)?.[1]
  if (session !== undefined) return 'iSCSI'
  if (/\/rport-\d+:/.test(path)) return 'Fibre Channel'
  if (/\/devices\/rbd\/|\/rbd\/\d+\//.test(path)) return 'Ceph (RBD)'
  return remote?.srp.some((port) => path.includes(`/${port}/`)) === true ? 'SCSI over RDMA' : null
}

/** Volumes of a provider’s storage service, by the model names that the services assign. */
const SERVICE_VOLUMES: readonly (readonly [RegExp, string])[] = [
  [/^Amazon Elastic Block Store/i, 'Amazon’s volume service (EBS)'],
  [/^nvme_card-pd|^(Google )?PersistentDisk/i, 'Google’s volume service (Persistent Disk)'],
  [/^MSFT NVMe Accelerator/i, 'Microsoft’s volume service (Azure disks)'],
  [/^ORACLE BlockVolume/i, 'Oracle’s volume service (Block Volume)'],
  [/^Alibaba Cloud Elastic Block/i, 'Alibaba’s volume service (EBS)'],
  [/^(DO|HC|SCW|LINODE|b_ssd|VULTR) ?(Volume|Block)/i, 'the provider’s volume service'],
]
export const isServiceModel = (model: string): boolean => SERVICE_VOLUMES.some(([pattern]) => pattern.test(model))
export const serviceOf = (disk: Disk): string | null =>
  SERVICE_VOLUMES.find(([pattern]) => pattern.test(fullName(disk)))?.[1] ?? null

/** Drives inside the machine that a provider's card presents, on virtual machines and on whole ones alike. */
const INSTANCE_STORES: readonly (readonly [RegExp, string])[] = [
  [/^Amazon EC2 NVMe Instance Storage/i, 'Amazon’s instance storage'],
  [/^nvme_card\d*$|^(Google )?EphemeralDisk/i, 'Google’s local SSD'],
  [/^Microsoft NVMe Direct Disk/i, 'Microsoft’s local NVMe'],
]
export const instanceStoreOf = (disk: Disk): string | null =>
  INSTANCE_STORES.find(([pattern]) => pattern.test(fullName(disk)))?.[1] ?? null

const MAKERS =
  /^(ATA )?(SAMSUNG|MZ[0-9A-Z]{4,}|INTEL|SOLIDIGM|SSDPF|SSDSC|KIOXIA|KCD|KCM|KXG|TOSHIBA|WDC|WD_?|WUS\d|Western Digital|HGST|HUH\d|HUS\d|Hitachi|SEAGATE|ST\d{3,}|XS\d{3,}|Micron|MTFD|CT\d+|Crucial|SK ?hynix|HFS|HFM|PE[48]\d{3}|SanDisk|KINGSTON|LITEON|PLEXTOR|Dell|DELL|HPE? |MO\d{6}|VO\d{6}|MB\d{6}|EG\d{6}|LENOVO|HUAWEI|HWE|INSPUR|DAPUSTOR|DPH|Memblaze|P\dB|ScaleFlux|INNODISK|ADATA|Transcend|TS\d+|Corsair|PNY|Phison|SATADOM|SuperMicro|Apacer|Virtium|Swissbit|FUJITSU|MAXTOR|OCZ|PERC|AVAGO|LSI|BROADCOM|MR\d{4}|ServeRAID|Adaptec|LOGICAL VOLUME|DELLBOSS|Marvell|APPLE SSD)/i
/**
 * Whether the model is named as manufacturers of drives and of drive controllers name theirs. Text, which the party that emulates a drive
 * can choose.
 */
export const isVendorModel = (disk: Disk): boolean => MAKERS.test(fullName(disk)) || MAKERS.test(disk.model)

/** Images that a management controller presents over USB. */
export const isVirtualMedia = (disk: Disk): boolean =>
  attachmentOf(disk) === 'usb' &&
  /virtual ?(cd|dvd|hdisk|hd|floppy|media|usb|disk)|remote ?media|iDRAC|LCDRIVE|vFlash/i.test(fullName(disk))

/** Whether a drive is in this machine, as far as it shows: not reached over a network, and no image of the management controller. */
export const isInMachine = (disk: Disk): boolean =>
  attachmentOf(disk) !== 'network' && networkOf(disk, null) === null && !isVirtualMedia(disk)

/**
 * Controllers that emulators present, for drives that show nothing themselves (pci.ids): ICH9 and PIIX, LSI 53c1030 and SAS1068, VMware’s,
 * SATA of VirtualBox.
 */
const IMITATED_CONTROLLERS: ReadonlySet<string> = new Set([
  '8086:2922',
  '8086:2829',
  '8086:7010',
  '8086:7111',
  '1000:0012',
  '1000:0030',
  '1000:0054',
  '1000:0060',
  '1000:0411',
  '15ad:07c0',
  '15ad:07e0',
  '15ad:07f0',
  '1b36:0010',
  '80ee:4e56',
])

interface Around {
  readonly environment: Environment
  readonly remote: RemoteStorage | null
  /** The PCI function that the drive hangs on, where both were read. */
  readonly controller: PciDevice | undefined
}

/** The attachment of each drive. Drives served by other machines are included where the kernel has a name for them. */
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
