import { describe, expect, test } from 'vitest'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import { netLinks, netNeighbours } from '../../main/catalog/data-protection/network/links.ts'
import { netLldp } from '../../main/catalog/data-protection/network/lldp.ts'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { rdmaGpudirect } from '../../main/catalog/hardware/fabric/rdma.ts'
import { factFrom, parsed } from '../support/device-facts.ts'

const link = (name: string, target: string): string => `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${name} -> ${target}\n`

describe('adapters', () => {
  test('a virtual function with its whole beside it keeps its own driver', () => {
    const { interfaces } = factFrom(netInterfaces, {
      list: link('ens1f0v0', '../devices/pci0000:80/0000:80:05.0/0000:81:02.0/net/ens1f0v0'),
      values: '/sys/class/net/ens1f0v0/addr_assign_type:1\n/sys/class/net/ens1f0v0/device/sriov_totalvfs:8\n',
      drivers: [
        '/sys/class/net/ens1f0v0/device/uevent:DRIVER=iavf',
        '/sys/class/net/ens1f0v0/device/uevent:PCI_ID=8086:1889',
        '/sys/class/net/ens1f0v0/device/uevent:PCI_SLOT_NAME=0000:81:02.0',
        '/sys/class/net/ens1f0v0/device/physfn/uevent:DRIVER=ice',
        '/sys/class/net/ens1f0v0/device/physfn/uevent:PCI_SLOT_NAME=0000:81:00.0',
        '',
      ].join('\n'),
    })
    expect(interfaces[0]).toMatchObject({
      driver: 'iavf',
      pciId: '8086:1889',
      pciAddress: '0000:81:02.0',
      physicalFunction: '0000:81:00.0',
      addressSource: 1,
      divisibleInto: 8,
    })
  })

  test('fabric adapters with their PCI functions and the manager of the subnet', () => {
    const fact = factFrom(infiniband, {
      adapters: '/sys/class/infiniband:\nmlx5_0\n',
      values: [
        '/sys/class/infiniband/mlx5_0/board_id:MT_0000000838',
        '/sys/class/infiniband/mlx5_0/device/uevent:DRIVER=mlx5_core',
        '/sys/class/infiniband/mlx5_0/device/uevent:PCI_ID=15B3:1021',
        '/sys/class/infiniband/mlx5_0/device/uevent:PCI_SLOT_NAME=0000:19:00.0',
        '/sys/class/infiniband/mlx5_0/device/sriov_totalvfs:16',
        '/sys/class/infiniband/mlx5_0/ports/1/link_layer:InfiniBand',
        '/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE',
        '/sys/class/infiniband/mlx5_0/ports/1/lid:0x41',
        '/sys/class/infiniband/mlx5_0/ports/1/sm_lid:0x1',
        '/sys/class/infiniband/mlx5_0/ports/1/pkeys/0:0x8042',
        '',
      ].join('\n'),
    })
    expect(fact.adapters[0]).toMatchObject({
      pciAddress: '0000:19:00.0',
      pciId: '15b3:1021',
      driver: 'mlx5_core',
      divisibleInto: 16,
    })
    expect(fact.ports[0]).toMatchObject({ lid: 65, managerLid: 1, partitionKeys: ['8042'], isActive: true })
  })
})

describe('what ip and lldpctl print', () => {
  test('links of iproute2 6.1 in a Firecracker guest, and an overlay', () => {
    const { links } = factFrom(netLinks, {
      links:
        '[{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"mtu":65536,"link_type":"loopback","address":"00:00:00:00:00:00"},{"ifindex":4,"ifname":"eth0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1400,"link_type":"ether","address":"02:fc:00:00:00:01","parentbus":"virtio","parentdev":"virtio2"},{"ifindex":9,"ifname":"flannel.1","flags":["BROADCAST"],"mtu":1450,"address":"5e:11:22:33:44:55","linkinfo":{"info_kind":"vxlan","info_data":{"id":1}}}]',
    })
    expect(links.map(({ name, kind, networkId, isUp }) => [name, kind, networkId, isUp])).toEqual([
      ['lo', '', null, true],
      ['eth0', '', null, true],
      ['flannel.1', 'vxlan', 1, false],
    ])
    expect(parsed(netLinks, { links: '[]' }).ok).toBe(false)
    expect(parsed(netLinks, { links: { text: '', exit: 1 } }).ok).toBe(false)
  })

  test('neighbours without a hardware address are none; a default route can have several gateways', () => {
    const fact = factFrom(netNeighbours, {
      neighbours:
        '[{"dst":"192.0.2.1","dev":"eth0","lladdr":"02:FC:00:00:00:05","state":["STALE"]},{"dst":"fd00::1","dev":"eth0","state":["FAILED"]}]',
      routes:
        '[{"dst":"default","nexthops":[{"gateway":"192.0.2.1","dev":"eth0","weight":1},{"gateway":"192.0.2.2","dev":"eth1","weight":1}]}]',
      routes6: { text: '', exit: 2 },
    })
    expect(fact.neighbours).toEqual([
      { address: '192.0.2.1', device: 'eth0', mac: '02:fc:00:00:00:05', states: ['STALE'] },
    ])
    expect(fact.gateways.map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.2'])
  })

  test('LLDP: one neighbour is an object, several are a list, and a chassis may have no name', () => {
    const one =
      '{"lldp":{"interface":{"eth0":{"chassis":{"leaf1":{"id":{"type":"mac","value":"44:38:39:00:00:01"},"descr":"Cumulus Linux","capability":{"type":"Bridge","enabled":true}}},"port":{"id":{"type":"ifname","value":"swp7"}},"vlan":[{"vlan-id":"10"},{"vlan-id":"20"}]}}}}'
    expect(factFrom(netLldp, { neighbours: one }).neighbours).toEqual([
      {
        device: 'eth0',
        name: 'leaf1',
        chassis: '44:38:39:00:00:01',
        description: 'Cumulus Linux',
        port: 'swp7',
        capabilities: ['Bridge'],
        vlans: ['10', '20'],
      },
    ])
    const two =
      '{"lldp":{"interface":[{"eth0":{"chassis":{"id":{"type":"mac","value":"a"}},"port":{}}},{"eth1":{"chassis":{}}}]}}'
    expect(factFrom(netLldp, { neighbours: two }).neighbours.map(({ device, chassis }) => [device, chassis])).toEqual([
      ['eth0', 'a'],
      ['eth1', ''],
    ])
    expect(factFrom(netLldp, { neighbours: '{"lldp": {}}' }).neighbours).toEqual([])
    expect(parsed(netLldp, { neighbours: { text: '', exit: 1, error: 'unable to connect to socket' } }).ok).toBe(false)
  })

  test('modules for direct paths; a kernel without modules has none', () => {
    const fact = factFrom(rdmaGpudirect, {
      modules: 'nvidia_peermem 16384 0 - Live 0x0000000000000000 (OE)\n',
      drivers: 'nvidia\nnvidia-fs\nrtc\n',
    })
    expect(fact).toEqual({ modules: ['nvidia_peermem'], hasStorageDriver: true })
    const none = { text: '', exit: 2, error: 'grep: /proc/modules: No such file or directory\n' }
    expect(factFrom(rdmaGpudirect, { modules: none, drivers: '' }).modules).toEqual([])
    const refused = { text: '', exit: 2, error: 'grep: /proc/modules: Permission denied\n' }
    expect(parsed(rdmaGpudirect, { modules: refused, drivers: '' }).ok).toBe(false)
  })
})
