import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { wholeNumber } from '../isolation/listing.ts'
import {
  ALWAYS_FILE,
  ALWAYS_PATH,
  grepIsComplete,
  isAbsent,
  lines,
  OF_ALWAYS_FILE,
  OF_ALWAYS_PATH,
  oneLineFiles,
} from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

export interface GuestSupport {
  /** Devices and modules of hypervisors on this system that exist. */
  readonly found: readonly string[]
  /** How often the KVM module of the processor is held: by each guest, and by each file that a guest has open. Null when it is not a module. */
  readonly openGuests: number | null
}

/** kvm_main.c: an open guest and its processors each hold the vendor module, so a count of zero is no open guest. */
export const virtGuests = defineProbe({
  id: 'virt.guests',
  title: 'Support for running virtual machines',
  why: 'Shows whether this server can host guests, and whether the kernel has any open right now.',
  ignoredInDrift: {
    why: 'The module is held once for each guest and each file that a guest has open.',
    normalize: ({ found, openGuests }: GuestSupport) => ({ found: inOrder(found), hasGuests: whether(openGuests) }),
  },
  commands: {
    devices: run(
      [
        'ls',
        '-d',
        '/dev/kvm',
        '/dev/vhost-net',
        '/dev/vboxdrv',
        '/dev/vmmon',
        '/sys/module/kvm_intel',
        '/sys/module/kvm_amd',
        ALWAYS_PATH,
      ],
      OF_ALWAYS_PATH,
    ),
    uses: run(
      ['grep', '-H', '', '/sys/module/kvm_intel/refcnt', '/sys/module/kvm_amd/refcnt', ALWAYS_FILE],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ devices, uses }) {
    if (devices.exitCode !== 0 && !isAbsent(devices))
      return unknown('the devices of hypervisors could not be looked for')
    if (!grepIsComplete(uses)) return unknown('the use counts of the KVM modules could not be read')
    const counts = [...oneLineFiles(uses.text)].flatMap(([path, value]) =>
      path === ALWAYS_FILE ? [] : [wholeNumber(value)],
    )
    if (counts.includes(null)) return unknown('a use count of the KVM modules is not a number')
    return known<GuestSupport>({
      found: lines(devices.text).filter((path) => path.startsWith('/') && path !== ALWAYS_PATH),
      openGuests: counts.length === 0 ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    })
  },
})
