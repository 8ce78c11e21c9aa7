import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../../base/read-listing.ts'
import { foundLines, grepIsComplete, inOrder, isPassingMount, unescapeOctal } from '../../base/read-text.ts'

/** One line of mountinfo, see proc_pid_mountinfo(5). */
export interface Mount {
  readonly id: string
  /** The mount that it is on; may be one that is not listed. */
  readonly parent: string
  /** Device number of the file system, major:minor; major 0 for file systems without a block device. */
  readonly device: string
  /** The directory of the file system that is mounted here: other than / for bind mounts and subvolumes. */
  readonly root: string
  readonly point: string
  readonly fsType: string
  readonly source: string
  /** Options of this mount and of the file system, each still with its octal escapes. */
  readonly options: readonly string[]
}

export interface Mounts {
  readonly mounts: readonly Mount[]
}

// Sources of network file systems can be addresses with a name and a password in front of the host (RFC 3986 §3.2.1): those stay there.
const WITHOUT_CREDENTIALS = 's#://[^/ ]*@#://#g'

export const storageMounts = defineProbe({
  id: 'storage.mounts',
  title: 'Mounted file systems',
  why: 'Every location where data can be stored is below a mount.',
  ignoredInDrift: {
    why: 'Mounts are numbered in the order of creation; logins, containers and services mount folders while they exist; and sizes of memory file systems depend on the memory found at start. Not detected: other mounts below those folders.',
    normalize: ({ mounts }: Mounts) => ({
      mounts: inOrder(
        mounts
          .filter(({ point, fsType }) => fsType !== 'nsfs' && !isPassingMount(point))
          .map(({ id: _, parent: __, device: ___, options, ...mount }) => ({
            ...mount,
            options: inOrder(options.filter((option) => !isPassingOption(mount.fsType, mount.point, option))),
          })),
      ),
    }),
  },
  commands: { mountinfo: run(['sed', '-e', WITHOUT_CREDENTIALS, '/proc/self/mountinfo']) },
  parse: ({ mountinfo }) =>
    mountinfo.exitCode === 0 ? parseMountinfo(mountinfo.text) : unknown('the kernel’s mount table could not be read'),
})

/** Reads mountinfo. One line that is not understood makes the whole response unusable: it may be the mount that matters. */
export function parseMountinfo(text: string): Parsed<Mounts> {
  const mounts: Mount[] = []
  for (const line of text.split('\n')) {
    if (line === '') continue
    const mount = parseLine(line)
    if (mount === null) return unknown(`a line of the mount table could not be read: ${quote(line)}`)
    mounts.push(mount)
  }
  return mounts.some(({ point }) => point === '/') ? known({ mounts }) : unknown('the mount table has no root')
}

function parseLine(line: string): Mount | null {
  const fields = line.split(' ')
  const separator = fields.indexOf('-', 6)
  const [id = '', parent = '', device = '', root = '', point = '', options = ''] = fields
  const [fsType = '', source = '', superOptions = ''] = separator < 0 ? [] : fields.slice(separator + 1)
  if (!/^\d+:\d+$/.test(device) || root === '' || !point.startsWith('/') || fsType === '') return null
  return {
    id,
    parent,
    device,
    root: unescapeOctal(root),
    point: unescapeOctal(point),
    fsType: unescapeOctal(fsType),
    source: unescapeOctal(source),
    options: [...options.split(','), ...superOptions.split(',')],
  }
}

/** Numbers of the mounter's own (autofs(5)), and sizes that follow from the memory that the kernel found. */
const isPassingOption = (fsType: string, point: string, option: string): boolean =>
  fsType === 'autofs'
    ? /^(fd|pgrp|pipe_ino)=/.test(option)
    : ['tmpfs', 'devtmpfs'].includes(fsType) &&
      /^\/(run|dev)(\/|$)/.test(point) &&
      /^(size|nr_inodes|nr_blocks)=/.test(option)

interface IscsiSession {
  readonly session: string
  /** Name of the target; empty where the kernel did not state it. */
  readonly target: string
  /** Address that it was requested at; empty where unknown. */
  readonly portal: string
}

/** Ways to drives outside this machine that the kernel has open now. */
export interface RemoteStorage {
  readonly iscsi: readonly IscsiSession[]
  /** Fibre Channel adapters, with the state of their port. */
  readonly fibreChannel: readonly { readonly host: string; readonly state: string }[]
  /** Remote ports of SCSI over RDMA. */
  readonly srp: readonly string[]
  /** Images of a Ceph cluster. */
  readonly rbd: readonly { readonly id: string; readonly pool: string; readonly image: string }[]
  /** Network block devices that a process serves. */
  readonly nbd: readonly string[]
  /** Replicated devices that are in use. */
  readonly drbd: readonly string[]
  /**
   * NVMe controllers outside PCIe: tcp, rdma, fc, loop; and whether the kernel has the key of a TLS session for it.
   */
  readonly nvme: readonly { readonly name: string; readonly transport: string; readonly hasTls: boolean }[]
}

const ISCSI = '/sys/class/iscsi_session'
const FIBRE = '/sys/class/fc_host'
const SRP = '/sys/class/srp_remote_ports'
const RBD = '/sys/bus/rbd/devices'

const MOST = 1024

/**
 * Transport classes of the SCSI layer (drivers/scsi/scsi_transport_iscsi.c, _fc.c, _srp.c),
 * Documentation/ABI/testing/sysfs-bus-rbd, and the attributes of nbd, drbd and NVMe (drivers/nvme/host/sysfs.c:
 * tls_key is the number of a key in the kernel’s keyring, not the key, and empty without TLS; from 6.7 on). Names and
 * passwords of iSCSI logins are next to these files and are not requested.
 */
export const storageRemote = defineProbe({
  id: 'storage.remote',
  title: 'Drives reached over a network',
  why: 'Shows which drives come from another machine: iSCSI, Fibre Channel, Ceph, network block devices.',
  ignoredInDrift: {
    why: 'Sessions and devices have another number each time they are connected.',
    normalize: ({ iscsi, fibreChannel, srp, rbd, nbd, drbd, nvme }: RemoteStorage) => ({
      iscsi: inOrder(iscsi.map(({ target, portal }) => ({ target, portal }))),
      fibreChannel: inOrder(fibreChannel.map(({ state }) => state)),
      srp: srp.length,
      rbd: inOrder(rbd.map(({ pool, image }) => ({ pool, image }))),
      nbd: nbd.length,
      drbd: inOrder(drbd),
      nvme: inOrder(nvme.map(({ transport, hasTls }) => ({ transport, hasTls }))),
    }),
  },
  commands: {
    lists: run(['ls', '-1', ISCSI, FIBRE, SRP, RBD]),
    values: run([
      'grep',
      '-sH',
      '',
      glob('/sys/class/iscsi_session/*/targetname'),
      glob('/sys/class/iscsi_connection/*/persistent_address'),
      glob('/sys/class/fc_host/*/port_state'),
      glob('/sys/bus/rbd/devices/*/pool'),
      glob('/sys/bus/rbd/devices/*/name'),
      glob('/sys/block/nbd*/pid'),
      glob('/sys/block/drbd*/size'),
      glob('/sys/class/nvme/nvme*/transport'),
      glob('/sys/class/nvme/nvme*/tls_key'),
    ]),
  },
  parse({ lists, values }) {
    if (!listingIsComplete(lists)) return unknown('the transports of drives could not be listed')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0) return unknown('the list of transports has an unexpected format')
    if ([...folders.values()].some((names) => names.length > MOST))
      return unknown(`more than ${MOST} ways to remote drives`)
    const read = sysfsValues(values.text, [
      'targetname',
      'persistent_address',
      'port_state',
      'pool',
      'name',
      'pid',
      'size',
      'transport',
      'tls_key',
    ])
    const at = (path: string): string => read.get(path) ?? ''
    const blocks = (kind: string, file: string): readonly string[] =>
      [...read].flatMap(([path, value]) => {
        const name = /^\/sys\/block\/([^/]+)\/[^/]+$/.exec(path)?.[1]
        return name?.startsWith(kind) === true && path.endsWith(`/${file}`) && /^[1-9]\d*$/.test(value) ? [name] : []
      })
    return known<RemoteStorage>({
      iscsi: (folders.get(ISCSI) ?? []).map((session) => ({
        session,
        target: at(`${ISCSI}/${session}/targetname`),
        // Connection 3:0 is the first one of session 3.
        portal: at(`/sys/class/iscsi_connection/connection${session.replace(/^session/, '')}:0/persistent_address`),
      })),
      fibreChannel: (folders.get(FIBRE) ?? []).map((host) => ({ host, state: at(`${FIBRE}/${host}/port_state`) })),
      srp: folders.get(SRP) ?? [],
      rbd: (folders.get(RBD) ?? []).map((id) => ({
        id,
        pool: at(`${RBD}/${id}/pool`),
        image: at(`${RBD}/${id}/name`),
      })),
      nbd: blocks('nbd', 'pid'),
      drbd: blocks('drbd', 'size'),
      nvme: [...read].flatMap(([path, transport]) => {
        const name = /^\/sys\/class\/nvme\/(nvme\d{1,6})\/transport$/.exec(path)?.[1]
        if (name === undefined || transport === 'pcie') return []
        return [{ name, transport, hasTls: /^(?!0+$)[0-9a-f]{8}$/.test(at(`/sys/class/nvme/${name}/tls_key`)) }]
      }),
    })
  },
})

/** Whether any way to a drive outside this machine is open. */
export const hasRemoteStorage = ({ iscsi, srp, rbd, nbd, drbd }: RemoteStorage): boolean =>
  iscsi.length + srp.length + rbd.length + nbd.length + drbd.length > 0

/** How one connection of a Lustre client to a server is protected. */
interface LustreFlavor {
  /** The client's name of the connection: scratch-OST0000-osc-ffff8800da9f0800. */
  readonly target: string
  /** null, plain, gssnull, krb5n, krb5a, krb5i, krb5p, skn, ska, ski or skpi. */
  readonly rpc: string
}

export interface LustreFlavors {
  readonly flavors: readonly LustreFlavor[]
}

const FILE = /^\/(?:sys\/kernel\/debug|proc\/fs)\/lustre\/(?:mdc|osc)\/([^/]{1,200})\/srpc_info$/

/**
 * The file that `lctl get_param *.*.srpc_info` reads (Lustre Operations Manual, chapter on Shared-Secret Key;
 * lustre/ptlrpc/sec_lproc.c), read at its location: debugfs, or /proc in older versions. Neither folder exists on a
 * node without Lustre.
 */
export const storageLustre = defineProbe({
  id: 'storage.lustre',
  title: 'Protection of Lustre connections',
  why: 'Lustre sends data in clear text unless each of its connections is configured otherwise. The names of the methods are read, no keys.',
  ignoredInDrift: {
    why: 'Connections are named after an address in the kernel’s memory.',
    normalize: ({ flavors }: LustreFlavors) => ({
      flavors: inOrder(flavors.map(({ target, rpc }) => ({ target: target.replace(/-[0-9a-f]{8,16}$/, ''), rpc }))),
    }),
  },
  commands: {
    flavors: runAsRoot([
      'grep',
      '-r',
      '-H',
      '--include=srpc_info',
      '^rpc.flavor:',
      '/sys/kernel/debug/lustre',
      '/proc/fs/lustre',
    ]),
  },
  parse({ flavors }) {
    if (!grepIsComplete(flavors)) return unknown('the connections of Lustre could not be read')
    const read = foundLines(flavors.text).map(({ path, line }): LustreFlavor | null => {
      const [, target] = FILE.exec(path) ?? []
      const [, rpc] = /^rpc flavor:\s*(\w{1,16})\s*$/.exec(line) ?? []
      return target === undefined ? null : { target, rpc: rpc ?? 'unknown' }
    })
    return known<LustreFlavors>({ flavors: read.filter((flavor) => flavor !== null) })
  },
})
