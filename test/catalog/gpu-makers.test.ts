import { describe, expect, test } from 'vitest'
import { type Process, tenancyKfd, tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { gpuSubject, tenancyGpuExclusive } from '../../main/catalog/hardware/gpu/index.ts'
import { gpuNvidia } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { gpuConfCompute, parseConfCompute } from '../../main/catalog/hardware/gpu/probes.ts'
import { encryptionInUseCcState } from '../../main/catalog/hardware/memory-encryption/index.ts'
import { gpusOf, type PciDevice, pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import type { Check } from '../../main/core/rules/check.ts'
import { concludeOn } from '../support/evaluated.ts'
import { pci } from './gpu-forms.ts'

const card = (address: string, id: string, given: Partial<PciDevice> = {}): PciDevice => ({
  ...pci(address, id),
  class: '030000',
  above: ['0000:00:01.1', '0000:01:00.0', '0000:02:00.0'],
  maxLinkSpeed: 16,
  maxLinkWidth: 16,
  ...given,
})
const onRoot = { above: [], root: '0000:00', maxLinkSpeed: null, maxLinkWidth: null } as const
const beside = (address: string, id: string, kind: string): PciDevice => ({ ...pci(address, id), class: kind })

const process = (pid: number, user: string): Process => ({ pid, user, command: 'python3', cgroup: '0::/user.slice' })

const counted = (...devices: readonly PciDevice[]): readonly string[] => gpusOf(devices).map(({ device }) => device)

describe('which devices of a bus are GPUs', () => {
  test('cards of AMD and Intel that are VGA controllers', () => {
    const [w7900, sound] = [card('0000:03:00.0', '1002:7448'), beside('0000:03:00.1', '1002:ab30', '040300')]
    expect(counted(w7900, sound)).toEqual(['7448'])
    expect(counted(card('0000:05:00.0', '8086:56a0'))).toEqual(['56a0'])
    // Handed to a guest of QEMU’s older machine, which has no ports.
    expect(counted(card('0000:00:10.0', '1002:744c', { ...onRoot, maxLinkWidth: 16 }))).toEqual(['744c'])
    expect(counted(card('0000:00:10.0', '8086:56a0', { ...onRoot, maxLinkWidth: 16 }))).toEqual(['56a0'])
  })
  // Where a management controller has the screen, firmware sets the class of the processor’s graphics to 0380.
  test.each(['030000', '038000'])('graphics of a processor, of class %s, are none', (kind) => {
    expect(counted(card('0000:00:02.0', '8086:3e96', { ...onRoot, class: kind }))).toEqual([])
    expect(counted(card('0000:00:02.1', '8086:2a03', { ...onRoot, class: kind }))).toEqual([])
    const raphael = card('0000:0f:00.0', '1002:164e', { class: kind })
    const [coprocessor, usb] = [
      beside('0000:0f:00.2', '1022:1649', '108000'),
      beside('0000:0f:00.3', '1022:15b6', '0c0330'),
    ]
    expect(counted(raphael, coprocessor, usb)).toEqual([])
    expect(counted(card('0000:00:01.0', '1002:9874', { ...onRoot, class: kind }))).toEqual([])
  })
  test('screens of old servers and mainboards have no link, and are none', () => {
    expect(counted(card('0000:01:03.0', '1002:515e', { maxLinkSpeed: null, maxLinkWidth: null }))).toEqual([])
    expect(counted(card('0000:01:05.0', '1002:9715', { maxLinkSpeed: null, maxLinkWidth: null }))).toEqual([])
    expect(counted(card('0000:03:00.0', '1a03:2000', { maxLinkWidth: null }))).toEqual([])
  })
  test('accelerators without a screen are, wherever they hang', () => {
    expect(counted(card('0000:05:00.0', '1002:74a1', { class: '120000', maxLinkWidth: null }))).toEqual(['74a1'])
    expect(counted(card('0000:4d:00.0', '8086:0bd5', { class: '038000' }))).toEqual(['0bd5'])
    expect(counted(card('0000:05:00.0', '1da3:1060', { class: '120000' }))).toEqual(['1060'])
  })
})

describe('whole accelerators of AMD and Habana', () => {
  const ABSENT = unknown('not collected: tool absent on the node')
  const exclusive = (devices: readonly PciDevice[], gpus: Parsed<unknown> = ABSENT) =>
    concludeOn(tenancyGpuExclusive, 'fx-iso-amdgpu', [
      [pciDevices.id, known({ devices })],
      [gpuNvidia.id, gpus],
    ])
  const mi300 = (at: string, given: Partial<PciDevice> = {}): PciDevice =>
    card(at, '1002:74a1', { class: '120000', driver: 'amdgpu', ...given })

  test('are dedicated by their ids, under their own driver', () => {
    expect(concludeOn(tenancyGpuExclusive, 'fx-iso-amdgpu', []).verdict).toBe('satisfied')
    expect(exclusive([mi300('0000:05:00.0'), mi300('0000:26:00.0')]).verdict).toBe('satisfied')
    expect(exclusive([card('0000:05:00.0', '1da3:1060', { class: '120000', driver: 'habanalabs' })]).verdict).toBe(
      'satisfied',
    )
    expect(exclusive([card('0000:03:00.0', '1002:7448', { driver: 'amdgpu' })]).verdict).toBe('satisfied')
  })
  test.each<[string, Partial<PciDevice>]>([
    ['no driver', { driver: null }],
    ['kept for a guest', { driver: 'vfio-pci' }],
    ['an id on no list', { device: '76f0' }],
  ])('are open with %s', (_, given) =>
    expect(exclusive([mi300('0000:05:00.0'), mi300('0000:26:00.0', given)]).verdict).toBe('inconclusive'),
  )
  test('an Intel GPU is open: its functions have the id of the whole', () =>
    expect(exclusive([card('0000:05:00.0', '8086:56a0', { driver: 'i915' })]).verdict).toBe('inconclusive'))
  test('a virtual function, whose whole is not in view, or is being shared out', () => {
    const part = mi300('0000:05:02.0', { device: '74b5' })
    expect(exclusive([part]).verdict).toBe('not-satisfied')
    expect(exclusive([mi300('0000:05:00.0', { virtualFunctions: 1 }), part]).verdict).toBe('not-satisfied')
  })
  test('the answer of NVIDIA’s driver is needed where it has GPUs, or its capture was lost', () => {
    expect(exclusive([mi300('0000:05:00.0')], unknown('this was not collected')).verdict).toBe('inconclusive')
    expect(exclusive([mi300('0000:05:00.0'), pci('0000:01:00.0', '10de:2331')]).verdict).toBe('inconclusive')
  })
})

describe('without a GPU on the bus', () => {
  const NIC = { devices: [beside('0000:01:00.0', '15b3:1021', '020000')] }
  const gpuProcesses = gpuSubject.checks.find(({ id }) => id === 'tenancy.gpu-processes') as Check
  const of = (check: Check, ...changed: readonly (readonly [string, Parsed<unknown>])[]) =>
    concludeOn(check, 'demo-gpu-01', [
      [pciDevices.id, known(NIC)],
      [gpuNvidia.id, unknown('not collected: tool absent on the node')],
      [tenancyKfd.id, known({ ids: [] })],
      ...changed,
    ]).verdict
  test('neither check applies', () => {
    expect(of(gpuProcesses)).toBe('not-applicable')
    expect(of(tenancyGpuExclusive)).toBe('not-applicable')
  })
  // Graphics of a Ryzen AI compute too: the driver amdkfd lists their processes.
  test('work on graphics of an AMD processor is compared with the roster', () => {
    const [mine, other] = [process(10, 'mortiz'), process(11, 'acme')]
    const list = [tenancyProcesses.id, known({ processes: [mine, other], isComplete: true })] as const
    expect(of(gpuProcesses, list, [tenancyKfd.id, known({ ids: [10] })])).toBe('satisfied')
    expect(of(gpuProcesses, list, [tenancyKfd.id, known({ ids: [11] })])).toBe('not-satisfied')
  })
})

describe('confidential computing without a mark', () => {
  const ABSENT = unknown('not collected: tool absent on the node')
  const state = (device: PciDevice, gpus: Parsed<unknown> = ABSENT, node = 'demo-gpu-01') => {
    const changed = [
      [pciDevices.id, known({ devices: [device] })],
      [gpuConfCompute.id, gpus],
    ] as const
    const { verdict, observations } = concludeOn(encryptionInUseCcState, node, changed)
    return [verdict, observations.map(({ text }) => text).join(' ')]
  }
  const amd = card('0000:05:00.0', '1002:74a1', { class: '120000' })
  test('is off on a server with accelerators of AMD, and open with a silent driver of NVIDIA', () => {
    expect(state(amd)).toEqual(['informational', expect.stringContaining('is readable by the operator')])
    expect(state(pci('0000:01:00.0', '10de:2331'))).toEqual(['inconclusive', expect.any(String)])
  })
  // A guest under AMD SEV without SNP, one of Azure, or one under SNP without the module sev-guest.
  test('does not show of a guest that its memory is readable', () => {
    const [verdict, text] = state(amd, ABSENT, 'demo-guest-03')
    expect(verdict).toBe('informational')
    expect(text).toContain('it is not known whether the operator')
    expect(text).not.toContain('is readable')
  })
  test('is open where the GPU driver names the protection of the processor', () => {
    const off = (cpu: string) =>
      parseConfCompute(`CC State : OFF\nCPU CC Capabilities : ${cpu}\nGPU CC Capabilities : CC Capable\n`)
    const h100 = pci('0000:01:00.0', '10de:2331')
    expect(state(h100, off('None'))[0]).toBe('informational')
    expect(state(h100, off('AMD SEV'))).toEqual(['inconclusive', expect.stringContaining('“AMD SEV”')])
  })
})
