import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionAtRestSedState, lifecycleDiskSwapDetection } from './checks.ts'
import { lifecycleFirstUseState, storageBirth } from './first-use.ts'
import { inventoryDisks, inventoryDisksRecorded } from './inventory.ts'
import { drivesNvmeControllers, drivesOpal } from './probes.ts'

export const drivesSubject = defineSubject({
  id: 'drives',
  title: 'Drives',
  probes: [inventoryDisks, drivesOpal, drivesNvmeControllers, storageBirth],
  checks: [inventoryDisksRecorded, lifecycleDiskSwapDetection, encryptionAtRestSedState, lifecycleFirstUseState],
  data,
})
