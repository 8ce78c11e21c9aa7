import { describe, expect, test } from 'vitest'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { fabricSignals } from '../../main/catalog/single-tenancy/isolation/signals/fabric.ts'
import { observedText, type Reading, reading, weighed } from '../support/device-facts.ts'
import { observed, readOf } from '../support/signal-facts.ts'

const find = (id: string, ...readings: readonly Reading[]) => observed(fabricSignals, id, readOf(...readings))
const weights = (id: string, ...readings: readonly Reading[]): readonly string[] => weighed(find(id, ...readings))

const IB = '/sys/class/infiniband/mlx5_'
function hcas(number: number, id: string | null, files: Readonly<Record<string, string>> = {}): Reading {
  const one = (at: number): string => {
    const lines = {
      board_id: 'MT_0000000838',
      ...(id === null
        ? {}
        : { 'device/uevent': [`DRIVER=mlx5_core`, `PCI_ID=${id}`, `PCI_SLOT_NAME=0000:${19 + at}:00.0`] }),
      'ports/1/link_layer': 'InfiniBand',
      'ports/1/state': '4: ACTIVE',
      ...files,
    }
    return Object.entries(lines)
      .flatMap(([file, value]) => [value].flat().map((line) => `${IB}${at}/${file}:${line}\n`))
      .join('')
  }
  const all = Array.from({ length: number }, (_, at) => at)
  return reading(infiniband, {
    adapters: `/sys/class/infiniband:\n${all.map((at) => `mlx5_${at}\n`).join('')}`,
    values: all.map(one).join(''),
  })
}

const NO_FABRIC = reading(infiniband, {
  adapters: { text: '', exit: 2, error: "ls: cannot access '/sys/class/infiniband': No such file or directory\n" },
  values: { text: '', exit: 2 },
})

describe('ib.pf', () => {
  test('whole, a function without its whole, one beside it, and one whose function is not known', () => {
    expect(weights('ib.pf', hcas(2, '15B3:1021', { 'device/sriov_totalvfs': '16' }))).toEqual(['bare-metal'])
    expect(weights('ib.pf', hcas(1, '15B3:101E'))).toEqual(['virtual', 'odd null'])
    expect(weights('ib.pf', hcas(1, '15B3:101E', { 'device/physfn/uevent': 'PCI_SLOT_NAME=0000:18:00.0' }))).toEqual([
      'neutral',
    ])
    expect(weights('ib.pf', hcas(1, null))).toEqual(['neutral'])
    expect(weights('ib.pf', NO_FABRIC)).toEqual(['not-applicable'])
    expect(weights('ib.pf')).toEqual(['unreadable'])
  })
})

describe('ib.pkey', () => {
  test('a partition of its own, the default one in full, and a fabric manager on the node', () => {
    const own = find('ib.pkey', hcas(1, '15B3:1021', { 'ports/1/pkeys/0': '0x8042', 'ports/1/pkeys/1': '0x7fff' }))
    expect(weighed(own)).toEqual(['neutral'])
    expect(observedText(own)).toContain('0x8042 (full member)')
    expect(observedText(find('ib.pkey', hcas(1, '15B3:1021', { 'ports/1/pkeys/0': '0xffff' })))).toContain(
      'is a full member of the default',
    )
    expect(
      observedText(find('ib.pkey', hcas(1, '15B3:1021', { 'ports/1/lid': '0x1', 'ports/1/sm_lid': '0x1' }))),
    ).toContain('runs on this node')
    expect(weights('ib.pkey', NO_FABRIC)).toEqual(['not-applicable'])
    expect(weights('ib.pkey')).toEqual(['unreadable'])
  })
})

describe('ib.scale', () => {
  const gpus = (number: number): Reading => {
    const all = Array.from({ length: number }, (_, at) => `0000:${20 + at}:00.0`)
    return reading(pciDevices, {
      ids: all
        .map(
          (at) =>
            `/sys/bus/pci/devices/${at}/uevent:PCI_ID=10DE:2330\n/sys/bus/pci/devices/${at}/uevent:PCI_CLASS=30200\n`,
        )
        .join(''),
      tree: all
        .map((at) => `lrwxrwxrwx 1 root root 0 Nov 20 09:12 ${at} -> ../../../devices/pci0000:15/${at}\n`)
        .join(''),
      links: '',
    })
  }
  test('eight of each, one beside eight, virtual ones, and none', () => {
    expect(weights('ib.scale', hcas(8, '15B3:1021'), gpus(8))).toEqual(['bare-metal'])
    expect(weights('ib.scale', hcas(1, '15B3:1021'), gpus(8))).toEqual(['neutral'])
    expect(weights('ib.scale', hcas(8, '15B3:101E'), gpus(8))).toEqual(['neutral'])
    expect(weights('ib.scale', NO_FABRIC, gpus(8))).toEqual(['not-applicable'])
    expect(weights('ib.scale', hcas(8, '15B3:1021'))).toEqual(['unreadable'])
  })
})
