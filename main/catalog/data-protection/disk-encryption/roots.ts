import { quote } from '../../../core/base/plain-text.ts'
import { known, type Parsed, unknown } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import type { DraftObservation } from '../../../core/rules/check.ts'
import { count, named, unclear } from '../../base/steps.ts'
import {
  type DmTable,
  dmTargets,
  type Lsblk,
  type Swaps,
  type SysfsBlock,
  storageBlockDevices,
  storageDmTable,
  storageLsblk,
  storageSwaps,
} from '../block-devices/index.ts'
import { storageZfs, storageZpool, type ZfsEncryption, type ZfsPools } from '../block-devices/zfs.ts'
import { EFI_SYSTEM_PARTITION, isExempt, mountKind } from '../mounts/kinds.ts'
import { type Mount, type Mounts, storageMounts } from '../mounts/probes.ts'
import {
  type BlockDevice,
  type BlockGraph,
  blockGraph,
  end,
  numberOfPath,
  type Outcome,
  rank,
  type Walked,
} from './graph.ts'
import { ENCRYPTING, OPAL_VOLUME, storageWalker, type Walker } from './walk.ts'

/** Something that holds data, and what its walk found. `name` is plain and ready for a sentence. */
export interface Root {
  readonly name: string
  readonly walked: Walked
}

export const root = (name: string, walked: Walked): Root => ({ name, walked })
export const quoted = (path: string): string => quote(path, 80)

const SAYS: Readonly<Record<Outcome, DraftObservation['direction']>> = {
  volatile: 'supports',
  encrypted: 'supports',
  'encrypted-weak': 'unclear',
  'layer-present-cipher-unverified': 'unclear',
  'external-unverified': 'unclear',
  unknown: 'unclear',
  'encrypted-broken': 'contradicts',
  exposed: 'contradicts',
}

/** The probe whose capture decided the outcome. */
const DECIDED_BY: Readonly<Record<Outcome, string>> = {
  volatile: storageMounts.id,
  encrypted: storageDmTable.id,
  'encrypted-weak': storageDmTable.id,
  'layer-present-cipher-unverified': storageDmTable.id,
  'external-unverified': storageMounts.id,
  unknown: storageBlockDevices.id,
  'encrypted-broken': storageDmTable.id,
  exposed: storageBlockDevices.id,
}

const MAX_NAMES = 24
/** No real node has this many separate ways; it keeps the argument readable on a hostile one. */
const MAX_STEPS = 200

/**
 * One step per way that data takes, worst first: roots that share outcome and path are named together. The path is the argument
 * (mount → layer → drive), so that a reader can follow it on the node.
 */
export function argueRoots(roots: readonly Root[]): readonly DraftObservation[] {
  const groups = new Map<string, { readonly walked: Walked; readonly names: Set<string> }>()
  const ordered = [...roots].sort((a, b) => rank(b.walked) - rank(a.walked) || compare(a.name, b.name))
  for (const { name, walked } of ordered) {
    const shown = walked.outcome === 'volatile' ? [] : walked.path.slice(1)
    const key = JSON.stringify([walked.outcome, walked.why, shown])
    const group = groups.get(key) ?? { walked, names: new Set<string>() }
    group.names.add(name)
    groups.set(key, group)
  }
  const all = [...groups.values()]
  const steps = all
    .slice(0, MAX_STEPS)
    .map(({ walked, names }) => step(walked, `${listed([...names])}: ${sentence(walked)}`))
  const next = all[MAX_STEPS]
  // The list is worst first, so the first one left out is the worst of the rest.
  return next === undefined
    ? steps
    : [...steps, step(next.walked, `${all.length - MAX_STEPS} more ways, the worst of them: ${sentence(next.walked)}`)]
}

const step = (walked: Walked, text: string): DraftObservation => ({
  direction: SAYS[walked.outcome],
  text,
  probe: walked.readFrom ?? DECIDED_BY[walked.outcome],
})

function sentence({ outcome, why, path }: Walked): string {
  const way = path.length > 0 && outcome !== 'volatile' ? ` Path: ${path.join(' → ')}.` : ''
  return `${why}.${way}`
}

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}

/**
 * What every check of stored data wants besides its needs: without administrator rights, the cipher remains unclear,
 * not the rest.
 */
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

/** The same as an observation next to a verdict; none where there is no such mount. */
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

/** A device with a signature of its own that nothing on this node is seen to use now: a closed volume, or a file system that is not mounted. */
export interface Unused {
  readonly name: string
  /** As lsblk names it: ext4, crypto_LUKS, LVM2_member. */
  readonly signature: string
}

/** Content of drives that is neither mounted, nor swap, nor part of anything open. Empty where lsblk was not read. */
export function unusedDevices(storage: Storage, zpool: Parsed<ZfsPools>): readonly Unused[] {
  return apart(storage, zpool).map(({ name, fsType }) => ({ name, signature: fsType }))
}

function apart(storage: Storage, zpool: Parsed<ZfsPools>): readonly BlockDevice[] {
  const used = usedDevices(storage)
  const pooled = zpool.ok ? [...zpool.fact.members.values()].flat() : []
  for (const path of pooled) used.add(numberOfPath(storage.graph, path))
  const open = new Set(openVolumeRoots(storage).map(({ name }) => name))
  return [...storage.graph.devices.values()].filter(
    ({ number, held, fsType, name, partitionType }) =>
      fsType !== '' &&
      partitionType !== EFI_SYSTEM_PARTITION &&
      !held &&
      !used.has(number) &&
      !open.has(openName(name)),
  )
}

/** Signatures of volumes to which a program writes without a file system, by libblkid’s names, and whose they are. */
const WRITTEN_DIRECTLY: ReadonlyMap<string, string> = new Map([
  ['ceph_bluestore', 'Ceph'],
  ['drbd', 'DRBD'],
  ['oracleasm', 'Oracle ASM'],
])

export const isWrittenDirectly = ({ signature }: Unused): boolean => WRITTEN_DIRECTLY.has(signature)

/** Volumes that are in use without a mount, as far as their signature shows. Whether one is in use now was not read, so none is a deviation. */
export function directRoots(storage: Storage, zpool: Parsed<ZfsPools>): readonly Root[] {
  return apart(storage, zpool).flatMap(({ number, name, fsType }) => {
    const program = WRITTEN_DIRECTLY.get(fsType)
    if (program === undefined) return []
    const walked = storage.device(number)
    const why = `${program} writes to it without a mount where it runs, which was not read; ${walked.why}`
    return [
      root(
        `volume ${quoted(name)}`,
        SAYS[walked.outcome] === 'contradicts'
          ? { ...walked, outcome: 'unknown', why, readFrom: storageLsblk.id }
          : walked,
      ),
    ]
  })
}

/** Device-mapper devices that claim to encrypt: by their table where it was read, else by the prefix of their UUID; OPAL’s always by that. */
export function cryptDevices({
  graph,
  dmTable,
}: Storage): readonly { number: string; name: string; held: boolean; uuid: string }[] {
  return [...graph.devices.values()].flatMap(({ number, name, held, isDm, dmUuid, type }) => {
    const targets = dmTable.ok ? dmTargets(dmTable.fact, name) : undefined
    const claims =
      OPAL_VOLUME.test(dmUuid ?? '') ||
      (targets?.some(({ kind }) => kind === 'crypt') ?? (dmUuid === null ? type === 'crypt' : ENCRYPTING.test(dmUuid)))
    return isDm && claims ? [{ number, name, held, uuid: dmUuid ?? '' }] : []
  })
}

/** The two claims that must never be merged: a covered drive, and what a running node shows. Printed with every check about stored data. */
export const AT_REST_LIMITS =
  'An encrypted volume protects data while the node is off or a drive is removed. It does not cover the running, unlocked node: there, every process with administrator rights can read the data in clear text.'

/** The other side of the same line, printed with the checks about keys and unlocking. */
export const UNLOCK_LIMITS =
  'Covers the source of the key, not whether or how well a volume is encrypted; on the running node the volume is open, regardless of how it was opened.'
