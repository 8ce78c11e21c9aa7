import { expect, test } from 'vitest'
import { gpuNvidia, parseNvidiaSmi } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { gpuCards } from '../../main/catalog/hardware/gpu/probes.ts'
import { type PciDevice, pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { gpuAnswers } from '../../main/catalog/single-tenancy/isolation/attachments.ts'
import { known } from '../../main/core/recording/probe.ts'
import type { Environment } from '../../schemas/words.ts'
import { readOf } from '../support/signal-facts.ts'
import { type GpuForm, gpuXml, pci, slice } from './gpu-forms.ts'

const bus = (...devices: readonly PciDevice[]) => [pciDevices, known({ devices })] as const
const CARD = pci('0000:01:00.0', '10de:2331', ['0000:00:01.0'])
const is = (form: GpuForm, environment: Environment) =>
  gpuAnswers(readOf(bus(CARD), [gpuNvidia, parseNvidiaSmi(gpuXml(form))]), environment).map((one) => one.attachment)

test.each<[string, GpuForm, Environment, string]>([
  ['whole, on hardware', {}, 'bare-metal', 'physical'],
  ['whole, on a hypervisor’s host', { mode: 'Host VGPU' }, 'hypervisor-host', 'physical'],
  ['whole, in a guest that hides it', {}, 'virtual-machine', 'passthrough'],
  ['whole, at an unknown place', {}, 'undetermined', 'undetermined'],
  ['given to a guest, whatever else was argued', { mode: 'Pass-Through' }, 'bare-metal', 'passthrough'],
  ['virtual', { mode: 'VGPU' }, 'bare-metal', 'virtual'],
  ['called like a virtual one', { name: 'NVIDIA L40S-2Q' }, 'bare-metal', 'virtual'],
  ['a slice of it in a guest', { mig: 'Enabled', slices: slice(1, 9728) }, 'virtual-machine', 'virtual'],
  ['a slice of it, at an unknown place', { mig: 'Enabled', slices: slice(1, 9728) }, 'undetermined', 'undetermined'],
  ['divided by its owner', { mig: 'Enabled', slices: slice(1, 9728) }, 'bare-metal', 'physical'],
  ['a driver that does not report it', { mode: 'N/A' }, 'bare-metal', 'undetermined'],
])('%s', (_, form, environment, expected) => expect(is(form, environment)).toEqual([expected]))

test('without a driver’s answer nothing is called physical', () => {
  const [one] = gpuAnswers(readOf(bus({ ...CARD, driver: 'vfio-pci' })), 'bare-metal')
  expect(one).toMatchObject({
    attachment: 'undetermined',
    device: '0000:01:00.0',
    text: expect.stringContaining('vfio-pci'),
  })
  expect(gpuAnswers(readOf(), 'bare-metal')).toEqual([])
})

test('a GPU that only the driver knows', () => {
  const read = readOf([gpuNvidia, parseNvidiaSmi(gpuXml({}))])
  expect(gpuAnswers(read, 'bare-metal')).toMatchObject([
    { attachment: 'undetermined', text: expect.stringContaining('PCI bus') },
  ])
})

test('accelerators of AMD and Intel', () => {
  const whole = pci('0000:05:00.0', '1002:74a1', [], '120000')
  const part = pci('0000:05:02.0', '1002:74b5', [], '120000')
  const flex = pci('0000:4d:00.0', '8086:56c0', [], '038000')
  const flexPart = pci('0000:4d:00.1', '8086:56c0', [], '038000')
  const card = (address: string, rest: object) => ({
    name: 'card0',
    address,
    productName: null,
    partition: null,
    ...rest,
  })
  const cards = [
    card(whole.address, { physicalFunction: null, partition: 'CPX', productName: 'AMD Instinct MI300X OAM' }),
    card(flexPart.address, { physicalFunction: flex.address }),
  ]
  const answers = gpuAnswers(
    readOf(bus(whole, part, { ...flex, virtualFunctions: 1 }, flexPart), [gpuCards, known({ cards })]),
    'bare-metal',
  )
  expect(answers.map((one) => one.attachment)).toEqual(['physical', 'virtual-function', 'physical', 'virtual-function'])
  expect(answers[0]).toMatchObject({
    device: '0000:05:00.0 AMD Instinct MI300X OAM',
    text: expect.stringContaining('“CPX”'),
  })
  expect(answers[2]?.text).toMatch(/Virtual functions are switched on \(1\)/)
})
