import { describe, expect, test } from 'vitest'
import { busSignals, isControlDomain, isPartition } from '../../main/catalog/single-tenancy/isolation/signals/boot.ts'
import {
  type HypervisorInterrupts,
  type VirtualBuses,
  virtBuses,
  virtInterrupts,
} from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known } from '../../main/core/recording/probe.ts'
import { readFrom } from '../../main/core/recording/readings.ts'
import { BANNED } from '../../schemas/words.ts'
import { readOfFixture } from '../support/device-facts.ts'
import { ARM, cpuinfo } from '../support/firmware-facts.ts'
import { pci } from '../support/pci-facts.ts'
import { type Fact, observing, weighing, weights } from '../support/signal-facts.ts'

const observe = observing(busSignals)
const weightsFor = weighing(busSignals)
const NONE: VirtualBuses = {
  vmbus: 0,
  xen: 0,
  virtio: 0,
  qemuFirmwareConfig: false,
  hypervisorType: null,
  isControlDomain: false,
  deviceTreeHypervisor: null,
  controlProgram: null,
  isPartition: false,
}

const buses = (more: Partial<VirtualBuses>): Fact => [virtBuses, known({ ...NONE, ...more })]
const calls = (more: Partial<HypervisorInterrupts> = {}): Fact => [
  virtInterrupts,
  known({ callbacks: 0, hyperV: 0, ...more }),
]
const X86 = cpuinfo(1, 'fpu', 0x55)

describe('virt.bus', () => {
  test('nothing on the buses and no call', () => {
    expect(observe('virt.bus', buses({}), calls()).indicates).toBe('bare-metal')
    expect(observe('virt.bus', buses({})).indicates).toBe('unreadable')
    expect(observe('virt.bus', calls()).indicates).toBe('unreadable')
  })

  test('buses and calls name their hypervisor', () => {
    expect(weightsFor('virt.bus', buses({ vmbus: 12 }), calls())).toEqual(['names Microsoft Hyper-V'])
    expect(weightsFor('virt.bus', buses({ xen: 3 }))).toEqual(['names Xen'])
    expect(weightsFor('virt.bus', buses({}), calls({ callbacks: 117 }))).toEqual(['names null'])
    expect(weightsFor('virt.bus', buses({}), calls({ callbacks: 5, hyperV: 9 }))).toEqual(['names Microsoft Hyper-V'])
  })

  test('virtio on PCI functions, beside them, and on arm64', () => {
    const two = pci('0000:00:01.0 1af4:1041 0200', '0000:00:02.0 1af4:1042 0180')
    expect(weightsFor('virt.bus', buses({ virtio: 2 }), calls(), X86, two)).toEqual(['hint null'])
    expect(weightsFor('virt.bus', buses({ virtio: 3 }), calls(), X86, two)).toEqual(['odd null'])
    expect(weightsFor('virt.bus', buses({ virtio: 3 }), calls(), X86)).toEqual(['hint null'])
    expect(weightsFor('virt.bus', buses({ virtio: 3 }), calls(), ARM, pci())).toEqual(['hint null'])
  })
})

describe('hv.dirs', () => {
  test('each file names the hypervisor that it shows', () => {
    expect(weightsFor('hv.dirs', buses({ hypervisorType: 'xen' }))).toEqual(['names Xen'])
    expect(weightsFor('hv.dirs', buses({ deviceTreeHypervisor: 'linux,kvm' }))).toEqual(['names KVM'])
    expect(weightsFor('hv.dirs', buses({ deviceTreeHypervisor: 'xen,xen-4.17 xen,xen' }))).toEqual(['names Xen'])
    expect(weightsFor('hv.dirs', buses({ controlProgram: 'z/VM    7.3.0' }))).toEqual(['names z/VM'])
    expect(weightsFor('hv.dirs', buses({ controlProgram: 'KVM/Linux' }))).toEqual(['names KVM'])
    expect(weightsFor('hv.dirs', buses({ qemuFirmwareConfig: true }))).toEqual(['impossible QEMU'])
  })

  test('none of them, and not read', () => {
    expect(observe('hv.dirs', buses({})).indicates).toBe('bare-metal')
    expect(observe('hv.dirs').indicates).toBe('unreadable')
  })
})

test('control domain and partition, by what the node reports', () => {
  const read = (...facts: readonly Fact[]) => readFrom(new Map(facts.map(([{ id }, reading]) => [id, reading])))
  expect(isControlDomain(read(buses({ isControlDomain: true })))).toBe(true)
  expect(isPartition(read(buses({ isPartition: true })))).toBe(true)
  for (const ask of [isControlDomain, isPartition]) expect([ask(read()), ask(read(buses({})))]).toEqual([false, false])
  expect(isControlDomain(readOfFixture('fx-iso-xen-dom0'))).toBe(true)
})

test('the demo nodes', () => {
  const look = (node: string) => busSignals.map(({ observe: one }) => one(readOfFixture(node)))
  expect(look('demo-gpu-01').map(({ indicates }) => indicates)).toEqual(['bare-metal', 'bare-metal'])
  expect(look('demo-guest-03').flatMap(weights)).toContain('names null')
})

test('the words are fit to print', () => {
  for (const { title, onMetal, onGuest, pitfalls, source, family } of busSignals) {
    const text = [title, onMetal, onGuest, source, ...pitfalls].join(' ')
    expect([family, BANNED.filter((word) => word.test(text))]).toEqual(['pci', []])
  }
})
