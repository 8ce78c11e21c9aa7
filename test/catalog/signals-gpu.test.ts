import { describe, expect, test } from 'vitest'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { gpuNvidia, gpuNvlink, parseNvidiaSmi } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { gpuConfCompute, gpuFabric, gpuModules } from '../../main/catalog/hardware/gpu/probes.ts'
import { gpuTopology, parseTopology } from '../../main/catalog/hardware/gpu/topology.ts'
import { hostSerials } from '../../main/catalog/hardware/machine/identity.ts'
import { type PciDevice, pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { cpuFeatures, parseCpuInfo } from '../../main/catalog/hardware/processors/features.ts'
import { gpuSignals } from '../../main/catalog/single-tenancy/isolation/signals/gpu.ts'
import { known, type Probe, readProbe, unknown } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { fixtureOf } from '../support/evaluated.ts'
import { type Fact, observing, readOf, weightsOf } from '../support/signal-facts.ts'
import { type GpuForm, gpuXml, pci, slice, TOPOLOGY_FLAT_GUEST } from './gpu-forms.ts'

const of = observing(gpuSignals)

const bus = (...devices: readonly PciDevice[]): Fact => [pciDevices, known({ devices })]
const driver = (...gpus: readonly GpuForm[]): Fact => [gpuNvidia, parseNvidiaSmi(gpuXml(...gpus))]
const CARD = pci('0000:01:00.0', '10de:2331', ['0000:00:01.0'])
const NO_GPU = bus(pci('0000:00:1f.2', '8086:2922', [], '010601'))
const NO_DRIVER: Fact = [gpuNvidia, unknown('not collected: tool absent (nvidia-smi)')]

describe('what the driver reports', () => {
  test.each([
    ['Pass-Through', 'virtual', ['names']],
    ['VGPU', 'virtual', ['names']],
    ['None', 'bare-metal', []],
    ['Host VGPU', 'bare-metal', []],
    ['N/A', 'neutral', []],
  ])('gpu.mode: %s', (mode, reads, signs) => {
    const found = of('gpu.mode', bus(CARD), driver({ mode }))
    expect(found.indicates).toBe(reads)
    expect(weightsOf(found)).toEqual(signs)
  })
  test('gpu.mode: the name of a virtual GPU betrays one that reports None', () => {
    for (const name of ['NVIDIA L40S-2Q', 'NVIDIA A100-1-5CME', 'GRID P40-24Q'])
      expect(weightsOf(of('gpu.mode', bus(CARD), driver({ name })))).toEqual(['names'])
    for (const name of ['NVIDIA A100-SXM4-80GB', 'Tesla V100-PCIE-16GB', 'NVIDIA B300 SXM6 AC', 'Quadro P4000'])
      expect(of('gpu.mode', bus(CARD), driver({ name })).indicates).toBe('bare-metal')
  })
  test('gpu.mode: hardware only where every GPU of the bus was answered for', () => {
    expect(of('gpu.mode', bus(CARD, pci('0000:02:00.0', '10de:2331')), driver({})).indicates).toBe('neutral')
    expect(of('gpu.mode', driver({})).indicates).toBe('neutral')
    expect(of('gpu.mode', bus(CARD), NO_DRIVER)).toMatchObject({ indicates: 'unreadable', probe: { id: 'gpu.nvidia' } })
    expect(of('gpu.mode', NO_GPU, NO_DRIVER).indicates).toBe('not-applicable')
  })

  test.each([
    ['5', 'None', 'bare-metal', []],
    ['N/A', 'None', 'virtual', ['odd']],
    ['N/A', 'Pass-Through', 'virtual', ['hint']],
    [null, 'None', 'neutral', []],
  ])('gpu.hostlink: %s under %s', (host, mode, reads, signs) => {
    const found = of('gpu.hostlink', bus(CARD), driver({ host, mode }))
    expect(found.indicates).toBe(reads)
    expect(weightsOf(found)).toEqual(signs)
  })
  test('gpu.hostlink: a GPU on the package of an arm64 processor is no contradiction', () => {
    const grace: Fact = [cpuFeatures, parseCpuInfo('processor\t: 0\nCPU implementer\t: 0x41\n')]
    expect(weightsOf(of('gpu.hostlink', bus(CARD), grace, driver({ host: 'N/A' })))).toEqual(['hint'])
    expect(weightsOf(of('gpu.hostlink', bus(CARD), driver({ host: 'N/A', c2c: 'Enabled' })))).toEqual(['hint'])
  })

  const licence =
    '<licensed_product_name>NVIDIA Virtual Applications</licensed_product_name><license_status>Unlicensed (Unrestricted)</license_status>'
  test('gpu.licence: more than a hint only on a virtual GPU', () => {
    expect(weightsOf(of('gpu.licence', bus(CARD), driver({ licence })))).toEqual(['hint'])
    expect(weightsOf(of('gpu.licence', bus(CARD), driver({ licence, mode: 'VGPU' })))).toEqual(['odd'])
    expect(of('gpu.licence', bus(CARD), driver({})).indicates).toBe('neutral')
  })
})

describe('parts and names', () => {
  test('gpu.identity', () => {
    const serials: Fact = [hostSerials, known({ product: 'S1', board: 'B1', chassis: '1821225190123' })]
    const id = (...gpus: GpuForm[]) => of('gpu.identity', bus(CARD), serials, driver(...gpus))
    expect(id({}).indicates).toBe('neutral')
    expect(weightsOf(id({ serial: '0000000000000', part: '000-00000-0000-000' }))).toEqual(['hint'])
    expect(id({ serial: 'N/A' }).indicates).toBe('neutral')
    expect(weightsOf(id({}, { uuid: 'GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e90' }))).toEqual(['odd'])
    expect(id({ chassis: '1821225190123' }).indicates).toBe('bare-metal')
    expect(id({ chassis: '1821225190999' })).toMatchObject({ indicates: 'neutral', steps: [{ direction: 'unclear' }] })
  })

  test('gpu.mig: one slice of a larger GPU is a hint, a divided GPU in full view is none', () => {
    const mig = (form: GpuForm) => of('gpu.mig', bus(CARD), driver({ mig: 'Enabled', ...form }))
    expect(weightsOf(mig({ slices: slice(1, 40448) }))).toEqual(['hint'])
    expect(weightsOf(mig({ slices: slice(1, 9728), total: 'Insufficient Permissions' }))).toEqual(['hint'])
    expect(mig({ slices: slice(1, 40448) + slice(2, 40448) }).indicates).toBe('neutral')
    expect(mig({ slices: slice(0, 80896) }).indicates).toBe('neutral')
    expect(of('gpu.mig', bus(CARD), driver({})).indicates).toBe('neutral')
  })

  test('gpu.cc', () => {
    const cc = (isOn: boolean, isProtectedGroup = false) =>
      of('gpu.cc', bus(CARD), [
        gpuConfCompute,
        known({ isOn, isProtectedGroup, processor: 'INTEL TDX', isCapable: true }),
      ])
    expect(weightsOf(cc(true))).toEqual(['odd'])
    expect(weightsOf(cc(false, true))).toEqual(['odd'])
    expect(cc(false).indicates).toBe('neutral')
    expect(of('gpu.cc', bus(CARD)).indicates).toBe('unreadable')
  })

  test('gpu.mdev shows guests, and not this system', () => {
    const lending = (modules: readonly string[], dividing: readonly string[] = []) =>
      of('gpu.mdev', [gpuModules, known({ modules, driver: null, gpus: [], dividing })])
    expect(lending(['nvidia'])).toMatchObject({ indicates: 'neutral', steps: [] })
    expect(lending(['nvidia_vgpu_vfio'])).toMatchObject({ indicates: 'neutral', steps: [{ direction: 'unclear' }] })
    expect(of('gpu.mdev').indicates).toBe('unreadable')
  })

  test('gpu.function: a part of an AMD accelerator whose whole is elsewhere', () => {
    const [whole, part] = [
      pci('0000:05:00.0', '1002:74a1', [], '120000'),
      pci('0000:05:02.0', '1002:74b5', [], '120000'),
    ]
    expect(weightsOf(of('gpu.function', bus(part)))).toEqual(['odd'])
    expect(of('gpu.function', bus(whole, part)).indicates).toBe('neutral')
    expect(of('gpu.function', bus(whole)).indicates).toBe('bare-metal')
    expect(of('gpu.function', bus(CARD)).indicates).toBe('not-applicable')
    expect(of('gpu.function').indicates).toBe('unreadable')
  })
})

describe('the board', () => {
  const modules = (count: number, id = '2330') =>
    Array.from({ length: count }, (_, index) => pci(`0000:${index + 1}0:00.0`, `10de:${id}`))
  const switches = (count: number, id = '22a3') =>
    Array.from({ length: count }, (_, index) => pci(`0000:a${index}:00.0`, `10de:${id}`, [], '068000'))

  test.each([
    ['eight H100 with four switches', [...modules(8), ...switches(4)], 'bare-metal', []],
    ['eight A100 with six switches', [...modules(8, '20b2'), ...switches(6, '1af1')], 'bare-metal', []],
    ['eight H100 without switches', modules(8), 'virtual', ['odd']],
    ['one module alone', modules(1), 'virtual', ['odd']],
    ['three modules', modules(3), 'virtual', ['hint']],
    ['a board of four', modules(4), 'neutral', []],
    ['seven of eight', [...modules(7), ...switches(4)], 'neutral', []],
    ['eight B200, whose switches are no PCI functions', modules(8, '2901'), 'neutral', []],
    ['one of eight B200', modules(1, '2901'), 'virtual', ['odd']],
    ['half a board of B300', modules(4, '3182'), 'virtual', ['odd']],
    ['seven of eight B300', modules(7, '3182'), 'virtual', ['hint']],
    ['one of the two GPUs on a GB200', modules(1, '2941'), 'virtual', ['odd']],
    ['the four of a GB200 tray', modules(4, '2941'), 'neutral', []],
    ['a GH200', modules(1, '2342'), 'neutral', []],
    ['a GB300 for desks', modules(1, '31c2'), 'neutral', []],
    ['a card', [CARD], 'not-applicable', []],
  ] as const)('gpu.nvswitch: %s', (_, devices, reads, signs) => {
    const found = of('gpu.nvswitch', bus(...devices))
    expect(found.indicates).toBe(reads)
    expect(weightsOf(found)).toEqual(signs)
  })

  test('gpu.nvlink', () => {
    const links = (active: number, inactive: number): Fact => [
      gpuNvlink,
      known({ gpus: modules(8).map((_, index) => ({ index, uuid: null, active, inactive, speeds: null })) }),
    ]
    const gpus = driver(...modules(8).map(() => ({ fabric: 'Completed' })))
    expect(of('gpu.nvlink', bus(...modules(8)), links(18, 0), gpus).indicates).toBe('bare-metal')
    expect(of('gpu.nvlink', bus(...modules(8)), links(17, 1), gpus).indicates).toBe('neutral')
    expect(weightsOf(of('gpu.nvlink', bus(...modules(8)), links(0, 18), gpus))).toEqual(['hint'])
    expect(of('gpu.nvlink', bus(CARD), [gpuNvlink, known({ gpus: [] })], gpus).indicates).toBe('not-applicable')
    expect(of('gpu.nvlink', bus(CARD), gpus).indicates).toBe('unreadable')
    // Half of the links of a module is less than hardware has, though none is down.
    expect(of('gpu.nvlink', bus(...modules(8)), links(9, 0), gpus).indicates).toBe('neutral')
    expect(of('gpu.nvlink', bus(...modules(8, '2324')), links(8, 0), gpus).indicates).toBe('bare-metal')
    // A Grace Hopper alone has nothing to be linked to.
    expect(of('gpu.nvlink', bus(...modules(1, '2342')), links(0, 18), gpus).indicates).toBe('neutral')
  })

  test('gpu.topo: a switch that the PCI tree does not have', () => {
    const flat: readonly Fact[] = [
      bus(pci('0000:00:1b.0', '10de:26b9'), pci('0000:00:1c.0', '10de:26b9')),
      driver({ id: '00000000:00:1B.0' }, { id: '00000000:00:1C.0' }),
      [gpuTopology, parseTopology(TOPOLOGY_FLAT_GUEST)],
    ]
    expect(weightsOf(of('gpu.topo', ...flat))).toEqual(['odd'])
    expect(of('gpu.topo', ...flat.slice(1)).indicates).toBe('unreadable')
    expect(of('gpu.topo', ...flat.slice(0, 2))).toMatchObject({
      indicates: 'unreadable',
      probe: { id: 'gpu.topology' },
    })
    const phb: readonly Fact[] = [
      ...flat.slice(0, 2),
      [gpuTopology, parseTopology(TOPOLOGY_FLAT_GUEST.replaceAll('PIX', 'PHB'))],
    ]
    expect(of('gpu.topo', ...phb).indicates).toBe('neutral')
  })
})

describe('on recorded nodes', () => {
  const probes = [
    gpuNvidia,
    gpuTopology,
    gpuNvlink,
    gpuConfCompute,
    gpuFabric,
    gpuModules,
    pciDevices,
    infiniband,
    hostSerials,
    cpuFeatures,
  ]
  const readsOn = (node: string) => {
    const by = fixtureOf(node).captures
    const read = readOf(...probes.map((probe) => [probe, readProbe(probe as Probe<unknown>, by)] as const))
    return Object.fromEntries(gpuSignals.map((signal) => [signal.id, signal.observe(read).indicates]))
  }
  test('an eight-GPU server', () =>
    expect(readsOn('demo-gpu-01')).toEqual({
      'gpu.mode': 'bare-metal',
      'gpu.hostlink': 'bare-metal',
      'gpu.licence': 'neutral',
      'gpu.topo': 'bare-metal',
      'gpu.nvswitch': 'bare-metal',
      'gpu.nvlink': 'bare-metal',
      'gpu.identity': 'neutral',
      'gpu.mig': 'neutral',
      'gpu.cc': 'neutral',
      'gpu.mdev': 'neutral',
      'gpu.function': 'not-applicable',
    }))
  test('a dressed-up guest with one module', () =>
    expect(readsOn('demo-metal-04')).toMatchObject({
      'gpu.mode': 'bare-metal',
      'gpu.hostlink': 'virtual',
      'gpu.nvswitch': 'virtual',
      'gpu.nvlink': 'virtual',
      'gpu.topo': 'neutral',
    }))
  test('a guest without a GPU', () => {
    const { 'gpu.mdev': lending, ...others } = readsOn('demo-guest-03')
    expect(lending).toBe('neutral')
    expect([...new Set(Object.values(others))]).toEqual(['not-applicable'])
  })
})

test('what people read holds no promise', () => {
  for (const { title, onMetal, onGuest, pitfalls, source } of gpuSignals)
    for (const text of [title, onMetal, onGuest, source, ...pitfalls])
      for (const banned of BANNED) expect(text).not.toMatch(banned)
})
