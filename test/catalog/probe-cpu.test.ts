import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CpuFeatures,
  cpuTopology,
  listOf,
  parseCpuInfo,
  parseTopology,
} from '../../main/catalog/hardware/processors/features.ts'
import { cpuMsr } from '../../main/catalog/hardware/processors/instruments.ts'
import {
  armPlatform,
  cpuHypervisorLeaf,
  cpuLeaves,
  parseArmPlatform,
  parseCpuLeaves,
  parseHypervisorLeaf,
} from '../../main/catalog/hardware/processors/leaves.ts'
import { readRegisters } from '../../main/catalog/single-tenancy/isolation/processors/cpu-hardware.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import type { Answer, Parsed, Probe } from '../../main/core/recording/probe.ts'
import { fixtureAnswers } from '../support/fixtures.ts'

const factOf = <F>(reading: Parsed<F>): F => {
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

const answer = (bytes: Uint8Array, exitCode = 0, errorText = ''): Answer => ({
  exitCode,
  text: new TextDecoder().decode(bytes),
  errorText,
  bytes,
  seconds: { node: null, collectingComputer: null },
})
const PROBES: readonly Probe<unknown>[] = [cpuHypervisorLeaf, cpuLeaves, cpuTopology, cpuMsr, armPlatform]

/** A leaf of CPUID as its device gives it. */
const leaf = (...registers: readonly number[]): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(16))
  for (const [index, register] of registers.entries()) bytes.setUint32(index * 4, register, true)
  return new Uint8Array(bytes.buffer)
}

const leaves = (count: number, own: Readonly<Record<number, Uint8Array>>, rest = leaf(0, 0, 0, 0)): Uint8Array =>
  Buffer.concat(Array.from({ length: count }, (_, index) => own[index] ?? rest))
const signed = (text: string): Uint8Array =>
  Buffer.concat([leaf(0x40000001).subarray(0, 4), Buffer.from(text.padEnd(12, '\0'))])
const INTEL = leaf(22, 0x756e6547, 0x6c65746e, 0x49656e69)

test('every command may stand in the catalog', () => {
  for (const probe of PROBES)
    for (const command of Object.values(probe.commands))
      if (command.kind === 'run')
        expect(deniedCommand(command.argv.map((word) => (typeof word === 'string' ? word : word.glob)))).toBeNull()
})

describe('parsers take any bytes', () => {
  test.each(PROBES.map((probe) => [probe.id, probe] as const))('%s', (_, probe) => {
    const known = ['demo-gpu-01', 'demo-guest-03', 'fx-iso-arm'].flatMap((node) =>
      [...fixtureAnswers(node)].filter(([key]) => key.startsWith(`${probe.id}/`)).map(([, { stdout }]) => stdout),
    )
    const damaged = fc
      .record({
        base: fc.constantFrom(...known),
        at: fc.nat(3000),
        cut: fc.nat(60),
        put: fc.uint8Array({ maxLength: 40 }),
      })
      .map(({ base, at, cut, put }) =>
        Uint8Array.from([...base.subarray(0, Math.min(at, 4000)), ...put, ...base.subarray(at + cut, at + cut + 4000)]),
      )
    const one = fc
      .tuple(fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged), fc.constantFrom(0, 0, 1, 2), fc.string())
      .map(([bytes, exit, error]) => answer(bytes, exit, error))
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (answers) => {
        const names = Object.keys(probe.commands)
        const reading = probe.parse(
          Object.fromEntries(names.map((name, index) => [name, answers[index % answers.length] as Answer])),
        )
        if (!reading.ok) expect(reading.reason).not.toBe('')
      }),
      { numRuns: 150 },
    )
  })
})

describe('cpu.hypervisor-leaf', () => {
  test('a signature behind the interface of another hypervisor is found in any position', () => {
    const own = { 0: signed('Microsoft Hv'), 256: signed('KVMKVMKVM'), 1792: signed('XenVMMXenVMM') }
    expect(factOf(parseHypervisorLeaf(INTEL, leaves(0xf01, own)))).toMatchObject({
      vendor: 'GenuineIntel',
      signatures: ['Microsoft Hv', 'KVMKVMKVM', 'XenVMMXenVMM'],
      isUniform: false,
      leaves: 0xf01,
    })
  })
  test('Cascade Lake repeats its highest basic leaf; recordings of the narrower range stay readable', () => {
    const repeated = leaf(0x9c4, 0xf3c, 0x64, 0)
    for (const count of [0xf01, 0x101])
      expect(factOf(parseHypervisorLeaf(INTEL, leaves(count, {}, repeated)))).toMatchObject({
        signatures: [],
        isUniform: true,
        baseIsZero: false,
        laterIsNot: true,
        filler: 'c40900003c0f00006400000000000000',
      })
  })
  test('an answer of another length is not read', () => {
    expect(parseHypervisorLeaf(INTEL, leaves(0xf00, {})).ok).toBe(false)
    expect(parseHypervisorLeaf(new Uint8Array(15), leaves(0xf01, {})).ok).toBe(false)
  })
  test('Hyper-V’s root partition may create partitions', () => {
    const own = { 0: signed('Microsoft Hv'), 3: leaf(0x2e7f, 1, 0, 0) }
    expect(factOf(parseHypervisorLeaf(INTEL, leaves(0xf01, own))).mayCreatePartitions).toBe(true)
  })
})

describe('cpu.leaves', () => {
  const extended = (own: Readonly<Record<number, Uint8Array>> = {}) => leaves(0x30, { 0: leaf(0x80000008), ...own })

  test('Sapphire Rapids: crystal of 25 MHz, leaf 0x20, 52 address bits', () => {
    const basic = leaves(0x40, {
      0: leaf(0x20, 0x756e6547, 0x6c65746e, 0x49656e69),
      21: leaf(2, 176, 25_000_000, 0),
      32: leaf(0, 1, 0, 0),
    })
    expect(factOf(parseCpuLeaves(basic, extended({ 8: leaf(0x3934, 0x200, 0, 0) })))).toEqual({
      vendor: 'GenuineIntel',
      highest: 0x20,
      highestAnswer: '00000000010000000000000000000000',
      clock: { denominator: 2, numerator: 176, crystal: 25_000_000 },
      trustDomain: null,
      addressBits: 52,
      addressBitsTaken: 0,
    })
  })
  test('AMD with memory encryption: five bits taken', () => {
    const own = { 0: leaf(0x80000023), 8: leaf(0x3030, 0, 0, 0), 31: leaf(0x1f, 0x14f, 0, 0) }
    const basic = leaves(0x40, { 0: leaf(16, 0x68747541, 0x444d4163, 0x69746e65) })
    expect(factOf(parseCpuLeaves(basic, leaves(0x30, own)))).toMatchObject({
      vendor: 'AuthenticAMD',
      clock: null,
      addressBits: 48,
      addressBitsTaken: 5,
    })
  })
  test('a trust domain identifies itself in leaf 0x21', () => {
    const basic = leaves(0x40, {
      0: leaf(0x21, 0x756e6547, 0x6c65746e, 0x49656e69),
      33: leaf(0, 0x65746e49, 0x20202020, 0x5844546c),
    })
    expect(factOf(parseCpuLeaves(basic, extended())).trustDomain).toBe('IntelTDX')
  })
  test('a shorter answer, or none, is not read', () => {
    expect(parseCpuLeaves(new Uint8Array(0), extended()).ok).toBe(false)
    expect(cpuLeaves.parse({ basic: answer(new Uint8Array(), 1), extended: answer(extended()) })).toMatchObject({
      ok: false,
    })
  })
})

describe('cpu.topology', () => {
  const folder = '/sys/devices/system/cpu'
  // Two Xeon Silver 4108 in the form of the command, cut to four CPUs.
  const xeon = [
    ...[0, 0, 1, 1].map((socket, cpu) => `${folder}/cpu${cpu}/topology/physical_package_id:${socket}`),
    ...['0,2', '1,3', '0,2', '1,3'].map((list, cpu) => `${folder}/cpu${cpu}/topology/thread_siblings_list:${list}`),
    `${folder}/cpu0/cache/index0/level:1`,
    `${folder}/cpu0/cache/index2/level:2`,
    `${folder}/cpu0/cache/index0/type:Data`,
    `${folder}/cpu0/cache/index2/type:Unified`,
    `${folder}/cpu0/cache/index0/size:32K`,
    `${folder}/cpu0/cache/index2/size:1024K`,
    '/sys/devices/system/node/node10/distance:21 10',
    '/sys/devices/system/node/node0/distance:10 21',
    `${folder}/online:0-3`,
    `${folder}/present:0-5`,
    `${folder}/smt/control:on`,
  ].join('\n')

  test('sockets, cores, caches, nodes', () =>
    expect(factOf(parseTopology(xeon))).toEqual({
      cpus: 4,
      packages: 2,
      cores: 2,
      firstSiblings: [0, 2],
      caches: [
        { level: 1, kind: 'Data', kib: 32 },
        { level: 2, kind: 'Unified', kib: 1024 },
      ],
      distances: [
        [10, 21],
        [21, 10],
      ],
      offline: 2,
      threads: 'on',
    }))
  test('without any CPU it is not read; without sibling lists cores stay unknown', () => {
    expect(parseTopology('').ok).toBe(false)
    expect(factOf(parseTopology(`${folder}/cpu0/topology/physical_package_id:0`))).toMatchObject({
      cpus: 1,
      cores: null,
      firstSiblings: null,
      offline: null,
    })
  })
  test('lists of CPUs', () => {
    expect(listOf('0-2,8')).toEqual([0, 1, 2, 8])
    for (const bad of ['', '3-1', 'x', '0-', undefined]) expect(listOf(bad)).toBeNull()
    expect(listOf(Array.from({ length: 9 }, () => '0-99999').join(','))?.length ?? 0).toBeLessThanOrEqual(65537)
  })
})

describe('cpu.msr', () => {
  const value = (number: bigint): Answer => {
    const bytes = new DataView(new ArrayBuffer(8))
    bytes.setBigUint64(0, number, true)
    return answer(new Uint8Array(bytes.buffer))
  }
  const refused = answer(new Uint8Array(), 1, "dd: error reading '/dev/cpu/0/msr': Input/output error\n")
  const cpu = (vendor: string, family: number, model: number): CpuFeatures =>
    factOf(
      parseCpuInfo(
        `processor\t: 0\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nflags\t\t: fpu\n`,
      ),
    )
  const parse = (...six: readonly Answer[]) =>
    cpuMsr.parse(
      Object.fromEntries(Object.keys(cpuMsr.commands).map((name, index) => [name, six[index] ?? refused])) as never,
    )
  const ICE_LAKE = cpu('GenuineIntel', 6, 106)
  const GENOA = cpu('AuthenticAMD', 25, 17)

  test('hardware of Intel: ratio 26, 100 degrees, the usual unit', () => {
    const fact = factOf(parse(value(0x80838f3811a00n), value(44n), value(0x640a00n), value(0xa0e03n)))
    expect(readRegisters(ICE_LAKE, fact)).toEqual({
      is: 'sane',
      value: 'clock ratio 26, highest temperature 100, energy unit 0xa0e03, firmware interrupts 44',
    })
  })
  test('hardware of AMD: a P-state, a unit; Intel’s registers refused', () => {
    const fact = factOf(parse(refused, refused, refused, refused, value(0x8000000049120891n), value(0xa1003n)))
    expect(readRegisters(GENOA, fact).is).toBe('sane')
    expect(readRegisters(cpu('AuthenticAMD', 21, 2), { ...fact, amdPowerUnit: 'refused' }).is).toBe('sane')
    expect(readRegisters(GENOA, { ...fact, amdPowerUnit: 'refused' }).is).toBe('mixed')
  })
  test('QEMU’s emulation answers zeros, KVM zeros and refusals (KVM gives 0xCE its bit 31 only)', () => {
    const zeros = Array.from({ length: 6 }, () => value(0n))
    for (const one of [ICE_LAKE, GENOA]) expect(readRegisters(one, factOf(parse(...zeros))).is).toBe('silent')
    const kvm = factOf(parse(value(0x80000000n), value(0n), refused, value(0n), refused, refused))
    expect(readRegisters(ICE_LAKE, kvm).is).toBe('silent')
    expect(readRegisters(GENOA, kvm).is).toBe('silent')
  })
  test('processors of before 2009 are not judged', () => {
    const fact = factOf(parse(...Array.from({ length: 6 }, () => value(0n))))
    expect(readRegisters(cpu('GenuineIntel', 6, 23), fact).is).toBe('unknown')
  })
  test('a device that is not there, may not be opened or answers short is no answer', () => {
    for (const text of ['No such file or directory', 'Operation not permitted'])
      expect(parse(answer(new Uint8Array(), 1, `dd: failed to open '/dev/cpu/0/msr': ${text}\n`)).ok).toBe(false)
    expect(parse(answer(new Uint8Array(7))).ok).toBe(false)
  })
})

describe('arm.platform', () => {
  test('Altra: the register, and no device tree', () => {
    const path = '/sys/devices/system/cpu/cpu0/regs/identification/midr_el1'
    expect(factOf(parseArmPlatform(`${path}:0x00000000413fd0c1\n`))).toEqual({
      midr: { implementer: 0x41, part: 0xd0c },
      model: null,
      compatible: [],
      hypervisor: [],
    })
    expect(parseArmPlatform(`${path}:none\n`).ok).toBe(false)
  })
  test('a guest of KVM by device tree: texts end with zero bytes', () => {
    const text =
      '/proc/device-tree/model:linux,dummy-virt\0\n/proc/device-tree/compatible:linux,dummy-virt\0\n/proc/device-tree/hypervisor/compatible:linux,kvm\0\n'
    expect(factOf(parseArmPlatform(text))).toMatchObject({
      midr: null,
      model: 'linux,dummy-virt',
      compatible: ['linux,dummy-virt'],
      hypervisor: ['linux,kvm'],
    })
  })
  test('a file that may not be read makes it incomplete', () => {
    const files = answer(new Uint8Array(), 2, 'grep: /proc/device-tree/model: Permission denied\n')
    expect(armPlatform.parse({ files }).ok).toBe(false)
  })
})

describe('cpu.features', () => {
  test('flags that every CPU shows, and the maker of arm64 cores', () => {
    const block = (flags: string) => `processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: ${flags}\n\n`
    expect(factOf(parseCpuInfo(block('cat_l3 rdt_a intel_ppin') + block('cat_l3 intel_ppin'))).marks).toEqual([
      'cat_l3',
      'intel_ppin',
    ])
    const arm = 'processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n'
    expect(factOf(parseCpuInfo(arm))).toMatchObject({ architecture: 'arm64', implementer: 0x41, part: 0xd4f })
  })
})
