import { describe, expect, test } from 'vitest'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import { tenancyGpuExclusive } from '../../main/catalog/hardware/gpu/index.ts'
import { gpuNvidia, parseNvidiaSmi } from '../../main/catalog/hardware/gpu/nvidia.ts'
import { gpuConfCompute } from '../../main/catalog/hardware/gpu/probes.ts'
import { inventoryHardware } from '../../main/catalog/hardware/machine/index.ts'
import { cpuConfidential, encryptionInUseCcState } from '../../main/catalog/hardware/memory-encryption/index.ts'
import { pciDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { known, type Parsed, type Probe, unknown } from '../../main/core/recording/probe.ts'
import { type Check, type Conclusion, type Context, conclude } from '../../main/core/rules/check.ts'
import { BANNED } from '../../schemas/words.ts'
import { answer, fact } from '../support/answers.ts'
import { BASELINE } from '../support/baseline.ts'
import { concludeOn } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'
import { type GpuForm, gpuXml, pci, slice } from './gpu-forms.ts'

const on = (node: string, check: Check, without: readonly Probe<unknown>[] = []): Conclusion =>
  concludeOn(
    check,
    node,
    without.map(({ id }) => [id, unknown('this was not collected')]),
  )

describe('confidential computing', () => {
  test.each([
    ['fx-iso-cc', [], 'satisfied'],
    ['fx-iso-cc-half', [], 'not-satisfied'],
    ['fx-iso-cc', [gpuConfCompute], 'inconclusive'],
    ['fx-iso-cc', [cpuConfidential], 'inconclusive'],
    ['fx-iso-cc', [pciDevices], 'inconclusive'],
    ['fx-iso-k8s', [], 'inconclusive'],
    ['demo-gpu-01', [], 'informational'],
    ['demo-guest-03', [], 'informational'],
  ] as const)('%s without %j: %s', (node, without, verdict) =>
    expect(on(node, encryptionInUseCcState, without).verdict).toBe(verdict),
  )

  test('marks of a confidential guest', () => {
    const missing = answer('', { exitCode: 2, errorText: 'x: No such file or directory\n' })
    const read = (devices: string, flags = '', secure = missing) =>
      fact(cpuConfidential.parse({ devices: answer(devices), flags: answer(flags), secure })).protection
    expect(read('/dev/sev-guest\n')).toBe('AMD SEV-SNP')
    expect(read('', 'tdx_guest\n')).toBe('Intel TDX')
    expect(read('/sys/firmware/uv/prot_virt_guest\n', '', answer('/sys/firmware/uv/prot_virt_guest:1\n'))).toBe(
      'IBM Secure Execution',
    )
    expect(read('/sys/firmware/uv/prot_virt_guest\n', '', answer('/sys/firmware/uv/prot_virt_guest:0\n'))).toBeNull()
  })
})

describe('whole GPUs', () => {
  const recorded = fixtureRecording('demo-gpu-01', []).recording
  const context: Context = {
    node: recorded.node,
    asOf: recorded.endedAt,
    observedAt: recorded.endedAt,
    thresholds: BASELINE,
  }
  const processes = { processes: [{ pid: 1, user: 'root', command: 'systemd', cgroup: '/' }], isComplete: true }
  const verdict = (form: GpuForm, list = processes, given = context) => {
    const readings = new Map<string, Parsed<unknown>>([
      [pciDevices.id, known({ devices: [pci('0000:01:00.0', '10de:2331')] })],
      [tenancyProcesses.id, known(list)],
      [gpuNvidia.id, parseNvidiaSmi(gpuXml(form))],
    ])
    return conclude(tenancyGpuExclusive, readings, given).verdict
  }
  const divided = { mig: 'Enabled', slices: slice(1, 40448) }
  test('a GPU that this system divides for itself is no fault', () => {
    expect(verdict({})).toBe('satisfied')
    expect(verdict(divided)).toBe('satisfied')
    expect(on('fx-iso-mig', tenancyGpuExclusive).verdict).toBe('satisfied')
  })
  test('one of which only slices are in view was divided by another party', () =>
    expect(verdict({ ...divided, total: 'Insufficient Permissions' })).toBe('not-satisfied'))
  test('it is open with processes out of view, and a roster does not matter', () => {
    expect(verdict(divided, { ...processes, isComplete: false })).toBe('inconclusive')
    expect(on('fx-iso-mig', tenancyGpuExclusive, [tenancyProcesses]).verdict).toBe('inconclusive')
    expect(on('demo-gpu-01', tenancyGpuExclusive, [tenancyProcesses]).verdict).toBe('satisfied')
    const { roster: _, ...node } = context.node
    expect(verdict(divided, processes, { ...context, node })).toBe('satisfied')
  })
  test('jobs of another tenant are the matter of another check', () =>
    expect(on('demo-shared-05', tenancyGpuExclusive).verdict).toBe('satisfied'))
  test('a virtual GPU, by mode or by name', () => {
    expect(verdict({ mode: 'VGPU' })).toBe('not-satisfied')
    expect(verdict({ name: 'NVIDIA A100-4C' })).toBe('not-satisfied')
    expect(on('demo-gpu-01', tenancyGpuExclusive, [gpuNvidia]).verdict).toBe('inconclusive')
  })
})

test('the inventory names boards, firmware and serials', () => {
  const texts = on('demo-gpu-01', inventoryHardware).observations.map(({ text }) => text)
  expect(texts).toContainEqual(expect.stringMatching(/8 GPUs: .*Board “692-2G520-0200-000”.*Firmware .*Serial numbers/))
  expect(on('demo-gpu-01', inventoryHardware, [gpuNvidia]).verdict).toBe('informational')
})

test('no text for people states more than was observed', () => {
  for (const check of [encryptionInUseCcState, tenancyGpuExclusive])
    for (const node of ['demo-gpu-01', 'fx-iso-cc', 'fx-iso-cc-half', 'fx-iso-mig'])
      for (const text of [check.expected, check.limitations, ...on(node, check).observations.map((step) => step.text)])
        for (const banned of BANNED) expect(text).not.toMatch(banned)
})
