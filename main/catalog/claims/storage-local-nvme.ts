import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { count, decide, named, supports } from '../steps.ts'
import { LOCAL_NEEDS, LOCAL_WANTS, nvmeDrives, withoutLocal } from './local-nvme.ts'

const LIMITS =
  'The drive is attached to a PCI Express controller of the machine, as reported by the kernel. Its owner after the contract ends, and its earlier contents, are not shown.'

export const storageLocalNvme: ClaimTest = {
  id: 'storage.local-nvme',
  title: 'An NVMe drive is a part of the machine.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'storage.local-nvme',
      property: 'operations',
      expected: 'At least one NVMe drive hangs on a controller of the machine that the system runs on.',
      limitations: LIMITS,
      requires: LOCAL_NEEDS,
      optional: LOCAL_WANTS,
      evaluate(facts, wanted) {
        const drives = nvmeDrives(facts, wanted)
        const { local } = drives
        return decide([
          local.length > 0
            ? supports(
                `${count(local.length, 'NVMe drive')} of this machine: ${named(local.map(({ name, model }) => `${name} ${model}`.trim()))}.`,
                inventoryDisks,
              )
            : withoutLocal(drives, facts.pci),
        ])
      },
    })
  },
}
