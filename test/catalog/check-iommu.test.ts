import { describe, expect, test } from 'vitest'
import { rdmaGpudirect } from '../../main/catalog/hardware/fabric/rdma.ts'
import { osIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { type Iommu, pciIommu, tenancyIommu } from '../../main/catalog/hardware/pci/iommu.ts'
import { virtHosted } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { known, type Parsed, type Probe } from '../../main/core/recording/probe.ts'
import { type Conclusion, conclude } from '../../main/core/rules/check.ts'
import { BANNED } from '../../schemas/words.ts'
import { BASELINE } from '../support/baseline.ts'
import { fixtureRecording, fixtureSettings } from '../support/fixtures.ts'

interface Case {
  readonly iommu?: Partial<Iommu>
  readonly heldBack?: readonly string[]
  readonly modules?: readonly string[]
  readonly machine?: string
  readonly without?: Probe<unknown>
}

const OFF: Iommu = { units: [], groups: [], types: new Map(), kernelArguments: [] }
const ON: Iommu = { ...OFF, units: ['dmar0'], groups: ['0', '1'] }
const TRANSLATED = new Map([
  ['0', 'DMA-FQ'],
  ['1', 'DMA'],
])
const PASSED = new Map([...TRANSLATED, ['1', 'identity'] as const])
const NIC = '0000:17:00.0'
const { recording } = fixtureRecording('demo-gpu-01', [])

function concluded({ iommu = {}, heldBack = [], modules = [], machine = 'x86_64', without }: Case): Conclusion {
  const readings = new Map<string, Parsed<unknown>>([
    [pciIommu.id, known({ ...OFF, ...iommu })],
    [virtHosted.id, known({ xenGuests: [], heldBack, mediated: [], taps: [] })],
    [rdmaGpudirect.id, known({ modules, hasStorageDriver: false })],
    [osIdentity.id, known({ name: 'Ubuntu 24.04', kernel: 'Linux 6.8.0', machine })],
  ])
  if (without !== undefined) readings.delete(without.id)
  const at = recording.endedAt
  const conclusion = conclude(tenancyIommu, readings, {
    node: { ...recording.node, ...fixtureSettings('demo-gpu-01').node },
    asOf: at,
    observedAt: at,
    thresholds: BASELINE,
  })
  for (const { text } of conclusion.observations) for (const banned of BANNED) expect(text).not.toMatch(banned)
  return conclusion
}

const text = (given: Case): string =>
  concluded(given)
    .observations.map((step) => step.text)
    .join('\n')

describe('an IOMMU', () => {
  test.each<[string, Case, string]>([
    ['translating', { iommu: { ...ON, types: TRANSLATED } }, 'satisfied'],
    ['off', {}, 'informational'],
    ['off, with GPUDirect', { modules: ['nvidia_peermem'] }, 'informational'],
    ['passed through', { iommu: { ...ON, types: PASSED } }, 'informational'],
    [
      'passed through, with a device for a guest',
      { iommu: { ...ON, types: PASSED }, heldBack: [NIC] },
      'informational',
    ],
    ['of which the kernel states no kind', { iommu: ON }, 'inconclusive'],
    ['that does not name itself', { iommu: { ...ON, units: [], types: TRANSLATED } }, 'inconclusive'],
    ['off, with a device set aside', { heldBack: [NIC] }, 'inconclusive'],
    ['off, where that is unread', { without: virtHosted }, 'inconclusive'],
    ['off, where the modules are unread', { without: rdmaGpudirect }, 'informational'],
  ])('%s', (_, given, verdict) => expect(concluded(given).verdict, text(given)).toBe(verdict))

  test('names the recommendation of the vendor where its modules are loaded, on x86 alone', () => {
    const state =
      'This kernel uses no IOMMU: it lists no group of devices. The kernel was started with “intel_iommu=off”.'
    const off = { iommu: { kernelArguments: ['intel_iommu=off'] } }
    expect(text(off)).toContain(state)
    expect(text(off)).not.toContain('NVIDIA')
    expect(text({ ...off, modules: ['nvidia_fs', 'gdrdrv'] })).toContain(
      'Modules for GPUDirect are loaded: “nvidia_fs”. For them NVIDIA recommends an IOMMU that is off',
    )
    expect(text({ ...off, modules: ['gdrdrv'] })).not.toContain('NVIDIA')
    expect(text({ ...off, modules: ['nvidia_fs'], machine: 'aarch64' })).toContain(
      'is for x86, and this server is aarch64',
    )
    expect(text({ iommu: { ...ON, types: PASSED }, modules: ['nvidia_peermem'] })).toContain('NVIDIA recommends')
    expect(text({ iommu: { ...ON, types: TRANSLATED }, modules: ['nvidia_peermem'] })).not.toContain('NVIDIA')
  })

  test('of a device set aside it names the device and what is not shown', () =>
    expect(text({ heldBack: [NIC] })).toMatch(/1 PCI device set aside .*“0000:17:00\.0”.* is not shown\./))
})
