import type { Parsed } from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { type Context, type DraftObservation, type MaybeFactsOf, unclearAbout } from '../../../core/rules/check.ts'
import { type Account, accountsLocal, canLogIn, type LocalAccounts } from '../../access/accounts/probes.ts'
import { tenancyKfd, tenancyPods, tenancyProcesses } from '../../base/processes.ts'
import { unclear } from '../../base/steps.ts'
import { gpuNvidia } from '../../hardware/gpu/nvidia.ts'
import { pciDevices } from '../../hardware/pci/probes.ts'
import { virtBuses, virtGuests, virtHosted, virtMachines } from '../virtualization/index.ts'
import { sessionLimits } from './limits.ts'
import { tenancyRay, tenancySlices, tenancySlurm } from './schedulers.ts'
import {
  INITIAL_NAMESPACES,
  namespaces,
  namespaces as namespacesProbe,
  tenancyRuntimes,
  tenancySessions,
} from './sessions.ts'

/** The probes that tenancy is concluded from. */
export const TENANCY_PROBES = {
  namespaces,
  limits: sessionLimits,
  processes: tenancyProcesses,
  sessions: tenancySessions,
  slices: tenancySlices,
  accounts: accountsLocal,
  pods: tenancyPods,
  runtimes: tenancyRuntimes,
  guests: virtGuests,
  hosted: virtHosted,
  machines: virtMachines,
  buses: virtBuses,
  slurm: tenancySlurm,
  ray: tenancyRay,
  pci: pciDevices,
  gpus: gpuNvidia,
  kfd: tenancyKfd,
} as const

export type TenancyReadings = MaybeFactsOf<typeof TENANCY_PROBES>

export const tenancyReadings = (read: Read): TenancyReadings =>
  Object.fromEntries(
    Object.entries(TENANCY_PROBES).map(([name, probe]) => [name, read<unknown, string>(probe)]),
  ) as TenancyReadings

/**
 * Whether the question was asked and answered, even if the answer is that the node has no such tool or right. A
 * removed, truncated or lost capture does not count: it may be the contradicting one.
 */
export const wasAnswered = (reading: Parsed<unknown>): boolean =>
  reading.ok || !/^(this was not collected$|not usable: |not collected: the session ended)/.test(reading.reason)

/** The declared roster, or null where none was declared. */
export const rosterOf = ({ node }: Context): ReadonlySet<string> | null =>
  node.roster === undefined ? null : new Set(node.roster)

// Ids below 1000 belong to services on current distributions (login.defs(5), UID_MIN).
export const FIRST_PERSON = 1000
export const OVERFLOW_ID = 65534

// Ids that Debian and its derivatives give to services, above those that useradd gives to people (Debian Policy 9.2.2; login.defs(5),
// UID_MAX): ceph 64045, libvirt-qemu 64055. They could also be a directory's, so that the shell decides with them.
const isOfPackage = (account: Account): boolean => account.uid > 60_000 && account.uid < 65_000 && !canLogIn(account)

// Accounts that snapd makes for snaps which ask for them (its documentation, “System usernames”: snap_daemon is 584788, _daemon_ 584792).
const isOfSnaps = (account: Account): boolean =>
  account.uid >= 524_288 &&
  /^(snap_[a-z0-9]+|_daemon_|snapd-range-[0-9]+-root)$/.test(account.name) &&
  !canLogIn(account)

/** Accounts of people, by their numbers. */
export const peopleOf = ({ accounts }: LocalAccounts): readonly Account[] =>
  accounts.filter(
    (account) =>
      account.uid >= FIRST_PERSON &&
      account.uid !== OVERFLOW_ID &&
      account.name !== 'nobody' &&
      !isOfPackage(account) &&
      !isOfSnaps(account),
  )

/** Whether we see everything that runs: from the initial process namespace, and with nothing hidden. */
export function viewSteps({
  namespaces,
  processes,
}: Pick<TenancyReadings, 'namespaces' | 'processes'>): readonly DraftObservation[] {
  const own = namespaces.ok ? namespaces.fact.own.pid : INITIAL_NAMESPACES.pid
  return [
    ...unclearAbout(namespacesProbe, namespaces),
    ...unclearAbout(tenancyProcesses, processes),
    ...(own === INITIAL_NAMESPACES.pid
      ? []
      : [
          unclear(
            own === null
              ? 'The kernel does not report whether the session is inside a container.'
              : 'We look from inside a container: processes outside it are not visible.',
            namespacesProbe,
            'own',
          ),
        ]),
    ...(processes.ok && !processes.fact.isComplete
      ? [
          unclear(
            'The process list lacks the first processes of the system: others may be hidden too.',
            tenancyProcesses,
          ),
        ]
      : []),
  ]
}
