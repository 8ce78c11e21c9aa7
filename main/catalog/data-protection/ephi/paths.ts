import { defineProbe, known, type Parsed, run, unknown } from '../../../core/recording/probe.ts'
import { type Conclusion, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { sysfsLines } from '../../base/read-text.ts'
import { contradicts, decide, supports, unclear } from '../../base/steps.ts'
import { storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { end, type Walked } from '../disk-encryption/graph.ts'
import {
  AT_REST_LIMITS,
  argueRoots,
  exemptMounts,
  exemptSteps,
  mountRoots,
  quoted,
  type Root,
  readStorage,
  root,
  STORAGE_WANTS,
  type Storage,
} from '../disk-encryption/roots.ts'
import { mountKind, partsOf } from '../mounts/kinds.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import { onDemand } from '../mounts/remote.ts'

interface WorkingDirectories {
  /** Directories by name that hold scratch, cache, checkpoint or container data by convention, or by a container engine's settings. */
  readonly paths: readonly string[]
  /** Every name in the root directory that does not begin with a dot, sorted. */
  readonly top: readonly string[]
  /** What is listed and is no folder, by its path: symbolic links and files. Empty where the list has no types. */
  readonly links: readonly string[]
}

/**
 * Words that name a data root: of Docker's JSON anywhere in a line, of the TOML files and cachefilesd.conf(5) at its start. Nothing else of
 * these files is read, because they may hold registry passwords.
 */
const ROOTS =
  '"(data-root|graph)"[[:space:]]*:[[:space:]]*"[^"]*"|^[[:space:]]*(graphroot|root|rootless_storage_path)[[:space:]]*=[[:space:]]*("[^"]*"|\'[^\']*\')|^dir[[:space:]]+/[^[:space:]]*'

/**
 * Listing a parent directory only reads names: asking about a path itself can hang on a dead network mount. With -p, ls(1) puts “/” behind
 * folders; file systems state the type next to the name (getdents(2), d_type).
 */
export const workingDirectories = defineProbe({
  id: 'storage.working-directories',
  title: 'Scratch, cache and container directories',
  why: 'Jobs and containers leave copies of data there.',
  commands: {
    names: run(['ls', '-1p', '/', '/var', '/var/lib']),
    engines: run([
      'grep',
      '-sHoE',
      ROOTS,
      '/etc/docker/daemon.json',
      '/etc/containerd/config.toml',
      '/etc/containers/storage.conf',
      '/etc/cachefilesd.conf',
    ]),
  },
  parse: ({ names, engines }) => parseWorkingDirectories(names.text, engines.text),
})

const SCRATCH = /^(scratch|local[-_]?(scratch|ssd|nvme)|cache|checkpoints?|ckpts?|tmp|temp)[-_]?\w{0,16}$/i
const ENGINES = new Set([
  'docker',
  'containerd',
  'containers',
  'kubelet',
  'rancher',
  'k0s',
  'microk8s',
  'enroot',
  'lxc',
  'lxd',
  'incus',
])

/** Reads `ls -1p` of several directories (a `dir:` heading, then names) and the engines' data-root lines. Earlier recordings have no types. */
export function parseWorkingDirectories(names: string, engines: string): Parsed<WorkingDirectories> {
  const paths = new Set<string>()
  const seen = new Set<string>()
  const top = new Set<string>()
  const links = new Set<string>()
  const hasTypes = /^[^/\n]+\/$/m.test(names)
  let folder: string | null = null
  for (const line of names.split('\n')) {
    const heading = /^(\/|\/var|\/var\/lib):$/.exec(line)?.[1]
    if (heading !== undefined) {
      folder = heading
      seen.add(heading)
      continue
    }
    const name = line.replace(/\/$/, '')
    if (folder === null || name === '') continue
    const path = folder === '/' ? `/${name}` : `${folder}/${name}`
    if (hasTypes && name === line) links.add(path)
    if (folder === '/') top.add(name)
    if (folder === '/var/lib' ? ENGINES.has(name) : SCRATCH.test(name)) paths.add(path)
  }
  if (!seen.has('/') || !seen.has('/var/lib')) return unknown('the directories were not listed')
  for (const line of [...sysfsLines(engines).values()].flatMap((found) => found.split('\n'))) {
    const root = /(?:[:=]\s*["']|^dir\s+)(\/[^"'\s]*)["']?\s*$/.exec(line)?.[1]
    if (root !== undefined) paths.add(root)
  }
  return known({ paths: [...paths].sort(), top: [...top].sort(), links: [...links].sort() })
}

/** The mount that contains a declared path, and the mounts below the path. */
export interface EphiPlace {
  readonly path: string
  /** The mount that holds the path; null where it could not be determined. */
  readonly mount: Mount | null
  /** Why it could not, to follow the path and a colon; empty where it could. */
  readonly why: string
  /** Mounts below the path that a lookup reaches: a part of what was declared. Interfaces of the kernel are left out. */
  readonly below: readonly Mount[]
}

/**
 * Finds the mount of a declared path by the longest mount point that its components begin with (mountTree follows the kernel's own lookup),
 * and the mounts below the path. No command is built from a path.
 */
export function ephiPlace(storage: Storage, path: string, directories: Parsed<WorkingDirectories>): EphiPlace {
  const below = storage.mounts.filter(
    (one) => isBelow(one.point, path) && mountKind(one) !== 'pseudo' && storage.holding(one.point) === one,
  )
  const link = linkOnWay(LINKS, path, storage.mounts)
  if (link !== undefined) {
    const why = `${link} is a symbolic link by convention (FHS 3.0, 5.13), and links are not resolved`
    return { path, mount: null, why, below }
  }
  const listed = directories.ok ? linkOnWay(directories.fact.links, path, storage.mounts) : undefined
  if (listed !== undefined) {
    const why = `${quoted(listed)} is a symbolic link or a file, and links are not resolved`
    return { path, mount: null, why, below }
  }
  const mount = storage.holding(path) ?? null
  return { path, mount, why: mount === null ? 'no listed mount holds it' : '', below }
}

/** The link of a list that a path leads through. A mount point never contains a link, so that a mount there shows a folder. */
export const linkOnWay = (links: readonly string[], path: string, mounts: readonly Mount[]): string | undefined =>
  links.find((one) => isAtOrBelow(path, one) && !mounts.some(({ point }) => isAtOrBelow(point, one)))

const LINKS: readonly string[] = ['/var/run', '/var/lock']

function isAtOrBelow(path: string, folder: string): boolean {
  const [parts, start] = [partsOf(path), partsOf(folder)]
  return start.length <= parts.length && start.every((name, at) => name === parts[at])
}

const isBelow = (path: string, folder: string): boolean => isAtOrBelow(path, folder) && !isAtOrBelow(folder, path)

/** Every mount that contains a part of the declared path. */
export const mountsOf = ({ mount, below }: EphiPlace): readonly Mount[] => (mount === null ? below : [mount, ...below])

/**
 * What a declared path and the mounts below it are stored on, as roots of the analysis; each names path, mount and
 * device. Boot partitions below a path are excluded: a declaration of “/” does not require encryption of what no
 * system can encrypt itself. A boot partition that is declared itself stays.
 */
function ephiRoots(
  storage: Storage,
  { path, mount, why, below }: EphiPlace,
  directories: Parsed<WorkingDirectories>,
): readonly Root[] {
  const boot = new Set(exemptMounts(storage))
  const own = `Declared ePHI path ${quoted(path)}`
  const absent = mount === null || below.length > 0 ? null : whyAbsent(path, mount, directories)
  return [
    mount === null
      ? root(own, { ...end('unknown', `the mount could not be determined: ${why}`), readFrom: storageMounts.id })
      : absent === null
        ? root(`${own} on ${mountName(mount)}`, stored(storage, mount))
        : root(own, { ...end('unknown', absent), readFrom: workingDirectories.id }),
    ...below
      .filter((one) => !boot.has(one))
      .map((one) => root(`${mountName(one)} below declared ePHI path ${quoted(path)}`, stored(storage, one))),
  ]
}

/**
 * A path that no mount but the root holds may be mistyped, or what belongs there may not be mounted: its first folder has to be there at
 * least. Deeper folders are not listed; ls(1) leaves out names that begin with a dot.
 */
function whyAbsent(path: string, mount: Mount, directories: Parsed<WorkingDirectories>): string | null {
  const [first] = partsOf(path)
  if (mount.point !== '/' || first === undefined) return null
  if (!directories.ok)
    return `only the root file system holds it, and whether it exists is not known (${directories.reason})`
  if (first.startsWith('.') || directories.fact.top.length === 0)
    return 'only the root file system holds it, and whether it exists was not listed'
  return directories.fact.top.includes(first)
    ? null
    : `no mount of its own holds it, and the root directory has no ${quoted(first)}: the path does not exist`
}

const mountName = ({ point, source }: Mount): string => `the mount ${quoted(point)} of ${quoted(source)}`

/** ramfs and hugetlbfs hold files in memory that is never swapped (Documentation/filesystems/ramfs-rootfs-initramfs.rst, hugetlbpage.rst). */
const UNSWAPPED = new Set(['ramfs', 'hugetlbfs'])

/** The walk of the block graph, except where a declared path needs another reading than a mount that a person has for other reasons. */
function stored(storage: Storage, mount: Mount): Walked {
  const walked = storage.mount(mount)
  switch (mountKind(mount)) {
    case 'network':
      return {
        ...walked,
        why: 'it is stored on another system, which this server cannot show; that is a flow, which encryption.in-transit.ephi-flows tests',
      }
    case 'pseudo':
      return UNSWAPPED.has(mount.fsType)
        ? end('volatile', 'it is in memory only, which is never written to swap')
        : {
            ...end(
              'unknown',
              'it is an interface of the kernel, which keeps no files: the declaration or the mount is wrong',
            ),
            readFrom: storageMounts.id,
          }
    default:
      return walked
  }
}

/**
 * 45 CFR 164.312(a)(2)(iv) asks about ePHI, not about every partition. What counts as an encrypting layer is decided by the walk of
 * `encryption.at-rest.block-graph` (NIST SP 800-111 §4).
 */
export const encryptionAtRestEphiPaths = defineCheck({
  id: 'encryption.at-rest.ephi-paths',
  property: 'encryption-at-rest',
  expected: 'Every declared ePHI path is on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} A path is matched with the mounts at the time of collection. Of a path without a mount of its own only the first folder is read; that it holds ePHI is not observed. Symbolic links are not resolved: one in the root directory, in /var or in /var/lib leaves the result inconclusive, and others are not seen. Where no path is declared, every persistent mount except boot and EFI partitions is tested in its place; swap has its own check. A drive that encrypts itself and keys of single folders (fscrypt) are not credited.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, directories: workingDirectories },
  evaluate({ mounts, devices, swaps }, { directories, ...wanted }, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const declared = node.ephiPaths ?? []
    if (declared.length === 0) return undeclared(storage)
    return decide(
      argueRoots(declared.flatMap((path) => ephiRoots(storage, ephiPlace(storage, path, directories), directories))),
    )
  },
})

/**
 * Without a declaration, an unencrypted mount shows nothing about ePHI and leaves the result inconclusive; where
 * nothing is unencrypted, no declaration could change the result. Memory file systems are not persistent and do not
 * count, except on a node that has no others.
 */
function undeclared(storage: Storage): Conclusion {
  const persistent = mountRoots(storage, (mount) => mountKind(mount) !== 'memory')
  const tested = [...argueRoots(persistent.length > 0 ? persistent : mountRoots(storage)), ...onDemand(storage.mounts)]
  const isCovered = tested.length > 0 && tested.every(({ direction }) => direction === 'supports')
  const text = !isCovered
    ? 'No ePHI path is declared for this server, and not every persistent mount is shown to be encrypted. Declare which paths hold ePHI (ephiPaths in the fleet file): then these paths alone decide.'
    : persistent.length > 0
      ? 'No ePHI path is declared for this server, so every persistent mount except boot and EFI partitions was tested.'
      : 'No ePHI path is declared for this server, and it has no persistent mount, so its file systems in memory were tested.'
  const lead: DraftObservation = isCovered ? supports(text, storageMounts) : unclear(text, storageMounts)
  const open = tested.map(
    (step): DraftObservation => (step.direction === 'contradicts' ? { ...step, direction: 'unclear' } : step),
  )
  const { verdict, observations } = decide([lead, ...open])
  return { verdict, observations: [...observations, ...exemptSteps(storage)] }
}

/** 45 CFR 164.308(a)(1)(ii)(A), 164.310(d)(2)(iii): the places of ePHI have to be known before anything can be stated about them. */
export const inventoryEphiPaths = defineCheck({
  id: 'inventory.ephi-paths',
  property: 'evidence',
  expected: 'Every declared ePHI path is on a listed mount that leads to a listed drive or to a named remote system.',
  limitations:
    'Shows where a declared path is stored, not whether it is encrypted, and not that the folder exists or holds ePHI: no command is built from a path. Symbolic links are not resolved: one in the root directory, in /var or in /var/lib leaves the result inconclusive, and others are not seen. Undeclared copies are not found.',
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, directories: workingDirectories },
  evaluate({ mounts, devices, swaps }, { directories, ...wanted }, { node }) {
    const declared = node.ephiPaths ?? []
    if (declared.length === 0) return decide([unclear('The fleet file declares no ePHI paths for this node.', null)])
    const storage = readStorage(mounts, devices, swaps, wanted)
    return decide(declared.flatMap((path) => argue(storage, ephiPlace(storage, path, directories))))
  },
})

function argue(storage: Storage, { path, mount, why, below }: EphiPlace): readonly DraftObservation[] {
  if (mount === null) return [unclear(`${quoted(path)}: ${why}.`, storageMounts)]
  const own = mount.point === '/' && path !== '/' ? ' It has no mount of its own: the root file system holds it.' : ''
  return [
    argueMount(storage, mount, `${quoted(path)} is on the mount ${quoted(mount.point)}.${own}`),
    ...below.map((one) => argueMount(storage, one, `Below ${quoted(path)}, another mount holds ${quoted(one.point)}.`)),
  ]
}

const isOfKernel = (mount: Mount): boolean => mountKind(mount) === 'pseudo'

function argueMount(storage: Storage, mount: Mount, where: string): DraftObservation {
  const { path, outcome, why } = storage.mount(mount)
  const place = `${where} Path: ${path.join(' → ')}.`
  if (isOfKernel(mount) || mountKind(mount) === 'memory' || outcome === 'volatile')
    return contradicts(
      `${place} That is memory, which is stored on no drive: the declaration or the mount is wrong.`,
      storageMounts,
    )
  if (mountKind(mount) === 'network')
    return mount.source.includes('/') || mount.source.includes(':')
      ? supports(`${place} It is stored on another system, as ${quoted(mount.source)}.`, storageMounts)
      : unclear(`${place} It is stored on another system, which the mount does not identify.`, storageMounts)
  // A walk that ends in the unknown, or at the mount itself, has no drive at its end.
  if (outcome === 'unknown') return unclear(`${place} It was not followed to a drive: ${why}.`, storageBlockDevices)
  return path.length < 2
    ? unclear(`${place} Which drives it leads to was not listed.`, storageBlockDevices)
    : supports(place, storageBlockDevices)
}
