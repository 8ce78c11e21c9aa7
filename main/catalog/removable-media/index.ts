import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { accessRemovableMedia } from './checks.ts'
import { usbGuardPolicy, usbStorageRules } from './probes.ts'

export const removableMediaSubject = defineSubject({
  id: 'removable-media',
  title: 'Removable media',
  probes: [usbStorageRules, usbGuardPolicy],
  checks: [accessRemovableMedia],
  data,
})
