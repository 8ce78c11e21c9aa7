import { defineCheck, type Step } from '../../core/check.ts'
import { type KernelProtections, kernelProtections } from '../probes/kernel-protections.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'

// Linux Documentation/admin-guide/tainted-kernels.rst: bit 1 forced module, bit 13 unsigned module.
const FORCED_MODULE = 1
const UNSIGNED_MODULE = 13

export const integrityKernelLockdown = defineCheck({
  id: 'integrity.kernel-lockdown',
  property: 'integrity',
  claim: 'The kernel is locked down and no module without a valid signature was loaded into it.',
  limits:
    'A signature shows who signed a module, not what it does; keys enrolled by the owner count too. A weakness in the kernel itself can undo lockdown.',
  needs: { kernel: kernelProtections },
  evaluate: ({ kernel }) => weigh([mode(kernel), taint(kernel)]),
})

function mode({ lockdown, securityModules }: KernelProtections): Step {
  if (lockdown === 'integrity' || lockdown === 'confidentiality')
    return speaksFor(`The kernel’s lockdown mode is “${lockdown}”.`, kernelProtections)
  if (lockdown === 'none')
    return speaksAgainst('The kernel’s lockdown mode is “none”: root can change the running kernel.', kernelProtections)
  if (securityModules !== null && !securityModules.includes('lockdown'))
    return speaksAgainst('The kernel has no lockdown.', kernelProtections)
  return leavesUnclear('The kernel does not show its lockdown mode.', kernelProtections)
}

function taint({ tainted, signaturesEnforced }: KernelProtections): Step {
  const has = (bit: number): boolean => Math.floor(tainted / 2 ** bit) % 2 === 1
  if (has(UNSIGNED_MODULE)) return speaksAgainst('A module without a valid signature was loaded.', kernelProtections)
  if (has(FORCED_MODULE)) return speaksAgainst('A module was loaded by force.', kernelProtections)
  const enforced = signaturesEnforced === true ? ' Signatures are also enforced by a setting of their own.' : ''
  return speaksFor(
    `No unsigned or forced module was loaded since the kernel started (taint ${tainted}).${enforced}`,
    kernelProtections,
  )
}
