/**
 * Virtual functions of network and fabric adapters (pci.ids; Linux bnxt.c, bnx2x.h, ixgbevf/defs.h, qed). In a guest nothing else
 * distinguishes them from physical ones.
 */
const VIRTUAL_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['1002', '1004', '1012', '1014', '1016', '1018', '101a', '101c', '101e', 'a2d3'].map((id) => `15b3:${id}`),
  ...['10ca', '10ed', '1515', '1520', '152e', '152f', '1530', '154c', '1564', '1565', '1571', '15a8', '15a9'].map(
    (id) => `8086:${id}`,
  ),
  ...['15b4', '15c5', '1889', '37cd', '37d9', '0dd5', '145c', '57ad'].map((id) => `8086:${id}`),
  ...['16bd', '16c1', '16c2', '16c3', '16c4', '16c5', '16cb', '16d3', '16dc', '16e1', '16e5', '16e6'].map(
    (id) => `14e4:${id}`,
  ),
  ...['1606', '1607', '1608', '1609', '1806', '1807', '1808', '1809', '1819', '181b', 'd800', '16ad'].map(
    (id) => `14e4:${id}`,
  ),
  '1077:8090',
  ...['375e', '375f', '379e', '379f', 'a22e', 'a22f'].map((id) => `19e5:${id}`),
  ...['1803', '1813', '1903', '1923', '1a03', '1b03'].map((id) => `1924:${id}`),
  '1dd8:1003',
])
export const isVirtualFunctionId = (pciId: string | null): boolean => pciId !== null && VIRTUAL_FUNCTIONS.has(pciId)

/** Drivers of functions that are parts of an adapter. */
export const FUNCTION_DRIVERS: ReadonlySet<string> = new Set([
  'iavf',
  'i40evf',
  'ixgbevf',
  'igbvf',
  'fm10k_vf',
  'hinic_vf',
  'mlx5_core.sf',
])

/** Drivers of devices that only one hypervisor provides. */
export const HYPERVISOR_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['vmxnet3', 'VMware'],
  ['vmxnet', 'VMware'],
  ['vmw_pvrdma', 'VMware'],
  ['hv_netvsc', 'Microsoft Hyper-V'],
  ['xen_netfront', 'Xen'],
  ['netfront', 'Xen'],
  ['vif', 'Xen'],
])

/** Drivers of adapters that a provider's card presents, to guests and to whole machines alike, and whose they are. */
export const PROVIDER_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['ena', 'Amazon'],
  ['efa', 'Amazon'],
  ['gve', 'Google'],
  ['idpf', 'Google'],
  ['mana', 'Microsoft'],
  ['mana_ib', 'Microsoft'],
  ['erdma', 'Alibaba'],
])

/**
 * Old adapters that emulators imitate (QEMU, VMware, VirtualBox): in a guest they are taken for imitations, on hardware for what they
 * state.
 */
export const IMITATED_DRIVERS: ReadonlySet<string> = new Set([
  'e1000',
  'e1000e',
  'igb',
  '8139cp',
  '8139too',
  'tulip',
  'pcnet32',
  'ne2k-pci',
])

/** A virtio adapter, by its driver (the device’s or its bus’s) or by where it hangs. */
export const isVirtio = (driver: string, path: string): boolean =>
  /^virtio[_-](net|pci|mmio)$/.test(driver) || /\/virtio\d+\//.test(path)

/** Beginnings of addresses that hypervisors give the adapters of guests, and whose (IEEE registrations; QEMU’s and Docker’s own are not registered). */
const GUEST_ADDRESSES: readonly (readonly [string, string])[] = [
  ['52:54:00', 'QEMU'],
  ['00:50:56', 'VMware'],
  ['00:0c:29', 'VMware'],
  ['00:05:69', 'VMware'],
  ['00:1c:14', 'VMware'],
  ['00:15:5d', 'Microsoft Hyper-V'],
  ['00:16:3e', 'Xen'],
  ['08:00:27', 'VirtualBox'],
  ['0a:00:27', 'VirtualBox'],
  ['00:1c:42', 'Parallels'],
  ['58:9c:fc', 'bhyve'],
  ['fa:16:3e', 'OpenStack'],
  ['50:6b:8d', 'Nutanix AHV'],
  ['42:01:', 'Google Compute Engine'],
]
export const guestAddress = (mac: string): string | null =>
  GUEST_ADDRESSES.find(([start]) => mac.toLowerCase().startsWith(start))?.[1] ?? null

/** IEEE 802: bit 1 of the first byte states that the address was given by an administrator and not by a manufacturer. */
export const isLocallyGiven = (mac: string): boolean =>
  /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(mac) && (Number.parseInt(mac.slice(0, 2), 16) & 2) !== 0

/** Addresses that a software gateway responds with, and who does so. */
const SOFTWARE_GATEWAYS: readonly (readonly [RegExp, string])[] = [
  [/^ee:ee:ee:ee:ee:ee$/, 'Calico’s'],
  [/^fe:54:00:/, 'the host’s end of a QEMU tap'],
  [/^fe:ff:ff:ff:ff:ff$/, 'the host’s end of a Xen link'],
  [/^12:34:56:78:9a:bc$/, 'Azure’s'],
  [/^42:01:/, 'Google’s'],
]
export const softwareGateway = (mac: string): string | null =>
  SOFTWARE_GATEWAYS.find(([pattern]) => pattern.test(mac))?.[1] ?? null

/** Addresses that several routers share: VRRP (RFC 9568), HSRP and GLBP. They show nothing of what is behind. */
export const isSharedGateway = (mac: string): boolean =>
  /^(00:00:5e:00:0[12]:|00:00:0c:(07:ac|9f:f)|00:07:b4:00:)/.test(mac)

/** Names of kinds of interfaces that carry one network inside another. */
export const OVERLAY_KINDS: ReadonlySet<string> = new Set([
  'vxlan',
  'geneve',
  'gre',
  'gretap',
  'erspan',
  'ip6gre',
  'ip6gretap',
  'ipip',
  'sit',
  'ip6tnl',
  'bareudp',
  'gtp',
  'wireguard',
  'vti',
  'vti6',
  'xfrm',
])
/** Kinds that hang others’ interfaces on one adapter. */
export const SHARING_KINDS: ReadonlySet<string> = new Set(['macvtap', 'ipvtap', 'macvlan', 'ipvlan', 'tun'])

/** Software of physical switches, as their LLDP descriptions name it. */
export const SWITCH_SOFTWARE =
  /cumulus|arista|\bEOS\b|NX-OS|Cisco|Juniper|JUNOS|SONiC|Mellanox|Onyx|MLNX-OS|NVIDIA.*switch|Dell (EMC )?(Networking|OS10|Force10)|SmartFabric|Huawei.*(CE|Switch)|H3C|Comware|Aruba|ProCurve|Extreme|Brocade|FS(OS)?[ -]S\d|Edgecore|Pica8|MikroTik|Ubiquiti|EdgeSwitch|NETGEAR|Ruijie|Nokia SR/i
/** Software that bridges on a server: a hypervisor host, a data-processing unit, or another server. */
export const SERVER_BRIDGE =
  /Open ?vSwitch|VMware|ESXi|Proxmox|Hyper-V|XenServer|XCP-ng|Ubuntu|Debian|Red Hat|CentOS|Rocky|AlmaLinux|BlueField/i
