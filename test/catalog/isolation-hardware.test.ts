import { describe, expect, test } from 'vitest'
import { assessIsolation } from '../../main/catalog/single-tenancy/isolation/argue.ts'
import type { CapturedAnswer } from '../../main/core/recording/recording.ts'
import type { IsolationArgument } from '../../main/core/rules/catalog.ts'
import { capturesOf, readingsFrom } from './isolation-readings.ts'

/** What a machine answers otherwise: a replacement in the text of one capture. */
type Change = readonly [key: string, from: RegExp, to: string]

/** The argument about a recorded node of which some answers are changed. */
function argueChanged(node: string, ...changes: readonly Change[]): IsolationArgument {
  const { captures, context } = capturesOf(node)
  const changed = new Map<string, CapturedAnswer>(captures)
  for (const [key, from, to] of changes) {
    const capture = changed.get(key)
    if (capture === undefined) throw new Error(key)
    const text = Buffer.from(capture.stdout).toString('latin1')
    if (!from.test(text)) throw new Error(`${key} has no ${from}`)
    changed.set(key, { ...capture, stdout: new Uint8Array(Buffer.from(text.replace(from, to), 'latin1')) })
  }
  return assessIsolation(readingsFrom(changed), context)
}

const holds = (argument: IsolationArgument, item: string): string | undefined =>
  argument.minimum.find((part) => part.item === item)?.holds
const reads = (argument: IsolationArgument, id: string): string | undefined =>
  argument.signals.find((signal) => signal.id === id)?.indicates
const isSigned = (argument: IsolationArgument, id: string): boolean =>
  argument.anomalies.some(({ signal }) => signal === id)

describe('honest machines, by one fact changed on the model node', () => {
  test.each([
    ['Granite Rapids', 0xad, 'Intel(R) Xeon(R) 6980P'],
    ['Granite Rapids, smaller', 0xae, 'Intel(R) Xeon(R) 6515P'],
    ['Sierra Forest', 0xaf, 'Intel(R) Xeon(R) 6766E'],
    ['Clearwater Forest', 0xdd, 'Intel(R) Xeon(R) 6990E+'],
  ])('Xeon 6, %s: its host bridge is known', (_, model, name) => {
    const argument = argueChanged(
      'demo-gpu-01',
      ['cpu.features/cpuinfo', /^model\t\t: 143$/gm, `model\t\t: ${model}`],
      ['cpu.features/cpuinfo', /Intel\(R\) Xeon\(R\) Platinum 8480\+/g, name],
    )
    expect(holds(argument, 'b')).toBe('yes')
    expect(reads(argument, 'pci.hostbridge')).toBe('bare-metal')
    for (const id of ['cpu.physbits', 'cpu.maxleaf']) expect(reads(argument, id), id).toBe('bare-metal')
    expect(argument.environment).not.toBe('virtual-machine')
  })

  const switchless: readonly Change[] = [['pci.devices/ids', /PCI_ID=10DE:22A3/g, 'PCI_ID=15B3:1021']]
  const boards = (id: string): IsolationArgument =>
    argueChanged('demo-gpu-01', ['pci.devices/ids', /PCI_ID=10DE:2330/g, `PCI_ID=10DE:${id}`], ...switchless)
  test.each(['2901', '3182'])('a board of eight Blackwell GPUs (%s) whose switches are no PCI functions', (id) => {
    const argument = boards(id)
    expect([reads(argument, 'gpu.nvswitch'), reads(argument, 'gpu.nvlink')]).toEqual(['neutral', 'bare-metal'])
    expect(holds(argument, 'f')).toBe('yes')
    expect(argument.environment).toBe('bare-metal')
  })

  const gaudi: readonly Change[] = [
    ['pci.devices/ids', /PCI_ID=1002:74A1/g, 'PCI_ID=1DA3:1060'],
    ['pci.devices/ids', /DRIVER=amdgpu/g, 'DRIVER=habanalabs'],
  ]
  test('Gaudi 3: whole by its id, under its own driver, behind real ports', () => {
    const argument = argueChanged('fx-iso-amdgpu', ...gaudi)
    expect([holds(argument, 'f'), argument.environment]).toEqual(['yes', 'bare-metal'])
  })
  test('Gaudi 3 without its driver, of an id on no list, or behind ports that were not read, is not known to be whole', () => {
    for (const change of [
      ['pci.devices/ids', /DRIVER=habanalabs/g, 'DRIVER=vfio-pci'],
      ['pci.devices/ids', /PCI_ID=1DA3:1060/g, 'PCI_ID=1DA3:1FFF'],
      ['pci.ports/ports', /Secondary PCI Express/g, 'Virtual Channel'],
    ] as const) {
      const argument = argueChanged('fx-iso-amdgpu', ...gaudi, change)
      expect(holds(argument, 'f'), change[2]).toBe('no')
      expect(argument.environment, change[2]).not.toBe('bare-metal')
    }
  })

  test.each(['686C', '692F', '73AE', '73CE', '7410', '7461', '74B5', '74B6', '74B9', '74BC', '74BD', '75B0', '75B3'])(
    'AMD’s virtual function %s is no whole accelerator',
    (id) => {
      const argument = argueChanged('fx-iso-amdgpu', ['pci.devices/ids', /PCI_ID=1002:74A1/g, `PCI_ID=1002:${id}`])
      expect([holds(argument, 'f'), reads(argument, 'gpu.function')]).toEqual(['no', 'virtual'])
      expect(argument.environment).not.toBe('bare-metal')
      expect(
        new Set(argument.attachments.filter(({ kind }) => kind === 'gpu').map(({ attachment }) => attachment)),
      ).toEqual(new Set(['virtual-function']))
    },
  )
  test.each(['740F', '7408', '740C', '74A0', '74A1', '74A2', '74A5', '74A9', '75A0', '75A3'])(
    'AMD’s accelerator %s is whole',
    (id) => {
      const argument = argueChanged('fx-iso-amdgpu', ['pci.devices/ids', /PCI_ID=1002:74A1/g, `PCI_ID=1002:${id}`])
      expect([holds(argument, 'f'), argument.environment]).toEqual(['yes', 'bare-metal'])
    },
  )
  test('an accelerator of AMD with an id on no list is neither', () => {
    const argument = argueChanged('fx-iso-amdgpu', ['pci.devices/ids', /PCI_ID=1002:74A1/g, 'PCI_ID=1002:76F0'])
    expect([holds(argument, 'f'), reads(argument, 'gpu.function'), argument.environment]).toEqual([
      'no',
      'neutral',
      'undetermined',
    ])
  })
})

describe('functions that a card presents decide about themselves', () => {
  const first: Change = ['pci.devices/ids', /(0000:81:00\.0\/uevent:PCI_ID=)14E4:1751/, '$115B3:A2DC']
  const second = (id: string): Change => ['pci.devices/ids', /(0000:81:00\.1\/uevent:PCI_ID=)14E4:1751/, `$1${id}`]

  test('virtio beside a BlueField, below a port of the processor', () => {
    const argument = argueChanged('demo-gpu-01', first, second('1AF4:1041'))
    expect([reads(argument, 'pci.vendors'), holds(argument, 'g'), argument.environment]).toEqual([
      'neutral',
      'yes',
      'bare-metal',
    ])
  })
  test.each(['1D0F:EC20', '1AE0:0042', '1DED:107F'])('a function of a provider’s own card: %s', (id) => {
    const argument = argueChanged('demo-gpu-01', second(id))
    expect([reads(argument, 'pci.vendors'), argument.environment]).toEqual(['neutral', 'bare-metal'])
  })
  test('virtio with no data-processing unit below the port needs an explanation', () => {
    const argument = argueChanged('demo-gpu-01', second('1AF4:1041'))
    expect([reads(argument, 'pci.vendors'), isSigned(argument, 'pci.vendors')]).toEqual(['virtual', true])
    expect(argument.environment).not.toBe('bare-metal')
  })
  test.each([
    ['the port has no registers for equalization', ['pci.ports/ports', /Secondary PCI Express/g, 'Virtual Channel']],
    ['the port is an emulator’s copy', ['pci.devices/ids', /(0000:80:05\.0\/uevent:PCI_ID=)8086:352C/, '$18086:3420']],
    [
      'the port is one that Amazon shows to guests',
      ['pci.devices/ids', /(0000:80:05\.0\/uevent:PCI_ID=)8086:352C/, '$11D0F:0200'],
    ],
    ['the unit is a virtual function', ['pci.devices/ids', /15B3:A2DC/, '15B3:A2D3']],
    ['the function is on the root bus', ['pci.devices/tree', /0000:80:05\.0\/0000:81:00\.1/, '0000:81:00.1']],
  ] as const)('not where %s', (_, change) => {
    const argument = argueChanged('demo-gpu-01', first, second('1AF4:1041'), change)
    expect(reads(argument, 'pci.vendors')).toBe('virtual')
    expect(argument.environment).not.toBe('bare-metal')
  })
  test.each(['vm-default', 'vm-dressed-tables', 'vm-dressed-texts', 'vm-dressed-topology', 'demo-guest-03'])(
    '%s is a guest as before',
    (node) => expect(argueChanged(node).environment).toBe('virtual-machine'),
  )
})
