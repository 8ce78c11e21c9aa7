import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { firmwareFwupd, integrityFirmwareInventory } from './firmware.ts'

export const firmwareSubject = defineSubject({
  id: 'firmware',
  title: 'Firmware versions',
  probes: [firmwareFwupd],
  checks: [integrityFirmwareInventory],
  data,
})
