import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { backupFreshness, backupImmutability, backupJobStatus, encryptionAtRestBackupTarget } from './checks.ts'
import { backupSettings, backupUnits } from './probes.ts'

export const backupSubject = defineSubject({
  id: 'backup',
  title: 'Backups',
  probes: [backupUnits, backupSettings],
  checks: [backupJobStatus, backupFreshness, backupImmutability, encryptionAtRestBackupTarget],
  data,
})
