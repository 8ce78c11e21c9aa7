/** What no reading from inside a running system shows. Printed with every isolation response, whatever it is. */
export const CANNOT_SHOW: readonly string[] = [
  'A party with root in the system’s image (a modified kernel, shell or SSH server) can make it respond like any hardware, or replay another machine, at the cost of text alone.',
  'A hypervisor built to hide, which passes every device through and emulates every register, is not visible from inside.',
  'Overlays and mirroring in the switches of the network, and who else is behind them.',
  'Replication or snapshots of storage behind a data-processing unit that looks like a local drive.',
  'Who can reach the management controller, and what it was used for.',
  'Whether data of earlier tenants was erased, and what earlier tenants left in firmware.',
  'Guests, users or jobs that were started after this collection, or had ended before it.',
]

export const WITHOUT_RIGHTS =
  'The collection had no administrator rights: firmware tables, registers and other users’ processes were not read.'
export const WITHOUT_LIVE_TESTS =
  'Live tests were not requested: the cost of CPUID, clock steal over an interval, and counters that change with the load were not measured.'
