import type { Parsed } from '../../core/probe.ts'
import { type DmTable, storageDmTable } from '../probes/dm-table.ts'
import type { SysfsBlock } from '../probes/storage-block-devices.ts'
import { type Lsblk, storageLsblk } from '../probes/storage-lsblk.ts'
import type { Mount, Mounts } from '../probes/storage-mounts.ts'
import type { Swaps } from '../probes/swaps.ts'
import { storageZfs, type ZfsEncryption } from '../probes/zfs-encryption.ts'
import { storageZpool, type ZfsPools } from '../probes/zfs-pools.ts'
import { quoted, type Root, root } from './argue.ts'
import { type BlockGraph, blockGraph, numberOfPath } from './graph.ts'
import { isExempt, mountKind } from './kinds.ts'
import { storageWalker, type Walker } from './walk.ts'

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

/** Encrypted volumes that are open and neither mounted nor built upon: a program may use them directly. */
export function openVolumeRoots(storage: Storage): readonly Root[] {
  const swaps = storage.swaps.areas.map(({ name }) => numberOfPath(storage.graph, name))
  const used = new Set([...storage.mounts.map(({ device }) => device), ...swaps])
  return cryptDevices(storage)
    .filter(({ number, held }) => !held && !used.has(number))
    .map(({ number, name }) => root(`open volume ${quoted(name)}`, storage.device(number)))
}

/** Device-mapper devices that claim to encrypt: by their table where it was read, else by the prefix of their UUID. */
export function cryptDevices({
  graph,
  dmTable,
}: Storage): readonly { number: string; name: string; held: boolean; uuid: string }[] {
  return [...graph.devices.values()].flatMap(({ number, name, held, isDm, dmUuid, type }) => {
    const targets = dmTable.ok ? dmTable.fact.devices.get(name) : undefined
    const claims =
      targets?.some(({ kind }) => kind === 'crypt') ?? (dmUuid === null ? type === 'crypt' : ENCRYPTING.test(dmUuid))
    return isDm && claims ? [{ number, name, held, uuid: dmUuid ?? '' }] : []
  })
}

const ENCRYPTING = /^CRYPT-(LUKS1|LUKS2|PLAIN|TCRYPT|LOOPAES|BITLK|FVAULT2)-/
