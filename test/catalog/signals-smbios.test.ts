import { describe, expect, test } from 'vitest'
import { type DmiIdentity, dmiEntries } from '../../main/catalog/hardware/machine/dmi.ts'
import { claimsServer } from '../../main/catalog/single-tenancy/isolation/signal.ts'
import { smbiosSignals } from '../../main/catalog/single-tenancy/isolation/signals/smbios.ts'
import { known } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import type { Structure } from '../support/dmidecode.ts'
import { ARM, cpuinfo, identity, NO_IDENTITY, NO_TABLE, ROOTLESS, table } from '../support/firmware-facts.ts'
import { type Fact, observing, weights } from '../support/signal-facts.ts'

const observe = observing(smbiosSignals)
const GUEST_CPU = cpuinfo(2, 'fpu hypervisor')

describe('dmi.strings', () => {
  const of = (fields: Partial<DmiIdentity>, ...facts: readonly Fact[]) =>
    observe('dmi.strings', identity(fields), ...facts)

  test('hypervisors by their product words', () => {
    const names: readonly (readonly [Partial<DmiIdentity>, string])[] = [
      [{ sysVendor: 'QEMU', productName: 'Standard PC (Q35 + ICH9, 2009)', biosVendor: 'SeaBIOS' }, 'QEMU'],
      [{ sysVendor: 'Red Hat', productName: 'KVM' }, 'KVM'],
      [{ sysVendor: 'Bochs', productName: 'Bochs', biosVendor: 'Bochs' }, 'QEMU'],
      [{ sysVendor: 'VMware, Inc.', productName: 'VMware20,1' }, 'VMware'],
      [{ sysVendor: 'Microsoft Corporation', productName: 'Virtual Machine' }, 'Microsoft Hyper-V'],
      [{ sysVendor: 'Xen', productName: 'HVM domU', biosVendor: 'Xen' }, 'Xen'],
      [{ sysVendor: 'Amazon EC2', productName: 'c5.large' }, 'Amazon EC2'],
      [{ sysVendor: 'QEMU', chassisAssetTag: 'OracleCloud.com' }, 'Oracle Cloud'],
      [{ sysVendor: 'Hetzner', productName: 'vServer' }, 'KVM'],
      [{ sysVendor: 'Tencent Cloud', productName: 'CVM' }, 'KVM'],
      [{ sysVendor: 'Supermicro', productVersion: 'pc-q35-7.2' }, 'QEMU'],
      [{ sysVendor: 'Dell Inc.', biosVersion: 'rel-1.16.3-0-ga6ed6b701f0a-prebuilt.qemu.org' }, 'QEMU'],
    ]
    for (const [fields, platform] of names) expect(weights(of(fields))).toContain(`names ${platform}`)
  })

  test('makers of hypervisors who build servers, and clouds’ bare metal', () => {
    const real: readonly Partial<DmiIdentity>[] = [
      { sysVendor: 'Oracle Corporation', productName: 'SUN SERVER X4-2', chassisAssetTag: 'OracleCloud.com' },
      { sysVendor: 'Nutanix', productName: 'NX-3060-G5' },
      { sysVendor: 'Amazon EC2', productName: 'i3.metal' },
      { sysVendor: 'Amazon EC2', productName: 'c7g.metal' },
      { sysVendor: 'Microsoft Corporation', productName: 'Surface Pro 7' },
      { sysVendor: 'Joyent', productName: 'Joyent-S10G5' },
      { sysVendor: 'Supermicro', chassisAssetTag: 'OracleCloud.com' },
    ]
    for (const fields of real) expect([fields, of(fields).indicates]).toEqual([fields, 'bare-metal'])
  })

  test('a cloud that sells both is left open, unless the processor reports a guest', () => {
    const google = { sysVendor: 'Google', productName: 'Google Compute Engine', biosVendor: 'Google' }
    expect(of(google, cpuinfo(2)).indicates).toBe('neutral')
    expect(weights(of(google, GUEST_CPU))).toEqual(['names Google Compute Engine'])
    expect(of({ sysVendor: 'Alibaba Cloud', productName: 'Alibaba Cloud ECS' }).indicates).toBe('neutral')
  })

  test('names that a changed identity leaves in the table', () => {
    const left = table([4, 'Manufacturer: QEMU', 'Version: pc-q35-7.2'], [17, 'Size: 1 GB', 'Manufacturer: QEMU'])
    expect(weights(of({ sysVendor: 'Supermicro', productName: 'SYS-420GP-TNAR' }, left))).toEqual([
      'odd QEMU',
      'odd QEMU',
    ])
  })

  test('placeholders, no table, and no answer', () => {
    expect(of({ sysVendor: 'To Be Filled By O.E.M.', productName: 'Default string' }).indicates).toBe('neutral')
    expect(weights(of({ present: false }, cpuinfo(1)))).toEqual(['hint null'])
    expect(of({ present: false }, ARM).indicates).toBe('not-applicable')
    expect(observe('dmi.strings').indicates).toBe('unreadable')
  })
})

describe('dmi.vmbit', () => {
  test('set, clear, unread', () => {
    expect(weights(observe('dmi.vmbit', table([0, 'Characteristics:', '\tSystem is a virtual machine'])))).toEqual([
      'odd null',
    ])
    expect(observe('dmi.vmbit', table([0, 'Vendor: SeaBIOS'])).indicates).toBe('bare-metal')
    expect(observe('dmi.vmbit', ROOTLESS).indicates).toBe('unreadable')
  })
})

describe('dmi.rich and dmi.dimm', () => {
  // QEMU 7.2, Q35: what its firmware describes beside types 0, 1 and 3.
  const QEMU = table(
    [4, 'Manufacturer: QEMU', 'Version: pc-q35-7.2', 'Status: Populated, Enabled', 'Core Count: 2', 'Thread Count: 2'],
    [16, 'Number Of Devices: 1'],
    [
      17,
      'Size: 1536 MB',
      'Type: RAM',
      'Speed: Unknown',
      'Manufacturer: QEMU',
      'Part Number: Not Specified',
      'Rank: Unknown',
    ],
    [19, 'Range Size: 1536 MB'],
  )
  const module = ['Size: 16 GB', 'Type: DDR4', 'Speed: 2133 MT/s', 'Part Number: 752369-081', 'Rank: 2'] as const
  const SERVER = table(
    [7, 'Configuration: Enabled, Level 1', 'Installed Size: 640 kB'],
    [9, 'Type: x8 PCI Express 3', 'Bus Address: 0000:05:00.0'],
    [17, ...module],
    [38, 'Interface Type: KCS'],
  )
  // VMware describes hundreds of caches, slots, connectors and modules, and no data of any module.
  const VMWARE = table(
    [7, 'Configuration: Enabled, Level 1', 'Installed Size: 16 kB'],
    [8, 'Port Type: Serial Port'],
    [9, 'Type: 32-bit PCI', 'Current Usage: In Use', 'Bus Address: 0000:00:0f.0'],
    [10, 'Type: Video'],
    [17, 'Size: 4 GB', 'Type: DRAM', 'Speed: Unknown', 'Part Number: Not Specified', 'Rank: Unknown'],
  )

  test('a guest, a server, and VMware between them', () => {
    expect(weights(observe('dmi.rich', QEMU))).toEqual(['odd null'])
    expect(observe('dmi.rich', SERVER).indicates).toBe('bare-metal')
    expect(observe('dmi.rich', VMWARE).indicates).toBe('neutral')
    expect(weights(observe('dmi.dimm', QEMU))).toEqual(['hint null'])
    expect(weights(observe('dmi.dimm', VMWARE))).toEqual(['hint null'])
    expect(observe('dmi.dimm', SERVER).indicates).toBe('bare-metal')
  })

  test('without rights, by the number of structures', () => {
    const entries = (...types: readonly number[]): Fact => [
      dmiEntries,
      known({ counts: types.length === 0 ? null : new Map(types.map((type) => [type, 1])), tableBytes: 900 }),
    ]
    const of = (...types: readonly number[]) => observe('dmi.rich', ROOTLESS, entries(...types))
    expect(of(0, 1, 3, 4, 7, 8, 9, 16, 17, 38, 41).indicates).toBe('bare-metal')
    expect(of(0, 1, 4, 7, 8, 9, 10, 16, 17, 126, 127).indicates).toBe('neutral')
    expect(weights(of(0, 1, 3, 4, 16, 17, 19, 32, 127))).toEqual(['odd null'])
    expect(of().indicates).toBe('unreadable')
  })

  test('caches that are off or without a size are none; a machine without a table has none to compare', () => {
    const google = table([7, 'Configuration: Disabled, Level 1', 'Installed Size: 256 kB'], [7, 'Installed Size: 0 kB'])
    expect(weights(observe('dmi.rich', google))).toEqual(['odd null'])
    for (const id of ['dmi.rich', 'dmi.dimm', 'dmi.vmbit', 'dmi.memsum', 'dmi.cores', 'dmi.slots'])
      expect([id, observe(id, NO_TABLE).indicates]).toEqual([id, 'not-applicable'])
  })

  test('modules with one serial number for all', () => {
    const of = (...serials: readonly string[]) =>
      observe('dmi.dimm', table(...serials.map((serial): Structure => [17, ...module, `Serial Number: ${serial}`])))
    expect(weights(of('3A5F0B21', '3A5F0B21', '3A5F0B21', '3A5F0B21'))).toEqual(['hint null'])
    expect(of('3A5F0B21', '3A5F0B22', '3A5F0B23', '3A5F0B24').indicates).toBe('bare-metal')
  })
})

describe('what is a server by its words', () => {
  const claims = (fields: Partial<DmiIdentity>) => claimsServer({ ...NO_IDENTITY, ...fields })
  test('makers and cases of servers, not laptops and desk machines of the same makers', () => {
    expect(claims({ sysVendor: 'Supermicro', productName: 'SYS-420GP-TNAR' })).toBe(true)
    expect(claims({ sysVendor: 'To be filled by O.E.M.', chassisType: '23' })).toBe(true)
    expect(claims({ sysVendor: 'Dell Inc.', productName: 'PowerEdge T640', chassisType: '7' })).toBe(true)
    expect(claims({ sysVendor: 'Dell Inc.', productName: 'OptiPlex 9020', chassisType: '6' })).toBe(false)
    expect(claims({ sysVendor: 'LENOVO', productName: '3254AM4', chassisType: '10' })).toBe(false)
    expect(claims({ sysVendor: 'Supermicro', present: false })).toBe(false)
    expect(claims({ sysVendor: 'Acme' })).toBe(false)
  })
})

test('every signal states what an auditor needs, in allowed words', () => {
  for (const { id, title, onMetal, onGuest, source, pitfalls, probes } of smbiosSignals) {
    const words = [title, onMetal, onGuest, source, ...pitfalls].join(' ')
    expect([
      id,
      probes.length > 0,
      pitfalls.length > 0,
      [title, onMetal, onGuest, source].every((text) => text.length > 3),
    ]).toEqual([id, true, true, true])
    expect([id, BANNED.some((word) => word.test(words))]).toEqual([id, false])
  }
})
