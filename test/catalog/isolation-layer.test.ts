import { describe, expect, test } from 'vitest'
import { argue } from './isolation-readings.ts'

const against = (node: string): string =>
  argue(node)
    .observations.filter(({ direction }) => direction === 'contradicts')
    .map(({ text }) => text)
    .join('\n')

describe('what a system runs on', () => {
  test.each([
    ['demo-gpu-01', 'metal', null, 'single-observed', 'C'],
    ['demo-shared-05', 'metal', null, 'shared', 'C'],
    ['demo-nosudo-06', 'unknown', null, 'unknown', 'D'],
    ['demo-guest-03', 'vm', 'KVM (Firecracker)', 'single-observed', 'C'],
    ['demo-metal-04', 'vm', 'QEMU', 'shared', 'C'],
    ['fx-iso-vmware', 'vm', 'VMware', 'unknown', 'C'],
    ['fx-iso-hyperv', 'vm', 'Microsoft Hyper-V', 'single-observed', 'C'],
    ['fx-iso-xen-dom0', 'hypervisor-host', 'Xen', 'unknown', 'C'],
    ['fx-iso-container', 'container', 'LXC', 'unknown', 'C'],
    ['fx-iso-arm', 'unknown', null, 'single-observed', 'D'],
    ['fx-iso-arm-metal', 'metal', null, 'single-observed', 'C'],
    ['fx-iso-arm-guest', 'vm', 'KVM', 'single-observed', 'C'],
    ['fx-iso-graviton-metal', 'unknown', null, 'single-observed', 'D'],
    ['fx-iso-amdgpu', 'metal', null, 'single-observed', 'C'],
    ['fx-iso-tpm', 'vm', null, 'single-observed', 'C'],
    ['fx-iso-dpu', 'unknown', null, 'single-observed', 'D'],
    ['fx-iso-amd', 'metal', null, 'single-observed', 'C'],
    ['fx-iso-kvmhost', 'metal', null, 'shared', 'C'],
    ['fx-iso-k8s', 'unknown', null, 'shared', 'D'],
    ['fx-iso-part', 'unknown', null, 'unknown', 'D'],
    ['vm-patched-tools', 'unknown', null, 'single-observed', 'D'],
    ['vm-patched-bare', 'unknown', null, 'single-observed', 'D'],
    ['vm-dressed-server', 'vm', 'QEMU', 'single-observed', 'C'],
  ])('%s: %s, %s, %s, grade %s', (node, layer, platform, tenancy, grade) => {
    const answer = argue(node)
    expect([answer.layer, answer.platform, answer.tenancy, answer.grade]).toEqual([layer, platform, tenancy, grade])
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
    const { concealed, contradictions } = argue('demo-metal-04')
    expect(concealed).toBe(true)
    expect(new Set(contradictions.map(({ family }) => family)).size).toBeGreaterThanOrEqual(5)
  })

  test('a real guest is named, with the signals that say so', () => {
    const said = against('demo-guest-03')
    for (const sign of ['KVMKVMKVM', 'FIRECKVM', '8086:0d57', 'kvm-clock', 'steal', '0x1000065'])
      expect(said).toContain(sign)
  })

  test('devices are native only where the system runs on hardware', () => {
    const is = (node: string, kind: string): readonly string[] => [
      ...new Set(
        argue(node)
          .locality.filter((device) => device.kind === kind)
          .map((device) => device.is),
      ),
    ]
    for (const kind of ['gpu', 'nic', 'hca', 'disk']) expect(is('demo-gpu-01', kind)).toEqual(['native'])
    expect(is('demo-metal-04', 'gpu')).toEqual(['passthrough'])
    expect(is('demo-metal-04', 'hca')).toEqual(['virtual-function'])
    expect(is('demo-metal-04', 'disk')).toEqual(['virtual'])
    expect(is('demo-guest-03', 'nic')).toEqual(['virtual'])
    expect(is('demo-guest-03', 'disk')).toEqual(['virtual'])
    expect(is('fx-iso-k8s', 'gpu')).toEqual(['unknown'])
  })
})
