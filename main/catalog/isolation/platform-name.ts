import type { Sign } from './signal.ts'

// A product is on a base; where both are named, the base comes first: "KVM (Firecracker)". First match wins in each list.
const PRODUCTS = [
  'Firecracker',
  'Amazon EC2',
  'Google Compute Engine',
  'Oracle Cloud',
  'OpenStack',
  'Nutanix AHV',
  'Cloud Hypervisor',
  'kvmtool',
]
const BASES = [
  'VMware',
  'VirtualBox',
  'Parallels',
  'bhyve',
  'OpenBSD vmm',
  'Apple Virtualization',
  'ACRN',
  'z/VM',
  'QEMU TCG',
  'KVM',
  'Xen',
  'QEMU',
  'Microsoft Hyper-V',
  'QNX',
  'Lockheed Martin LMHS',
  'Intel KGT',
]
const USUAL_BASE: Readonly<Record<string, string>> = {
  Firecracker: 'KVM',
  'Google Compute Engine': 'KVM',
  'Nutanix AHV': 'KVM',
  kvmtool: 'KVM',
}

/** The platform's name, from all signs that name one; null when none does. */
export function platformName(signs: readonly Sign[]): string | null {
  const names = new Set(signs.flatMap(({ platform }) => (platform === null ? [] : [platform])))
  const product = PRODUCTS.find((name) => names.has(name))
  const base = BASES.find((name) => names.has(name)) ?? (product === undefined ? undefined : USUAL_BASE[product])
  if (product !== undefined) return base === undefined ? product : `${base} (${product})`
  return base ?? null
}
