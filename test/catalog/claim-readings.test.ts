import { describe, expect, test } from 'vitest'
import { accountsLocal } from '../../main/catalog/access/accounts/probes.ts'
import { REMOTE_AGENTS, remoteAgents } from '../../main/catalog/access/provider-access/probes.ts'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { storageRemote } from '../../main/catalog/data-protection/mounts/probes.ts'
import { netInterfaces } from '../../main/catalog/data-protection/network/interfaces.ts'
import { CLAIM_TESTS } from '../../main/catalog/definition/claims/tests.ts'
import { infiniband } from '../../main/catalog/hardware/fabric/index.ts'
import { rdmaGpudirect, rdmaLinks } from '../../main/catalog/hardware/fabric/rdma.ts'
import { gpuNvidia, gpuNvlink } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { gpuCards } from '../../main/catalog/hardware/gpu/probes.ts'
import { inventoryMemory } from '../../main/catalog/hardware/machine/memory.ts'
import { type Context, conclude } from '../../main/core/rules/check.ts'
import { type Reading, reading } from '../support/device-facts.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'
import { pci } from '../support/pci-facts.ts'

/** Readings from small literal answers, where the recorded nodes have none. */

const context: Context = {
  node: { name: 'n1', address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: true },
  asOf: FIXTURE_TIME,
  observedAt: FIXTURE_TIME,
  thresholds: new Map() as never,
}

function ask(id: string, value: string | number | null, ...readings: readonly Reading[]) {
  const check = CLAIM_TESTS.find((one) => one.id === id)?.of(value)
  if (check == null) throw new Error(`no reading ${id} for ${value}`)
  const byId = new Map(readings.map(([probe, found]) => [probe.id, found]))
  const { verdict, observations } = conclude(check, byId, context)
  return { verdict, said: observations.map(({ text }) => text).join(' ') }
}

interface Gpu {
  readonly name?: string
  readonly mig?: string
  readonly fabric?: string
  readonly virtualization?: string
  readonly memory?: string
  /** What the driver says of the link to the processor. */
  readonly link?: string
}

const address = (index: number): string => `0000:${(16 + index).toString(16)}:00.0`
const uuid = (index: number): string => `GPU-00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const driver = (...gpus: readonly Gpu[]): Reading =>
  reading(gpuNvidia, {
    query: `<nvidia_smi_log><driver_version>575.1</driver_version><attached_gpus>${gpus.length}</attached_gpus>${gpus
      .map(
        (
          {
            name = 'NVIDIA H100 80GB HBM3',
            mig = 'Disabled',
            fabric = 'N/A',
            virtualization = 'None',
            memory = '',
            link = '',
          },
          index,
        ) =>
          `<gpu id="0000${address(index)}"><product_name>${name}</product_name><uuid>${uuid(index)}</uuid><current_mig>${mig}</current_mig><gpu_virtualization_mode><virtualization_mode>${virtualization}</virtualization_mode></gpu_virtualization_mode><pci><pci_gpu_link_info>${link}</pci_gpu_link_info></pci><fb_memory_usage><total>${memory}</total></fb_memory_usage><fabric><state>${fabric}</state></fabric></gpu>`,
      )
      .join('')}</nvidia_smi_log>`,
  })
const nvlink = (...gpus: readonly (readonly string[])[]): Reading =>
  reading(gpuNvlink, {
    status: gpus
      .map((links, index) =>
        [
          `GPU ${index}: NVIDIA GPU (UUID: ${uuid(index)})`,
          ...links.map((rate, link) => `\t Link ${link}: ${rate}`),
        ].join('\n'),
      )
      .join('\n'),
  })
const H100 = (index: number): string => `${address(index)} 10de:2330 0302`
const B200 = (index: number): string => `${address(index)} 10de:2901 0302`

describe('GPUs', () => {
  const two = pci(H100(0), H100(1))

  test.each<[string, number, readonly Gpu[], readonly (readonly string[])[], string, RegExp]>([
    ['both up', 4, [{}, {}], [['26.562 GB/s'], ['26.562 GB/s']], 'satisfied', /2 links, the slowest at 26.562/],
    [
      'one down',
      4,
      [{}, {}],
      [['26.562 GB/s', '<inactive>'], ['26.562 GB/s']],
      'not-satisfied',
      /not up \(1 of 2 GPUs\)/,
    ],
    ['one slow', 4, [{}, {}], [['13.281 GB/s'], ['26.562 GB/s']], 'not-satisfied', /below 25 GB\/s \(1 of 2/],
    [
      'an earlier generation at the same rate',
      4,
      [{ name: 'NVIDIA A100-SXM4-80GB' }, { name: 'NVIDIA A100-SXM4-80GB' }],
      [['25 GB/s'], ['25 GB/s']],
      'not-satisfied',
      /earlier generation than 4 \(2 of 2/,
    ],
    ['a later one', 3, [{}, {}], [['26.562 GB/s'], ['26.562 GB/s']], 'satisfied', /All links up/],
    [
      'a model that we do not know',
      4,
      [{ name: 'NVIDIA X1' }, { name: 'NVIDIA X1' }],
      [['26.562 GB/s'], ['26.562 GB/s']],
      'inconclusive',
      /does not identify the generation/,
    ],
    [
      'a model that we do not know, at a rate that only one has',
      5,
      [{ name: 'NVIDIA X1' }, { name: 'NVIDIA X1' }],
      [['53.125 GB/s'], ['53.125 GB/s']],
      'satisfied',
      /All links up/,
    ],
    ['no link listed of one', 4, [{}, {}], [['26.562 GB/s']], 'inconclusive', /lists no link \(1 of 2/],
    [
      'down where the tenant divided the GPU',
      4,
      [{ mig: 'Enabled' }, {}],
      [['<inactive>'], ['26.562 GB/s']],
      'inconclusive',
      /which the tenant decides/,
    ],
    ['one without an answer', 4, [{}], [['26.562 GB/s']], 'inconclusive', /does not report 1 GPU/],
  ])('NVLink: %s', (_, generation, gpus, links, verdict, text) => {
    const found = ask('gpu.nvlink-links', generation, two, driver(...gpus), nvlink(...links))
    expect(found).toEqual({ verdict, said: expect.stringMatching(text) })
  })

  const links = (count: number, rate: string, off = 0): readonly string[] => [
    ...Array.from({ length: count }, () => `${rate} GB/s`),
    ...Array.from({ length: off }, () => '<inactive>'),
  ]

  test.each<[string, number, readonly Gpu[], readonly (readonly string[])[], string, RegExp]>([
    [
      'every link of both',
      900,
      [{}, {}],
      [links(18, '26.562'), links(18, '26.562')],
      'satisfied',
      /18 links, 900 GB\/s/,
    ],
    // At the line rate that is printed, 17 links would have 903 GB/s.
    [
      'one link down',
      900,
      [{}, {}],
      [links(17, '26.562', 1), links(18, '26.562')],
      'not-satisfied',
      /17 links, 850 GB\/s/,
    ],
    ['an earlier generation', 900, [{}, {}], [links(12, '25'), links(12, '25')], 'not-satisfied', /2 of 2 GPUs/],
    ['a later one', 1800, [{}, {}], [links(18, '53.125'), links(18, '53.125')], 'satisfied', /1800 GB\/s/],
    [
      'rates that differ',
      900,
      [{}, {}],
      [[...links(17, '53.125'), '19.531 GB/s'], links(18, '53.125')],
      'inconclusive',
      /several rates/,
    ],
    [
      'a divided GPU',
      900,
      [{ mig: 'Enabled' }, {}],
      [links(0, '', 18), links(18, '26.562')],
      'inconclusive',
      /tenant decides/,
    ],
    ['no link listed of one', 900, [{}, {}], [links(18, '26.562')], 'inconclusive', /lists no link/],
    ['one without an answer', 900, [{}], [links(18, '26.562')], 'inconclusive', /does not report 1 GPU/],
    ['links without the driver', 900, [], [links(18, '26.562')], 'inconclusive', /does not report 2 GPUs/],
  ])('NVLink bandwidth: %s', (_, promised, gpus, status, verdict, text) => {
    const found = ask('gpu.nvlink-bandwidth', promised, two, driver(...gpus), nvlink(...status))
    expect(found).toEqual({ verdict, said: expect.stringMatching(text) })
  })

  test('NVLink bandwidth without an answer about the links, or a GPU, is not observed', () => {
    expect(ask('gpu.nvlink-bandwidth', 900, two, driver({}, {})).verdict).toBe('inconclusive')
    expect(ask('gpu.nvlink-bandwidth', 900, pci('0000:01:00.0 8086:1533 0200')).verdict).toBe('not-satisfied')
    expect(ask('gpu.nvlink-bandwidth', 900, pci()).verdict).toBe('inconclusive')
    expect(ask('gpu.nvlink-bandwidth', 900).verdict).toBe('inconclusive')
  })

  test.each<[string, number, readonly Gpu[], string]>([
    ['H100', 80, [{ memory: '81559 MiB' }, { memory: '81559 MiB' }], 'satisfied'],
    ['H200', 141, [{ memory: '143771 MiB' }, { memory: '143771 MiB' }], 'satisfied'],
    ['half of one', 80, [{ memory: '40960 MiB' }, { memory: '81559 MiB' }], 'not-satisfied'],
    ['a little less', 80, [{ memory: '76000 MiB' }, { memory: '81559 MiB' }], 'inconclusive'],
    ['withheld of one', 80, [{ memory: 'N/A' }, { memory: '81559 MiB' }], 'inconclusive'],
    ['a GPU that the driver leaves out', 80, [{ memory: '81559 MiB' }], 'inconclusive'],
  ])('memory of the GPUs: %s', (_, promised, gpus, verdict) => {
    expect(ask('gpu.memory-gib', promised, two, driver(...gpus)).verdict).toBe(verdict)
  })

  test('memory without the driver is not observed, and without a GPU contradicted', () => {
    expect(ask('gpu.memory-gib', 80, two).verdict).toBe('inconclusive')
    expect(ask('gpu.memory-gib', 80, pci('0000:01:00.0 8086:1533 0200')).verdict).toBe('not-satisfied')
  })

  const pcie = (most: number, now: number, generation = 5): string =>
    `<pcie_gen><max_link_gen>${generation}</max_link_gen><current_link_gen>${now === 16 ? generation : 1}</current_link_gen><max_device_link_gen>${generation}</max_device_link_gen><max_host_link_gen>${generation}</max_host_link_gen></pcie_gen><link_widths><max_link_width>${most}x</max_link_width><current_link_width>${now}x</current_link_width></link_widths>`

  test.each<[string, string, number, string, string]>([
    ['every lane', 'gpu.pcie-width', 16, pcie(16, 16), 'satisfied'],
    ['fewer at rest, or for a fault', 'gpu.pcie-width', 16, pcie(16, 8), 'inconclusive'],
    ['fewer at the most', 'gpu.pcie-width', 16, pcie(8, 8), 'not-satisfied'],
    ['not given', 'gpu.pcie-width', 16, '', 'inconclusive'],
    ['every generation', 'gpu.pcie-generation', 5, pcie(16, 16), 'satisfied'],
    ['a lower speed at rest', 'gpu.pcie-generation', 5, pcie(16, 8), 'satisfied'],
    ['an earlier one', 'gpu.pcie-generation', 5, pcie(16, 16, 4), 'not-satisfied'],
    ['no generation given', 'gpu.pcie-generation', 5, '', 'inconclusive'],
  ])('PCI Express, %s: %s of %s', (_, id, promised, link, verdict) => {
    expect(ask(id, promised, two, driver({ link }, { link })).verdict).toBe(verdict)
    expect(ask(id, promised, two, driver({ link: pcie(16, 16) }, { link })).verdict).toBe(verdict)
  })

  test.each(['gpu.pcie-width', 'gpu.pcie-generation'])('%s without the driver is not observed', (id) => {
    expect(ask(id, 4, two).verdict).toBe('inconclusive')
    expect(ask(id, 4, pci()).verdict).toBe('inconclusive')
    expect(ask(id, 4).verdict).toBe('inconclusive')
  })

  const NAMED_CARD = { name: 'NVIDIA H100 PCIe' }
  test.each<[string, string, Reading, readonly Gpu[], string]>([
    ['modules of Hopper', 'hopper-sxm', two, [{}, {}], 'satisfied'],
    ['modules', 'sxm', two, [], 'satisfied'],
    ['modules of a later family', 'sxm', pci(B200(0)), [], 'satisfied'],
    ['modules of a later family', 'hopper-sxm', pci(B200(0)), [], 'not-satisfied'],
    ['a module with fewer links', 'hopper-sxm', pci(`${address(0)} 10de:2324 0302`), [], 'not-satisfied'],
    ['a module beside Grace', 'sxm', pci(`${address(0)} 10de:2342 0302`), [], 'not-satisfied'],
    ['a card by name', 'sxm', pci(`${address(0)} 10de:2331 0302`), [NAMED_CARD], 'not-satisfied'],
    ['an id on no list', 'sxm', pci(`${address(0)} 10de:2331 0302`), [], 'inconclusive'],
    ['a module and a card', 'sxm', pci(H100(0), `${address(1)} 10de:2331 0302`), [{}, NAMED_CARD], 'inconclusive'],
    ['a GPU of another maker', 'sxm', pci(`${address(0)} 1002:74a1 1200`), [], 'not-satisfied'],
    ['no GPU', 'sxm', pci('0000:01:00.0 8086:1533 0200'), [], 'not-satisfied'],
    ['no bus', 'sxm', pci(), [], 'inconclusive'],
  ])('boards: %s are %s', (_, kind, bus, gpus, verdict) => {
    expect(ask('gpu.board', kind, bus, ...(gpus.length === 0 ? [] : [driver(...gpus)])).verdict).toBe(verdict)
  })

  test.each<[string, Reading, string]>([
    ['a GPU', two, 'satisfied'],
    ['a part of one', pci(`${address(0)} 1002:74b5 1200`), 'satisfied'],
    ['none', pci('0000:01:00.0 8086:1533 0200'), 'not-satisfied'],
    ['a display that may be one', pci('0000:01:00.0 1002:7340 0300'), 'inconclusive'],
    ['no bus', pci(), 'inconclusive'],
  ])('presence: %s', (_, bus, verdict) => {
    expect(ask('gpu.present', null, bus).verdict).toBe(verdict)
    expect(ask('gpu.present', null).verdict).toBe('inconclusive')
  })

  test.each<[string, Reading, readonly Gpu[], string]>([
    ['every one whole', two, [{}, {}], 'satisfied'],
    ['handed over', two, [{ virtualization: 'Pass-Through' }, {}], 'satisfied'],
    ['lent out by this system', two, [{ virtualization: 'Host VGPU' }, {}], 'satisfied'],
    ['one virtual', two, [{ name: 'NVIDIA H100-1-12C', virtualization: 'VGPU' }, {}], 'not-satisfied'],
    ['a function', pci(`${address(0)} 1002:74b5 1200`), [], 'not-satisfied'],
    ['one of another maker', pci(`${address(0)} 1002:74a1 1200`), [], 'inconclusive'],
    ['slices alone in view', two, [{ mig: 'Enabled', memory: 'N/A' }, {}], 'inconclusive'],
    ['divided, and the whole in view', two, [{ mig: 'Enabled', memory: '81559 MiB' }, {}], 'satisfied'],
    ['a word that is not given', two, [{ virtualization: 'N/A' }, {}], 'inconclusive'],
    ['one without an answer', two, [{}], 'inconclusive'],
    ['no driver', two, [], 'inconclusive'],
    ['no GPU', pci('0000:01:00.0 8086:1533 0200'), [], 'not-satisfied'],
  ])('whole GPUs: %s', (_, bus, gpus, verdict) => {
    expect(ask('gpu.whole', null, bus, ...(gpus.length === 0 ? [] : [driver(...gpus)])).verdict).toBe(verdict)
  })

  const direct = (modules: string, drivers = ''): Reading =>
    reading(rdmaGpudirect, {
      modules: modules === '' ? { text: '', exit: 1 } : `${modules} 16384 0 - Live 0x0\n`,
      drivers,
    })
  test.each<[string, string, Reading, Reading, string]>([
    ['its module', 'rdma', two, direct('nvidia_peermem'), 'satisfied'],
    ['the module before it', 'rdma', two, direct('nv_peer_mem'), 'satisfied'],
    ['RDMA made of software', 'rdma', two, direct('rdma_rxe'), 'inconclusive'],
    ['none', 'rdma', two, direct(''), 'inconclusive'],
    ['its module and driver', 'storage', two, direct('nvidia_fs', 'nvidia-fs\n'), 'satisfied'],
    ['its module alone', 'storage', two, direct('nvidia_fs'), 'inconclusive'],
    ['the module of the other', 'storage', two, direct('nvidia_peermem'), 'inconclusive'],
    ['no GPU by NVIDIA', 'rdma', pci('0000:01:00.0 8086:1533 0200'), direct(''), 'not-satisfied'],
  ])('direct path with %s: %s', (_, kind, bus, modules, verdict) => {
    expect(ask('gpu.direct-path', kind, bus, modules).verdict).toBe(verdict)
    expect(ask('gpu.direct-path', kind, bus).verdict).toBe('inconclusive')
  })

  test.each<[string, string]>([
    ['H100 or H200', 'satisfied'],
    ['H200 or A100', 'not-satisfied'],
    ['H100 SXM or A100', 'inconclusive'],
  ])('of several models, %s', (promised, verdict) => {
    expect(ask('gpu.model', promised, two, driver({}, {})).verdict).toBe(verdict)
  })

  test.each<[string, Reading, readonly Reading[], string, RegExp]>([
    ['switches on the bus', pci(H100(0), '0000:40:00.0 10de:22a3 0680'), [], 'inconclusive', /has 4 of them/],
    ['modules, and no switch', two, [driver({}, {})], 'not-satisfied', /none of the 2 PCI devices is one/],
    [
      'modules in a fabric that another system manages',
      two,
      [driver({ fabric: 'Completed' })],
      'inconclusive',
      /managed by another system/,
    ],
    ['later ones that joined', pci(B200(0)), [driver({ fabric: 'Completed' })], 'satisfied', /1 GPU has joined/],
    ['later ones that did not', pci(B200(0)), [driver({})], 'inconclusive', /need not be/],
    ['without the driver', two, [], 'inconclusive', /not collected/],
    ['no bus', pci(), [], 'inconclusive', /No device is listed/],
    ['a display only', pci('0000:01:00.0 10de:1eb8 0380'), [driver({})], 'inconclusive', /need not be/],
  ])('NVSwitch: %s', (_, bus, others, verdict, text) => {
    expect(ask('gpu.nvswitch', null, bus, ...others)).toEqual({ verdict, said: expect.stringMatching(text) })
  })

  test.each<[string, readonly Gpu[], string]>([
    ['Enabled', [{ mig: 'Enabled' }, {}], 'satisfied'],
    ['N/A', [{ mig: 'N/A' }, {}], 'not-satisfied'],
    ['', [{ mig: '' }, {}], 'inconclusive'],
  ])('MIG mode %s', (_, gpus, verdict) => {
    expect(ask('gpu.mig', null, two, driver(...gpus)).verdict).toBe(verdict)
  })

  test('a GPU that the driver is silent about keeps every other from speaking for all', () => {
    const [three, gpus] = [pci(H100(0), H100(1), H100(2)), driver({ fabric: 'Completed' }, { fabric: 'Completed' })]
    expect(ask('gpu.mig', null, three, gpus).verdict).toBe('inconclusive')
    expect(ask('gpu.nvlink-links', 4, three, gpus, nvlink(['26.562 GB/s'], ['26.562 GB/s'])).verdict).toBe(
      'inconclusive',
    )
    expect(ask('gpu.nvswitch', null, pci(B200(0), B200(1), B200(2)), gpus).verdict).toBe('inconclusive')
    // Two answers, and one of them is of a GPU that is not on the bus.
    const elsewhere = pci(H100(0), H100(5))
    expect(ask('gpu.nvlink-links', 4, elsewhere, gpus, nvlink(['26.562 GB/s'], ['26.562 GB/s'])).verdict).toBe(
      'inconclusive',
    )
  })

  test('a virtual GPU is neither a whole one nor the model it is cut from', () => {
    const guest = [two, driver({ name: 'NVIDIA H100-1-12C', virtualization: 'VGPU' }, {})]
    expect(ask('gpu.model', 'H100', ...guest)).toMatchObject({ verdict: 'not-satisfied' })
    expect(ask('gpu.count', 2, ...guest)).toMatchObject({ verdict: 'not-satisfied' })
    expect(ask('gpu.count', 1, ...guest)).toMatchObject({ verdict: 'satisfied' })
  })

  test('without NVIDIA’s driver, the graphics layer’s word for its GPUs is not enough', () => {
    const cards = reading(gpuCards, {
      list: `lrwxrwxrwx 1 root root 0 Nov 1 00:00 card0 -> ../../devices/pci0000:00/${address(0)}/drm/card0\n`,
      values:
        '/sys/class/drm/card0/device/vendor:0x10de\n/sys/class/drm/card0/device/device:0x2330\n/sys/class/drm/card0/device/product_name:H100',
    })
    expect(ask('gpu.count', 1, pci(H100(0)), cards).verdict).toBe('inconclusive')
    expect(ask('gpu.model', 'H100', pci(H100(0)), cards).verdict).toBe('inconclusive')
  })

  test('a model is compared by whole words', () => {
    const gpus = driver({}, {})
    for (const [promised, verdict] of [
      ['h100 80GB', 'satisfied'],
      ['H100-80GB', 'satisfied'],
      ['H10', 'not-satisfied'],
      ['H200', 'not-satisfied'],
      // Drivers leave out the board; they never leave out another size.
      ['H100 SXM', 'inconclusive'],
      ['H100 94GB', 'not-satisfied'],
    ] as const)
      expect([promised, ask('gpu.model', promised, two, gpus).verdict]).toEqual([promised, verdict])
  })
})

describe('networks', () => {
  const card = (
    name: string,
    layer: string,
    state: string,
    rate: string,
    driverName = 'mlx5_core',
  ): readonly Reading[] => [
    reading(infiniband, {
      adapters: `/sys/class/infiniband:\n${name}\n`,
      values: [
        `/sys/class/infiniband/${name}/board_id:MT_1`,
        `/sys/class/infiniband/${name}/device/uevent:DRIVER=${driverName}`,
        `/sys/class/infiniband/${name}/device/uevent:PCI_SLOT_NAME=0000:81:00.0`,
        `/sys/class/infiniband/${name}/ports/1/link_layer:${layer}`,
        `/sys/class/infiniband/${name}/ports/1/state:${state}`,
        `/sys/class/infiniband/${name}/ports/1/rate:${rate}`,
      ].join('\n'),
    }),
    reading(rdmaLinks, {
      classes: `/sys/class:\ninfiniband\nnet\n\n/sys/class/infiniband:\n${name}\n`,
      ports: `/sys/class/infiniband/${name}/ports/1/link_layer:${layer}\n/sys/class/infiniband/${name}/ports/1/state:${state}`,
      macsec: '[]',
    }),
  ]
  const software = [
    reading(infiniband, {
      adapters: '/sys/class/infiniband:\nrxe0\n',
      values:
        '/sys/class/infiniband/rxe0/ports/1/link_layer:Ethernet\n/sys/class/infiniband/rxe0/ports/1/state:4: ACTIVE',
    }),
  ]
  const ethernet = pci('0000:81:00.0 15b3:1021 0200')
  const fabric = pci('0000:81:00.0 15b3:1021 0207')

  test.each<[string, string, Reading, readonly Reading[], string]>([
    ['RoCE', 'roce-v2', ethernet, card('mlx5_0', 'Ethernet', '4: ACTIVE', '100 Gb/sec (4X EDR)'), 'satisfied'],
    ['RoCE', 'either', ethernet, card('mlx5_0', 'Ethernet', '4: ACTIVE', '100 Gb/sec (4X EDR)'), 'satisfied'],
    ['RoCE', 'infiniband', ethernet, card('mlx5_0', 'Ethernet', '4: ACTIVE', '100 Gb/sec (4X EDR)'), 'not-satisfied'],
    ['RoCE or iWARP', 'roce-v2', ethernet, card('rocep1', 'Ethernet', '4: ACTIVE', '', 'ice'), 'inconclusive'],
    ['RoCE, down', 'roce-v2', ethernet, card('mlx5_0', 'Ethernet', '1: DOWN', ''), 'not-satisfied'],
    ['RoCE, down', 'either', ethernet, card('mlx5_0', 'Ethernet', '1: DOWN', ''), 'not-satisfied'],
    ['a state that was not read', 'roce-v2', ethernet, card('mlx5_0', 'Ethernet', '', ''), 'inconclusive'],
    ['InfiniBand', 'infiniband', fabric, card('mlx5_0', 'InfiniBand', '4: ACTIVE', ''), 'satisfied'],
    ['InfiniBand', 'roce-v2', fabric, card('mlx5_0', 'InfiniBand', '4: ACTIVE', ''), 'not-satisfied'],
    ['software on a network card', 'roce-v2', pci('0000:01:00.0 8086:1533 0200'), software, 'not-satisfied'],
    ['software on a card that can do RDMA', 'roce-v2', ethernet, software, 'inconclusive'],
  ])('%s answers %s', (_, promised, bus, cards, verdict) => {
    expect(ask('network.rdma', promised, bus, ...cards).verdict).toBe(verdict)
  })

  test.each<[string, string, Reading, readonly Reading[], string]>([
    ['InfiniBand', 'infiniband', fabric, card('mlx5_0', 'InfiniBand', '4: ACTIVE', ''), 'satisfied'],
    ['InfiniBand', 'roce', fabric, card('mlx5_0', 'InfiniBand', '4: ACTIVE', ''), 'not-satisfied'],
    ['RoCE', 'roce', ethernet, card('mlx5_0', 'Ethernet', '4: ACTIVE', ''), 'satisfied'],
    ['RoCE', 'infiniband', ethernet, card('mlx5_0', 'Ethernet', '4: ACTIVE', ''), 'not-satisfied'],
    // A cable that is out does not turn one fabric into none.
    ['InfiniBand, down', 'infiniband', fabric, card('mlx5_0', 'InfiniBand', '1: DOWN', ''), 'inconclusive'],
    ['a port without a kind', 'infiniband', fabric, card('mlx5_0', '', '4: ACTIVE', ''), 'inconclusive'],
    ['an adapter without a port', 'infiniband', fabric, software, 'inconclusive'],
    ['no adapter', 'infiniband', pci('0000:01:00.0 8086:1533 0200'), software, 'not-satisfied'],
    ['nothing read', 'infiniband', fabric, [], 'inconclusive'],
  ])('%s as fabric: %s', (_, kind, bus, cards, verdict) => {
    expect(ask('network.fabric-kind', kind, bus, ...cards).verdict).toBe(verdict)
  })

  test.each<[string, number, string, string]>([
    ['200 Gb/sec (4X HDR)', 200, '4: ACTIVE', 'satisfied'],
    ['100 Gb/sec (2X HDR)', 200, '4: ACTIVE', 'not-satisfied'],
    ['200 Gb/sec (4X HDR)', 200, '1: DOWN', 'not-satisfied'],
    ['fast', 200, '4: ACTIVE', 'inconclusive'],
  ])('InfiniBand at “%s” against %s, %s', (rate, promised, state, verdict) => {
    expect(ask('network.infiniband-rate', promised, fabric, ...card('mlx5_0', 'InfiniBand', state, rate)).verdict).toBe(
      verdict,
    )
  })

  const nic = (
    speed: string,
    { driver: driverName = 'ice', path = 'pci0000:00/0000:01:00.0', mac = '02:00:00:00:00:01' } = {},
  ) =>
    reading(netInterfaces, {
      list: `lrwxrwxrwx 1 root root 0 Nov 1 00:00 eth0 -> ../../devices/${path}/net/eth0\n`,
      values: `/sys/class/net/eth0/address:${mac}\n/sys/class/net/eth0/operstate:up\n/sys/class/net/eth0/speed:${speed}`,
      drivers: `/sys/class/net/eth0/device/uevent:DRIVER=${driverName}`,
    })

  test.each<[string, Reading, string]>([
    ['fast enough', nic('100000'), 'satisfied'],
    ['slower', nic('25000'), 'not-satisfied'],
    ['without a rate', nic('-1'), 'inconclusive'],
    ['without a rate, as older drivers print it', nic('4294967295'), 'inconclusive'],
    ['a part of an adapter', nic('100000', { driver: 'mlx5_core.sf' }), 'inconclusive'],
    ['paravirtual', nic('200000', { driver: 'vmxnet3' }), 'inconclusive'],
    ['of the management controller', nic('1000', { path: 'pci0000:00/0000:00:14.0/usb1/1-1' }), 'inconclusive'],
    ['IP over InfiniBand', nic('200000', { mac: `00:${'00:'.repeat(18)}01` }), 'inconclusive'],
  ])('an Ethernet port %s', (_, nics, verdict) => {
    expect(ask('network.ethernet-rate', 100, nics).verdict).toBe(verdict)
  })
})

describe('the rest', () => {
  const remote = (lists: string, values: string): Reading =>
    reading(storageRemote, {
      lists: { text: lists, exit: 2, error: 'ls: /sys/class/fc_host: No such file or directory\n' },
      values,
    })

  test.each<[string, Reading, string]>([
    ['over RDMA', remote('', '/sys/class/nvme/nvme1/transport:rdma'), 'satisfied'],
    ['over a loop', remote('', '/sys/class/nvme/nvme1/transport:loop'), 'inconclusive'],
    ['in the machine', remote('', '/sys/class/nvme/nvme1/transport:pcie'), 'inconclusive'],
    ['by iSCSI', remote('/sys/class/iscsi_session:\nsession1\n', ''), 'not-satisfied'],
  ])('NVMe %s', (_, ways, verdict) => {
    expect(ask('storage.nvme-of', null, ways).verdict).toBe(verdict)
  })

  test.each<[number, string]>([
    [1024, 'satisfied'],
    [Math.ceil(1024 * 0.97), 'satisfied'],
    [993, 'inconclusive'],
    [Math.ceil(1024 * 0.9), 'inconclusive'],
    [921, 'not-satisfied'],
  ])('%s GiB counted of 1024 promised', (gib, verdict) => {
    const memory = reading(inventoryMemory, { total: `MemTotal:       ${gib * 1024 * 1024} kB\n` })
    expect(ask('memory.gib', 1024, memory).verdict).toBe(verdict)
  })

  const list = (...rows: readonly string[]): Reading =>
    reading(tenancyProcesses, { list: ['    PID USER COMMAND CGROUP', ...rows].join('\n') })
  const WHOLE = ['1 root systemd 0::/init.scope', '2 root kthreadd 0::/']

  test.each<[string, Reading, string]>([
    ['root’s kubelet', list(...WHOLE, '9 root kubelet 0::/system.slice/kubelet.service'), 'satisfied'],
    ['a user’s kubelet', list(...WHOLE, '9 eve kubelet 0::/user.slice'), 'not-satisfied'],
    ['nothing in a list that hides others', list('9 eve bash 0::/user.slice'), 'inconclusive'],
    [
      'pods under another program',
      list(...WHOLE, '9 root pause 0::/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice'),
      'inconclusive',
    ],
  ])('Kubernetes: %s', (_, processes, verdict) => {
    expect(ask('software.scheduler', 'kubernetes', processes).verdict).toBe(verdict)
  })

  const inState = (state: string, ...those: readonly string[]): Reading =>
    reading(remoteAgents, {
      units: REMOTE_AGENTS.flatMap(({ units }) => units)
        .map((unit) =>
          those.includes(unit)
            ? `LoadState=loaded\nActiveState=${state}\nUnitFileState=enabled`
            : 'LoadState=not-found\nActiveState=inactive\nUnitFileState=',
        )
        .join('\n\n'),
    })
  const agents = (...active: readonly string[]): Reading => inState('active', ...active)
  const enabled = (...idle: readonly string[]): Reading => inState('inactive', ...idle)
  const passwd = (...names: readonly string[]): Reading =>
    reading(accountsLocal, {
      passwd: [
        'root:x:0:0::/root:/bin/bash',
        ...names.map((name) => `${name}:x:1000:1000::/home/${name}:/bin/bash`),
      ].join('\n'),
      group: 'root:x:0:\n',
      sources: 'passwd: files\n',
    })

  test.each<[string, readonly Reading[], string]>([
    ['an agent of a provider', [agents('amazon-ssm-agent'), list(...WHOLE), passwd()], 'satisfied'],
    ['tools of a virtual machine, enabled', [enabled('open-vm-tools'), list(...WHOLE), passwd()], 'inconclusive'],
    ['tools of a virtual machine, running', [agents('open-vm-tools'), list(...WHOLE), passwd()], 'satisfied'],
    ['its process alone', [agents(), list(...WHOLE, '9 root amazon-ssm-agen 0::/'), passwd()], 'satisfied'],
    ['an account that a provider documents', [agents(), list(...WHOLE), passwd('rack')], 'satisfied'],
    ['setup at first boot alone', [agents('cloud-init'), list(...WHOLE), passwd()], 'inconclusive'],
    ['management software of any kind', [agents('salt-minion'), list(...WHOLE), passwd()], 'inconclusive'],
    ['nothing that is known', [agents(), list(...WHOLE), passwd('ana')], 'inconclusive'],
    ['agents not read', [list(...WHOLE), passwd('rack')], 'inconclusive'],
  ])('administration by a provider: %s', (_, readings, verdict) => {
    expect(ask('access.provider-agents', null, ...readings).verdict).toBe(verdict)
  })

  test('management software and accounts that were declared as the provider’s are its own', () => {
    const check = CLAIM_TESTS.find(({ id }) => id === 'access.provider-agents')?.of(null)
    if (check == null) throw new Error('no such reading')
    const of = (account: string, ...readings: readonly Reading[]) =>
      conclude(check, new Map(readings.map(([probe, found]) => [probe.id, found])), {
        ...context,
        node: { ...context.node, accounts: [{ account, kind: 'provider', owner: 'Provider' }] },
      } as Context).verdict
    expect(of('salt-minion', agents('salt-minion'))).toBe('satisfied')
    expect(of('ops', agents(), passwd('ops'))).toBe('satisfied')
    expect(of('ops', agents('salt-minion'), passwd('ana'))).toBe('inconclusive')
  })
})
