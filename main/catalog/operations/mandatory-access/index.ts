import { defineProbe, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { asRecord, oneLineFiles, readJson } from '../../base/read-text.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }

interface AppArmorProfiles {
  readonly enforcing: number
  readonly complaining: number
  readonly confinedProcesses: number
}

/** aa-status(8) --json: profiles by mode, and processes by profile. */
const lsmApparmor = defineProbe({
  id: 'lsm.apparmor',
  title: 'AppArmor profiles',
  why: 'Shows how many programs AppArmor confines, and whether it only logs or enforces.',
  ignoredInDrift: {
    why: 'Processes start and end.',
    normalize: ({ confinedProcesses: _, ...profiles }: AppArmorProfiles) => profiles,
  },
  commands: { status: runAsRoot(['aa-status', '--json']) },
  parse({ status }) {
    const json =
      status.exitCode === 0 ? readJson(status.text, 'aa-status') : unknown('AppArmor’s state could not be read')
    if (!json.ok) return json
    const document = asRecord(json.fact)
    if (document.profiles === undefined) return unknown('the output of aa-status has an unexpected format')
    const modes = Object.values(asRecord(document.profiles))
    return known<AppArmorProfiles>({
      enforcing: modes.filter((mode) => mode === 'enforce').length,
      complaining: modes.filter((mode) => mode === 'complain').length,
      confinedProcesses: Object.keys(asRecord(document.processes)).length,
    })
  },
})

interface KernelProtections {
  /** Active lockdown mode; null when the kernel shows none (not built in, or its file system is not mounted). */
  readonly lockdown: 'none' | 'integrity' | 'confidentiality' | null
  /** Active Linux security modules, in order; null when not shown. */
  readonly securityModules: readonly string[] | null
  readonly selinux: 'enforcing' | 'permissive' | null
  readonly apparmorEnabled: boolean | null
  /** Module signatures are enforced apart from lockdown. */
  readonly signaturesEnforced: boolean | null
  /** /proc/sys/kernel/tainted: a bit mask, see Linux Documentation/admin-guide/tainted-kernels.rst. */
  readonly tainted: number
}

const FILES = {
  lockdown: '/sys/kernel/security/lockdown',
  lsm: '/sys/kernel/security/lsm',
  selinux: '/sys/fs/selinux/enforce',
  apparmor: '/sys/module/apparmor/parameters/enabled',
  signatures: '/sys/module/module/parameters/sig_enforce',
  tainted: '/proc/sys/kernel/tainted',
} as const

/** One read of small kernel files; those that do not exist are left out of the response. */
export const kernelProtections = defineProbe({
  id: 'kernel.protections',
  title: 'Protections of the running kernel',
  why: 'Shows whether the kernel limits even administrators (lockdown), which access control modules are active, and what was loaded into it.',
  ignoredInDrift: {
    why: 'The kernel sets taint flags for warnings, faults and machine checks; only flags set by loading a module or an override are compared.',
    normalize: ({ tainted, ...protections }: KernelProtections) => ({
      ...protections,
      tainted: tainted & ~MARKS_OF_MISHAPS,
    }),
  },
  commands: { files: run(['grep', '-s', '-H', '', ...Object.values(FILES)]) },
  parse({ files }) {
    const values = oneLineFiles(files.text)
    const tainted = values.get(FILES.tainted)
    if (tainted === undefined || !/^\d{1,15}$/.test(tainted)) return unknown('the kernel’s files are not visible')
    const mode = /\[(none|integrity|confidentiality)\]/.exec(values.get(FILES.lockdown) ?? '')?.[1]
    const selinux = values.get(FILES.selinux)
    return known<KernelProtections>({
      lockdown: (mode as KernelProtections['lockdown'] | undefined) ?? null,
      securityModules: values.get(FILES.lsm)?.split(',') ?? null,
      selinux: selinux === '1' ? 'enforcing' : selinux === '0' ? 'permissive' : null,
      apparmorEnabled: yes(values.get(FILES.apparmor)),
      signaturesEnforced: yes(values.get(FILES.signatures)),
      tainted: Number(tainted),
    })
  },
})

const yes = (text: string | undefined): boolean | null =>
  text === 'Y' || text === '1' ? true : text === 'N' || text === '0' ? false : null

/** Bits of Documentation/admin-guide/tainted-kernels.rst: machine check (4), bad page (5), died (7), warning (9), soft lockup (14). */
const MARKS_OF_MISHAPS = (1 << 4) | (1 << 5) | (1 << 7) | (1 << 9) | (1 << 14)

const accessMacEnforcement = defineCheck({
  id: 'access.mac-enforcement',
  property: 'access',
  expected: 'Mandatory access control (SELinux or AppArmor) is active and enforces.',
  limitations:
    'Which programs are confined, and how tightly, is not evaluated; processes without a profile or in an unconfined domain are not limited by it.',
  requires: { kernel: kernelProtections },
  optional: { apparmor: lsmApparmor },
  evaluate({ kernel }, { apparmor }) {
    if (kernel.selinux === 'enforcing') return decide([supports('SELinux is active and enforcing.', kernelProtections)])
    if (kernel.selinux === 'permissive')
      return decide([contradicts('SELinux is active but permissive: it logs and does not refuse.', kernelProtections)])
    if (kernel.securityModules === null)
      return decide([unclear('The kernel does not show which security modules are active.', kernelProtections)])
    if (kernel.securityModules.includes('selinux') && kernel.selinux === null)
      return decide([
        unclear(
          'SELinux is among the kernel’s security modules and does not show whether it enforces.',
          kernelProtections,
        ),
      ])
    if (kernel.securityModules.includes('apparmor') && kernel.apparmorEnabled !== false)
      return decide(appArmor(apparmor))
    const active = kernel.securityModules.length > 0 ? named(kernel.securityModules) : 'none'
    return decide([
      contradicts(
        `Neither SELinux nor AppArmor is active; the kernel’s security modules are: ${active}.`,
        kernelProtections,
      ),
    ])
  },
})

function appArmor(profiles: Parsed<AppArmorProfiles>): readonly DraftObservation[] {
  const active = supports('AppArmor is among the kernel’s active security modules.', kernelProtections)
  if (!profiles.ok) return [active, ...unclearAbout(lsmApparmor, profiles)]
  const { enforcing, complaining } = profiles.fact
  return [
    active,
    enforcing > 0
      ? supports(
          `${count(enforcing, 'AppArmor profile')} ${enforcing === 1 ? 'enforces' : 'enforce'}, ${complaining} only log.`,
          lsmApparmor,
        )
      : contradicts('No AppArmor profile enforces.', lsmApparmor),
  ]
}

// Linux Documentation/admin-guide/tainted-kernels.rst: bit 1 forced module, bit 13 unsigned module.
const FORCED_MODULE = 1
const UNSIGNED_MODULE = 13

const integrityKernelLockdown = defineCheck({
  id: 'integrity.kernel-lockdown',
  property: 'integrity',
  expected: 'The kernel is locked down and no module without a valid signature was loaded into it.',
  limitations:
    'A signature shows who signed a module, not what it does; keys enrolled by the owner count too. A weakness in the kernel itself can undo lockdown.',
  requires: { kernel: kernelProtections },
  evaluate: ({ kernel }) => decide([mode(kernel), taint(kernel)]),
})

function mode({ lockdown, securityModules }: KernelProtections): DraftObservation {
  if (lockdown === 'integrity' || lockdown === 'confidentiality')
    return supports(`The kernel’s lockdown mode is “${lockdown}”.`, kernelProtections)
  if (lockdown === 'none')
    return contradicts('The kernel’s lockdown mode is “none”: root can change the running kernel.', kernelProtections)
  if (securityModules !== null && !securityModules.includes('lockdown'))
    return contradicts('The kernel has no lockdown.', kernelProtections)
  return unclear('The kernel does not show its lockdown mode.', kernelProtections)
}

function taint({ tainted, signaturesEnforced }: KernelProtections): DraftObservation {
  const has = (bit: number): boolean => Math.floor(tainted / 2 ** bit) % 2 === 1
  if (has(UNSIGNED_MODULE)) return contradicts('A module without a valid signature was loaded.', kernelProtections)
  if (has(FORCED_MODULE)) return contradicts('A module was loaded by force.', kernelProtections)
  const enforced = signaturesEnforced === true ? ' Signatures are also enforced by a setting of their own.' : ''
  return supports(
    `No unsigned or forced module was loaded since the kernel started (taint ${tainted}).${enforced}`,
    kernelProtections,
  )
}

export const mandatoryAccessSubject = defineSubject({
  id: 'mandatory-access',
  title: 'Mandatory access control and kernel lockdown',
  probes: [kernelProtections, lsmApparmor],
  checks: [accessMacEnforcement, integrityKernelLockdown],
  data,
})
