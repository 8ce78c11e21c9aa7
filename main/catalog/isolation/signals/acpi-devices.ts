import { quote } from '../../../core/plain-text.ts'
import { acpiOverview } from '../../probes/acpi-overview.ts'
import { dmiIdentity } from '../../probes/dmi-identity.ts'
import { contradicts, count } from '../../steps.ts'
import { claimsServer } from '../claims.ts'
import { metal, neutral, notApplicable, type Signal, sign, unreadable, virtual } from '../signal.ts'

const NO_ACPI = 'This machine’s firmware has no ACPI tables.'

const profile: Signal = {
  id: 'acpi.profile',
  family: 'firmware',
  title: 'Power profile that the firmware prefers',
  onMetal: 'Enterprise server (4), performance server (7), desktop (1), workstation (3).',
  onGuest: 'Unspecified (0).',
  spoofingEffort: 'S1',
  pitfalls: ['Some real firmware leaves it unspecified too.'],
  source: 'ACPI 6.5, table 5.9 (Preferred_PM_Profile); Documentation/ABI/testing/sysfs-firmware-acpi.',
  probes: [acpiOverview, dmiIdentity],
  observe(read) {
    const [acpi, dmi] = [read(acpiOverview), read(dmiIdentity)]
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    if (!acpi.fact.present) return notApplicable(NO_ACPI)
    const { profile: value } = acpi.fact
    if (value === null) return unreadable(acpiOverview, 'the power profile could not be read')
    if (value !== 0) return value <= 8 ? metal(String(value)) : neutral(String(value))
    // What the firmware calls the machine is text that the party that makes it chooses, so that it words the reading and never weighs it.
    return virtual(
      '0',
      sign(
        'odd',
        null,
        contradicts(
          dmi.ok && claimsServer(dmi.fact)
            ? 'The firmware calls the machine a server, and leaves the power profile unspecified (0), as emulators do.'
            : 'The firmware leaves the power profile unspecified (0), as emulators do.',
          acpiOverview,
          'profile',
        ),
      ),
    )
  },
}

// Hardware ids that only virtual machine monitors declare (their ACPI sources; Linux drivers qemu_fw_cfg, vmgenid, hv_vmbus, virtio_mmio).
const DEVICES: readonly (readonly [RegExp, string | null])[] = [
  [/^QEMU(0001|0002|VGID)$/, 'QEMU'],
  [/^(VMBUS|MSFT1000)$/i, 'Microsoft Hyper-V'],
  [/^FCVM(GID|CLK)$/, 'Firecracker'],
  [/^XEN0000$/, 'Xen'],
  [/^(LNRO0005|VMGENCTR)$/, null],
]

const devices: Signal = {
  id: 'acpi.hid',
  family: 'firmware',
  title: 'Devices that ACPI declares',
  onMetal: 'Controllers, sensors and buttons of a board.',
  onGuest: 'Few, and some that only hypervisors have, such as QEMU’s configuration device or virtio windows.',
  spoofingEffort: 'S1',
  pitfalls: ['A guest’s firmware can leave them out; hardware of few parts declares few.'],
  source:
    'Documentation/ABI/testing/sysfs-bus-acpi; QEMU, Firecracker and Hyper-V device ids in the Linux drivers that bind to them.',
  probes: [acpiOverview],
  observe(read) {
    const acpi = read(acpiOverview)
    if (!acpi.ok) return unreadable(acpiOverview, acpi.reason)
    const { devices: ids, present } = acpi.fact
    if (!present || ids.length === 0) return notApplicable('This kernel lists no devices of ACPI.')
    const signs = ids.flatMap((id) =>
      DEVICES.flatMap(([pattern, platform]) =>
        pattern.test(id)
          ? [
              sign(
                'impossible',
                platform,
                contradicts(
                  `The firmware declares the device ${quote(id)}, which only hypervisors have.`,
                  acpiOverview,
                  'lists',
                ),
              ),
            ]
          : [],
      ),
    )
    const value = `${count(ids.length, 'kind')} of device`
    if (signs.length > 0) return virtual(value, ...signs)
    return ids.some((id) => /^(ACPI000D|INT3F0D|INT34|INTC|AMDI|HISI|NVDA|APMC|AMPC|ARMHC)/.test(id))
      ? metal(value)
      : neutral(value)
  },
}

/** Signals in what ACPI declares. */
export const acpiDeviceSignals: readonly Signal[] = [profile, devices]
