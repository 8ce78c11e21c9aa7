import { type DraftObservation, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import type { Lsblk } from '../probes/storage-lsblk.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { type RemoteStorage, storageRemote } from '../probes/storage-remote.ts'
import { count, supports, unclear } from '../steps.ts'
import { quoted, type Root, root } from './argue.ts'
import { type EphiPlace, mountsOf } from './ephi-paths.ts'
import { valuesOf } from './kinds.ts'
import { argueDrive, leafOf, waysBeside } from './remote-drives.ts'
import { argueMount, type MountEvidence, mayCrossNetwork } from './remote-mounts.ts'
import { mountRoots, type Storage, swapRoots } from './roots.ts'

/** What shows how data reaches other systems by way of storage. */
export interface CarrierEvidence extends MountEvidence {
  readonly lsblk: Parsed<Lsblk>
  readonly remote: Parsed<RemoteStorage>
}

/**
 * Storage as a way of ePHI over the network. Mounts and drives of declared paths decide, by the rules of `remote-mounts`. Others count
 * where `isWhole`, because which of them carries ePHI was not declared; what is clear there leaves the result inconclusive. A clear fabric
 * never decides.
 */
export function carrierSteps(
  storage: Storage,
  places: readonly EphiPlace[],
  evidence: CarrierEvidence,
  isWhole: boolean,
): readonly DraftObservation[] {
  const declared = new Set(places.flatMap(mountsOf))
  const considered = storage.mounts.filter((mount) => mayCrossNetwork(mount) && (isWhole || declared.has(mount)))
  const own = [...declared]
    .filter((mount) => !mayCrossNetwork(mount))
    .map((mount) => root(`${quoted(mount.point)}, which holds a declared ePHI path,`, storage.mount(mount)))
  const others = isWhole ? [...mountRoots(storage, (mount) => !declared.has(mount)), ...swapRoots(storage)] : []
  const drives = [...own, ...others].filter(({ walked }) => walked.remote)
  const decide = (
    isDeclared: boolean,
    isFabric: boolean,
    steps: readonly DraftObservation[],
  ): readonly DraftObservation[] =>
    steps.map((step) =>
      step.direction !== 'contradicts' || (isDeclared && !isFabric)
        ? step
        : {
            ...step,
            direction: 'unclear',
            text: isFabric
              ? `${step.text} It uses RDMA, which the documented boundary decision for the fabric has to cover.`
              : `${step.text} Whether it holds ePHI is not declared.`,
          },
    )
  const steps = [
    ...places
      .filter(({ mount }) => mount === null)
      .map(({ path, why }) => unclear(`Declared ePHI path ${quoted(path)}: ${why}.`, storageMounts)),
    ...considered.flatMap((mount) =>
      decide(declared.has(mount), usesFabric(mount), argueMount(mount, evidence)).map((step) =>
        declared.has(mount) ? { ...step, text: `Holds a declared ePHI path: ${step.text}` } : step,
      ),
    ),
    ...drives.flatMap((drive) =>
      decide(own.includes(drive), isFabricDrive(drive, evidence.remote), [argueDrive(drive, evidence.remote)]),
    ),
    ...own.filter(({ walked }) => !walked.remote).flatMap(unfollowed),
    ...(evidence.remote.ok ? waysBeside(evidence.remote.fact, drives) : unclearAbout(storageRemote, evidence.remote)),
    ...(evidence.lsblk.ok ? [] : [unclear('How the drives are attached was not read.', storageMounts)]),
  ]
  if (steps.length > 0) return steps
  const text = isWhole
    ? `${count(storage.mounts.length, 'mount')} were read; none is a network file system, and no drive below them is attached over a network.`
    : 'No declared ePHI path is on a network file system or on a drive that is attached over a network.'
  return [supports(text, storageMounts)]
}

/** A mount that leads to another system by a layer between, such as an image on NFS, or to a place that is not known. */
const unfollowed = ({ name, walked: { outcome, why, path } }: Root): readonly DraftObservation[] =>
  outcome === 'external-unverified' || outcome === 'unknown'
    ? [unclear(`${name} was not followed to a drive of this server: ${why}. Path: ${path.join(' → ')}.`, storageMounts)]
    : []

/** nfs(5) proto=, mount.cifs(8) rdma, v9fs trans=, and networks of Lustre (o2ib is InfiniBand or RoCE). */
const usesFabric = (mount: Mount): boolean =>
  valuesOf(mount, 'proto').some((value) => /^rdma6?$/.test(value)) ||
  valuesOf(mount, 'trans').includes('rdma') ||
  mount.options.includes('rdma') ||
  (mount.fsType === 'lustre' && /@o2ib\d{0,5}[:,]/.test(mount.source))

/** NVMe over RDMA, where every controller elsewhere uses it: with several paths to a drive its name does not show its controllers. */
const isFabricDrive = (drive: Root, remote: Parsed<RemoteStorage>): boolean =>
  leafOf(drive).startsWith('nvme') &&
  remote.ok &&
  remote.fact.nvme.length > 0 &&
  remote.fact.nvme.every(({ transport }) => transport === 'rdma')
