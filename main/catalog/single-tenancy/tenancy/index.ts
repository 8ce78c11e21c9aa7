import { type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { tenancyKfd, tenancyPods, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, stepOn, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { isNetworkMount, mountKind } from '../../data-protection/mounts/kinds.ts'
import {
  hasRemoteStorage,
  type Mount,
  type RemoteStorage,
  storageMounts,
  storageRemote,
} from '../../data-protection/mounts/probes.ts'
import { type Disk, diskFunction, inventoryDisks } from '../../hardware/drives/inventory.ts'
import { type PciDevice, pciDevices } from '../../hardware/pci/probes.ts'
import { attachmentOf, isVirtualMedia, networkOf, serviceOf } from '../isolation/disk-attachment.ts'
import { isUnitDrive } from '../isolation/pci-hardware.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyContainerCensus } from './containers.ts'
import { tenancyNoGuests } from './guests.ts'
import { sessionLimits } from './limits.ts'
import { clusterKubernetes, clusterSlurm, tenancyRay, tenancySlices, tenancySlurm } from './schedulers.ts'
import { namespaces, tenancyRuntimes, tenancySessions } from './sessions.ts'
import { tenancyUserCensus } from './users.ts'

/** File systems that the machine beneath shares with this one: its owner owns them. */
const FROM_BENEATH: ReadonlySet<string> = new Set(['9p', 'virtiofs', 'vboxsf', 'vmhgfs', 'fuse.vmhgfs-fuse', 'prl_fs'])
/** File systems that several machines write on one shared drive. */
const SHARED_DRIVE: ReadonlySet<string> = new Set(['gfs2', 'ocfs2', 'vmfs', 'cxfs'])

export const tenancyForeignMounts = defineCheck({
  id: 'tenancy.foreign-mounts',
  property: 'isolation',
  expected:
    'No file system or drive in use on this node is provided by another party, neither by the host machine nor by another machine.',
  limitations:
    'The owner of a remote volume was not declared, and sharing on the far side is not visible: remote volumes leave this inconclusive. Storage behind a drive that a controller or data-processing unit presents as local is not visible.',
  requires: { mounts: storageMounts, disks: inventoryDisks, remote: storageRemote, pci: pciDevices },
  evaluate({ mounts: { mounts }, disks: { disks }, remote, pci: { devices } }) {
    const idle = disks.filter((disk) => isIdleMedia(disk, mounts))
    const because = [
      ...lent(mounts),
      ...overNetwork(mounts),
      ...ofPrograms(mounts),
      ...onSharedDrives(mounts),
      ...driveSteps(
        disks.filter((disk) => !idle.includes(disk)),
        remote,
        devices,
      ),
      ...otherDevices(disks, remote),
    ]
    return decide(
      because.length > 0
        ? because
        : [
            supports(
              `${count(mounts.length, 'mount')}, none from the machine beneath or over a network.`,
              storageMounts,
            ),
            supports(
              `${count(disks.length, 'drive')}, none reached over a network or presented by another party.`,
              inventoryDisks,
            ),
            supports('The kernel has no way open to drives of other machines.', storageRemote),
            ...stepOn(
              supports,
              'Optical drives of the management controller, of which nothing is mounted',
              idle.map(({ name }) => name),
              inventoryDisks,
            ),
          ],
    )
  },
})

const at = (mounts: readonly Mount[]): string =>
  named(
    mounts.map(({ point, fsType }) => `${point} (${fsType})`),
    4,
  )

function lent(mounts: readonly Mount[]): readonly DraftObservation[] {
  const found = mounts.filter(({ fsType }) => FROM_BENEATH.has(fsType))
  return found.length === 0
    ? []
    : [
        contradicts(
          `The machine that this system runs on shares file systems with it (${found.length}): ${at(found)}. They belong to the operator of that machine.`,
          storageMounts,
        ),
      ]
}

function overNetwork(mounts: readonly Mount[]): readonly DraftObservation[] {
  const found = mounts.filter((mount) => isNetworkMount(mount) && !FROM_BENEATH.has(mount.fsType))
  return found.length === 0
    ? []
    : [
        unclear(
          `File systems of other machines (${found.length}): ${at(found)}, from ${named([...new Set(found.map(({ source }) => source))], 3)}. Their owner was not declared.`,
          storageMounts,
        ),
      ]
}

/** A program keeps what is in them, here or elsewhere: the type of a FUSE file system is a name that it chooses (mount.fuse(8), “subtype”). */
function ofPrograms(mounts: readonly Mount[]): readonly DraftObservation[] {
  const found = mounts.filter(
    (mount) => mountKind(mount) === 'other' && ![FROM_BENEATH, SHARED_DRIVE].some((types) => types.has(mount.fsType)),
  )
  return found.length === 0
    ? []
    : [
        unclear(
          `File systems without a drive, of which it is not known where their storage is (${found.length}): ${at(found)}.`,
          storageMounts,
        ),
      ]
}

function onSharedDrives(mounts: readonly Mount[]): readonly DraftObservation[] {
  const found = mounts.filter(({ fsType }) => SHARED_DRIVE.has(fsType))
  return found.length === 0
    ? []
    : [unclear(`File systems that several machines write at once (${found.length}): ${at(found)}.`, storageMounts)]
}

/**
 * An optical drive that the management controller shows, often without anything in it, and that nothing is mounted from: not in use. The
 * kernel gives optical drives the major number 11 (Documentation/admin-guide/devices.txt).
 */
const isIdleMedia = (disk: Disk, mounts: readonly Mount[]): boolean => {
  const number = /^sr(\d{1,3})$/.exec(disk.name)?.[1]
  return (
    number !== undefined &&
    isVirtualMedia(disk) &&
    !mounts.some(({ device, source }) => device === `11:${number}` || source === `/dev/${disk.name}`)
  )
}

/** Drives that are not plainly this machine's own, with why; drives of one reason are in one step. */
function driveSteps(
  disks: readonly Disk[],
  remote: RemoteStorage,
  devices: readonly PciDevice[],
): readonly DraftObservation[] {
  const ofUnits = new Set(devices.filter(isUnitDrive).map(({ address }) => address))
  const byReason = new Map<string, string[]>()
  for (const disk of disks) {
    const reason = whyOpen(disk, remote, ofUnits.has(diskFunction(disk) ?? ''))
    if (reason !== null) byReason.set(reason, [...(byReason.get(reason) ?? []).slice(0, 64), disk.name])
  }
  return [...byReason].map(([reason, names]) => unclear(`${named(names, 4)}: ${reason}`, inventoryDisks))
}

function whyOpen(disk: Disk, remote: RemoteStorage, isOfUnit: boolean): string | null {
  const network = networkOf(disk, remote)
  if (network !== null) return `reached over ${network}. Its owner was not declared.`
  const service = serviceOf(disk)
  if (service !== null) return `a volume of ${service}, which the provider keeps.`
  if (isOfUnit)
    return 'presented by a data-processing unit in this machine (BlueField): a drive here or a volume on the network; neither is visible.'
  const attached = attachmentOf(disk)
  return attached === 'pci' || attached === 'other' || (attached === 'usb' && !isVirtualMedia(disk))
    ? null
    : 'presented by a hypervisor, a data-processing unit or a management controller; the storage behind it is not visible.'
}

/** Ways to other machines' drives that no listed drive was seen for. */
const otherDevices = (disks: readonly Disk[], remote: RemoteStorage): readonly DraftObservation[] =>
  hasRemoteStorage(remote) && !disks.some((disk) => networkOf(disk, remote) !== null)
    ? [
        unclear(
          `The kernel has a way open to drives of other machines: ${named(
            [
              ...remote.iscsi.map(({ session, target }) => `iSCSI ${target === '' ? session : target}`),
              ...remote.rbd.map(({ pool, image }) => `Ceph ${pool}/${image}`),
              ...remote.srp,
              ...remote.nbd,
              ...remote.drbd,
            ],
            4,
          )}.`,
          storageRemote,
        ),
      ]
    : []

export const tenancySubject = defineSubject({
  id: 'tenancy',
  title: 'Tenants of the operating system',
  probes: [
    namespaces,
    tenancyProcesses,
    tenancySessions,
    tenancyPods,
    tenancyRuntimes,
    sessionLimits,
    tenancyKfd,
    tenancyRay,
    tenancySlices,
    tenancySlurm,
    clusterKubernetes,
    clusterSlurm,
  ],
  checks: [tenancyNoGuests, tenancyUserCensus, tenancyContainerCensus, tenancyForeignMounts],
  data,
})
