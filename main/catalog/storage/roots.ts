import type { DraftObservation } from '../../core/check.ts'
import { known, type Parsed, unknown } from '../../core/probe.ts'
import { type DmTable, dmTargets, storageDmTable } from '../probes/dm-table.ts'
import type { SysfsBlock } from '../probes/storage-block-devices.ts'
import { type Lsblk, storageLsblk } from '../probes/storage-lsblk.ts'
import { type Mount, type Mounts, storageMounts } from '../probes/storage-mounts.ts'
import { type Swaps, storageSwaps } from '../probes/swaps.ts'
import { storageZfs, type ZfsEncryption } from '../probes/zfs-encryption.ts'
import { storageZpool, type ZfsPools } from '../probes/zfs-pools.ts'
import { count, named, unclear } from '../steps.ts'
import { listed, quoted, type Root, root } from './argue.ts'
import { type BlockGraph, blockGraph, numberOfPath } from './graph.ts'
import { EFI_SYSTEM_PARTITION, isExempt, mountKind } from './kinds.ts'
import { end } from './outcome.ts'
import { storageWalker, type Walker } from './walk.ts'
import { ENCRYPTING } from './walk-devices.ts'

/** What every check about stored data wants in addition to its needs: without administrator rights the cipher stays open, not the rest. */
export const STORAGE_WANTS = { lsblk: storageLsblk, dmTable: storageDmTable, zfs: storageZfs, zpool: storageZpool }

interface Wanted {
  readonly lsblk: Parsed<Lsblk>
  readonly dmTable: Parsed<DmTable>
  readonly zfs: Parsed<ZfsEncryption>
  readonly zpool: Parsed<ZfsPools>
}

/** Everything that a check about stored data argues from. */
export interface Storage extends Walker {
  readonly graph: BlockGraph
  readonly mounts: readonly Mount[]
  /** Fails where something is before the kernel's own list, as LXCFS does in containers. */
  readonly swaps: Parsed<Swaps>
  readonly dmTable: Parsed<DmTable>
}

export function readStorage(mounts: Mounts, devices: SysfsBlock, swaps: Swaps, wanted: Wanted): Storage {
  const graph = blockGraph({ ok: true, fact: devices }, wanted.lsblk)
  const { dmTable, zfs, zpool } = wanted
  const own = ownSwaps(mounts.mounts, swaps)
  const walker = storageWalker({ mounts: mounts.mounts, graph, swaps: own, dmTable, zfs, zpool })
  return { ...walker, graph, mounts: mounts.mounts, swaps: own, dmTable }
}

function ownSwaps(mounts: readonly Mount[], swaps: Swaps): Parsed<Swaps> {
  const isCovered = mounts.some(({ point, fsType }) => /^\/proc(\/swaps)?$/.test(point) && fsType !== 'proc')
  return isCovered ? unknown('another file system hides the kernel’s list of swap areas') : known(swaps)
}

const partitionType = ({ graph }: Storage, mount: Mount): string => {
  const number = graph.devices.has(mount.device) ? mount.device : numberOfPath(graph, mount.source)
  return number === undefined ? '' : (graph.devices.get(number)?.partitionType ?? '')
}

const holdsData = (mount: Mount): boolean => mountKind(mount) !== 'pseudo' && mountKind(mount) !== 'automount'

/** Boot partitions: listed for the reader, not evaluated. */
export const exemptMounts = (storage: Storage): readonly Mount[] =>
  storage.mounts.filter((mount) => holdsData(mount) && isExempt(mount, partitionType(storage, mount)))

/** The same as a step next to a verdict; none where there is no such mount. */
export function exemptSteps(storage: Storage): readonly DraftObservation[] {
  const exempt = exemptMounts(storage).map(({ point }) => quoted(point))
  return exempt.length === 0
    ? []
    : [unclear(`Not evaluated, because the machine starts from there: ${listed(exempt)}.`, storageMounts)]
}

/** Every mount that can hold data, boot partitions aside. Single files that are mounted alone stand together, one root for each way. */
export function mountRoots(storage: Storage, isWanted: (mount: Mount) => boolean = () => true): readonly Root[] {
  const all = storage.mounts.filter(
    (mount) => holdsData(mount) && !isExempt(mount, partitionType(storage, mount)) && isWanted(mount),
  )
  const whole = all
    .filter((mount) => !isLoneFile(mount))
    .map((mount) => root(quoted(mount.point), storage.mount(mount)))
  const lone = new Map<
    string,
    { readonly walked: Root['walked']; readonly source: string; readonly points: string[] }
  >()
  for (const mount of all.filter(isLoneFile)) {
    const walked = storage.mount(mount)
    const key = JSON.stringify([mount.device, mount.source, walked.outcome, walked.why, walked.path.slice(1)])
    const group = lone.get(key) ?? { walked, source: mount.source, points: [] }
    group.points.push(mount.point)
    lone.set(key, group)
  }
  return [
    ...whole,
    ...[...lone.values()].map(({ walked, source, points }) =>
      root(`${count(points.length, 'bind mount')} of the file system ${quoted(source)} (${named(points, 4)})`, walked),
    ),
  ]
}

/** Container engines mount these three over the image's own, each a file and never a folder. */
export const isHostsFile = ({ root: from, point }: Mount): boolean =>
  from !== '/' && /^\/etc\/(hosts|hostname|resolv\.conf)$/.test(point)

// mountinfo does not distinguish files from folders. A subvolume of btrfs has a path too; a bind mount keeps the name, and files mostly
// have a dot.
const isLoneFile = (mount: Mount): boolean =>
  isHostsFile(mount) ||
  (mount.fsType !== 'btrfs' &&
    mount.root !== '/' &&
    /\/([^/.]+\.[^/]+)$/.test(mount.root) &&
    mount.root.split('/').at(-1) === mount.point.split('/').at(-1))

export const swapRoots = (storage: Storage): readonly Root[] =>
  !storage.swaps.ok
    ? [root('swap', { ...end('unknown', storage.swaps.reason), readFrom: storageSwaps.id })]
    : storage.swaps.fact.areas.map(({ name, kind }) => root(`swap ${quoted(name)}`, storage.swap(name, kind)))

export const pathRoots = (storage: Storage, paths: readonly string[], what: string): readonly Root[] =>
  paths.map((path) => root(`${what} ${quoted(path)}`, storage.path(path)))

/** Numbers of the devices that a mount or a swap area is on, every member of a btrfs file system among them. */
function usedDevices({ graph, mounts, swaps }: Storage): Set<string | undefined> {
  const paths = [
    ...mounts.flatMap(({ source, fsType }) => (fsType === 'bcachefs' ? source.split(':') : [source])),
    ...(swaps.ok ? swaps.fact.areas.map(({ name }) => name) : []),
  ].map((path) => numberOfPath(graph, path))
  return new Set([...mounts.map(({ device }) => device), ...paths, ...(graph.btrfs ?? []).flat()])
}

/** Encrypted volumes that are open and neither mounted nor built upon: a program may use them directly. */
export function openVolumeRoots(storage: Storage): readonly Root[] {
  const used = usedDevices(storage)
  return cryptDevices(storage)
    .filter(({ number, held }) => !held && !used.has(number))
    .map(({ number, name }) => root(openName(name), storage.device(number)))
}

const openName = (name: string): string => `open volume ${quoted(name)}`

/** A device with a signature of its own that nothing on this node uses now: a closed volume, or a file system that is not mounted. */
export interface Unused {
  readonly name: string
  /** As lsblk names it: ext4, crypto_LUKS, LVM2_member. */
  readonly signature: string
}

/** What is on drives and is neither mounted, nor swap, nor part of anything open. Empty where lsblk was not read. */
export function unusedDevices(storage: Storage, zpool: Parsed<ZfsPools>): readonly Unused[] {
  const used = usedDevices(storage)
  const pooled = zpool.ok ? [...zpool.fact.members.values()].flat() : []
  for (const path of pooled) used.add(numberOfPath(storage.graph, path))
  const open = new Set(openVolumeRoots(storage).map(({ name }) => name))
  return [...storage.graph.devices.values()]
    .filter(
      ({ number, held, fsType, name, partitionType }) =>
        fsType !== '' &&
        partitionType !== EFI_SYSTEM_PARTITION &&
        !held &&
        !used.has(number) &&
        !open.has(openName(name)),
    )
    .map(({ name, fsType }) => ({ name, signature: fsType }))
}

/** Device-mapper devices that claim to encrypt: by their table where it was read, else by the prefix of their UUID. */
export function cryptDevices({
  graph,
  dmTable,
}: Storage): readonly { number: string; name: string; held: boolean; uuid: string }[] {
  return [...graph.devices.values()].flatMap(({ number, name, held, isDm, dmUuid, type }) => {
    const targets = dmTable.ok ? dmTargets(dmTable.fact, name) : undefined
    const claims =
      targets?.some(({ kind }) => kind === 'crypt') ?? (dmUuid === null ? type === 'crypt' : ENCRYPTING.test(dmUuid))
    return isDm && claims ? [{ number, name, held, uuid: dmUuid ?? '' }] : []
  })
}
