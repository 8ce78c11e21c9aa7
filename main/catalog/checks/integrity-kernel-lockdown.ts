import { type DraftObservation, defineCheck } from '../../core/check.ts'
import { type KernelProtections, kernelProtections } from '../probes/kernel-protections.ts'
import { contradicts, decide, supports, unclear } from '../steps.ts'

// Linux Documentation/admin-guide/tainted-kernels.rst: bit 1 forced module, bit 13 unsigned module.
const FORCED_MODULE = 1
const UNSIGNED_MODULE = 13

export const integrityKernelLockdown = defineCheck({
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
