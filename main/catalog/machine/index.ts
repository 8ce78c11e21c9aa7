import { defineSubject } from '../subject.ts'
import { acpiHeaders, acpiOverview, bootMemory } from './acpi.ts'
import data from './checks.json' with { type: 'json' }
import { dmiEntries, dmiIdentity, dmiTable, dmiTags } from './dmi.ts'
import { hostIdentity, hostSerials, osIdentity } from './identity.ts'
import { inventoryHardware } from './inventory.ts'
import { inventoryMemory, memorySpd } from './memory.ts'

export const machineSubject = defineSubject({
  id: 'machine',
  title: 'Machine identity and firmware tables',
  probes: [
    hostIdentity,
    hostSerials,
    osIdentity,
    dmiIdentity,
    dmiTable,
    acpiOverview,
    acpiHeaders,
    inventoryMemory,
    bootMemory,
    dmiEntries,
    memorySpd,
    dmiTags,
  ],
  checks: [inventoryHardware],
  data,
})
