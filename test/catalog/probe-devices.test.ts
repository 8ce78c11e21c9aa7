import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import { netLinks, netNeighbours } from '../../main/catalog/data-protection/network/links.ts'
import { netLldp } from '../../main/catalog/data-protection/network/lldp.ts'
import { diskFunction, inventoryDisks } from '../../main/catalog/hardware/drives/inventory.ts'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { rdmaGpudirect } from '../../main/catalog/hardware/fabric/rdma.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import type { Answer, Probe } from '../../main/core/recording/probe.ts'
import { absent } from '../support/answers.ts'
import { factFrom, parsed } from '../support/device-facts.ts'
import { fixtureAnswers } from '../support/fixtures.ts'

const PROBES: readonly Probe<unknown>[] = [
  inventoryDisks,
  storageRemote,
  netInterfaces,
  netLinks,
  netNeighbours,
  netLldp,
  infiniband,
  rdmaGpudirect,
]
const link = (name: string, target: string): string =>
  `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${name} -> ../devices/${target}\n`
describe('parsers take any bytes', () => {
  test.each(PROBES.map((probe) => [probe.id, probe] as const))('%s', (id, probe) => {
    const known = [...fixtureAnswers('demo-gpu-01'), ...fixtureAnswers('demo-guest-03')]
      .filter(([key]) => key.startsWith(`${id}/`))
      .map(([, { stdout }]) => stdout.subarray(0, 4000))
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .record({
          base: fc.constantFrom(...known),
          at: fc.nat(4000),
          cut: fc.nat(300),
          put: fc.uint8Array({ maxLength: 40 }),
        })
        .map(({ base, at, cut, put }) =>
          Uint8Array.from([...base.subarray(0, at), ...put, ...base.subarray(at + cut)]),
        ),
      fc.json().map((text) => new TextEncoder().encode(text)),
    )
    const answer = fc.tuple(bytes, fc.constantFrom(0, 0, 1, 2), fc.string({ maxLength: 40 })).map(
      ([one, exitCode, errorText]): Answer => ({
        exitCode,
        text: new TextDecoder().decode(one),
        errorText,
        bytes: one,
        seconds: { node: null, collectingComputer: null },
      }),
    )
    fc.assert(
      fc.property(fc.array(answer, { minLength: 3, maxLength: 3 }), (answers) => {
        const names = Object.keys(probe.commands)
        const reading = probe.parse(Object.fromEntries(names.map((name, at) => [name, answers[at] as Answer])))
        if (!reading.ok) expect(reading.reason).not.toBe('')
      }),
      { numRuns: 200 },
    )
  })
})

test('every command is one that reads, and those for root hold no pattern', () => {
  for (const { commands } of PROBES)
    for (const command of Object.values(commands)) {
      if (command.kind !== 'run') continue
      const argv = command.argv.map((word) => (typeof word === 'string' ? word : word.glob))
      expect(deniedCommand(argv), argv.join(' ')).toBeNull()
      if (command.as === 'root') expect(command.argv.every((word) => typeof word === 'string')).toBe(true)
    }
})

describe('drives', () => {
  test('serial number page of a SATA drive: four bytes of head, also where one is a line end', () => {
    const path = '/sys/block/sda/device/'
    const list = link('sda', 'pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda')
    const page = (head: string, serial: string): string => `${path}vpd_pg80:${head}${serial}\n`
    const twenty = factFrom(inventoryDisks, { list, values: page('\0\x80\0\x14', 'DEMO0DISK00004      ') })
    expect(twenty.disks[0]?.serial).toBe('DEMO0DISK00004')
    // Ten characters: the length byte is a line feed, and grep begins a line of its own.
    const ten = factFrom(inventoryDisks, { list, values: `${path}vpd_pg80:\0\x80\0\n${path}vpd_pg80:ABCDEFGHIJ\n` })
    expect(ten.disks[0]?.serial).toBe('ABCDEFGHIJ')
  })

  test('NVMe with native multipath: the subsystem names its own controllers', () => {
    const values = [
      '/sys/class/nvme/nvme4/transport:pcie',
      '/sys/class/nvme/nvme4/address:0000:71:00.0',
      '/sys/class/nvme/nvme4/subsysnqn:nqn.1994-11.com.samsung:nvme:PM1733:2.5-inch:S1',
      '/sys/class/nvme/nvme4/model:SAMSUNG MZWLJ3T8HBLS-00007',
      '/sys/class/nvme/nvme4/hwmon6/temp1_input:33850',
      '/sys/class/nvme/nvme0/transport:tcp',
      '/sys/class/nvme/nvme0/address:traddr=198.51.100.7,trsvcid=4420,src_addr=198.51.100.8',
      '/sys/class/nvme/nvme0/subsysnqn:nqn.2014-08.org.example:far',
      '/sys/block/nvme0n1/device/subsysnqn:nqn.1994-11.com.samsung:nvme:PM1733:2.5-inch:S1',
    ]
    const { disks } = factFrom(inventoryDisks, {
      list: link('nvme0n1', 'virtual/nvme-subsystem/nvme-subsys0/nvme0n1'),
      values: `${values.join('\n')}\n`,
    })
    expect(disks[0]).toMatchObject({ transport: 'pcie', address: '0000:71:00.0', celsius: 33.85 })
    expect(disks[0] === undefined ? null : diskFunction(disks[0])).toBe('0000:71:00.0')
  })

  test('the function of a drive behind Intel’s volume management has a domain of five digits', () => {
    const { disks } = factFrom(inventoryDisks, {
      list: link('nvme1n1', 'pci0000:c9/0000:c9:00.5/pci10002:00/10002:00:01.0/10002:01:00.0/nvme/nvme1/nvme1n1'),
      values: '',
    })
    expect(disks[0] === undefined ? null : diskFunction(disks[0])).toBe('10002:01:00.0')
  })
})

describe('drives over a network', () => {
  const PATHS = [
    '/sys/class/iscsi_session',
    '/sys/class/fc_host',
    '/sys/class/srp_remote_ports',
    '/sys/bus/rbd/devices',
  ] as const

  test('an iSCSI session, a Ceph image, a served and a free network block device', () => {
    const fact = factFrom(storageRemote, {
      lists: { text: `${PATHS[0]}:\nsession3\n\n${PATHS[3]}:\n0\n`, exit: 2, error: absent(PATHS[1], PATHS[2]) },
      values: [
        '/sys/class/iscsi_session/session3/targetname:iqn.2003-01.org.linux-iscsi.store:scratch',
        '/sys/class/iscsi_connection/connection3:0/persistent_address:198.51.100.20',
        '/sys/bus/rbd/devices/0/pool:tenant',
        '/sys/bus/rbd/devices/0/name:home',
        '/sys/block/nbd0/pid:812',
        '/sys/block/drbd0/size:0',
        '',
      ].join('\n'),
    })
    expect(fact).toEqual({
      iscsi: [{ session: 'session3', target: 'iqn.2003-01.org.linux-iscsi.store:scratch', portal: '198.51.100.20' }],
      fibreChannel: [],
      srp: [],
      rbd: [{ id: '0', pool: 'tenant', image: 'home' }],
      nbd: ['nbd0'],
      drbd: [],
      nvme: [],
    })
  })

  test('no transport there is an answer; a refused list is none', () => {
    expect(parsed(storageRemote, { lists: { text: '', exit: 2, error: absent(...PATHS) }, values: '' }).ok).toBe(true)
    const refused = { text: '', exit: 2, error: `ls: cannot open directory '${PATHS[0]}': Permission denied\n` }
    expect(parsed(storageRemote, { lists: refused, values: '' }).ok).toBe(false)
  })
})
