import { describe, expect, test } from 'vitest'
import { bootMemory } from '../../main/catalog/hardware/machine/acpi.ts'
import { inventoryMemory, memorySpd } from '../../main/catalog/hardware/machine/memory.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { smbiosSumSignals } from '../../main/catalog/single-tenancy/isolation/signals/smbios-sums.ts'
import { virtBuses } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known } from '../../main/core/recording/probe.ts'
import { ARM, cpuinfo, ROOTLESS, table } from '../support/firmware-facts.ts'
import { type Fact, observing, weights } from '../support/signal-facts.ts'

const observe = observing(smbiosSumSignals)

describe('dmi.memsum', () => {
  const GIB = 1024 * 1024
  const used = (gib: number): Fact => [inventoryMemory, known({ totalKib: gib * GIB })]
  const map = (gib: number | null): Fact => [
    bootMemory,
    known({
      isUefi: true,
      map: gib === null ? null : { ranges: 30, memoryBytes: gib * GIB * 1024, hasAcpiStorage: true },
    }),
  ]
  const modules = (number: number, gib: number, ...more: readonly string[]): Fact =>
    table(...[...Array(number)].map(() => [17, `Size: ${gib} GB`, 'Type: DDR4', ...more] as [number, ...string[]]))
  const of = (...facts: readonly Fact[]) => observe('dmi.memsum', ...facts)

  test('sums that fit, on a server and on a guest that had them written for it', () => {
    expect(of(modules(16, 64), used(1007), map(1022)).indicates).toBe('bare-metal')
    expect(of(modules(1, 8), used(7.7)).indicates).toBe('bare-metal')
  })

  test('another machine’s modules: impossible where the firmware’s map confirms it', () => {
    expect(weights(of(modules(32, 64), used(1.9), map(2)))).toEqual(['impossible null'])
    expect(weights(of(modules(32, 64), used(1.9)))).toEqual(['odd null'])
    expect(weights(of(modules(32, 64), used(1.9), map(null)))).toEqual(['odd null'])
  })

  test('a limit on the command line shows in the map', () =>
    expect(weights(of(modules(32, 64), used(62), map(2046)))).toEqual(['odd null']))

  test('mirroring leaves a half or a third: to be explained, not impossible', () => {
    for (const left of [504, 336, 760])
      expect(weights(of(modules(16, 64), used(left), map(left + 5)))).toEqual(['odd null'])
  })

  test('what breaks the sum is left out', () => {
    expect(of(modules(12, 16, 'Memory Technology: Intel Optane DC persistent memory'), used(1500)).indicates).toBe(
      'neutral',
    )
    const flash = table([17, 'Size: 8 GB', 'Type: DDR3'], [17, 'Size: 8 GB', 'Type: Flash'])
    expect(of(flash, used(7.7)).indicates).toBe('bare-metal')
    expect(weights(of(modules(1, 8), used(96), cpuinfo(1)))).toEqual(['hint null'])
    expect(of(modules(1, 480), used(576), ARM).indicates).toBe('bare-metal')
    expect(of(modules(1, 240), used(480), ARM).indicates).toBe('neutral')
    const dom0: Fact = [virtBuses, known({ isControlDomain: true })]
    expect(of(modules(16, 64), used(4), map(4), dom0).indicates).toBe('neutral')
  })

  test('unread', () => {
    expect(of(ROOTLESS, used(8)).indicates).toBe('unreadable')
    expect(of(modules(1, 8)).indicates).toBe('unreadable')
  })
})

describe('dmi.cores', () => {
  const socket = (cores: number, threads: number | null, ...more: readonly string[]): [number, ...string[]] => [
    4,
    'Type: Central Processor',
    'Status: Populated, Enabled',
    `Core Count: ${cores}`,
    `Core Enabled: ${cores}`,
    ...(threads === null ? [] : [`Thread Count: ${threads}`]),
    ...more,
  ]
  const of = (...facts: readonly Fact[]) => observe('dmi.cores', ...facts)

  test('threads, or cores with threads off, fit', () => {
    const two = table(socket(16, 32), socket(16, 32))
    expect(of(two, cpuinfo(64)).indicates).toBe('bare-metal')
    expect(of(two, cpuinfo(32)).indicates).toBe('bare-metal')
    expect(of(table(socket(64, null)), cpuinfo(128)).indicates).toBe('bare-metal')
  })

  test('some off is open, too few or too many is odd', () => {
    const two = table(socket(32, 64), socket(32, 64))
    expect(of(two, cpuinfo(100)).indicates).toBe('neutral')
    expect(weights(of(two, cpuinfo(2)))).toEqual(['odd null'])
    expect(weights(of(table(socket(2, 4)), cpuinfo(16)))).toEqual(['odd null'])
    expect(of(table([4, 'Status: Populated, Enabled']), cpuinfo(16)).indicates).toBe('neutral')
  })

  test('another processor than the one in use', () => {
    const haswell = table(socket(8, 16, 'ID: F2 06 03 00 FF FB EB BF'))
    expect(weights(of(haswell, cpuinfo(16, 'fpu', 106)))).toEqual(['odd null'])
    expect(of(haswell, cpuinfo(16, 'fpu', 63)).indicates).toBe('bare-metal')
    const rome = table(socket(8, 16, 'ID: 10 0F 83 00 FF FB 8B 17'))
    expect(of(rome, cpuinfo(16, 'fpu', 49, 23, 'AuthenticAMD')).indicates).toBe('bare-metal')
  })

  test('unread', () => {
    expect(of(ROOTLESS, cpuinfo(1)).indicates).toBe('unreadable')
    expect(of(table(socket(1, 1))).indicates).toBe('unreadable')
  })
})

describe('dmi.slots and dmi.spd', () => {
  const pci = (...addresses: readonly string[]): Fact => [
    pciDevices,
    known({ devices: addresses.map((address) => ({ address, above: [] })) }),
  ]
  const slots = (...addresses: readonly string[]): Fact =>
    table(
      ...addresses.map(
        (at) => [9, 'Type: x16 PCI Express', 'Current Usage: In Use', `Bus Address: ${at}`] as [number, ...string[]],
      ),
    )
  const of = (...facts: readonly Fact[]) => observe('dmi.slots', ...facts)

  test('where devices are, where none is, and where the board writes other digits', () => {
    expect(of(slots('0000:17:00.0', '0000:65:00.0'), pci('0000:17:00.0', '0000:65:00.1')).indicates).toBe('bare-metal')
    expect(weights(of(slots('0000:17:00.0', '0000:65:00.0', '0000:b3:00.0'), pci('0000:00:01.0')))).toEqual([
      'hint null',
    ])
    expect(of(slots('0060:03:00.1', '0040:01:00.1', '0020:03:00.1'), pci('0000:00:01.0')).indicates).toBe('neutral')
    expect(of(table([9, 'Type: 16-bit ISA']), pci('0000:00:01.0')).indicates).toBe('neutral')
    expect(of(ROOTLESS, pci()).indicates).toBe('unreadable')
    expect(of(slots('0000:17:00.0')).indicates).toBe('unreadable')
  })

  test('chips', () => {
    const spd = (chips: readonly string[] | null): Fact => [memorySpd, known({ chips })]
    expect(observe('dmi.spd', spd(['0-0050', '0-0051'])).indicates).toBe('bare-metal')
    expect(observe('dmi.spd', spd([])).indicates).toBe('neutral')
    expect(observe('dmi.spd', spd(null)).indicates).toBe('not-applicable')
    expect(observe('dmi.spd').indicates).toBe('unreadable')
  })
})
