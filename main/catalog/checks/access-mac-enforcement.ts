import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { kernelProtections } from '../probes/kernel-protections.ts'
import { type AppArmorProfiles, lsmApparmor } from '../probes/lsm-apparmor.ts'
import { contradicts, count, decide, named, supports, unclear } from '../steps.ts'

export const accessMacEnforcement = defineCheck({
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
