import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { oneLineFiles } from '../read-text.ts'

export interface KernelProtections {
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
