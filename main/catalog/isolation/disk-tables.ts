import type { Disk } from '../probes/inventory-disks.ts'
import type { RemoteStorage } from '../probes/storage-remote.ts'

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

/** Vendor and model as one name, as the drive gives them. */
export const fullName = ({ vendor, model }: Disk): string =>
  /^(0x[0-9a-f]+)?$/.test(vendor) || model.toLowerCase().startsWith(vendor.toLowerCase()) ? model : `${vendor} ${model}`

/** Who emulates a drive by its own words, what those words are, and null where the words are none of an emulator. */
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
export type Attachment = 'hyper-v' | 'xen' | 'virtio' | 'virtio-mmio' | 'network' | 'usb' | 'pci' | 'other'

const ATTACHMENTS: readonly (readonly [RegExp, Attachment])[] = [
  [/\/nvme-fabrics\/|\/session\d+\/|\/rport-\d+:|\/devices\/rbd\/|\/rbd\/\d+\//, 'network'],
  [/\/LNRO0005:|\.virtio_mmio\/|\/virtio-mmio/, 'virtio-mmio'],
  [/\/virtio\d+\//, 'virtio'],
  // A PCI bus below Hyper-V’s own is one that it hands on: what hangs there is a device, not a paravirtual drive.
  [/\/(VMBUS|MSFT1000):(?!.*\/pci[0-9a-f]{4,8}:)|\/vmbus_\w+\//i, 'hyper-v'],
  [/\/vbd-\d+\//, 'xen'],
  [/\/usb\d+\//, 'usb'],
  [/\/pci[0-9a-f]{4,8}:[0-9a-f]{2}\//, 'pci'],
]

/** The first that fits; NVMe controllers of shared subsystems show no bus on their path, so their transport responses. */
export function attachmentOf({ path, transport }: Disk): Attachment {
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

/** Volumes of a provider's storage service, by the names that the services give them. */
const SERVICE_VOLUMES: readonly (readonly [RegExp, string])[] = [
  [/^Amazon Elastic Block Store/i, 'Amazon’s volume service (EBS)'],
  [/^nvme_card-pd|^(Google )?PersistentDisk/i, 'Google’s volume service (Persistent Disk)'],
  [/^MSFT NVMe Accelerator/i, 'Microsoft’s volume service (Azure disks)'],
  [/^ORACLE BlockVolume/i, 'Oracle’s volume service (Block Volume)'],
  [/^Alibaba Cloud Elastic Block/i, 'Alibaba’s volume service (EBS)'],
  [/^(DO|HC|SCW|LINODE|b_ssd|VULTR) ?(Volume|Block)/i, 'the provider’s volume service'],
]
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
export const isMakersModel = (disk: Disk): boolean => MAKERS.test(fullName(disk)) || MAKERS.test(disk.model)

/** Images that a management controller presents over USB. */
export const isVirtualMedia = (disk: Disk): boolean =>
  attachmentOf(disk) === 'usb' &&
  /virtual ?(cd|dvd|hdisk|hd|floppy|media|usb|disk)|remote ?media|iDRAC|LCDRIVE|vFlash/i.test(fullName(disk))

/**
 * Controllers that emulators present, for drives that show nothing themselves (pci.ids): ICH9 and PIIX, LSI 53c1030 and SAS1068, VMware’s,
 * SATA of VirtualBox.
 */
export const IMITATED_CONTROLLERS: ReadonlySet<string> = new Set([
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
