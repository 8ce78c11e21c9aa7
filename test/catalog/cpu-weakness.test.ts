import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuPlatform, cpuTopology } from '../../main/catalog/hardware/processors/features.ts'
import { type Smt, smtState, weaknessState } from '../../main/catalog/hardware/processors/index.ts'
import { unknown } from '../../main/core/recording/probe.ts'
import { changed, over, stepText, texts, verdict } from '../support/concluded.ts'
import { fixtureOf } from '../support/evaluated.ts'

const ID = 'tenancy.cpu-side-channels'

describe('the state of simultaneous multithreading', () => {
  test.each([
    ['on', 'on'],
    ['2', 'on'],
    ['8', 'on'],
    ['off', 'off'],
    ['forceoff', 'off'],
    ['notsupported', 'off'],
    ['notimplemented', null],
    ['1', null],
    ['On ', null],
    [null, null],
  ] as const)('%j: %j', (control, expected) => expect(smtState(control)).toBe(expected))
})

describe('what the kernel prints of a weakness', () => {
  // Documentation/admin-guide/hw-vuln of Linux 6.16, arch/x86/kernel/cpu/bugs.c, arch/arm64/kernel/proton-pack.c, arch/powerpc/kernel/security.c.
  test.each<[string, Smt, string]>([
    ['Not affected', 'on', 'not-affected'],
    ['Vulnerable', 'off', 'vulnerable'],
    ['Vulnerable: No microcode', 'off', 'vulnerable'],
    ['Vulnerable: Clear CPU buffers attempted, no microcode; SMT disabled', 'off', 'vulnerable'],
    ['Vulnerable: Clear CPU buffers attempted, no microcode; SMT Host state unknown', null, 'vulnerable'],
    ['Vulnerable: Safe RET, no microcode', 'off', 'vulnerable'],
    ['Vulnerable: eIBRS with unprivileged eBPF', 'off', 'vulnerable'],
    ['Vulnerable: untrained return thunk / IBPB on non-AMD based uarch', 'off', 'vulnerable'],
    ['Vulnerable: __user pointer sanitization and usercopy barriers only; no swapgs barriers', 'off', 'vulnerable'],
    ['Vulnerable, IBPB: disabled, STIBP: disabled', 'off', 'vulnerable'],
    ['KVM: Vulnerable', 'off', 'vulnerable'],
    ['Mitigation: None', 'off', 'vulnerable'],
    ['Mitigation: Vulnerable, KVM: Not affected', 'off', 'vulnerable'],
    [
      'Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; RSB filling; PBRSB-eIBRS: Vulnerable; BHI: BHI_DIS_S',
      'off',
      'vulnerable',
    ],
    [
      'Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; RSB filling; PBRSB-eIBRS: SW sequence; BHI: Vulnerable, KVM: SW loop',
      'off',
      'vulnerable',
    ],
    ['Mitigation: CSV2, but not BHB', 'off', 'vulnerable'],
    ['Mitigation: Branch predictor hardening, but not BHB', null, 'vulnerable'],
    ['Mitigation: Clear CPU buffers; SMT vulnerable', 'on', 'vulnerable'],
    ['Mitigation: Clear CPU buffers; SMT vulnerable', 'off', 'unclear'],
    ['Mitigation: Clear CPU buffers; SMT vulnerable', null, 'unclear'],
    ['Mitigation: Clear CPU buffers; SMT disabled', 'off', 'mitigated'],
    ['Mitigation: Clear CPU buffers; SMT mitigated', 'on', 'mitigated'],
    ['Mitigation: Clear CPU buffers; SMT Host state unknown', null, 'unclear'],
    ['Mitigation: PTE Inversion', 'off', 'mitigated'],
    ['Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT vulnerable', 'on', 'vulnerable'],
    ['Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT disabled', 'off', 'mitigated'],
    ['Mitigation: PTE Inversion; VMX: vulnerable', 'off', 'vulnerable'],
    ['Mitigation: untrained return thunk; SMT enabled with STIBP protection', 'on', 'mitigated'],
    ['Mitigation: untrained return thunk; SMT vulnerable', 'on', 'vulnerable'],
    ['KVM: Mitigation: VMX unsupported', 'off', 'mitigated'],
    ['KVM: Mitigation: Split huge pages', 'on', 'mitigated'],
    ['Mitigation: AVX disabled, no microcode', 'off', 'mitigated'],
    ['Mitigation: safe RET, no microcode', 'on', 'unclear'],
    ['Mitigation: Safe RET', 'on', 'mitigated'],
    ['Mitigation: Microcode (locked)', 'on', 'mitigated'],
    ['Mitigation: Clear CPU buffers: user/kernel boundary', 'on', 'mitigated'],
    ['Mitigation: IBPB before exit to userspace', 'on', 'mitigated'],
    ['Mitigation: CSV2, BHB', null, 'mitigated'],
    ['Mitigation: Software count cache flush (hardware accelerated), Software link stack flush', 'on', 'mitigated'],
    ['Mitigation: execute trampolines', 'on', 'mitigated'],
    [
      'Mitigation: Retpolines; IBPB: conditional; STIBP: always-on; RSB filling; PBRSB-eIBRS: Not affected; BHI: Not affected',
      'on',
      'mitigated',
    ],
    [
      'Mitigation: Retpolines; STIBP: disabled; RSB filling; PBRSB-eIBRS: Not affected; BHI: Not affected',
      'off',
      'mitigated',
    ],
    [
      'Mitigation: Retpolines; STIBP: disabled; RSB filling; PBRSB-eIBRS: Not affected; BHI: Not affected',
      'on',
      'unclear',
    ],
    ['Mitigation: Retpolines; IBPB: disabled; RSB filling', 'off', 'unclear'],
    ['Mitigation: Full AMD retpoline, IBPB: conditional, STIBP: disabled, RSB filling', null, 'unclear'],
    ['Unknown: No mitigations', 'off', 'unclear'],
    ['Unknown: Dependent on hypervisor status', null, 'unclear'],
    ['Unknown (XEN PV detected, hypervisor mitigation required)', null, 'unclear'],
    ['Processor vulnerable', 'off', 'unclear'],
    ['', 'off', 'unclear'],
    ['not affected', 'off', 'unclear'],
    ['Not affected, or so', 'off', 'unclear'],
    ['Mitigation: ', 'off', 'unclear'],
    ['Mitigation: \u202eRetpolines', 'off', 'unclear'],
    [`Mitigation: ${'a'.repeat(400)}`, 'off', 'unclear'],
  ])('%j with threads %j: %s', (text, smt, expected) => expect(weaknessState(text, smt)).toBe(expected))

  test('any text has a state, and a vulnerable part is never called mitigated', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom<Smt>('on', 'off', null), (text, smt) => {
        expect(['not-affected', 'mitigated', 'vulnerable', 'unclear']).toContain(weaknessState(text, smt))
        const state = weaknessState(`Mitigation: a; Vulnerable; ${text}`, smt)
        expect(['vulnerable', 'unclear']).toContain(state)
      }),
    )
  })
})

/** The weaknesses of the model node with some texts replaced, and its threads on, off or unread. */
const withTexts = (texts: Readonly<Record<string, string | null>>, threads: string | null = 'notsupported') =>
  over(
    ID,
    changed(cpuPlatform, (platform) => ({
      ...platform,
      vulnerabilities: new Map(
        [...new Map<string, string | null>([...platform.vulnerabilities, ...Object.entries(texts)])].flatMap(
          ([name, text]) => (text === null ? [] : [[name, text] as const]),
        ),
      ),
    })),
    changed(cpuTopology, (topology) => ({ ...topology, threads })),
  )

describe('known weaknesses of the processor', () => {
  test('the model node lists every one', () => expect(withTexts({}).verdict).toBe('satisfied'))

  test.each([
    [{ mds: 'Mitigation: Clear CPU buffers; SMT vulnerable' }, 'on', 'not-satisfied'],
    [{ mds: 'Mitigation: Clear CPU buffers; SMT vulnerable' }, null, 'inconclusive'],
    [{ mds: 'Mitigation: Clear CPU buffers; SMT disabled' }, 'off', 'satisfied'],
    [{ itlb_multihit: 'KVM: Vulnerable' }, 'off', 'not-satisfied'],
    [{ mmio_stale_data: 'Unknown: No mitigations' }, 'off', 'inconclusive'],
    [{ tsa: null }, 'off', 'inconclusive'],
    [{ old_microcode: 'Vulnerable' }, 'off', 'not-satisfied'],
    [{ a_weakness_of_2027: 'Vulnerable' }, 'off', 'not-satisfied'],
    [{ a_weakness_of_2027: 'Not affected' }, 'off', 'satisfied'],
    [{}, 'on', 'satisfied'],
    [{}, null, 'satisfied'],
  ] as const)('%j with threads %j: %s', (texts, threads, expected) =>
    expect(withTexts(texts, threads).verdict).toBe(expected),
  )

  test('the reason names the weakness and quotes the kernel', () => {
    expect(stepText(withTexts({ gather_data_sampling: 'Vulnerable: No microcode' }))).toContain(
      'contradicts: The kernel reports the processor as vulnerable: gather_data_sampling, “Vulnerable: No microcode”.',
    )
    expect(stepText(withTexts({ tsa: null, vmscape: null }))).toContain(
      'unclear: The running kernel does not report 2 known weaknesses: “tsa”, “vmscape”.',
    )
  })

  test('a kernel without the list, and threads that were not read', () => {
    const none = changed(cpuPlatform, (platform) => ({ ...platform, vulnerabilities: new Map() }))
    expect(over(ID, none).verdict).toBe('inconclusive')
    expect(over(ID, [cpuTopology, unknown('not read')]).verdict).toBe('satisfied')
    expect(over(ID, [cpuPlatform, unknown('not read')]).verdict).toBe('inconclusive')
  })
})

// The `vm-` nodes are recordings of Debian’s kernel 6.1.0-56, the guest among the demo nodes is one of 6.18.
describe('recorded kernels', () => {
  test.each([
    ['vm-default', 'satisfied', []],
    [
      'vm-dressed-tables',
      'not-satisfied',
      ['gather_data_sampling', 'mds', 'mmio_stale_data', 'retbleed', 'spec_store_bypass', 'vmscape'],
    ],
    ['vm-patched-bare', 'not-satisfied', ['mds', 'reg_file_data_sampling', 'spec_store_bypass', 'vmscape']],
    ['demo-guest-03', 'not-satisfied', ['spec_rstack_overflow', 'spec_store_bypass']],
    ['demo-metal-04', 'not-satisfied', ['gather_data_sampling', 'mmio_stale_data', 'spec_store_bypass']],
    ['fx-iso-arm-metal', 'inconclusive', []],
  ])('%s: %s', (node, expected, vulnerable) => {
    expect(verdict(node, ID)).toBe(expected)
    const named = texts(node, ID).flatMap((text) => /^contradicts: .* vulnerable: ([a-z0-9_]+), /.exec(text)?.[1] ?? [])
    expect(named).toEqual(vulnerable)
  })

  test('every file of the folder is read, whatever its name', () => {
    const guest = fixtureOf('demo-guest-03').readings.get('cpu.platform')
    if (guest?.ok !== true) throw new Error('no reading')
    expect([...(guest.fact as { vulnerabilities: ReadonlyMap<string, string> }).vulnerabilities.keys()]).toEqual(
      expect.arrayContaining(['ghostwrite', 'old_microcode', 'tsa', 'vmscape']),
    )
  })
})
