import { defineProbe, glob, known, run, unknown } from '../../core/probe.ts'
import { listingIsComplete } from '../isolation/listing.ts'
import { ALWAYS_PATH, lines, OF_ALWAYS_PATH } from '../read-text.ts'

export interface BmcPresence {
  /** The kernel talks to a controller: /dev/ipmi0 is there. */
  readonly device: boolean
  /** Firmware or kernel list a controller: paths of platform and ACPI devices. */
  readonly listed: readonly string[]
}

/**
 * Linux Documentation/driver-api/ipmi.rst; IPI0001 is the ACPI id of a controller (IPMI 2.0, appendix C3). Names only, nothing is queried
 * of it.
 */
export const bmcPresence = defineProbe({
  id: 'bmc.presence',
  title: 'Management controller, as detected by the kernel',
  why: 'Nearly every server has a management controller; virtual machines have none unless one is emulated.',
  commands: {
    paths: run(
      [
        'ls',
        '-1d',
        '/dev/ipmi0',
        '/sys/class/ipmi/ipmi0',
        glob('/sys/devices/platform/*ipmi*'),
        glob('/sys/bus/acpi/devices/IPI0001:*'),
        ALWAYS_PATH,
      ],
      OF_ALWAYS_PATH,
    ),
  },
  parse({ paths }) {
    if (!listingIsComplete(paths)) return unknown('the list of management devices could not be read')
    const found = lines(paths.text).filter((line) => line.startsWith('/'))
    return known<BmcPresence>({
      device: found.includes('/dev/ipmi0'),
      listed: found.filter((path) => path.startsWith('/sys/')).slice(0, 16),
    })
  },
})
