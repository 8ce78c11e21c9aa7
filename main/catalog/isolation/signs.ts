import type { Step } from '../../core/check.ts'

/** Which part of a machine a sign comes from. Signs of one family can share one cause, so they are not counted twice. */
export type Family = 'cpu' | 'timing' | 'firmware' | 'acpi' | 'pci' | 'bus' | 'gpu' | 'disk'

/**
 * How much a sign of virtualization says:
 * names: a hypervisor names itself, or something only a hypervisor provides is there;
 * impossible: cannot happen on the hardware that the machine says it is;
 * odd: happens on hardware too, and needs an explanation;
 * hint: fits a guest, and decides nothing.
 */
export type Weight = 'names' | 'impossible' | 'odd' | 'hint'

export interface Sign {
  readonly family: Family
  readonly weight: Weight
  readonly platform: string | null
  readonly step: Step
}

export const sign = (family: Family, weight: Weight, platform: string | null, step: Step): Sign => ({
  family,
  weight,
  platform,
  step,
})
