import { known } from '../../../core/recording/probe.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { guestServicesOf, guestThreadsOf, monitorsOf, type Process, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { virtBuses, virtGuests, virtHosted, virtMachines } from '../virtualization/index.ts'
import { rosterOf, type TenancyReadings, viewSteps } from './readings.ts'
import { namespaces, tenancyRuntimes } from './sessions.ts'

type Readings = Pick<TenancyReadings, 'processes' | 'guests' | 'hosted' | 'machines' | 'runtimes'>

const programs = (of: readonly Process[]): string => named([...new Set(of.map(({ command }) => command))])
const users = (of: readonly Process[]): readonly string[] => [...new Set(of.map(({ user }) => user))].sort()

/** Virtual machines that run here, and services that would start them: any of them is more than "none". */
function guestSteps(readings: Readings, context: Context): readonly DraftObservation[] {
  const { processes } = readings
  const found = runningSteps(readings, explainsGuests(readings, context) ? unclear : contradicts)
  const services = processes.ok ? guestServicesOf(processes.fact) : []
  return [
    ...found,
    ...(services.length > 0
      ? [unclear(`Services that start virtual machines are running: ${programs(services)}.`, tenancyProcesses)]
      : []),
  ]
}

/** The same, for the question of ownership: guests explained by the roster divide the tenant’s own system. */
export function guestOwnerSteps(
  readings: Readings & Pick<TenancyReadings, 'buses'>,
  context: Context,
): readonly DraftObservation[] {
  return [
    ...runningSteps(readings, explainsGuests(readings, context) ? supports : contradicts),
    ...controlDomain(readings),
  ]
}

/** The accounts that run the guests are on the roster, and none is root; or each guest that is listed carries a name on it. */
function explainsGuests({ processes, runtimes }: Readings, context: Context): boolean {
  const roster = rosterOf(context)
  if (roster === null || !processes.ok) return false
  const monitors = monitorsOf(processes.fact)
  if (monitors.length === 0) return false
  if (users(monitors).every((owner) => roster.has(owner) && owner !== 'root')) return true
  const listed = runtimes.ok ? runtimes.fact.libvirtGuests : []
  return listed.length === monitors.length && listed.every((name) => roster.has(name))
}

function runningSteps(
  { processes, guests, hosted, machines, runtimes }: Readings,
  step: typeof supports,
): readonly DraftObservation[] {
  const missing = [
    ...unclearAbout(virtGuests, guests),
    ...unclearAbout(virtHosted, hosted),
    ...unclearAbout(virtMachines, machines),
    ...unclearAbout(tenancyRuntimes, runtimes),
  ]
  if (!processes.ok) return missing
  const monitors = monitorsOf(processes.fact)
  const steps = [
    ...(monitors.length === 0
      ? []
      : [
          step(
            `Virtual machines run here (${monitors.length}), under ${named(users(monitors))}: ${programs(monitors)}.`,
            tenancyProcesses,
          ),
        ]),
    ...hiddenSteps({ processes, guests, machines }),
    ...lentSteps(hosted),
    ...listedSteps(runtimes, monitors.length),
  ]
  if (missing.length + steps.length > 0) return [...missing, ...steps]
  return [
    supports(
      `No virtual machine runs here${guests.ok && guests.fact.openGuests !== null ? '; the kernel has none open' : ''}.`,
      virtGuests,
    ),
  ]
}

/** Guests that the kernel has open and no program of a known name runs. */
function hiddenSteps({
  processes,
  guests,
  machines,
}: Pick<Readings, 'processes' | 'guests' | 'machines'>): readonly DraftObservation[] {
  if (!processes.ok) return []
  const monitors = monitorsOf(processes.fact)
  const known = new Set(monitors.map(({ pid }) => pid))
  const holders = machines.ok ? (machines.fact.holders ?? []).filter((pid) => !known.has(pid)) : []
  const names = new Map(processes.fact.processes.map(({ pid, command }) => [pid, command]))
  const threads = guestThreadsOf(processes.fact)
  const held = guests.ok ? (guests.fact.openGuests ?? 0) : 0
  return [
    ...(holders.length > 0
      ? [
          contradicts(
            `The kernel has virtual machines open that programs of other names hold: ${named(holders.map((pid) => names.get(pid) ?? `process ${pid}, which is not in the process list`))}.`,
            virtMachines,
          ),
        ]
      : []),
    ...(monitors.length > 0 || held === 0
      ? []
      : [
          contradicts(
            `The kernel’s virtualization is in use (held ${count(held, 'time')}), and no identified process runs a guest.`,
            virtGuests,
            'uses',
          ),
        ]),
    ...(monitors.length > 0 || threads.length === 0
      ? []
      : [
          contradicts(
            `The kernel runs threads for a guest, and no identified process runs one: ${programs(threads)}.`,
            tenancyProcesses,
          ),
        ]),
  ]
}

function lentSteps(hosted: Readings['hosted']): readonly DraftObservation[] {
  if (!hosted.ok) return []
  const { xenGuests, mediated } = hosted.fact
  return [
    ...(xenGuests.length > 0
      ? [
          contradicts(
            `This system serves devices to ${count(xenGuests.length, 'guest')} of Xen: ${named(xenGuests.map(String))}.`,
            virtHosted,
            'lists',
          ),
        ]
      : []),
    ...(mediated.length > 0
      ? [
          unclear(
            `Parts of devices were made for guests (${mediated.length}): ${named(mediated, 2)}.`,
            virtHosted,
            'lists',
          ),
        ]
      : []),
  ]
}

function listedSteps(runtimes: Readings['runtimes'], monitors: number): readonly DraftObservation[] {
  if (!runtimes.ok) return []
  const { libvirtGuests, xenGuests } = runtimes.fact
  return [
    ...(libvirtGuests.length > monitors
      ? [
          contradicts(
            `The guest manager lists running guests that no process runs: ${named(libvirtGuests)}.`,
            tenancyRuntimes,
          ),
        ]
      : []),
    ...(xenGuests.length > 0
      ? [
          unclear(
            `Xen’s tools keep data of ${count(xenGuests.length, 'guest')}, running or left from before: ${named(xenGuests)}.`,
            tenancyRuntimes,
          ),
        ]
      : []),
  ]
}

/** Xen's guests are no processes of the control domain: without them in sight, nothing was shown. */
const controlDomain = ({ buses }: Pick<TenancyReadings, 'buses'>): readonly DraftObservation[] => [
  ...unclearAbout(virtBuses, buses),
  ...(buses.ok && buses.fact.isControlDomain
    ? [
        unclear(
          'This system is Xen’s control domain: other guests of Xen are not in its list of processes.',
          virtBuses,
          'files',
        ),
      ]
    : []),
]

export const tenancyNoGuests = defineCheck({
  id: 'tenancy.no-guests',
  property: 'isolation',
  expected: 'No virtual machine, emulator or service that starts them was running on this system.',
  limitations:
    'One moment of observation: guests started before or after are not detected. A program can choose its own name, and a hypervisor outside this system is covered by another check.',
  requires: { namespaces, processes: tenancyProcesses, guests: virtGuests, hosted: virtHosted },
  optional: { runtimes: tenancyRuntimes, machines: virtMachines },
  evaluate({ namespaces: own, processes, guests, hosted }, { runtimes, machines }, context) {
    const readings = { namespaces: known(own), processes: known(processes) }
    return decide([
      ...viewSteps(readings),
      ...guestSteps({ ...readings, guests: known(guests), hosted: known(hosted), runtimes, machines }, context),
    ])
  },
})
