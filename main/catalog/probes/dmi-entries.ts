import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, longListing } from '../isolation/listing.ts'

export interface DmiEntries {
  /** Structures by SMBIOS type; null where this kernel does not list them (module dmi-sysfs not loaded). */
  readonly counts: ReadonlyMap<number, number> | null
  /** Bytes of the whole table; null where the kernel shows none. */
  readonly tableBytes: number | null
}

const TABLES = '/sys/firmware/dmi/tables'
const ENTRIES = '/sys/firmware/dmi/entries'

/** Documentation/ABI/testing: sysfs-firmware-dmi-entries and -tables. Their names and sizes are open to any user, contents are not. */
export const dmiEntries = defineProbe({
  id: 'dmi.entries',
  title: 'Extent of the firmware’s hardware table',
  why: 'Shows, without administrator rights, how much hardware the firmware describes, and of which kinds.',
  commands: { lists: run(['ls', '-l', TABLES, ENTRIES]) },
  parse({ lists }) {
    if (!listingIsComplete(lists)) return unknown('the firmware’s hardware table could not be listed')
    const folders = listedFolders(lists.text)
    if (lists.exitCode === 0 && folders.size === 0)
      return unknown('the list of firmware structures has an unexpected format')
    const entries = folders.get(ENTRIES)
    return known<DmiEntries>({
      counts: entries === undefined ? null : countsOf(longListing(entries).map(({ name }) => name)),
      tableBytes: longListing(folders.get(TABLES) ?? []).find(({ name }) => name === 'DMI')?.size ?? null,
    })
  },
})

/** Folders are named TYPE-INSTANCE. */
function countsOf(names: readonly string[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const name of names) {
    const type = /^(\d{1,3})-\d{1,5}$/.exec(name)?.[1]
    if (type !== undefined) counts.set(Number(type), (counts.get(Number(type)) ?? 0) + 1)
  }
  return counts
}
