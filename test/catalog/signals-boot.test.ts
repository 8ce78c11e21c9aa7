import { describe, expect, test } from 'vitest'
import { bootMemory } from '../../main/catalog/hardware/machine/acpi.ts'
import { bootSignals } from '../../main/catalog/single-tenancy/isolation/signals/boot.ts'
import { kernelMessages, virtBuses } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { ARM, cpuinfo, identity } from '../support/firmware-facts.ts'
import { type Fact, observing, weights } from '../support/signal-facts.ts'

const observe = observing(bootSignals)
const START = 'Linux version 6.1.0-41-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n'
const log = (...messages: readonly string[]): Fact => [
  kernelMessages,
  kernelMessages.parse({
    messages: {
      exitCode: 0,
      text: messages.join('\n'),
      errorText: '',
      bytes: new Uint8Array(),
      seconds: { node: null, collectingComputer: null },
    },
  }),
]
const X86 = cpuinfo(1)

describe('efi.vendor', () => {
  const of = (vendor: string, ...facts: readonly Fact[]) =>
    observe('efi.vendor', log(START, `efi: EFI v2.70 by ${vendor}`), ...facts)
  const AMI = identity({
    sysVendor: 'Supermicro',
    productName: 'SYS-420GP-TNAR',
    biosVendor: 'American Megatrends Inc.',
  })

  test('firmware houses of hardware', () => {
    for (const vendor of [
      'American Megatrends',
      'Dell Inc.',
      'HPE',
      'Lenovo',
      'INSYDE Corp.',
      'Phoenix Technologies Ltd.',
    ])
      expect([vendor, of(vendor, X86, AMI).indicates]).toEqual([vendor, 'bare-metal'])
  })

  test('builds for virtual machines', () => {
    expect(weights(of('Proxmox distribution of EDK II', X86))).toEqual(['impossible QEMU'])
    expect(weights(of('Ubuntu distribution of EDK II', ARM))).toEqual(['impossible QEMU'])
    expect(weights(of('VMware, Inc.', X86))).toEqual(['impossible VMware'])
  })

  test('EDK II: odd under a maker’s name, a hint else, usual on ARM', () => {
    expect(weights(of('EDK II', X86, AMI))).toEqual(['odd null'])
    // A reference server of Intel's, whose firmware calls itself so.
    const reference = identity({
      sysVendor: 'Intel Corporation',
      productName: 'CooperCity',
      biosVendor: 'Intel Corporation',
    })
    expect(weights(of('EDK II', X86, reference))).toEqual(['hint null'])
    expect(weights(of('EDK II', X86))).toEqual(['hint null'])
    expect(of('EDK II', ARM, AMI).indicates).toBe('neutral')
    expect(of('Acme Firmware', X86, AMI).indicates).toBe('neutral')
  })

  test('not UEFI, lost, unread', () => {
    expect(observe('efi.vendor', log(START)).indicates).toBe('not-applicable')
    expect(observe('efi.vendor', log('tsc: Marking TSC unstable')).indicates).toBe('unreadable')
    expect(observe('efi.vendor').indicates).toBe('unreadable')
  })
})

describe('hv.dmesg', () => {
  test('a guest names its hypervisor', () => {
    const kvm = observe('hv.dmesg', log(START, 'Hypervisor detected: KVM', 'Booting paravirtualized kernel on KVM'))
    expect(weights(kvm)).toEqual(['names KVM', 'names KVM'])
    expect(
      weights(observe('hv.dmesg', log('smccc: KVM: hypervisor services detected (0x00000000 0x00000001)'))),
    ).toEqual(['names KVM'])
    expect(weights(observe('hv.dmesg', log(START, 'Hypervisor detected: VMware')))).toEqual(['names VMware'])
    expect(weights(observe('hv.dmesg', log(START, 'Hypervisor detected: Jailhouse')))).toEqual(['names null'])
  })

  test('bare hardware counts only with the first message; a kernel may print nothing', () => {
    expect(observe('hv.dmesg', log(START, 'Booting paravirtualized kernel on bare hardware')).indicates).toBe(
      'bare-metal',
    )
    expect(observe('hv.dmesg', log('Booting paravirtualized kernel on bare hardware')).indicates).toBe('unreadable')
    expect(observe('hv.dmesg', log(START)).indicates).toBe('neutral')
    expect(observe('hv.dmesg').indicates).toBe('unreadable')
  })
})

describe('efi.legacy and boot.mem', () => {
  const boot = (isUefi: boolean, ranges: number | null = 30, hasAcpiStorage = true): Fact => [
    bootMemory,
    known({ isUefi, map: ranges === null ? null : { ranges, memoryBytes: 2 ** 34, hasAcpiStorage } }),
  ]

  test('UEFI, and a new server without it', () => {
    const server = (biosDate: string): Fact =>
      identity({ sysVendor: 'Dell Inc.', productName: 'PowerEdge R760', chassisType: '23', biosDate })
    expect(observe('efi.legacy', boot(true), X86).indicates).toBe('bare-metal')
    expect(weights(observe('efi.legacy', boot(false), X86, server('03/02/2023')))).toEqual(['hint null'])
    expect(observe('efi.legacy', boot(false), X86, server('03/02/2012')).indicates).toBe('neutral')
    expect(observe('efi.legacy', boot(false), ARM, server('03/02/2023')).indicates).toBe('neutral')
    expect(observe('efi.legacy').indicates).toBe('unreadable')
  })

  test('plain and rich maps', () => {
    expect(observe('boot.mem', boot(true, 41), X86).indicates).toBe('bare-metal')
    expect(weights(observe('boot.mem', boot(false, 8, false), X86))).toEqual(['hint null'])
    expect(observe('boot.mem', boot(true, 15), X86).indicates).toBe('neutral')
    expect(observe('boot.mem', boot(false, 8, false), cpuinfo(1, 'fpu', 4, 15)).indicates).toBe('neutral')
    expect(observe('boot.mem', boot(true, null), ARM).indicates).toBe('not-applicable')
    expect(observe('boot.mem').indicates).toBe('unreadable')
  })
})

describe('fw.qemu', () => {
  const buses = (qemuFirmwareConfig: boolean): Fact => [virtBuses, known({ qemuFirmwareConfig })]
  test('there, not there, unread', () => {
    expect(weights(observe('fw.qemu', buses(true), X86))).toEqual(['impossible QEMU'])
    expect(observe('fw.qemu', buses(false), X86).indicates).toBe('bare-metal')
    expect(observe('fw.qemu').indicates).toBe('unreadable')
  })
})

test('every signal states what an auditor needs, in allowed words', () => {
  for (const { id, title, onMetal, onGuest, source, pitfalls, probes } of bootSignals) {
    expect([id, probes.length > 0, pitfalls.length > 0]).toEqual([id, true, true])
    expect([id, BANNED.some((word) => word.test([title, onMetal, onGuest, source, ...pitfalls].join(' ')))]).toEqual([
      id,
      false,
    ])
  }
})
