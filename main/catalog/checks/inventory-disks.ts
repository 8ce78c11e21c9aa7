import { defineCheck } from '../../core/check.ts'
import { inventoryDisks } from '../probes/inventory-disks.ts'
import { count, named, supports } from '../steps.ts'

export const inventoryDisksRecorded = defineCheck({
  id: 'inventory.disks',
  property: 'evidence',
  expected: 'The drives of this server are recorded with model and serial number where they report them.',
  ends: 'recorded',
  limitations:
    'Reported by the drives themselves. Wear and health are tested by another check, and no purchase list was compared.',
  requires: { disks: inventoryDisks },
  evaluate: ({ disks: { disks } }) => ({
    verdict: 'informational',
    observations: [
      supports(
        `${count(disks.length, 'drive')}${
          disks.length === 0
            ? ''
            : `: ${named(
                disks.map(({ name, model, serial }) => [name, model, serial].filter((part) => part !== '').join(' ')),
                12,
              )}`
        }.`,
        inventoryDisks,
      ),
    ],
  }),
})
