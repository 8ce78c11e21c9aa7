import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { kernelProtections } from '../probes/kernel-protections.ts'
import { type AppArmorProfiles, lsmApparmor } from '../probes/lsm-apparmor.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const accessMacEnforcement = defineCheck({
  id: 'access.mac-enforcement',
  property: 'access',
  claim: 'Mandatory access control (SELinux or AppArmor) is active and enforces.',
  limits:
    'Which programs are confined, and how tightly, is not evaluated; processes without a profile or in an unconfined domain are not limited by it.',
  needs: { kernel: kernelProtections },
  wants: { apparmor: lsmApparmor },
  evaluate({ kernel }, { apparmor }) {
    if (kernel.selinux === 'enforcing') return weigh([speaksFor('SELinux is active and enforcing.', kernelProtections)])
    if (kernel.selinux === 'permissive')
      return weigh([speaksAgainst('SELinux is active but permissive: it logs and does not refuse.', kernelProtections)])
    if (kernel.securityModules === null)
      return weigh([leavesUnclear('The kernel does not show which security modules are active.', kernelProtections)])
    if (kernel.securityModules.includes('selinux') && kernel.selinux === null)
      return weigh([
        leavesUnclear(
          'SELinux is among the kernel’s security modules and does not show whether it enforces.',
          kernelProtections,
        ),
      ])
    if (kernel.securityModules.includes('apparmor') && kernel.apparmorEnabled !== false)
      return weigh(appArmor(apparmor))
    const active = kernel.securityModules.length > 0 ? named(kernel.securityModules) : 'none'
    return weigh([
      speaksAgainst(
        `Neither SELinux nor AppArmor is active; the kernel’s security modules are: ${active}.`,
        kernelProtections,
      ),
    ])
  },
})

function appArmor(profiles: Parsed<AppArmorProfiles>): readonly Step[] {
  const active = speaksFor('AppArmor is among the kernel’s active security modules.', kernelProtections)
  if (!profiles.ok) return [active, ...unclearAbout(lsmApparmor, profiles)]
  const { enforcing, complaining } = profiles.fact
  return [
    active,
    enforcing > 0
      ? speaksFor(
          `${count(enforcing, 'AppArmor profile')} ${enforcing === 1 ? 'enforces' : 'enforce'}, ${complaining} only log.`,
          lsmApparmor,
        )
      : speaksAgainst('No AppArmor profile enforces.', lsmApparmor),
  ]
}
