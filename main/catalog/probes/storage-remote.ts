import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, sysfsValues } from '../isolation/listing.ts'
import { inOrder } from '../steady.ts'

export interface IscsiSession {
  readonly session: string
  /** Name of the target; empty where the kernel did not give it. */
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
  /** NVMe controllers that no PCIe slot holds: tcp, rdma, fc, loop; and whether the kernel holds a TLS session's key for it. */
  readonly nvme: readonly { readonly name: string; readonly transport: string; readonly hasTls: boolean }[]
}

const ISCSI = '/sys/class/iscsi_session'
const FIBRE = '/sys/class/fc_host'
const SRP = '/sys/class/srp_remote_ports'
const RBD = '/sys/bus/rbd/devices'

const MOST = 1024

/**
 * Transport classes of the SCSI layer (drivers/scsi/scsi_transport_iscsi.c, _fc.c, _srp.c), Documentation/ABI/testing/sysfs-bus-rbd, and
 * the attributes of nbd, drbd and NVMe (drivers/nvme/host/sysfs.c: tls_key is the number of a key in the kernel's keyring, not the key, and
 * empty without TLS; from 6.7 on). The names and passwords of iSCSI logins lie next to these files and are not requested.
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
