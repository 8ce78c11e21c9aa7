import { type CpuidDump, leafKey, type Registers, signatureOf } from './cpuid-dumps.ts'

// Names as the kernel prints them (arch/x86/include/asm/cpufeatures.h), lowest bit first; "-" is a bit without a name there.
const LEAF1_EDX =
  'fpu vme de pse tsc msr pae mce cx8 apic - sep mtrr pge mca cmov pat pse36 pn clflush - dts acpi mmx fxsr sse sse2 ss ht tm ia64 pbe'
const LEAF1_ECX =
  'pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 cid sdbg fma cx16 xtpr pdcm - pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes xsave - avx f16c rdrand hypervisor'
const LEAF6_EAX = 'dtherm ida arat - pln - pts hwp hwp_notify hwp_act_window hwp_epp hwp_pkg_req - - - hwp_boost'
const LEAF7_EBX =
  'fsgsbase tsc_adjust sgx bmi1 hle avx2 - smep bmi2 erms invpcid rtm cqm - mpx rdt_a avx512f avx512dq rdseed adx smap avx512ifma - clflushopt clwb intel_pt avx512pf avx512er avx512cd sha_ni avx512bw avx512vl'
const EXTENDED1_EDX =
  '- - - - - - - - - - - syscall - - - - - - - mp nx - mmxext - - fxsr_opt pdpe1gb rdtscp - lm 3dnowext 3dnow'
const EXTENDED1_ECX =
  'lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse 3dnowprefetch osvw ibs xop skinit wdt - lwp fma4 tce - nodeid_msr - tbm topoext perfctr_core perfctr_nb - bpext ptsc perfctr_llc mwaitx'
const POWER_EDX = '- - - - - - - hw_pstate constant_tsc cpb'

const named = (names: string, word: number): readonly string[] =>
  names.split(' ').filter((name, bit) => name !== '-' && ((word >>> bit) & 1) === 1)

/** The flags that a kernel would print for these registers. Those that need more than CPUID to be known are left out. */
function flagsOf(at: (leaf: number, subleaf?: number) => Registers): readonly string[] {
  const [, , ecx1, edx1] = at(1)
  const [eax6, , ecx6] = at(6)
  return [
    ...named(LEAF1_EDX, edx1),
    ...named(EXTENDED1_EDX, at(0x80000001)[3]),
    ...((at(0xa)[0] & 0xff) > 0 ? ['arch_perfmon'] : []),
    ...named(LEAF1_ECX, ecx1),
    ...named(EXTENDED1_ECX, at(0x80000001)[2]),
    ...((ecx6 & 1) === 1 ? ['aperfmperf'] : []),
    ...named(LEAF6_EAX, eax6),
    ...named(LEAF7_EBX, at(7)[1]),
    ...named(POWER_EDX, at(0x80000007)[3]),
  ]
}

/** What /proc/cpuinfo shows of a processor, made from its identification; null without the first two leaves. */
export function cpuinfoFromCpuid({ leaves, processors }: CpuidDump): string | null {
  const [level, ebx, ecx, edx] = leaves.get(leafKey(0)) ?? [0, 0, 0, 0]
  if (level < 1 || !leaves.has(leafKey(1))) return null
  // Beyond its highest leaf a processor repeats another one.
  const at = (leaf: number, subleaf = 0): Registers =>
    (leaf >= 0x80000000 || leaf <= level ? leaves.get(leafKey(leaf, subleaf)) : undefined) ?? [0, 0, 0, 0]
  const [version, details] = at(1)
  const base = (version >>> 8) & 15
  const family = base === 15 ? 15 + ((version >>> 20) & 255) : base
  const model = ((version >>> 4) & 15) + (base === 6 || base === 15 ? ((version >>> 16) & 15) << 4 : 0)
  const brand = signatureOf([0x80000002, 0x80000003, 0x80000004].flatMap((leaf) => [...at(leaf)]))
  const amdCores = ecx === 0x444d4163 ? (at(0x80000008)[2] & 0xff) + 1 : 0
  const perPackage = at(0xb, 1)[1] & 0xffff || amdCores || processors
  const total = Math.max(processors, perPackage)
  const threads = Math.max(1, at(0xb, 0)[1] & 0xffff)
  const width = at(0x80000008)[0]
  const block = (index: number): string =>
    [
      `processor\t: ${index}`,
      `vendor_id\t: ${signatureOf([ebx, edx, ecx])}`,
      `cpu family\t: ${family}`,
      `model\t\t: ${model}`,
      ...(brand === '' ? [] : [`model name\t: ${brand.split('\0')[0]?.trim() ?? ''}`]),
      `stepping\t: ${version & 15}`,
      `physical id\t: ${Math.floor(index / perPackage)}`,
      `siblings\t: ${perPackage}`,
      `cpu cores\t: ${Math.max(1, Math.floor(perPackage / threads))}`,
      `cpuid level\t: ${level}`,
      `flags\t\t: ${flagsOf(at).join(' ')}`,
      `clflush size\t: ${((details >>> 8) & 255) * 8}`,
      ...(width === 0 ? [] : [`address sizes\t: ${width & 255} bits physical, ${(width >>> 8) & 255} bits virtual`]),
      '',
    ].join('\n')
  return Array.from({ length: total }, (_, index) => block(index)).join('\n')
}
