import { type DraftObservation, unclearAbout } from '../../../core/check.ts'
import { containersOf, monitorsOf, type Processes } from '../../probes/tenancy-processes.ts'
import { type Runtimes, tenancyRuntimes } from '../../probes/tenancy-runtimes.ts'
import { tenancySlices } from '../../probes/tenancy-slices.ts'
import { named, supports, unclear } from '../../steps.ts'
import type { TenancyReadings } from './readings.ts'

/** Containers and guests from the side of what manages them: work that they list and that no process belongs to is hidden from us. */
export function managerSteps({
  runtimes,
  processes,
  slices,
}: Pick<TenancyReadings, 'runtimes' | 'processes' | 'slices'>): readonly DraftObservation[] {
  if (!runtimes.ok) return unclearAbout(tenancyRuntimes, runtimes)
  if (!processes.ok) return []
  const units = unitsOf(processes.fact)
  const hidden = hiddenWork(runtimes.fact, processes.fact, units)
  const unseen = slices.ok ? slices.fact.machines.filter((name) => !units.has(name)) : []
  const { containerdTasks, podmanContainers, libvirtGuests, machines, jailedGuests } = runtimes.fact
  const listed = [...containerdTasks, ...podmanContainers, ...libvirtGuests, ...machines, ...jailedGuests]
  const defined = definedOf(runtimes.fact)
  return [
    ...(hidden.length > 0
      ? [unclear(`The managers list work without a matching process: ${named(hidden)}.`, tenancyRuntimes)]
      : [
          supports(
            `${listed.length === 0 ? 'Container and guest managers list nothing that runs' : `Container and guest managers list: ${named(listed)}`}${defined.length === 0 ? '' : `; they know of ${named(defined)}, running or not`}.`,
            tenancyRuntimes,
          ),
        ]),
    ...(unseen.length > 0
      ? [
          unclear(
            `The kernel keeps shares of containers or guests without a matching process: ${named(unseen)}.`,
            tenancySlices,
          ),
        ]
      : []),
  ]
}

function hiddenWork(runtimes: Runtimes, processes: Processes, units: ReadonlySet<string>): readonly string[] {
  const { containerdTasks, podmanContainers, unlistedNamespaces, libvirtGuests, machines, jailedGuests } = runtimes
  const seen = containersOf(processes).length + monitorsOf(processes).length
  // Of these only names are known that need not be in a control group: something must run where they are listed.
  const loose = [...unlistedNamespaces, ...libvirtGuests, ...machines, ...jailedGuests]
  return [...[...containerdTasks, ...podmanContainers].filter((id) => !units.has(id)), ...(seen === 0 ? loose : [])]
}

const definedOf = ({ lxcContainers, definedContainers, definedGuests }: Runtimes): readonly string[] => [
  ...new Set([...lxcContainers, ...definedContainers, ...definedGuests]),
]

/** Folders of control groups that processes sit in: each as it is, and the id in names such as docker-<id>.scope. */
function unitsOf({ processes }: Processes): ReadonlySet<string> {
  const units = new Set<string>()
  for (const path of new Set(processes.map(({ cgroup }) => cgroup)))
    for (const folder of path.split(/[/,]/)) {
      units.add(folder)
      const name = folder.replace(/\.scope$/, '')
      units.add(name.slice(Math.max(name.lastIndexOf('-'), name.lastIndexOf(':')) + 1))
    }
  return units
}
