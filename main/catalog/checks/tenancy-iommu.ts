import { defineCheck } from '../../core/check.ts'
import { pciIommu } from '../probes/pci-iommu.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

export const tenancyIommu = defineCheck({
  id: 'tenancy.iommu',
  property: 'isolation',
  claim: 'An IOMMU is active, and every group of devices reaches memory through its translation.',
  limits:
    'It limits where devices can write; it says nothing about the honesty of their firmware, or about devices before the kernel started.',
  needs: { iommu: pciIommu },
  evaluate({ iommu }) {
    const { groups, units, types, kernelArguments } = iommu
    const passed = groups.filter((group) => types.get(group) === 'identity')
    const unread = groups.filter((group) => !types.has(group))
    const asked = kernelArguments.length > 0 ? ` The kernel was started with ${named(kernelArguments)}.` : ''
    if (groups.length === 0)
      return weigh([speaksAgainst(`No IOMMU is active: there is no group of devices.${asked}`, pciIommu, 'lists')])
    return weigh([
      units.length > 0
        ? speaksFor(`IOMMU units: ${units.length}; groups of devices: ${groups.length}.${asked}`, pciIommu, 'lists')
        : leavesUnclear(
            `There are ${count(groups.length, 'group')} of devices, and no IOMMU that names itself.`,
            pciIommu,
            'lists',
          ),
      ...(passed.length > 0
        ? [
            speaksAgainst(
              `Passed through without translation: ${passed.length} of ${count(groups.length, 'group')}.`,
              pciIommu,
              'types',
            ),
          ]
        : []),
      ...(unread.length > 0
        ? [
            leavesUnclear(
              `The kernel does not say how ${count(unread.length, 'group')} of ${groups.length} are treated.`,
              pciIommu,
              'types',
            ),
          ]
        : []),
      ...(passed.length + unread.length === 0
        ? [speaksFor(`Translated: ${groups.length} of ${count(groups.length, 'group')}.`, pciIommu, 'types')]
        : []),
    ])
  },
})
