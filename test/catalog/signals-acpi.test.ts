import { describe, expect, test } from 'vitest'
import { type AcpiHeaders, acpiHeaders, acpiOverview } from '../../main/catalog/hardware/machine/acpi.ts'
import { acpiSignals } from '../../main/catalog/single-tenancy/isolation/signals/acpi.ts'
import { known } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { ARM, cpuinfo, identity } from '../support/firmware-facts.ts'
import { type Fact, observing, weights } from '../support/signal-facts.ts'

const observe = observing(acpiSignals)

const tables = (list: string, more: { profile?: number | null; devices?: readonly string[] } = {}): Fact => [
  acpiOverview,
  known({
    present: list !== '',
    tables: list
      .split(' ')
      .filter((entry) => entry !== '')
      .map((entry) => ({ name: entry.split(':')[0] ?? '', size: Number(entry.split(':')[1] ?? 100) })),
    profile: more.profile ?? null,
    devices: more.devices ?? [],
  }),
]
const heads = (more: Partial<AcpiHeaders>): Fact => [
  acpiHeaders,
  known({ tables: [], hypervisorId: null, hasHypervisorField: false, marks: [], ...more }),
]
const made = (...makers: readonly (readonly [string, string])[]): Fact =>
  heads({
    tables: makers.map(([oemId, creatorId], at) => ({
      name: ['FACP', 'DSDT', 'APIC', 'HPET'][at % 4] ?? '',
      oemId,
      oemTableId: 'X',
      creatorId,
    })),
  })

// QEMU 7.2 Q35, and a two-socket server of Ice Lake's time.
const QEMU = 'APIC:144 DSDT:8521 FACP:244 FACS:64 HPET:56 MCFG:60 WAET:40'
const SERVER =
  'APIC DMAR DSDT:247000 EINJ ERST FACP:276 FACS FIDT FPDT HEST HMAT HPET MCFG MSCT OEM4 PCCT SLIT SPCR SPMI SRAT SSDT1 SSDT2 TPM2 WSMT'
const SUPERMICRO = identity({ sysVendor: 'Supermicro', productName: 'SYS-420GP-TNAR' })
const ICE_LAKE = cpuinfo(1)
const EPYC = cpuinfo(1, 'fpu', 1, 25, 'AuthenticAMD')

describe('acpi.set', () => {
  test('a server, a small board, a guest', () => {
    expect(observe('acpi.set', tables(SERVER), ICE_LAKE).indicates).toBe('bare-metal')
    expect(
      observe('acpi.set', tables('APIC DSDT:41000 FACP FACS HPET MCFG SSDT1 SSDT2 SSDT3 LPIT TPM2'), ICE_LAKE)
        .indicates,
    ).toBe('neutral')
    expect(weights(observe('acpi.set', tables(QEMU), ICE_LAKE))).toEqual(['impossible null', 'odd null'])
    expect(weights(observe('acpi.set', tables(QEMU), ICE_LAKE, SUPERMICRO))).toEqual(['impossible null', 'odd null'])
  })

  test('tables of the other maker’s DMA protection', () => {
    expect(weights(observe('acpi.set', tables(SERVER), EPYC))).toEqual(['impossible null'])
    expect(weights(observe('acpi.set', tables(SERVER.replace('DMAR', 'IVRS')), ICE_LAKE))).toEqual(['impossible null'])
    expect(observe('acpi.set', tables(SERVER.replace('DMAR', 'IVRS')), EPYC).indicates).toBe('bare-metal')
    expect(observe('acpi.set', tables(SERVER)).indicates).toBe('bare-metal')
  })

  test('none at all: odd on a current x86 processor, nothing to ask on ARM; unread', () => {
    expect(weights(observe('acpi.set', tables(''), ICE_LAKE))).toEqual(['odd null'])
    expect(observe('acpi.set', tables(''), ARM).indicates).toBe('not-applicable')
    expect(observe('acpi.set', tables(''), cpuinfo(1, 'fpu', 4, 15)).indicates).toBe('not-applicable')
    expect(observe('acpi.set').indicates).toBe('unreadable')
  })
})

describe('acpi.dsdt', () => {
  const of = (list: string, ...facts: readonly Fact[]) => observe('acpi.dsdt', tables(list), ...facts)

  test('size and marks', () => {
    expect(of(SERVER, ICE_LAKE, heads({})).indicates).toBe('bare-metal')
    expect(weights(of(QEMU, ICE_LAKE, heads({ marks: ['QEMU0002', 'FWCF'] })))).toEqual(['impossible QEMU', 'odd null'])
    expect(weights(of('DSDT:3923', EPYC, heads({ marks: ['FIRECK'] })))).toEqual(['impossible Firecracker', 'odd null'])
    expect(weights(of('DSDT:41000', ICE_LAKE, heads({ marks: ['VGID'] })))).toEqual(['odd null'])
  })

  test('without rights a long table is open; a short one is short all the same; old machines had short ones', () => {
    expect(of(SERVER, ICE_LAKE).indicates).toBe('neutral')
    expect(weights(of(QEMU, ICE_LAKE))).toEqual(['odd null'])
    expect(of('DSDT:8000', cpuinfo(1, 'fpu', 4, 15), heads({})).indicates).toBe('neutral')
    expect(of('DSDT:8000', ARM, heads({})).indicates).toBe('neutral')
    expect(of('FACP').indicates).toBe('not-applicable')
    expect(observe('acpi.dsdt').indicates).toBe('unreadable')
  })
})

describe('acpi.oem', () => {
  const of = (...makers: readonly (readonly [string, string])[]) => weights(observe('acpi.oem', made(...makers)))

  test('hypervisors, also where only the creator is left', () => {
    expect(of(['BOCHS', 'BXPC'])).toEqual(['impossible QEMU'])
    expect(of(['SUPERM', 'BXPC'], ['SUPERM', 'BXPC'])).toEqual(['impossible QEMU'])
    expect(of(['VRTUAL', 'MSFT'])).toEqual(['impossible Microsoft Hyper-V'])
    expect(of(['FIRECK', 'FCAT'])).toEqual(['impossible Firecracker'])
    expect(of(['PTLTD', 'MSFT'], ['VMWARE', 'VMW'])).toEqual(['impossible VMware'])
    expect(of(['Google', 'GOOG'])).toEqual(['odd Google Compute Engine'])
    expect(of(['AMAZON', 'AMZN'])).toEqual(['odd Amazon EC2'])
  })

  test('makers of real machines, Phoenix and compilers among them', () => {
    const real: readonly (readonly [string, string])[] = [
      ['ALASKA', 'AMI'],
      ['DELL', 'INTL'],
      ['PTLTD', 'PTL'],
      ['INTEL', 'MSFT'],
      ['ALASKA', 'MSFT'],
    ]
    for (const maker of real)
      expect([maker, observe('acpi.oem', made(maker, maker, maker)).indicates]).toEqual([maker, 'bare-metal'])
  })

  test('Amazon’s bare metal is left open; one table is too few; unread', () => {
    const sized = identity({ sysVendor: 'Amazon EC2', productName: 'c5.metal' })
    const amazon = ['AMAZON', 'AMZN'] as const
    expect(observe('acpi.oem', made(amazon, amazon, amazon), sized).indicates).toBe('neutral')
    expect(observe('acpi.oem', made(['DELL', 'DELL'])).indicates).toBe('neutral')
    expect(observe('acpi.oem').indicates).toBe('unreadable')
  })
})

describe('acpi.hvid, acpi.profile, acpi.hid', () => {
  test('the field of the fixed table', () => {
    const of = (more: Partial<AcpiHeaders>) => observe('acpi.hvid', heads(more))
    expect(weights(of({ hypervisorId: 'FIRECKVM', hasHypervisorField: true }))).toEqual(['names Firecracker'])
    expect(weights(of({ hypervisorId: 'MsHyperV', hasHypervisorField: true }))).toEqual(['names Microsoft Hyper-V'])
    expect(weights(of({ hypervisorId: 'something', hasHypervisorField: true }))).toEqual(['odd null'])
    expect(of({ hasHypervisorField: true }).indicates).toBe('bare-metal')
    expect(of({}).indicates).toBe('neutral')
    expect(observe('acpi.hvid').indicates).toBe('unreadable')
  })

  test('the profile', () => {
    const of = (profile: number | null, ...facts: readonly Fact[]) =>
      observe('acpi.profile', tables(SERVER, { profile }), ...facts)
    expect(of(4, SUPERMICRO).indicates).toBe('bare-metal')
    expect(weights(of(0, SUPERMICRO))).toEqual(['odd null'])
    // What the machine calls itself switches nothing off.
    expect(weights(of(0))).toEqual(['odd null'])
    expect(of(200).indicates).toBe('neutral')
    expect(of(null).indicates).toBe('unreadable')
    expect(observe('acpi.profile', tables('')).indicates).toBe('not-applicable')
    expect(observe('acpi.profile').indicates).toBe('unreadable')
  })

  test('devices', () => {
    const of = (...devices: readonly string[]) => observe('acpi.hid', tables(SERVER, { devices }))
    expect(weights(of('PNP0A08', 'QEMU0002'))).toEqual(['impossible QEMU'])
    expect(weights(of('VMBUS', 'MSFT1000'))).toEqual(['impossible Microsoft Hyper-V', 'impossible Microsoft Hyper-V'])
    expect(weights(of('LNRO0005'))).toEqual(['impossible null'])
    expect(of('PNP0A08', 'ACPI000D', 'IPI0001', 'MSFT0101').indicates).toBe('bare-metal')
    expect(of('PNP0A08', 'PNP0C33', 'MSFT0101', 'IPI0001', 'LNRO0003').indicates).toBe('neutral')
    expect(of().indicates).toBe('not-applicable')
    expect(observe('acpi.hid').indicates).toBe('unreadable')
  })
})

test('every signal states what an auditor needs, in allowed words', () => {
  for (const { id, title, onMetal, onGuest, source, pitfalls, probes } of acpiSignals) {
    expect([id, probes.length > 0, pitfalls.length > 0]).toEqual([id, true, true])
    expect([id, BANNED.some((word) => word.test([title, onMetal, onGuest, source, ...pitfalls].join(' ')))]).toEqual([
      id,
      false,
    ])
  }
})
