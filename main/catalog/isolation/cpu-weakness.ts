/**
 * What a file of /sys/devices/system/cpu/vulnerabilities means. Documentation/ABI/testing/sysfs-devices-system-cpu has three forms, “Not
 * affected”, “Vulnerable” and “Mitigation: …”; Documentation/admin-guide/hw-vuln and the kernel’s sources (arch/x86/kernel/cpu/bugs.c,
 * arch/arm64/kernel/proton-pack.c) have “KVM: …” before the last two and “Unknown…” in addition to. Another form is not read.
 */
export type WeaknessState = 'not-affected' | 'mitigated' | 'vulnerable' | 'unclear'

/** Whether two threads share a core (SMT); null where the kernel does not state. */
export type Smt = 'on' | 'off' | null

/**
 * /sys/devices/system/cpu/smt/control (the same document): a number is that of the threads per core. “notimplemented” reports the switch
 * only, not of the processor.
 */
export function smtState(control: string | null): Smt {
  if (control === 'on' || (control !== null && /^[2-9]$/.test(control))) return 'on'
  return control !== null && /^(?:off|forceoff|notsupported)$/.test(control) ? 'off' : null
}

/** One weakness as the kernel prints it, given whether threads share cores. */
export function weaknessState(text: string, smt: Smt): WeaknessState {
  if (text.length > 300 || !/^[A-Za-z0-9_ ,;:/+().&-]+$/.test(text)) return 'unclear'
  if (text === 'Not affected') return 'not-affected'
  if (/^(?:KVM: )?Vulnerable(?:[:;,] .+)?$/.test(text)) return 'vulnerable'
  const means = /^(?:KVM: )?Mitigation: (.+)$/.exec(text)?.[1]
  return means === undefined ? 'unclear' : mitigationState(means, smt)
}

/**
 * A mitigation may be named in part only: “Vulnerable, KVM: Not affected” (indirect_target_selection), “BHI: Vulnerable” and
 * “PBRSB-eIBRS: Vulnerable” (spectre_v2), “CSV2, but not BHB” (arm64), “SMT vulnerable” (mds, l1tf and others, with threads on),
 * “IBPB: disabled” and “STIBP: disabled” (spectre_v2, between programs and, with threads on, between threads). “safe RET, no microcode”
 * is what kernels before 6.6 called a mitigation of spec_rstack_overflow and later ones call vulnerable.
 */
function mitigationState(means: string, smt: Smt): WeaknessState {
  const isSmtVulnerable = /\bSMT vulnerable\b/.test(means)
  const rest = means.replace(/\bSMT vulnerable\b/g, '')
  if (/\bvulnerable\b|\bbut not\b/i.test(rest) || /^none$/i.test(means)) return 'vulnerable'
  if (isSmtVulnerable && smt === 'on') return 'vulnerable'
  // With threads off the kernel prints “SMT disabled”, so that the two contradict each other.
  if (isSmtVulnerable || /\bunknown\b|\bIBPB: disabled\b|\bsafe RET, no microcode\b/i.test(rest)) return 'unclear'
  return /\bSTIBP: disabled\b/.test(rest) && smt !== 'off' ? 'unclear' : 'mitigated'
}
