import { plain, quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { type OsIdentity, osIdentity } from '../../hardware/machine/identity.ts'
import { storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { mountRoots, quoted, type Root, readStorage, STORAGE_WANTS, swapRoots } from '../disk-encryption/roots.ts'
import { isNetworkMount, mountKind, valuesOf } from './kinds.ts'
import {
  hasRemoteStorage,
  type LustreFlavors,
  type Mount,
  type RemoteStorage,
  storageLustre,
  storageMounts,
  storageRemote,
} from './probes.ts'
import { openByTunnels, TUNNEL_WANTS, type Tunnels } from './tunnels.ts'

/** Evidence beyond the mount options. */
export interface MountEvidence {
  readonly lustre: Parsed<LustreFlavors>
  readonly system: Parsed<OsIdentity>
  /** Absent where a tunnel does not matter. */
  readonly tunnels?: Tunnels
}

/** File systems in user space that keep what they hold on this machine. */
const LOCAL_FUSE =
  /^fuse\.(appimage\w*|bindfs|dwarfs|fuse-overlayfs|fuse2fs|mergerfs|ntfs-3g|overlayfs|snapfuse|squashfuse\w*|unionfs(-fuse)?)$/i

/** Mounts whose traffic may cross a network: those known to, and those of a kind that is not known without a drive below. */
export const mayCrossNetwork = (mount: Mount): boolean =>
  isNetworkMount(mount) || (mountKind(mount) === 'other' && !LOCAL_FUSE.test(mount.fsType))

/** Why a kind of file system stays open, where there is more to state than that its options do not show it. */
const NOT_SHOWN: ReadonlyMap<string, string> = new Map([
  ['beegfs', 'BeeGFS has no encryption of its own; its connAuth file authenticates only'],
  ['fuse.beegfs', 'BeeGFS has no encryption of its own; its connAuth file authenticates only'],
  ['gpfs', 'whether the cluster’s cipherList encrypts is not read here'],
  ['wekafs', 'only the WEKA cluster can show whether it encrypts'],
  ['fuse.ceph', 'the mode of its Ceph connections is not among its options'],
  ['fuse.ceph-fuse', 'the mode of its Ceph connections is not among its options'],
  ['9p', 'it is shared by the host of this machine, and its path from there is not visible'],
  ['virtiofs', 'it is shared by the host of this machine, and its path from there is not visible'],
])

/** How a mount protects its traffic: by its own options, else in a tunnel on the way to its server, which the option `addr` names. */
export const argueMount = (mount: Mount, evidence: MountEvidence): readonly DraftObservation[] =>
  openByTunnels(byOptions(mount, evidence), valuesOf(mount, 'addr').at(-1), evidence.tunnels)

/** Mount options: nfs(5), mount.cifs(8), Documentation/filesystems/ceph.rst, sshfs(1). */
function byOptions(mount: Mount, { lustre, system }: MountEvidence): readonly DraftObservation[] {
  const name = `${quoted(mount.point)} (${mount.fsType.replace(/[^\w.-]/g, '?').slice(0, 30)})`
  const option = (key: string): string | undefined => valuesOf(mount, key).at(-1)
  const yes = (how: string): DraftObservation => supports(`${name} encrypts its traffic: ${how}.`, storageMounts)
  const no = (how: string): DraftObservation =>
    contradicts(`${name} does not encrypt its traffic: ${how}.`, storageMounts)
  const open = (how: string): DraftObservation =>
    unclear(`${name} is not shown to encrypt its traffic: ${how}.`, storageMounts)
  switch (mount.fsType) {
    case 'nfs':
    case 'nfs4':
      return nfs(option, system, { yes, no, open })
    case 'cifs':
    case 'smb3':
      if (mount.options.includes('seal')) return [yes('seal is set')]
      return [smbWithoutSeal(option, { no, open })]
    case 'ceph': {
      const mode = option('ms_mode')
      if (mode === 'secure') return [yes('ms_mode=secure')]
      return [
        mode === 'prefer-secure' ? open('ms_mode=prefer-secure may fall back') : no('ms_mode is not set to secure'),
      ]
    }
    case 'lustre':
      return lustreSteps(name, mount, lustre)
    case 'fuse.sshfs':
      return [option('directport') === undefined ? yes('it runs over SSH') : no('directport goes past SSH')]
    default:
      return [
        open(
          NOT_SHOWN.get(mount.fsType) ??
            (isNetworkMount(mount)
              ? 'its mount options do not state it'
              : 'it has no drive below, and where its data goes is not known'),
        ),
      ]
  }
}

/** A server at a loopback address is a program of this node, such as stunnel (mount.efs(8), option tls), or this node’s own export. */
const isLocal = (address: string | undefined): boolean =>
  address !== undefined && (/^127(\.\d{1,3}){3}$/.test(address) || address === '::1')
const PASSED_ON =
  'its server is at a loopback address, so that a program of this node handles it, and what leaves the node is not shown'

/**
 * fs/smb/client/cifsfs.c shows what this client requested; a server that requires encryption of SMB 3 gets it without (smb2pdu.c,
 * smb3_encryption_required). Where SMB 3.0 was negotiated, some kernels print vers=default.
 */
const smbWithoutSeal = (
  option: (key: string) => string | undefined,
  { no, open }: Pick<Texts, 'no' | 'open'>,
): DraftObservation =>
  isLocal(option('addr'))
    ? open(PASSED_ON)
    : /^(1|2)\.\d/.test(option('vers') ?? '')
      ? no(`SMB ${option('vers')} has no encryption`)
      : open('seal is not set, and whether the server requires encryption on its own is not among its options')

interface Texts {
  readonly yes: (how: string) => DraftObservation
  readonly no: (how: string) => DraftObservation
  readonly open: (how: string) => DraftObservation
}

function nfs(
  option: (key: string) => string | undefined,
  system: Parsed<OsIdentity>,
  { yes, no, open }: Texts,
): readonly DraftObservation[] {
  const [tls, sec, version] = [option('xprtsec'), option('sec'), option('vers') ?? '']
  if (sec === 'krb5p') return [yes('sec=krb5p')]
  if (tls === 'tls' || tls === 'mtls') {
    if (/^(2|3|4\.0)$/.test(version)) return [yes(`xprtsec=${tls}`)]
    if (!system.ok)
      return [open(`xprtsec=${tls}, and the kernel’s version was not read`), ...unclearAbout(osIdentity, system)]
    return [
      followsTls(system.fact.kernel)
        ? yes(`xprtsec=${tls}`)
        : open(
            `xprtsec=${tls}, which kernels before a fix of 2024 did not keep to towards data servers and further addresses`,
          ),
    ]
  }
  if (sec === undefined) return [open('its security flavor is not among its options')]
  if (isLocal(option('addr'))) return [open(PASSED_ON)]
  return [
    no(/^krb5i?$/.test(sec) ? `sec=${sec} protects logins or integrity only` : 'neither sec=krb5p nor xprtsec is set'),
  ]
}

// Linux commit a35518cae4b3, in every kernel that came out after 2024. Distributions may carry it in an older one; their numbers do not
// show.
function followsTls(kernel: string): boolean {
  const [, major, minor] = /^Linux (\d{1,3})\.(\d{1,3})/.exec(kernel) ?? []
  return major !== undefined && (Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 13))
}

/** Lustre Operations Manual: null protects nothing and is the default; of the others only krb5p and skpi encrypt. */
function lustreSteps(name: string, mount: Mount, lustre: Parsed<LustreFlavors>): readonly DraftObservation[] {
  if (!lustre.ok)
    return [
      unclear(
        `${name} is not shown to encrypt its traffic: Lustre sends in clear text unless it is configured otherwise.`,
        storageMounts,
      ),
      ...unclearAbout(storageLustre, lustre),
    ]
  // In “10.0.0.1@o2ib:/scratch/group”, the file system is “scratch”; its connections begin with that name.
  const fileSystem = /:\/([\w.-]{1,64})(?:\/|$)/.exec(mount.source)?.[1]
  const own = lustre.fact.flavors.filter(
    ({ target }) => fileSystem !== undefined && target.startsWith(`${fileSystem}-`),
  )
  const kinds = ['-mdc-', '-osc-']
  const clear = own.filter(({ rpc }) => !/^(krb5p|skpi)$/.test(rpc))
  if (clear.some(({ rpc }) => rpc !== 'unknown'))
    return [
      contradicts(
        `${name} does not encrypt its traffic: connections of Lustre use ${named([...new Set(clear.map(({ rpc }) => rpc))])}, where only krb5p and skpi encrypt.`,
        storageLustre,
      ),
    ]
  if (clear.length > 0 || !kinds.every((kind) => own.some(({ target }) => target.includes(kind))))
    return [
      unclear(
        `${name} is not shown to encrypt its traffic: the connections of ${quote(fileSystem ?? mount.source)} were not all read, and Lustre sends in clear text unless it is configured otherwise.`,
        storageLustre,
      ),
    ]
  return [
    supports(
      `${name} encrypts its traffic: its ${own.length} connections use ${named([...new Set(own.map(({ rpc }) => rpc))])}.`,
      storageLustre,
    ),
  ]
}

/** The drive's own name, at the end of the way. */
export const leafOf = ({ walked }: Root): string =>
  /^(?:one of \d+: )?([a-z]+\d*)/.exec(walked.path.at(-1) ?? '')?.[1] ?? ''

/** iSCSI has no encryption (CHAP is a login), nor have Fibre Channel and RDMA; Ceph and NBD may have it where the node does not show it. */
export function argueDrive(drive: Root, remote: Parsed<RemoteStorage>): DraftObservation {
  const { name, walked } = drive
  const way = walked.path.join(' → ')
  const leaf = leafOf(drive)
  if (walked.outcome === 'encrypted')
    return supports(`${name} is encrypted before it crosses the network: ${way}.`, storageBlockDevices)
  if (walked.outcome !== 'external-unverified')
    return unclear(`${name} crosses a network; ${walked.why}: ${way}.`, storageBlockDevices)
  if (/^(rbd|nbd)\d/.test(leaf))
    return unclear(
      `${name} crosses a network; whether its connection is encrypted is not shown: ${way}.`,
      storageBlockDevices,
    )
  // With several paths to a drive its name does not show its controllers, so all of them must use TLS.
  if (leaf.startsWith('nvme') && remote.ok && remote.fact.nvme.length > 0 && remote.fact.nvme.every(usesTls))
    return supports(`${name} crosses the network over NVMe/TCP with TLS: ${way}.`, storageRemote)
  return contradicts(`${name} crosses a network in clear text: ${way}.`, storageBlockDevices)
}

const usesTls = ({ transport, hasTls }: RemoteStorage['nvme'][number]): boolean => transport === 'tcp' && hasTls

/** Ways to other machines that no mount or swap was seen to use; lsblk before 2.37 states “nvme” of every NVMe drive, wherever it is. */
export function otherWays(remote: RemoteStorage, drives: readonly Root[]): readonly DraftObservation[] {
  const seen = new Set(drives.map((drive) => leafOf(drive).replace(/\d+$/, '')))
  const nvme = remote.nvme.filter((one) => one.transport !== 'loop' && !usesTls(one))
  // scsi_transport_fc.c: a port is online once it has a link to a fabric. NVMe drives may be what it leads to.
  const isOnFibre =
    remote.fibreChannel.some(({ state }) => state === 'Online') &&
    !(seen.has('nvme') && remote.nvme.some(({ transport }) => transport === 'fc'))
  return [
    ...(seen.has('nvme')
      ? []
      : nvme
          .slice(0, 8)
          .map(({ name, transport }) =>
            unclear(
              `${plain(name, 20)} is an NVMe controller on another system (${plain(transport, 20)}${transport === 'tcp' ? ', without TLS' : ''}); which data crosses it was not seen.`,
              storageRemote,
            ),
          )),
    ...((hasRemoteStorage(remote) || isOnFibre) && [...seen].every((kind) => kind === 'nvme')
      ? [
          unclear(
            'The kernel has a way open to drives of other machines (iSCSI, Fibre Channel, SRP, Ceph, NBD or DRBD); which data crosses it was not seen.',
            storageRemote,
          ),
        ]
      : []),
  ]
}

/** Places where systemd mounts what is on this machine when it is used: its own units, and systemd-gpt-auto-generator(8). */
const OWN_PLACES: ReadonlySet<string> = new Set(['/proc/sys/fs/binfmt_misc', '/boot', '/efi', '/boot/efi'])

/**
 * Places where something is mounted when it is used (autofs(5), systemd.automount(5)), with nothing mounted at or below now: what comes
 * there, often over a network, was not seen.
 */
export function onDemand(mounts: readonly Mount[]): readonly DraftObservation[] {
  const isUsed = (place: Mount): boolean =>
    mounts.some(
      ({ fsType, point }) => fsType !== 'autofs' && (point === place.point || point.startsWith(`${place.point}/`)),
    )
  const idle = mounts.filter((mount) => mount.fsType === 'autofs' && !OWN_PLACES.has(mount.point) && !isUsed(mount))
  return idle.length === 0
    ? []
    : [
        unclear(
          `Mounted when it is used, and not mounted now, so that what is mounted there was not seen: ${named(idle.map(({ point }) => point))}.`,
          storageMounts,
        ),
      ]
}

export const encryptionInTransitRemoteMounts = defineCheck({
  id: 'encryption.in-transit.remote-mounts',
  property: 'encryption-in-transit',
  expected: 'Every file system and drive that this node uses over a network encrypts its traffic.',
  limitations:
    'Read from the client’s side; the server may treat other clients differently, and how it stores the data is not shown. Whether an SMB server requires encryption on its own is not read, so that SMB 3 without seal is inconclusive. Where a WireGuard interface leads to the server, or IPsec is in use, the result is inconclusive, since not all that decides what enters a tunnel is read. Traffic of parallel NFS to data servers followed the TLS setting only from kernels of 2024 on. File systems that are mounted on demand count only while they are mounted; a place for such where none is mounted leaves the result inconclusive. Those of other mount namespaces do not count at all.',
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, ...TUNNEL_WANTS, remote: storageRemote, lustre: storageLustre, system: osIdentity },
  evaluate({ mounts, devices, swaps }, { remote, lustre, system, vpn, routes, associations, ...wanted }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const drives = [...mountRoots(storage), ...swapRoots(storage)].filter(({ walked }) => walked.remote)
    const evidence = { lustre, system, tunnels: { vpn, routes, associations } }
    const because = [
      ...mounts.mounts.filter(mayCrossNetwork).flatMap((mount) => argueMount(mount, evidence)),
      ...drives.map((drive) => argueDrive(drive, remote)),
      ...(remote.ok ? otherWays(remote.fact, drives) : unclearAbout(storageRemote, remote)),
      ...onDemand(mounts.mounts),
    ]
    if (because.length > 0) return decide(because)
    if (!wanted.lsblk.ok) {
      return decide([
        unclear('No network file system is mounted; how the drives are attached was not read.', storageMounts),
      ])
    }
    const text = `${mounts.mounts.length} mounts were read; none is a network file system, and no drive below them is attached over a network.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts)] }
  },
})
