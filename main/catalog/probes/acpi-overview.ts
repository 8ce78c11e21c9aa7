import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete, longListing, wholeNumber } from '../isolation/listing.ts'
import { ALWAYS_FOLDER, OF_ALWAYS_FOLDER } from '../read-text.ts'

export interface AcpiOverview {
  readonly present: boolean
  readonly tables: readonly { readonly name: string; readonly size: number }[]
  /** Preferred power management profile of the FADT (ACPI 6.5, table 5.9): 1 desktop, 4 and 5 server, 7 performance server, 0 unspecified. */
  readonly profile: number | null
  /** Hardware ids in the ACPI namespace, each once. */
  readonly devices: readonly string[]
}

const TABLES = '/sys/firmware/acpi/tables'
const DEVICES = '/sys/bus/acpi/devices'
const PROFILE = '/sys/firmware/acpi/pm_profile'

/** Documentation/ABI/testing/sysfs-firmware-acpi and sysfs-bus-acpi: names and sizes are open to any user, contents are not. */
export const acpiOverview = defineProbe({
  id: 'acpi.overview',
  title: 'Firmware tables: names and sizes',
  why: 'Servers have dozens of firmware tables; virtual machines have a handful, some of which exist only in guests.',
  commands: {
    lists: run(['ls', '-l', TABLES, DEVICES, ALWAYS_FOLDER], OF_ALWAYS_FOLDER),
    profile: run(['cat', PROFILE]),
  },
  parse({ lists, profile }) {
    if (!listingIsComplete(lists)) return unknown('the firmware’s tables could not be listed')
    const folders = listedFolders(lists.text)
    const tables = folders.get(TABLES)
    if (tables === undefined && lists.exitCode === 0)
      return unknown('the list of firmware tables has an unexpected format')
    const power = profile.exitCode === 0 ? wholeNumber(profile.text) : null
    if (tables !== undefined && power === null && !profile.errorText.includes(`${PROFILE}: No such file`))
      return unknown('the power management profile could not be read')
    return known<AcpiOverview>({
      present: tables !== undefined,
      tables: longListing(tables ?? []).flatMap(({ name, size, isFolder }) => (isFolder ? [] : [{ name, size }])),
      profile: power,
      devices: [
        ...new Set(longListing(folders.get(DEVICES) ?? []).map(({ name }) => name.replace(/:[0-9a-f]+$/i, ''))),
      ],
    })
  },
})
