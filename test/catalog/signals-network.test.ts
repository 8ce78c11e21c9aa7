import { describe, expect, test } from 'vitest'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import { netLinks, netNeighbours } from '../../main/catalog/data-protection/network/links.ts'
import { netLldp } from '../../main/catalog/data-protection/network/lldp.ts'
import { networkSignals } from '../../main/catalog/single-tenancy/isolation/signals/network.ts'
import { BANNED } from '../../schemas/words.ts'
import { observedText, type Reading, reading, readOfFixture, weighed } from '../support/device-facts.ts'
import { observed, readOf } from '../support/signal-facts.ts'

interface Nic {
  readonly driver: string
  readonly id?: string
  readonly path?: string
  readonly mac?: string
  readonly source?: string
  readonly whole?: string
  readonly port?: string
  readonly mtu?: string
}

const PCI = 'pci0000:80/0000:80:05.0/0000:81:00.0/net/eth0'
function nic({
  driver,
  id,
  path = PCI,
  mac = '3c:fd:fe:00:00:01',
  source = '0',
  whole,
  port,
  mtu = '1500',
}: Nic): Reading {
  const own = '/sys/class/net/eth0'
  return reading(netInterfaces, {
    list: `lrwxrwxrwx 1 root root 0 Nov 20 09:12 eth0 -> ../../devices/${path}\nlrwxrwxrwx 1 root root 0 Nov 20 09:12 lo -> ../../devices/virtual/net/lo\n`,
    values: `${own}/address:${mac}\n${own}/operstate:up\n${own}/mtu:${mtu}\n${own}/addr_assign_type:${source}\n${port === undefined ? '' : `${own}/phys_port_name:${port}\n`}`,
    drivers: `${own}/device/uevent:DRIVER=${driver}\n${id === undefined ? '' : `${own}/device/uevent:PCI_ID=${id}\n`}${whole === undefined ? '' : `${own}/device/physfn/uevent:PCI_SLOT_NAME=${whole}\n`}`,
  })
}

const find = (id: string, ...readings: readonly Reading[]) => observed(networkSignals, id, readOf(...readings))
const weights = (id: string, ...readings: readonly Reading[]): readonly string[] => weighed(find(id, ...readings))

describe('net.driver', () => {
  const cases: readonly (readonly [string, Nic, readonly string[]])[] = [
    ['a whole adapter', { driver: 'ice', id: '8086:1593' }, ['bare-metal']],
    ['VMware’s', { driver: 'vmxnet3', id: '15AD:07B0' }, ['virtual', 'names VMware']],
    [
      'Hyper-V’s',
      { driver: 'hv_netvsc', path: 'LNXSYSTM:00/LNXSYBUS:00/VMBUS:00/f8/net/eth0' },
      ['virtual', 'names Microsoft Hyper-V'],
    ],
    ['Xen’s', { driver: 'vif', path: 'vif-0/net/eth0' }, ['virtual', 'names Xen']],
    ['virtio', { driver: 'virtio_net', path: 'pci0000:00/0000:00:03.0/virtio2/net/eth0' }, ['virtual', 'hint null']],
    ['a virtual function in a guest', { driver: 'mlx5_core', id: '15B3:101E' }, ['virtual', 'odd null']],
    [
      'a virtual function beside its whole',
      { driver: 'mlx5_core', id: '15B3:101E', whole: '0000:81:00.0' },
      ['neutral'],
    ],
    ['Intel’s function driver in a guest', { driver: 'iavf', id: '8086:1889' }, ['virtual', 'odd null']],
    ['Amazon’s, on guests and on metal', { driver: 'ena', id: '1D0F:EC20' }, ['neutral']],
    ['Google’s, on guests and on metal', { driver: 'idpf', id: '8086:145C' }, ['neutral']],
    ['one that emulators imitate', { driver: 'e1000e', id: '8086:10D3' }, ['neutral']],
    ['a switch port inside an adapter', { driver: 'mlx5_core', id: '15B3:1021', port: 'pf0vf3' }, ['neutral']],
    [
      'the management controller’s on USB',
      { driver: 'cdc_ether', path: 'pci0000:00/0000:00:14.0/usb1/1-3/1-3:2.0/net/eth0' },
      ['neutral'],
    ],
  ]
  test.each(cases)('%s', (_, card, expected) => expect(weights('net.driver', nic(card))).toEqual(expected))
  test('unread is unreadable', () => expect(weights('net.driver')).toEqual(['unreadable']))
})

describe('net.mac', () => {
  const cases: readonly (readonly [string, Nic, readonly string[]])[] = [
    ['a maker’s range', { driver: 'ice', mac: '3c:fd:fe:12:34:56' }, ['bare-metal']],
    ['QEMU’s under a maker’s driver', { driver: 'e1000e', mac: '52:54:00:12:34:56' }, ['virtual', 'odd null']],
    ['QEMU’s under virtio', { driver: 'virtio_net', mac: '52:54:00:12:34:56' }, ['virtual', 'hint null']],
    [
      'Xen’s range, which Alibaba gives to whole machines',
      { driver: 'mlx5_core', mac: '00:16:3E:12:34:56' },
      ['virtual', 'hint null'],
    ],
    ['set by somebody', { driver: 'ice', mac: '52:54:00:12:34:56', source: '3' }, ['neutral']],
    ['locally given', { driver: 'ice', mac: '02:00:5e:10:00:01' }, ['neutral']],
    [
      'of InfiniBand',
      { driver: 'mlx5_core', mac: '00:00:10:49:fe:80:00:00:00:00:00:00:00:02:c9:ff:fe:00:00:00' },
      ['neutral'],
    ],
  ]
  test.each(cases)('%s', (_, card, expected) => expect(weights('net.mac', nic(card))).toEqual(expected))
  test('unread is unreadable', () => expect(weights('net.mac')).toEqual(['unreadable']))
})

describe('net.overlay', () => {
  const links = (...kinds: readonly string[]): Reading =>
    reading(netLinks, {
      links: JSON.stringify([
        { ifname: 'lo' },
        ...kinds.map((kind, at) => ({ ifname: `t${at}`, linkinfo: { info_kind: kind } })),
      ]),
    })
  test('never decides, and states what cannot be seen', () => {
    const none = find('net.overlay', links(), nic({ driver: 'ice' }))
    expect(weighed(none)).toEqual(['neutral'])
    expect(observedText(none)).toContain('not visible from this system')
    const some = observedText(
      find('net.overlay', links('vxlan', 'geneve', 'macvtap'), nic({ driver: 'ena', mtu: '1450' })),
    )
    for (const word of ['vxlan', 'geneve', 'macvtap', '1450']) expect(some).toContain(word)
    expect(weights('net.overlay')).toEqual(['unreadable'])
  })
})

describe('net.lldp', () => {
  const lldp = (descr: string, capability: string): Reading =>
    reading(netLldp, {
      neighbours: JSON.stringify({
        lldp: {
          interface: {
            eth0: {
              chassis: {
                x: { id: { type: 'mac', value: 'a' }, descr, capability: { type: capability, enabled: true } },
              },
              port: {},
            },
          },
        },
      }),
    })
  test.each([
    ['Cumulus Linux version 5.9.1 running on Mellanox Technologies Ltd. MSN3700C', 'Bridge', 'bare-metal'],
    ['Cisco Nexus Operating System (NX-OS) Software 10.2(5)', 'Router', 'bare-metal'],
    ['Ubuntu 22.04.4 LTS Linux 5.15.0-1045-bluefield aarch64', 'Bridge', 'neutral'],
    ['Proxmox VE 8', 'Bridge', 'neutral'],
  ])('%s', (descr, capability, reads) => expect(weights('net.lldp', lldp(descr, capability))).toEqual([reads]))

  test('silence shows nothing; a service that does not run is unread', () => {
    expect(weights('net.lldp', reading(netLldp, { neighbours: '{"lldp": {}}' }))).toEqual(['neutral'])
    expect(weights('net.lldp', reading(netLldp, { neighbours: { text: '', exit: 1 } }))).toEqual(['unreadable'])
  })
})

describe('net.neigh', () => {
  const near = (mac: string | null, device = 'eth0'): Reading =>
    reading(netNeighbours, {
      neighbours: JSON.stringify(
        mac === null ? [] : [{ dst: '192.0.2.1', dev: device, lladdr: mac, state: ['REACHABLE'] }],
      ),
      routes: JSON.stringify([{ dst: 'default', gateway: '192.0.2.1', dev: device, flags: [] }]),
      routes6: '',
    })
  test.each([
    ['44:38:39:ff:00:54', ['bare-metal']],
    ['ee:ee:ee:ee:ee:ee', ['virtual', 'hint null']],
    ['12:34:56:78:9a:bc', ['virtual', 'hint null']],
    ['fe:54:00:6b:1d:04', ['virtual', 'hint null']],
    ['00:00:5e:00:01:0a', ['neutral']],
    ['02:fc:00:00:00:05', ['neutral']],
    [null, ['neutral']],
  ])('%s', (mac, expected) => expect(weights('net.neigh', near(mac), nic({ driver: 'ice' }))).toEqual(expected))
  test('unread is unreadable', () => expect(weights('net.neigh')).toEqual(['unreadable']))
})

describe('fixtures', () => {
  const all = (node: string): readonly string[] =>
    networkSignals.map(({ id }) => `${id} ${weighed(observed(networkSignals, id, readOfFixture(node))).join(', ')}`)

  test('a server, and a guest dressed up as one', () => {
    expect(all('demo-gpu-01')).toEqual([
      'net.driver bare-metal',
      'net.mac neutral',
      'net.overlay neutral',
      'net.lldp bare-metal',
      'net.neigh bare-metal',
      'ib.pf bare-metal',
      'ib.pkey neutral',
      'ib.scale bare-metal',
    ])
    expect(all('demo-metal-04')).toEqual([
      'net.driver virtual, odd null',
      'net.mac bare-metal',
      'net.overlay neutral',
      'net.lldp unreadable',
      'net.neigh virtual, hint null',
      'ib.pf virtual, odd null',
      'ib.pkey neutral',
      'ib.scale neutral',
    ])
    expect(all('demo-guest-03').slice(0, 2)).toEqual(['net.driver virtual, hint null', 'net.mac neutral'])
  })

  test('words', () => {
    for (const node of ['demo-gpu-01', 'demo-shared-05', 'demo-metal-04', 'demo-guest-03', 'fx-iso-vmware'])
      for (const { id } of networkSignals)
        for (const banned of BANNED)
          expect(observedText(observed(networkSignals, id, readOfFixture(node)))).not.toMatch(banned)
  })
})
