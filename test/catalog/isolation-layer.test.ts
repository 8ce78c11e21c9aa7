import { describe, expect, test } from 'vitest'
import { argue } from './isolation-readings.ts'

const against = (node: string): string =>
  argue(node)
    .observations.filter(({ direction }) => direction === 'contradicts')
    .map(({ text }) => text)
    .join('\n')

describe('what a system runs on', () => {
  test.each([
    ['demo-gpu-01', 'bare-metal', null, 'single-observed', 'C'],
    ['demo-shared-05', 'bare-metal', null, 'shared', 'C'],
    ['demo-nosudo-06', 'undetermined', null, 'undetermined', 'D'],
    ['demo-guest-03', 'virtual-machine', 'KVM (Firecracker)', 'single-observed', 'C'],
    ['demo-metal-04', 'virtual-machine', 'QEMU', 'shared', 'C'],
    ['fx-iso-vmware', 'virtual-machine', 'VMware', 'undetermined', 'C'],
    ['fx-iso-hyperv', 'virtual-machine', 'Microsoft Hyper-V', 'single-observed', 'C'],
    ['fx-iso-xen-dom0', 'hypervisor-host', 'Xen', 'undetermined', 'C'],
    ['fx-iso-container', 'container', 'LXC', 'undetermined', 'C'],
    ['fx-iso-arm', 'undetermined', null, 'single-observed', 'D'],
    ['fx-iso-arm-metal', 'bare-metal', null, 'single-observed', 'C'],
    ['fx-iso-arm-guest', 'virtual-machine', 'KVM', 'single-observed', 'C'],
    ['fx-iso-graviton-metal', 'undetermined', null, 'single-observed', 'D'],
    ['fx-iso-amdgpu', 'bare-metal', null, 'single-observed', 'C'],
    ['fx-iso-tpm', 'virtual-machine', null, 'single-observed', 'C'],
    ['fx-iso-dpu', 'undetermined', null, 'single-observed', 'D'],
    ['fx-iso-amd', 'bare-metal', null, 'single-observed', 'C'],
    ['fx-iso-kvmhost', 'bare-metal', null, 'shared', 'C'],
    ['fx-iso-k8s', 'undetermined', null, 'shared', 'D'],
    ['fx-iso-part', 'undetermined', null, 'undetermined', 'D'],
    ['vm-patched-tools', 'undetermined', null, 'single-observed', 'D'],
    ['vm-patched-bare', 'undetermined', null, 'single-observed', 'D'],
    ['vm-dressed-server', 'virtual-machine', 'QEMU', 'single-observed', 'C'],
  ])('%s: %s, %s, %s, grade %s', (node, environment, platform, tenancy, grade) => {
    const answer = argue(node)
    expect([answer.environment, answer.platform, answer.tenancy, answer.grade]).toEqual([
      environment,
      platform,
      tenancy,
      grade,
    ])
  })

  test('the dressed-up guest is contradicted by at least five independent parts of the machine', () => {
    const said = against('demo-metal-04')
    for (const sign of [
      'hides that it is virtual',
      '0 of 13 power-management features',
      'microcode revision is 0x1',
      'here it ends at 13',
      'Leaf 0x40000000',
      '1024 GiB in modules',
      'WAET',
      'QEMU0002',
      'G33/Q35 of 2007',
      '1af4:1100',
      'power profile unspecified',
    ])
      expect(said).toContain(sign)
    const { concealed, anomalies } = argue('demo-metal-04')
    expect(concealed).toBe(true)
    expect(new Set(anomalies.map(({ family }) => family)).size).toBeGreaterThanOrEqual(5)
  })

  test('a real guest is named, with the signals that show it', () => {
    const said = against('demo-guest-03')
    for (const sign of ['KVMKVMKVM', 'FIRECKVM', '8086:0d57', 'kvm-clock', 'steal', '0x1000065'])
      expect(said).toContain(sign)
  })

  test('devices are native only where the system runs on hardware', () => {
    const is = (node: string, kind: string): readonly string[] => [
      ...new Set(
        argue(node)
          .attachments.filter((device) => device.kind === kind)
          .map((device) => device.attachment),
      ),
    ]
    for (const kind of ['gpu', 'nic', 'hca', 'disk']) expect(is('demo-gpu-01', kind)).toEqual(['physical'])
    expect(is('demo-metal-04', 'gpu')).toEqual(['passthrough'])
    expect(is('demo-metal-04', 'hca')).toEqual(['virtual-function'])
    expect(is('demo-metal-04', 'disk')).toEqual(['virtual'])
    expect(is('demo-guest-03', 'nic')).toEqual(['virtual'])
    expect(is('demo-guest-03', 'disk')).toEqual(['virtual'])
    expect(is('fx-iso-k8s', 'gpu')).toEqual(['undetermined'])
  })
})
