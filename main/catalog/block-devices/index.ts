import { defineSubject } from '../subject.ts'
import { storageBlockDevices, storageDmTable, storageLsblk, storageSwaps } from './probes.ts'
import { storageZfs, storageZpool } from './zfs.ts'

export const blockDevicesSubject = defineSubject({
  id: 'block-devices',
  title: 'Block devices',
  probes: [storageSwaps, storageBlockDevices, storageLsblk, storageDmTable, storageZfs, storageZpool],
  checks: [],
})
