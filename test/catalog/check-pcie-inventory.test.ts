import { describe, expect, test } from 'vitest'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import type { Parsed } from '../../main/core/recording/probe.ts'
import { answer } from '../support/answers.ts'
import { over, stepText } from '../support/concluded.ts'

interface Function {
  readonly address: string
  /** Folders between /sys/devices and the device. */
  readonly path: string
  readonly id: string
  /** As in uevent: without leading zeros. */
  readonly class?: string
  readonly subsystem?: string
  /** What sriov_numvfs holds; left out where the function has no such file. */
  readonly made?: number
}

/** The bus as the three commands print it. */
const bus = (...functions: readonly Function[]): Parsed<unknown> => {
  const of = (line: (one: Function, folder: string) => string): string =>
    functions.map((one) => line(one, `/sys/bus/pci/devices/${one.address}`)).join('')
  const ids = of(
    ({ id, class: kind = '20000', subsystem = '0000:0000' }, folder) =>
      `${folder}/uevent:PCI_CLASS=${kind}\n${folder}/uevent:PCI_ID=${id}\n${folder}/uevent:PCI_SUBSYS_ID=${subsystem}\n`,
  )
  const tree = of(
    ({ address, path }) => `lrwxrwxrwx 1 root root 0 Nov 21 06:59 ${address} -> ../../../devices/${path}/${address}\n`,
  )
  const links = of(({ made }, folder) => (made === undefined ? '' : `${folder}/sriov_numvfs:${made}\n`))
  return pciDevices.parse({
    ids: answer(`${ids}/proc/sys/kernel/ostype:Linux\n`),
    tree: answer(`/sys/bus/pci/devices:\ntotal 0\n${tree}`),
    links: answer(`${links}/proc/sys/kernel/ostype:Linux\n`),
  })
}

const concluded = (...functions: readonly Function[]) => over('tenancy.pcie-inventory', [pciDevices, bus(...functions)])

const PORT = 'pci0000:15/0000:15:01.0'
const adapter = (address: string, made: number, path = PORT): Function => ({ address, path, id: '15B3:101D', made })
const part = (address: string, path = PORT): Function => ({ address, path, id: '15B3:101E' })
const DRIVE: Function = {
  address: '0000:c1:00.0',
  path: 'pci0000:c0/0000:c0:01.1',
  id: '144D:A80A',
  class: '10802',
  made: 0,
}

describe('virtual functions on the PCI bus', () => {
  // drivers/pci/iov.c, pci_iov_add_virtfn: the physical function's parent is the virtual one's, also where it is on a bus of its own.
  test('those that this system made of an adapter in view are its own', () => {
    const own = concluded(adapter('0000:16:00.0', 3), part('0000:16:00.2'), part('0000:16:00.3'), part('0000:17:00.1'))
    expect([own.verdict, stepText(own)]).toEqual(['satisfied', expect.stringContaining('Virtual functions (3)')])
    expect(stepText(own)).toContain('1 GPU, adapter or drive controller, all physical functions')
  })
  test.each<[string, readonly Function[]]>([
    ['alone', [part('0000:02:00.0')]],
    ['beside an adapter that has made none', [adapter('0000:16:00.0', 0), part('0000:16:00.2')]],
    ['more than the adapter has made', [adapter('0000:16:00.0', 1), part('0000:16:00.2'), part('0000:16:00.3')]],
    ['below another port', [adapter('0000:16:00.0', 1), part('0000:27:00.2', 'pci0000:26/0000:26:01.0')]],
    ['of another manufacturer', [adapter('0000:16:00.0', 1), { address: '0000:16:00.2', path: PORT, id: '8086:1889' }]],
  ])('%s they are of another system', (_, functions) => {
    const { verdict, observations } = concluded(DRIVE, ...functions)
    expect([verdict, observations.map(({ text }) => text).join()]).toEqual([
      'not-satisfied',
      expect.stringContaining('Virtual functions ('),
    ])
  })
  // pci.ids: ConnectX-3, X550, I350, BlueField, BCM57500 and SFC9220 Virtual Function. In a guest only the id states it.
  // Linux, bnxt.c (BCM57600 and those that Hyper-V assigns), ixgbevf/defs.h (E610), bnx2x and qede: more of them.
  test.each([
    ...['15B3:1004', '8086:1565', '8086:1520', '15B3:A2D3', '14E4:1806', '1924:1A03'],
    ...['14E4:1819', '14E4:181B', '14E4:16C4', '14E4:D800', '8086:57AD', '14E4:16AD', '1077:8090'],
  ])('%s', (id) =>
    expect(concluded(DRIVE, { address: '0000:00:05.0', path: 'pci0000:00', id }).verdict).toBe('not-satisfied'),
  )
  // lspci: “Non-Volatile memory controller [0108]: Mellanox Technologies NVMe SNAP Controller [15b3:6001]”.
  test('a drive controller that a BlueField emulates', () => {
    const snap: Function = { address: '0000:41:00.0', path: 'pci0000:40/0000:40:01.1', id: '15B3:6001', class: '10802' }
    const { verdict, observations } = concluded(DRIVE, snap)
    expect([verdict, observations.map(({ text }) => text).join()]).toEqual([
      'not-satisfied',
      expect.stringContaining('data-processing unit (1): “0000:41:00.0 15b3:6001”'),
    ])
  })
  test('none', () => expect(concluded(DRIVE, adapter('0000:16:00.0', 0)).verdict).toBe('satisfied'))
})

describe('devices that emulators copy from real ones', () => {
  const root = (address: string, id: string, kind: string, subsystem?: string): Function => ({
    address,
    path: 'pci0000:00',
    id,
    class: kind,
    ...(subsystem === undefined ? {} : { subsystem }),
  })
  // QEMU include/hw/pci/pci.h: the default subsystem of whatever it emulates; Xen and VMware write their own.
  test.each<[string, readonly Function[]]>([
    [
      'QEMU q35 with SATA and e1000e',
      [
        root('0000:00:1f.2', '8086:2922', '10601', '1AF4:1100'),
        root('0000:00:02.0', '8086:10D3', '20000', '1AF4:1100'),
      ],
    ],
    ['Xen HVM', [root('0000:00:01.1', '8086:7010', '10180', '5853:0001')]],
    ['VMware with e1000 and LSI', [root('0000:02:01.0', '8086:100F', '20000', '15AD:0750')]],
    // Hyper-V of generation 1, as Azure has it: its disk controller is Intel's of 1997, and its display names it.
    ['Hyper-V, the drives alone', [root('0000:00:07.1', '8086:7111', '10180')]],
    ['a display that only an emulator has', [DRIVE, root('0000:00:08.0', '1414:5353', '30000')]],
    ['QEMU’s display beside a drive that was handed on', [DRIVE, root('0000:00:01.0', '1234:1111', '30000')]],
  ])('%s', (_, functions) => {
    const result = concluded(...functions)
    expect(result.verdict).toBe('not-satisfied')
    expect(stepText(result)).toContain('Emulated devices')
  })

  test('the display of a management controller is none of them', () => {
    expect(concluded(DRIVE, root('0000:04:00.0', '1A03:2000', '30000', '15D9:1B95')).verdict).toBe('satisfied')
  })
})
