import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { ALWAYS_FILE, grepIsComplete, OF_ALWAYS_FILE, oneLineFiles } from '../read-text.ts'

export interface DmiIdentity {
  /** False when the kernel found no SMBIOS table at all. */
  readonly present: boolean
  readonly sysVendor: string
  readonly productName: string
  readonly productVersion: string
  readonly boardVendor: string
  readonly boardName: string
  readonly biosVendor: string
  readonly biosVersion: string
  readonly biosDate: string
  readonly chassisVendor: string
  readonly chassisType: string
  readonly chassisAssetTag: string
}

const FOLDER = '/sys/class/dmi/id/'

/**
 * The fields of SMBIOS types 0 to 3 that any user may read (drivers/firmware/dmi-id.c). Text that the party that sets the firmware chooses.
 */
export const dmiIdentity = defineProbe({
  id: 'dmi.identity',
  title: 'Hardware identity reported by firmware',
  why: 'Virtual machines usually carry the name of their hypervisor here. The text can indicate virtualization; it cannot show bare metal on its own.',
  commands: {
    fields: run(
      [
        'grep',
        '-H',
        '',
        `${FOLDER}sys_vendor`,
        `${FOLDER}product_name`,
        `${FOLDER}product_version`,
        `${FOLDER}board_vendor`,
        `${FOLDER}board_name`,
        `${FOLDER}bios_vendor`,
        `${FOLDER}bios_version`,
        `${FOLDER}bios_date`,
        `${FOLDER}chassis_vendor`,
        `${FOLDER}chassis_type`,
        `${FOLDER}chassis_asset_tag`,
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ fields }) {
    if (!grepIsComplete(fields)) return unknown('the firmware’s identity fields could not be read')
    const values = oneLineFiles(fields.text)
    const field = (name: string): string => values.get(FOLDER + name) ?? ''
    return known<DmiIdentity>({
      present: [...values].some(([path, value]) => path.startsWith(FOLDER) && value !== ''),
      sysVendor: field('sys_vendor'),
      productName: field('product_name'),
      productVersion: field('product_version'),
      boardVendor: field('board_vendor'),
      boardName: field('board_name'),
      biosVendor: field('bios_vendor'),
      biosVersion: field('bios_version'),
      biosDate: field('bios_date'),
      chassisVendor: field('chassis_vendor'),
      chassisType: field('chassis_type'),
      chassisAssetTag: field('chassis_asset_tag'),
    })
  },
})
