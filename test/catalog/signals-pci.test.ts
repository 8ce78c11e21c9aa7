import { describe, expect, test } from 'vitest'
import { osIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { pciIommu } from '../../main/catalog/hardware/pci/iommu.ts'
import { pciDevices, pciPorts, usbDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { type CpuPlatform, cpuPlatform } from '../../main/catalog/hardware/processors/features.ts'
import { cpuSensors } from '../../main/catalog/hardware/processors/instruments.ts'
import {
  realPorts,
  rootFitsProcessor,
  uncoreFunctions,
} from '../../main/catalog/single-tenancy/isolation/pci-hardware.ts'
import { pciSignals } from '../../main/catalog/single-tenancy/isolation/signals/pci.ts'
import { known } from '../../main/core/recording/probe.ts'
import { readFrom } from '../../main/core/recording/readings.ts'
import { BANNED } from '../../schemas/words.ts'
import { readOfFixture } from '../support/device-facts.ts'
import { ARM, cpuinfo } from '../support/firmware-facts.ts'
import { pci, pciFunction, port, ports } from '../support/pci-facts.ts'
import { type Fact, indicating, weighing, weights } from '../support/signal-facts.ts'

const reads = indicating(pciSignals)
const says = weighing(pciSignals)

const intel = (model: number): Fact => cpuinfo(2, 'fpu', model)
const [SAPPHIRE, ICE_LAKE, SKYLAKE, WESTMERE, KABY_LAKE] = [0x8f, 0x6a, 0x55, 0x2c, 0x9e].map(intel) as [
  Fact,
  Fact,
  Fact,
  Fact,
  Fact,
]
const EPYC = cpuinfo(2, 'fpu', 17, 25, 'AuthenticAMD')
const K8 = cpuinfo(2, 'fpu', 65, 15, 'AuthenticAMD')
const X86_64: Fact = [osIdentity, known({ name: 'Debian', kernel: 'Linux 6.1.0', machine: 'x86_64' })]

const Q35 = ['0000:00:00.0 8086:29c0 0600', '0000:00:1f.0 8086:2918 0601', '0000:00:1f.2 8086:2922 0106']
const PIIX = ['0000:00:00.0 8086:1237 0600', '0000:00:01.0 8086:7000 0601', '0000:00:01.3 8086:7113 0680']
const FIRECRACKER = ['0000:00:00.0 8086:0d57 0600', '0000:00:01.0 1af4:1045 ffff', '0000:00:02.0 1af4:1042 0180']
const EPYC_TREE = ['0000:00:00.0 1022:1480 0600', ...[0, 1, 2, 3, 4].map((at) => `0000:00:18.${at} 1022:165${at} 0600`)]

test('the ids are those of the catalogue, each once', () => {
  expect(pciSignals.map(({ id }) => id)).toEqual([
    ...['pci.vendors', 'pci.subsystem', 'pci.hostbridge', 'pci.uncore', 'pci.count', 'pci.link', 'pci.phy'],
    ...['pci.switch', 'pci.domain', 'pci.iommu', 'pci.edac', 'pci.usb'],
  ])
  expect(pciSignals.every(({ family }) => family === 'pci')).toBe(true)
})

test('what was not read is unreadable, whatever else is known', () => {
  for (const { id } of pciSignals) expect(reads(id, SKYLAKE), id).toBe('unreadable')
  const failed: Fact = [pciDevices, { ok: false, reason: 'the PCI bus could not be listed' }]
  expect(reads('pci.vendors', failed)).toBe('unreadable')
})

describe('pci.vendors', () => {
  test('ids that only hypervisors present name them', () => {
    expect(says('pci.vendors', pci('0000:00:03.0 1b36:000d 0c03', '0000:00:02.0 1234:1111 0300'))).toEqual([
      'names QEMU',
    ])
    expect(says('pci.vendors', pci('0000:00:0f.0 15ad:0405 0300'))).toEqual(['names VMware'])
    expect(says('pci.vendors', pci('0000:00:08.0 1414:5353 0300'))).toEqual(['names Microsoft Hyper-V'])
  })

  test('what hardware behind a data-processing unit shows too decides nothing', () => {
    for (const id of ['1af4:1041', '1d0f:efa1', '1ded:1001', '1ae0:0042', '1414:00ba'])
      expect(says('pci.vendors', pci(...EPYC_TREE, `0000:01:00.0 ${id} 0200`)), id).toEqual(['odd null'])
    expect(reads('pci.vendors', pci('0000:01:00.0 1234:abcd 0880'))).toBe('bare-metal')
  })

  test('makers of chips', () => expect(reads('pci.vendors', pci(...EPYC_TREE))).toBe('bare-metal'))
  test('a machine without the bus', () => expect(reads('pci.vendors', pci())).toBe('not-applicable'))
})

describe('pci.subsystem', () => {
  const named = (subsystemVendor: string, subsystemDevice: string, id = '8086:2918') =>
    pci(pciFunction(`0000:00:1f.0 ${id} 0601`, { subsystemVendor, subsystemDevice }))
  test('QEMU’s on a copied chip, never on its own virtio devices', () => {
    expect(says('pci.subsystem', named('1af4', '1100'))).toEqual(['impossible QEMU'])
    expect(reads('pci.subsystem', named('1af4', '1100', '1af4:1041'))).toBe('bare-metal')
    expect(reads('pci.subsystem', named('15d9', '1c55'))).toBe('bare-metal')
    expect(reads('pci.subsystem', named('0000', '0000'))).toBe('neutral')
  })
})

describe('pci.hostbridge', () => {
  test('chipsets of before 2009 behind current processors', () => {
    expect(says('pci.hostbridge', pci(...Q35), SKYLAKE)).toEqual(['impossible null', 'impossible null'])
    expect(says('pci.hostbridge', pci(...PIIX), EPYC)).toContain('impossible null')
    // QEMU's own default processor is of no generation; that it runs in 64 bits is enough.
    const qemu64 = cpuinfo(1, 'fpu lm', 6)
    expect(says('pci.hostbridge', pci(...PIIX), qemu64, X86_64)).toContain('impossible null')
    expect(reads('pci.hostbridge', pci(...PIIX), qemu64)).toBe('neutral')
  })

  test('old hardware with the very chipsets that are copied', () => {
    const core2 = intel(0x17)
    expect(reads('pci.hostbridge', pci(...Q35), core2, X86_64)).not.toBe('virtual')
    expect(reads('pci.hostbridge', pci('0000:00:00.0 8086:3406 0600', '0000:00:03.0 8086:3420 0604'), WESTMERE)).toBe(
      'bare-metal',
    )
    expect(reads('pci.hostbridge', pci('0000:00:00.0 8086:3405 0600', '0000:00:1f.0 8086:2918 0601'), WESTMERE)).toBe(
      'bare-metal',
    )
  })

  test('a port of 2008 behind an Ice Lake', () => {
    expect(says('pci.hostbridge', pci('0000:00:00.0 8086:09a2 0880', '0000:00:01.0 8086:3420 0604'), ICE_LAKE)).toEqual(
      ['impossible null'],
    )
  })

  test('bridges that no hardware has', () => {
    expect(says('pci.hostbridge', pci(...FIRECRACKER), EPYC)).toEqual(['impossible null'])
    expect(says('pci.hostbridge', pci('0000:00:00.0 1b36:0008 0600'), ARM)).toEqual(['impossible QEMU'])
    expect(says('pci.hostbridge', pci('0000:00:00.0 106b:1a05 0600'), ARM)).toEqual(['impossible Apple Virtualization'])
    expect(says('pci.hostbridge', pci('0000:00:00.0 1275:1275 0600'), SKYLAKE)).toEqual(['impossible bhyve'])
  })

  test('one maker’s processor behind the other’s bridge', () => {
    expect(says('pci.hostbridge', pci('0000:00:00.0 8086:09a2 0600'), EPYC)).toEqual(['impossible null'])
    expect(says('pci.hostbridge', pci('0000:00:00.0 1022:1480 0600'), SKYLAKE)).toEqual(['impossible null'])
  })

  test('another generation needs an explanation, another maker’s chipset none', () => {
    expect(says('pci.hostbridge', pci('0000:00:00.0 8086:2020 0600'), SAPPHIRE)).toEqual(['odd null'])
    expect(reads('pci.hostbridge', pci('0000:00:00.0 10de:0a82 0600'), intel(0x17))).toBe('neutral')
    expect(reads('pci.hostbridge', pci('0000:00:00.0 1002:5a10 0600'), cpuinfo(1, 'fpu', 1, 21, 'AuthenticAMD'))).toBe(
      'bare-metal',
    )
  })

  test('the processor’s own', () => {
    const milan = cpuinfo(2, 'fpu', 1, 25, 'AuthenticAMD')
    expect(reads('pci.hostbridge', pci(...EPYC_TREE), milan)).toBe('bare-metal')
    // The bridge of Milan, and a processor of the generation after it.
    expect(reads('pci.hostbridge', pci(...EPYC_TREE), EPYC)).toBe('neutral')
    expect(reads('pci.hostbridge', pci('0000:00:00.0 8086:09a2 0880'), SAPPHIRE)).toBe('bare-metal')
    // On no record: neither the processor nor the bridge makes the other fit.
    expect(reads('pci.hostbridge', pci('0000:00:00.0 8086:3ec2 0600'), KABY_LAKE)).toBe('neutral')
    expect(reads('pci.hostbridge', pci('0000:00:00.0 1022:1480 0600'))).toBe('unreadable')
  })
})

describe('pci.uncore', () => {
  const mesh = [0, 1, 2, 3].map((at) => `0000:fe:0${at}.0 8086:324c 0880`)
  test('there, missing where hardware always shows it, missing where it may be hidden', () => {
    expect(reads('pci.uncore', pci(...EPYC_TREE), EPYC)).toBe('bare-metal')
    expect(reads('pci.uncore', pci(...mesh), SAPPHIRE)).toBe('bare-metal')
    expect(reads('pci.uncore', pci(...mesh.slice(2)), SAPPHIRE)).toBe('neutral')
    expect(says('pci.uncore', pci(...Q35), SKYLAKE)).toEqual(['odd null'])
    expect(says('pci.uncore', pci('0000:00:00.0 1022:1480 0600'), EPYC)).toEqual(['odd null'])
    expect(says('pci.uncore', pci('0000:00:00.0 8086:6f00 0600'), intel(0x4f))).toEqual(['hint null'])
  })

  test('processors that have none to show', () => {
    expect(reads('pci.uncore', pci('0000:00:00.0 8086:3ec2 0600'), KABY_LAKE)).toBe('not-applicable')
    expect(reads('pci.uncore', pci('0000:00:00.0 1def:e100 0604'), ARM)).toBe('not-applicable')
  })

  test('Intel’s ports are not counted as the inside', () => {
    const [head, port] = ['0000:00:00.0 8086:2020 0600', '0000:17:00.0 8086:2030 0604']
    expect(says('pci.uncore', pci(head, port), SKYLAKE)).toEqual(['odd null'])
    expect(reads('pci.uncore', pci(port), SKYLAKE)).toBe('neutral')
  })
})

describe('pci.count', () => {
  const many = [...Array(40).keys()].map(
    (at) => `0000:0${at % 2}:${(at % 32).toString(16).padStart(2, '0')}.0 8086:2020 0880`,
  )
  test('few, some, many on several root buses, none at all', () => {
    expect(says('pci.count', pci(...FIRECRACKER), EPYC)).toEqual(['hint null'])
    expect(reads('pci.count', pci(...many))).toBe('neutral')
    expect(reads('pci.count', pci(...many, ...many))).toBe('bare-metal')
    expect(says('pci.count', pci(), SKYLAKE)).toEqual(['odd null'])
    expect(reads('pci.count', pci(), ARM)).toBe('not-applicable')
  })
})

describe('pci.link', () => {
  const at = (maxLinkSpeed: number, maxLinkWidth: number | null = 16, id = '8086:352a') =>
    pciFunction(`0000:00:01.0 ${id} 0604`, { maxLinkSpeed, maxLinkWidth })
  test('lanes that were never built, and nothing but slow ports behind a server processor', () => {
    expect(says('pci.link', pci(at(16, 32)), SKYLAKE)).toEqual(['odd null'])
    expect(says('pci.link', pci(at(2.5, 1)), ICE_LAKE)).toEqual(['odd null'])
    expect(reads('pci.link', pci(at(2.5, 1)), KABY_LAKE)).toBe('neutral')
    expect(says('pci.link', pci(at(16, 32)), ARM)).toEqual(['hint null'])
  })

  test('a fast GPU under a slow port is a hint', () => {
    const gpu = pciFunction('0000:01:00.0 10de:20b2 0302', {
      maxLinkSpeed: 16,
      above: ['0000:00:01.0'],
      root: '0000:00',
    })
    expect(says('pci.link', pci(at(2.5, 1), gpu), KABY_LAKE)).toEqual(['hint null'])
  })

  test('real ports', () => {
    expect(reads('pci.link', pci(at(32)), SAPPHIRE)).toBe('bare-metal')
    expect(reads('pci.link', pci(at(8, null)), KABY_LAKE)).toBe('bare-metal')
    expect(reads('pci.link', pci(...EPYC_TREE), EPYC)).toBe('neutral')
  })
})

describe('pci.phy', () => {
  test('fast ports without the registers that their speed requires', () => {
    expect(says('pci.phy', ports(port({})), SKYLAKE)).toEqual(['odd null'])
    expect(says('pci.phy', ports(port({})), ARM)).toEqual(['hint null'])
  })

  test('one port with them is enough; slow ports and hidden registers show nothing', () => {
    expect(reads('pci.phy', ports(port({}), port({ equalizes: true })), SKYLAKE)).toBe('bare-metal')
    expect(reads('pci.phy', ports(port({ speed: 5 })), SKYLAKE)).toBe('neutral')
    expect(reads('pci.phy', ports(port({ isExtended: false })), SKYLAKE)).toBe('neutral')
    expect(reads('pci.phy', ports(), SKYLAKE)).toBe('neutral')
    expect(reads('pci.phy', [pciPorts, { ok: false, reason: 'not collected: tool absent (lspci)' }])).toBe('unreadable')
  })
})

describe('pci.switch', () => {
  const gpu = (address: string, above: readonly string[], root: string, kind = '0302') =>
    pciFunction(`${address} 10de:2330 ${kind}`, { above, root })
  test('a GPU on the root bus, a model of a port, a switch', () => {
    expect(says('pci.switch', pci(gpu('0000:00:1e.0', [], '0000:00')), SKYLAKE)).toEqual(['impossible null'])
    expect(says('pci.switch', pci(gpu('0009:01:00.0', [], '0009:01')), ARM)).toEqual(['hint null'])
    const behind = ['0000:15:01.0', '0000:16:00.0', '0000:17:00.0']
    const tree = pci('0000:17:00.0 1000:c030 0604', gpu('0000:18:00.0', behind, '0000:15'))
    expect(reads('pci.switch', tree, SAPPHIRE)).toBe('bare-metal')
    const card = pci('0000:80:05.0 8086:352c 0604', gpu('0000:81:00.0', ['0000:80:05.0'], '0000:80'))
    expect(reads('pci.switch', card, SAPPHIRE)).toBe('neutral')
  })

  test('graphics of an old chipset on the root bus, and no GPU at all', () => {
    expect(reads('pci.switch', pci(gpu('0000:00:0d.0', [], '0000:00', '0300')), K8)).toBe('neutral')
    expect(reads('pci.switch', pci(...EPYC_TREE), EPYC)).toBe('not-applicable')
  })
})

describe('pci.domain', () => {
  test('devices alone in domains of their own', () => {
    expect(says('pci.domain', pci('c941:00:02.0 15b3:101a 0200'), SKYLAKE)).toEqual(['odd null'])
    expect(reads('pci.domain', pci('c941:00:02.0 15b3:101a 0200'), ARM)).toBe('not-applicable')
  })

  test('domains with ports, and Intel’s volume management', () => {
    expect(reads('pci.domain', pci(...EPYC_TREE), EPYC)).toBe('bare-metal')
    expect(reads('pci.domain', pci('0001:00:00.0 8086:09a2 0600', '0001:00:02.0 15b3:101b 0200'), SKYLAKE)).toBe(
      'bare-metal',
    )
    expect(reads('pci.domain', pci('10001:80:07.0 1c5c:1959 0108'), SKYLAKE)).toBe('bare-metal')
  })
})

describe('pci.iommu', () => {
  const iommu = (units: readonly string[], groups: number): Fact => [
    pciIommu,
    known({ units, groups: [...Array(groups).keys()].map(String), types: new Map(), kernelArguments: [] }),
  ]
  test('the other maker’s units, units that fit, none', () => {
    expect(says('pci.iommu', iommu(['dmar0'], 4), EPYC)).toEqual(['impossible null'])
    expect(says('pci.iommu', iommu(['ivhd0'], 4), SKYLAKE)).toEqual(['impossible null'])
    expect(reads('pci.iommu', iommu(['dmar0', 'dmar1'], 90), SKYLAKE)).toBe('bare-metal')
    expect(reads('pci.iommu', iommu([], 0), SKYLAKE)).toBe('neutral')
    expect(reads('pci.iommu', iommu(['dmar0'], 4), SKYLAKE)).toBe('neutral')
    expect(reads('pci.iommu', iommu(['smmu3.0x0000000100000000'], 40), ARM)).toBe('bare-metal')
  })
})

describe('pci.edac', () => {
  const platform = (memoryControllers: readonly string[]): Fact => [
    cpuPlatform,
    known({ memoryControllers } as unknown as CpuPlatform),
  ]
  test('controllers, none on a server, none on a desktop', () => {
    const memory = (name: string, modules: number): Fact => [
      cpuSensors,
      known({ temperatures: [], controllers: [{ name, modules, mebibytes: modules * 32768 }] }),
    ]
    expect(reads('pci.edac', platform(['mc0']), memory('Skylake Socket#0 IMC#0', 6), SKYLAKE)).toBe('bare-metal')
    expect(reads('pci.edac', platform(['mc0']), memory('Skylake Socket#0 IMC#0', 0), SKYLAKE)).toBe('neutral')
    expect(reads('pci.edac', platform(['mc0']), memory('ghes_edac', 6), SKYLAKE)).toBe('neutral')
    expect(reads('pci.edac', platform(['mc0']), SKYLAKE)).toBe('unreadable')
    expect(says('pci.edac', platform([]), SAPPHIRE)).toEqual(['hint null'])
    expect(reads('pci.edac', platform([]), KABY_LAKE)).toBe('neutral')
  })
})

describe('pci.usb', () => {
  const usb = (vendor: string, product: string, maker = ''): Fact => [
    usbDevices,
    known({ devices: [{ vendor, product, maker, name: '' }] }),
  ]
  test('tablets of monitors, keyboards of management controllers, and everything else', () => {
    expect(says('pci.usb', usb('0627', '0001', 'QEMU'))).toEqual(['names QEMU'])
    expect(says('pci.usb', usb('80ee', '0021'))).toEqual(['names VirtualBox'])
    expect(reads('pci.usb', usb('046b', 'ff01'))).toBe('bare-metal')
    expect(reads('pci.usb', usb('0557', '2221'))).toBe('bare-metal')
    expect(reads('pci.usb', usb('0781', '5583'))).toBe('neutral')
  })
})

describe('the demo nodes', () => {
  const all = (node: string) => pciSignals.map(({ id, observe: look }) => [id, look(readOfFixture(node))] as const)
  test('a server reads as hardware throughout', () => {
    for (const [id, found] of all('demo-gpu-01')) expect(found.indicates, id).toMatch(/metal|neutral|not-applicable/)
    const read = readOfFixture('demo-gpu-01')
    for (const held of [rootFitsProcessor(read), uncoreFunctions(read), realPorts(read)]) expect(held.holds).toBe(true)
  })

  test('a dressed-up guest is given away by its chipset, and so is an open one', () => {
    const dressed = new Map(all('demo-metal-04'))
    expect(weights(dressed.get('pci.hostbridge') as never)).toContain('impossible null')
    expect(weights(dressed.get('pci.subsystem') as never)).toEqual(['impossible QEMU'])
    const read = readOfFixture('demo-metal-04')
    for (const held of [rootFitsProcessor(read), uncoreFunctions(read), realPorts(read)]) expect(held.holds).toBe(false)
    expect(new Map(all('demo-guest-03')).get('pci.hostbridge')?.indicates).toBe('virtual')
  })
})

describe('the minimum for hardware', () => {
  const read = (...facts: readonly Fact[]) => readFrom(new Map(facts.map(([{ id }, reading]) => [id, reading])))
  test('the head of the tree on arm64', () => {
    const grace = pciFunction('0005:00:00.0 10de:22b1 0604')
    expect(rootFitsProcessor(read(pci(grace), ARM)).holds).toBe(true)
    expect(rootFitsProcessor(read(pci('0000:00:00.0 1b36:0008 0600'), ARM)).holds).toBe(false)
    expect(rootFitsProcessor(read(pci('0000:00:01.0 15b3:101b 0200'), ARM)).holds).toBe(false)
    expect(uncoreFunctions(read(pci(grace), ARM)).holds).toBe(true)
  })

  test('not read does not hold, nor does a bridge of before the processor', () => {
    for (const part of [rootFitsProcessor, uncoreFunctions, realPorts]) expect(part(read()).holds).toBe(false)
    expect(rootFitsProcessor(read(pci('0000:00:00.0 8086:2e30 0600'), intel(0x17))).holds).toBe(false)
    expect(rootFitsProcessor(read(pci('0000:00:00.0 8086:2020 0600'), SAPPHIRE)).holds).toBe(false)
  })

  test('ports whose registers were read must have them', () => {
    const fast = pci(pciFunction('0000:00:01.0 8086:352a 0604', { maxLinkSpeed: 16, maxLinkWidth: 16 }))
    expect(realPorts(read(fast)).holds).toBe(false)
    expect(realPorts(read(fast, ports(port({})))).holds).toBe(false)
    expect(realPorts(read(fast, ports(port({ equalizes: true })))).holds).toBe(true)
  })
})

test('the words are ours and fit to print', () => {
  const texts = pciSignals.flatMap(({ title, onMetal, onGuest, pitfalls, source }) => [
    title,
    onMetal,
    onGuest,
    ...pitfalls,
    source,
  ])
  for (const text of texts) expect(BANNED.filter((word) => word.test(text))).toEqual([])
})
