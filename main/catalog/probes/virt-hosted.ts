import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'
import { foundLines, grepIsComplete } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface HostedDevices {
  /** Numbers of the Xen guests that this system serves with devices. */
  readonly xenGuests: readonly number[]
  /** PCI functions that are held ready for guests or for drivers outside the kernel. */
  readonly heldBack: readonly string[]
  /** Parts of devices that were made for guests (mediated devices, such as virtual GPUs). */
  readonly mediated: readonly string[]
  /** Network interfaces of the kind that guests are connected with. */
  readonly taps: readonly string[]
}

const XEN = '/sys/bus/xen-backend/devices'
const VFIO = '/sys/bus/pci/drivers/vfio-pci'
const MEDIATED = '/sys/bus/mdev/devices'
const MACVTAP = '/sys/class/macvtap'
// include/uapi/linux/if_tun.h
const IFF_TAP = 2

/** Documentation/ABI: sysfs-bus-pci, sysfs-bus-vfio-mdev, sysfs-class-net; drivers/xen/xenbus/xenbus_probe_backend.c. */
export const virtHosted = defineProbe({
  id: 'virt.hosted',
  title: 'Devices set up for virtual machines',
  why: 'Shows what this system assigns to its own guests: network interfaces, whole PCI devices, parts of GPUs.',
  ignoredInDrift: {
    why: 'Guests and their interfaces are numbered anew at each of their starts.',
    normalize: ({ xenGuests, heldBack, mediated, taps }: HostedDevices) => ({
      heldBack: inOrder(heldBack),
      mediated: inOrder(mediated),
      hasGuests: xenGuests.length + taps.length > 0,
    }),
  },
  commands: {
    lists: run(['ls', '-1', XEN, VFIO, MEDIATED, MACVTAP]),
    taps: run(['grep', '-H', '', glob('/sys/class/net/*/tun_flags')]),
  },
  parse({ lists, taps }) {
    if (!listingIsComplete(lists)) return unknown('the devices set up for guests could not be listed')
    if (!grepIsComplete(taps)) return unknown('the kinds of network interfaces could not be read')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the list of devices for guests has an unexpected format')
    // Type, guest, device: vif-3-0.
    const guests = (folders.get(XEN) ?? []).flatMap((name) => /^[a-z0-9]+-(\d{1,5})-\d+$/.exec(name)?.[1] ?? [])
    return known<HostedDevices>({
      xenGuests: [...new Set(guests.map(Number))].sort((a, b) => a - b),
      heldBack: (folders.get(VFIO) ?? []).filter((name) => /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(name)),
      mediated: folders.get(MEDIATED) ?? [],
      taps: [
        ...foundLines(taps.text).flatMap(({ path, line }) => {
          const name = /^\/sys\/class\/net\/([^/]+)\/tun_flags$/.exec(path)?.[1]
          const isTap = /^0x[0-9a-f]{1,8}$/i.test(line) && (Number.parseInt(line, 16) & IFF_TAP) !== 0
          return name !== undefined && isTap ? [name] : []
        }),
        ...(folders.get(MACVTAP) ?? []),
      ],
    })
  },
})
