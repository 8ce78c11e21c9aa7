import type { Parsed } from '../../core/probe.ts'
import { type DmTable, dmTargets, storageDmTable } from '../probes/dm-table.ts'
import type { SysfsBlock } from '../probes/storage-block-devices.ts'
import { type Lsblk, storageLsblk } from '../probes/storage-lsblk.ts'
import type { Mount, Mounts } from '../probes/storage-mounts.ts'
import type { Swaps } from '../probes/swaps.ts'
import { storageZfs, type ZfsEncryption } from '../probes/zfs-encryption.ts'
import { storageZpool, type ZfsPools } from '../probes/zfs-pools.ts'
import { quoted, type Root, root } from './argue.ts'
import { type BlockGraph, blockGraph, numberOfPath } from './graph.ts'
import { EFI_SYSTEM_PARTITION, isExempt, mountKind } from './kinds.ts'
import { ENCRYPTING, storageWalker, type Walker } from './walk.ts'

/** What every check about stored data wants besides its needs: without administrator rights the cipher stays open, not the rest. */
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
  readonly swaps: Swaps
  readonly dmTable: Parsed<DmTable>
}

export function readStorage(mounts: Mounts, devices: SysfsBlock, swaps: Swaps, wanted: Wanted): Storage {
  const graph = blockGraph({ ok: true, fact: devices }, wanted.lsblk)
  const { dmTable, zfs, zpool } = wanted
  const walker = storageWalker({ mounts: mounts.mounts, graph, swaps: { ok: true, fact: swaps }, dmTable, zfs, zpool })
  return { ...walker, graph, mounts: mounts.mounts, swaps, dmTable }
}

const partitionType = ({ graph }: Storage, mount: Mount): string => {
  const number = graph.devices.has(mount.device) ? mount.device : numberOfPath(graph, mount.source)
  return number === undefined ? '' : (graph.devices.get(number)?.partitionType ?? '')
}

const holdsData = (mount: Mount): boolean => mountKind(mount) !== 'pseudo'

/** Boot partitions: listed for the reader, not judged. */
export const exemptMounts = (storage: Storage): readonly Mount[] =>
  storage.mounts.filter((mount) => holdsData(mount) && isExempt(mount, partitionType(storage, mount)))

/** Every mount that can hold data, boot partitions aside. */
export const mountRoots = (storage: Storage): readonly Root[] =>
  storage.mounts
    .filter((mount) => holdsData(mount) && !isExempt(mount, partitionType(storage, mount)))
    .map((mount) => root(quoted(mount.point), storage.mount(mount)))

export const swapRoots = (storage: Storage): readonly Root[] =>
  storage.swaps.areas.map(({ name, kind }) => root(`swap ${quoted(name)}`, storage.swap(name, kind)))

export const pathRoots = (storage: Storage, paths: readonly string[], what: string): readonly Root[] =>
  paths.map((path) => root(`${what} ${quoted(path)}`, storage.path(path)))

/** Numbers of the devices that a mount or a swap area stands on, every member of a btrfs file system among them. */
function usedDevices({ graph, mounts, swaps }: Storage): Set<string | undefined> {
  const paths = [
    ...mounts.flatMap(({ source, fsType }) => (fsType === 'bcachefs' ? source.split(':') : [source])),
    ...swaps.areas.map(({ name }) => name),
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

/** What lies on drives and is neither mounted, nor swap, nor part of anything open. Empty where lsblk was not read. */
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
