import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gpuNvidia, gpuNvlink, parseNvidiaSmi, parseNvLinks } from '../../main/catalog/hardware/gpu/nvidia.ts'
import {
  gpuAmd,
  gpuAmdLegacy,
  gpuCards,
  gpuConfCompute,
  gpuFabric,
  gpuModules,
  gpuMps,
  gpuServiceRuns,
  parseConfCompute,
  sharingProcesses,
} from '../../main/catalog/hardware/gpu/probes.ts'
import { gpuTopology, parseTopology } from '../../main/catalog/hardware/gpu/topology.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { type Answer, type Probe, readProbe } from '../../main/core/recording/probe.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { fixtureOf } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { gpuXml, slice, TOPOLOGY_B300, TOPOLOGY_FLAT_GUEST, TOPOLOGY_OLD } from './gpu-forms.ts'

const PROBES: readonly Probe<unknown>[] = [
  gpuNvidia,
  gpuTopology,
  gpuNvlink,
  gpuFabric,
  gpuConfCompute,
  gpuMps,
  gpuModules,
  gpuCards,
  gpuAmd,
  gpuAmdLegacy,
]

describe('nvidia-smi -q -x', () => {
  test('a whole GPU with all that drivers of 2025 print', () => {
    const [gpu] = fact(
      parseNvidiaSmi(
        gpuXml({
          fabric: 'Completed',
          chassis: '1821225190123',
          processes:
            '<process_info><pid>48120</pid><type>C</type><used_memory>71342 MiB</used_memory></process_info>\n',
        }),
      ),
    ).gpus
    expect(gpu).toMatchObject({
      address: '0000:01:00.0',
      pciId: '10de:2331',
      virtualization: 'None',
      hostVgpuMode: null,
      licence: null,
      maxHostLink: '5',
      link: { deviceGeneration: 5, currentGeneration: 5, maxWidth: 16, currentWidth: 16 },
      platform: { chassisSerial: '1821225190123', slot: null },
      fabric: { state: 'Completed', status: 'Success', clique: null },
      ecc: 'Enabled',
      computeMode: 'Default',
      memory: { totalMib: 81559, usedMib: 1 },
      processes: [{ pid: 48120, type: 'C', memoryMib: 71342 }],
      slices: [],
    })
  })

  test('slices have their own id and memory, and leave those of the GPU alone', () => {
    const [gpu] = fact(parseNvidiaSmi(gpuXml({ mig: 'Enabled', slices: `${slice(1, 40448)}\n${slice(5, 9728)}` }))).gpus
    expect(gpu?.uuid).toBe('GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e90')
    expect(gpu?.memory.totalMib).toBe(81559)
    expect(gpu?.migDevices).toBe(2)
    expect(gpu?.slices).toEqual([
      { gpuInstance: 1, computeInstance: 0, memoryMib: 40448, multiprocessors: 60 },
      { gpuInstance: 5, computeInstance: 0, memoryMib: 9728, multiprocessors: 60 },
    ])
  })

  test('an A10G of a cloud guest, driver 515 with an older form', () => {
    const [gpu] = fact(
      parseNvidiaSmi(`<nvidia_smi_log>
    <driver_version>515.105.01</driver_version>
    <attached_gpus>1</attached_gpus>
    <gpu id="00000000:00:1E.0">
        <product_name>NVIDIA A10G</product_name>
        <mig_devices>
            None
        </mig_devices>
        <serial>0000000000000</serial>
        <gpu_part_number>000-00000-0000-000</gpu_part_number>
        <gpu_virtualization_mode>
            <virtualization_mode>Pass-Through</virtualization_mode>
            <host_vgpu_mode>N/A</host_vgpu_mode>
        </gpu_virtualization_mode>
        <pci>
            <pci_device_id>000000DE</pci_device_id>
        </pci>
    </gpu>
</nvidia_smi_log>`),
    ).gpus
    expect(gpu).toMatchObject({
      address: '0000:00:1e.0',
      virtualization: 'Pass-Through',
      maxHostLink: null,
      boardPart: '000-00000-0000-000',
      memory: { totalMib: null },
    })
  })

  test('a virtual GPU with its licence (driver 580, L40S-2Q)', () => {
    const [gpu] = fact(
      parseNvidiaSmi(
        gpuXml({
          name: 'NVIDIA L40S-2Q',
          mode: 'VGPU',
          licence:
            '<licensed_product_name>NVIDIA RTX Virtual Workstation</licensed_product_name><license_status>Licensed (Expiry: 2026-7-7 16:1:44 GMT)</license_status>',
        }),
      ),
    ).gpus
    expect(gpu?.licence?.product).toBe('NVIDIA RTX Virtual Workstation')
  })

  test('a cut answer is none', () =>
    expect(reason(parseNvidiaSmi(gpuXml({}).slice(0, -30)))).toBe('the output of nvidia-smi is not complete'))
})

describe('nvidia-smi topo -m', () => {
  test('a B300 server: underlined heading, legend of adapters, affinity', () => {
    const { rows, links, adapters } = fact(parseTopology(TOPOLOGY_B300))
    expect([...adapters]).toEqual([
      ['NIC0', 'mlx5_10'],
      ['NIC1', 'mlx5_bond_0'],
    ])
    expect(links.get('GPU1')).toEqual(['NV18', 'X', 'NODE', 'PXB'])
    expect(rows[0]).toMatchObject({ name: 'GPU0', cpus: '0-63,128-191', numa: '0' })
    expect(rows[2]).toMatchObject({ name: 'NIC0', cpus: null, numa: null })
  })
  test('adapters under their own names, with blanks', () => {
    const { rows, adapters } = fact(parseTopology(TOPOLOGY_OLD))
    expect([...adapters]).toEqual([['mlx5_0', 'mlx5_0']])
    expect(rows.map(({ name, numa }) => [name, numa])).toEqual([
      ['GPU0', '0'],
      ['GPU1', '1'],
      ['mlx5_0', null],
    ])
  })
  test.each([
    ['a row is missing', TOPOLOGY_FLAT_GUEST.replace(/^GPU1.*\n/m, '')],
    ['a cell is missing', TOPOLOGY_FLAT_GUEST.replace('\tPIX\t0-47', '\t0-47')],
  ])('%s', (_, text) => expect(reason(parseTopology(text))).toBe('the matrix of nvidia-smi is not complete'))
  test('nothing of it', () =>
    expect(reason(parseTopology('No devices were found\n'))).toBe('the output of nvidia-smi lists no GPU'))
})

describe('nvidia-smi nvlink -s', () => {
  const H100 = 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e94)\n'
  test('links that run, and links that do not', () =>
    expect(fact(parseNvLinks(`${H100}\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n`)).gpus).toEqual([
      {
        index: 0,
        uuid: 'GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e94',
        active: 1,
        speeds: [26.562, 26.562],
        inactive: 1,
      },
    ]))
  test('a card without NVLink', () =>
    expect(
      fact(
        parseNvLinks(
          'GPU 0: NVIDIA RTX A4000 (UUID: GPU-9a9a6c50-2a47-2f51-a902-b82c3b127e94) Device does not have or support Nvlink\n',
        ),
      ).gpus[0],
    ).toMatchObject({ active: 0, inactive: 0, speeds: null }))
  test('something else', () => expect(reason(parseNvLinks('hello\n'))).toMatch(/an unexpected format/))
})

test('nvidia-smi conf-compute -q: off on an H20, on in a guest', () => {
  const off = `CC State                   : OFF
GPU CC Capabilities        : CC Capable
CC GPUs Ready State        : Ready
`
  expect(fact(parseConfCompute(off))).toEqual({
    isOn: false,
    isProtectedGroup: false,
    processor: null,
    isCapable: true,
  })
  const on = `    CC State                   : ON\n    Multi-GPU Mode             : None\n    CPU CC Capabilities        : INTEL TDX\n`
  expect(fact(parseConfCompute(on))).toMatchObject({ isOn: true, processor: 'INTEL TDX' })
  expect(fact(gpuConfCompute.parse({ state: answer('Not Supported\n', { exitCode: 3 }) })).isOn).toBe(false)
  expect(reason(gpuConfCompute.parse({ state: answer('', { exitCode: 9 }) }))).toMatch(/did not report/)
})

test('services and the multi-process service', () => {
  const captured = fixtureRecording('demo-gpu-01', [gpuFabric, gpuMps]).captures
  const by = new Map(captured.map((capture) => [`${capture.meta.probe}/${capture.meta.command}`, capture]))
  expect(gpuServiceRuns(fact(readProbe(gpuFabric, by)), 'nvidia-fabricmanager')).toBe(true)
  expect(gpuServiceRuns(fact(readProbe(gpuFabric, by)), 'nvidia-vgpud')).toBe(false)
  expect(fact(readProbe(gpuMps, by)).folders).toEqual([])
  const process = { pid: 7, user: 'root', command: 'nvidia-cuda-mps', cgroup: '/' }
  expect(sharingProcesses({ processes: [process, { ...process, command: 'sshd' }], isComplete: true })).toEqual([
    process,
  ])
})

describe('every probe', () => {
  test.each(['demo-gpu-01', 'demo-metal-04', 'demo-guest-03'])('has an answer or a reason on %s', (node) => {
    const by = fixtureOf(node).captures
    const read = PROBES.filter((probe) => {
      const reading = readProbe(probe, by)
      if (!reading.ok) expect(reading.reason).toMatch(/^not collected: tool absent|did not answer|service manager/)
      return reading.ok
    })
    expect(read.length).toBeGreaterThanOrEqual(node === 'demo-guest-03' ? 3 : 8)
  })

  test.each(PROBES.map((probe) => [probe.id, probe] as const))(
    '%s takes any bytes, and asks only to read',
    (_, probe) => {
      const noise = fc
        .tuple(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(0, 1, 2, 255))
        .map(([text, exitCode]) => answer(text, { exitCode }))
      const names = Object.keys(probe.commands)
      fc.assert(
        fc.property(fc.array(noise, { minLength: 3, maxLength: 3 }), (answers) => {
          const given = Object.fromEntries(names.map((name, index) => [name, answers[index] as Answer]))
          expect(['object', 'string']).toContain(typeof probe.parse(given))
        }),
        { numRuns: 100 },
      )
      for (const command of Object.values(probe.commands))
        if (command.kind === 'run')
          expect(deniedCommand(command.argv.map((word) => (typeof word === 'string' ? word : word.glob)))).toBeNull()
      for (const banned of BANNED) expect(`${probe.title} ${probe.why}`).not.toMatch(banned)
    },
  )
})
