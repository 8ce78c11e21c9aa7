import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { tenancyProcesses } from '../../base/processes.ts'
import { count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type SysfsBlock, storageBlockDevices } from '../../data-protection/block-devices/index.ts'
import { type Crypttab, storageCrypttab } from '../../data-protection/disk-encryption/probes.ts'
import { type Listeners, networkListeners } from '../../data-protection/listeners/probes.ts'
import { type Connections, networkConnections } from '../../data-protection/network/flows.ts'
import { gpuNvidia, type NvidiaGpus } from '../../hardware/gpu/nvidia.ts'
import { cpuFeatures } from '../../hardware/processors/features.ts'
import { withoutService } from './agents.ts'
import data from './checks.json' with { type: 'json' }
import {
  capacityFilesystems,
  type FailedUnits,
  type FilesystemUses,
  type Monitor,
  type SystemLoad,
  servicesFailed,
  servicesMonitoring,
  systemLoad,
} from './probes.ts'

const HOUR = 3600

const availabilityBootRecovery = defineCheck({
  id: 'availability.boot-recovery',
  property: 'operations',
  expected: 'The time since the last start, and services that did not start or have failed since, are recorded.',
  ends: 'recorded',
  limitations:
    'A service that was never set to start, or that runs and does no work, does not count as failed. Whether a start needs a person, for example to type a passphrase, shows only at the next start.',
  requires: { load: systemLoad },
  optional: { failed: servicesFailed, crypttab: storageCrypttab, blocks: storageBlockDevices },
  evaluate: ({ load }, { failed, crypttab, blocks }) => ({
    verdict: 'informational',
    observations: [
      supports(`The node has run for ${duration(load.uptimeSeconds)} since its last start.`, systemLoad),
      ...(failed.ok ? [failedStep(failed.fact)] : unclearAbout(servicesFailed, failed)),
      ...(crypttab.ok ? volumeSteps(crypttab.fact, blocks) : unclearAbout(storageCrypttab, crypttab)),
    ],
  }),
})

const failedStep = ({ units }: FailedUnits): DraftObservation =>
  supports(
    units.length === 0
      ? 'The service manager knows of no failed unit.'
      : `${count(units.length, 'unit')} failed: ${named(units, 12)}.`,
    servicesFailed,
  )

/** crypttab(5): every entry without noauto is opened at start, under its name as a mapped device. */
function volumeSteps({ entries }: Crypttab, blocks: Parsed<SysfsBlock>): readonly DraftObservation[] {
  const wanted = entries.filter(({ options }) => !options.includes('noauto')).map(({ name }) => name)
  if (wanted.length === 0) return [supports('No encrypted volume is listed to be opened at start.', storageCrypttab)]
  if (!blocks.ok) return unclearAbout(storageBlockDevices, blocks)
  const open = new Set([...blocks.fact.devices.values()].flatMap(({ dmName }) => dmName ?? []))
  const closed = wanted.filter((name) => !open.has(name))
  return [
    supports(
      closed.length === 0
        ? `${count(wanted.length, 'encrypted volume')} listed to be opened at start, all open now.`
        : `Of ${count(wanted.length, 'encrypted volume')} listed to be opened at start, not open now: ${named(closed)}.`,
      storageCrypttab,
    ),
  ]
}

/** Whole days above two days, else hours. */
function duration(seconds: number): string {
  const hours = Math.floor(seconds / HOUR)
  return hours >= 48 ? count(Math.floor(hours / 24), 'day') : count(hours, 'hour')
}

/** File systems from here on are named. */
const NEARLY_FULL = 80

const availabilityCapacity = defineCheck({
  id: 'availability.capacity',
  property: 'operations',
  expected: 'Current load, free memory, free space on local file systems and free GPU memory are recorded.',
  ends: 'recorded',
  limitations:
    'One moment, which this collection itself adds a little load to. No trend, no forecast and no agreed level was compared. Network file systems, inodes and network bandwidth were not read.',
  requires: { load: systemLoad },
  optional: { cpu: cpuFeatures, filesystems: capacityFilesystems, gpus: gpuNvidia },
  evaluate: ({ load }, { cpu, filesystems, gpus }) => ({
    verdict: 'informational',
    observations: [
      supports(
        `Average load ${load.load[0]}, ${load.load[1]} and ${load.load[2]} over one, five and fifteen minutes${cpu.ok ? `, on ${count(cpu.fact.logicalCpus, 'logical CPU')}` : ''}.`,
        systemLoad,
      ),
      memoryStep(load),
      ...(filesystems.ok ? [roomStep(filesystems.fact)] : unclearAbout(capacityFilesystems, filesystems)),
      ...gpuSteps(gpus),
    ],
  }),
})

const gib = (kib: number): number => Math.round(kib / 1024 / 1024)

const memoryStep = ({ memory }: SystemLoad): DraftObservation =>
  supports(
    `${gib(memory.availableKib)} of ${gib(memory.totalKib)} GiB of memory available; ${
      memory.swapTotalKib === 0
        ? 'no swap'
        : `${gib(memory.swapTotalKib - memory.swapFreeKib)} of ${gib(memory.swapTotalKib)} GiB of swap in use`
    }.`,
    systemLoad,
  )

function roomStep({ filesystems }: FilesystemUses): DraftObservation {
  const full = filesystems.filter(({ usedPercent }) => usedPercent >= NEARLY_FULL)
  const most = filesystems.reduce((highest, { usedPercent }) => Math.max(highest, usedPercent), 0)
  return supports(
    full.length === 0
      ? `${count(filesystems.length, 'local file system')} read; the fullest is ${most} % full.`
      : `Of ${count(filesystems.length, 'local file system')}, at least ${NEARLY_FULL} % full: ${named(full.map(({ mountpoint, usedPercent }) => `${mountpoint} ${usedPercent} %`))}.`,
    capacityFilesystems,
  )
}

function gpuSteps(gpus: Parsed<NvidiaGpus>): readonly DraftObservation[] {
  if (!gpus.ok) return []
  const sizes = gpus.fact.gpus.flatMap(({ memory: { totalMib, usedMib } }) =>
    totalMib === null || usedMib === null ? [] : [{ totalMib, usedMib }],
  )
  if (sizes.length === 0) return []
  const sum = (pick: (size: { readonly totalMib: number; readonly usedMib: number }) => number): number =>
    Math.round(sizes.reduce((total, size) => total + pick(size), 0) / 1024)
  return [
    supports(
      `${sum(({ usedMib }) => usedMib)} of ${sum(({ totalMib }) => totalMib)} GiB of the memory of ${count(sizes.length, 'GPU')} in use.`,
      gpuNvidia,
    ),
  ]
}

// ss shows no process to an ordinary user: an agent that sends metrics uses HTTPS, or one of these receiver ports.
const RECEIVERS: Readonly<Record<string, readonly number[]>> = {
  telegraf: [443, 8086],
  // Its own protocol is UDP, which holds no connection.
  collectd: [],
  otelcol: [443, 4317, 4318],
  'otelcol-contrib': [443, 4317, 4318],
  alloy: [443, 4317, 4318],
}

const HTTPS = [443]

const availabilityMonitoringAgent = defineCheck({
  id: 'availability.monitoring-agent',
  property: 'operations',
  expected: 'A monitoring agent runs on this node, and it accepts queries or is connected to a receiver.',
  limitations:
    'Only agents known to this catalog are found: those that the service manager runs are tested, others only named. An open port does not show that a monitoring system queries it; a connection to a receiver’s port is not tied to the agent. Review of figures and alerts is not shown.',
  requires: { services: servicesMonitoring, listeners: networkListeners },
  optional: { connections: networkConnections, processes: tenancyProcesses },
  evaluate({ services: { installed }, listeners }, { connections, processes }) {
    const active = installed.filter((found) => found.active).map(({ monitor }) => monitor)
    const stopped = installed.filter((found) => !found.active).map(({ monitor }) => monitor.name)
    if (active.length === 0) return decide(withoutService([...new Set(stopped)], servicesMonitoring, processes))
    const signs = active.flatMap((monitor) => signsOf(monitor, listeners, connections))
    const running = supports(`Running: ${named([...new Set(active.map(({ name }) => name))])}.`, servicesMonitoring)
    const shown = signs.filter(({ direction }) => direction === 'supports')
    if (shown.length > 0) return decide([running, ...shown])
    if (signs.length > 0) return decide([running, ...signs])
    return decide([
      running,
      unclear(
        'No sign was found that a running agent reports: no port of its own is open, and no connection to a receiver’s usual port.',
        networkListeners,
      ),
      ...(connections.ok ? [] : unclearAbout(networkConnections, connections)),
    ])
  },
})

function signsOf(
  monitor: Monitor,
  { listeners }: Listeners,
  connections: Parsed<Connections>,
): readonly DraftObservation[] {
  const ports: readonly number[] = monitor.ports
  const open = listeners.filter(({ protocol, port }) => protocol === 'tcp' && ports.includes(port))
  if (open.some(({ loopback }) => !loopback))
    return [supports(`${monitor.name} accepts queries on port ${ports.join(' or ')}.`, networkListeners)]
  if (open.length > 0)
    return [
      unclear(
        `${monitor.name} accepts queries on port ${ports.join(' or ')} from the node itself only; no program that forwards its figures was found.`,
        networkListeners,
      ),
    ]
  if (ports.length > 0 || !connections.ok) return []
  const receivers = RECEIVERS[monitor.unit] ?? HTTPS
  const peers = connections.fact.tcp.filter(
    ({ port, peer }) => receivers.includes(port) && !/^\[?(::ffff:)?127\.|^\[?::1\]?$/i.test(peer),
  )
  return peers.length === 0
    ? []
    : [
        supports(
          `A connection to port ${[...new Set(peers.map(({ port }) => port))].join(' or ')} is open, as ${monitor.name} uses it.`,
          networkConnections,
        ),
      ]
}

export const availabilitySubject = defineSubject({
  id: 'availability',
  title: 'Capacity, monitoring and recovery',
  probes: [servicesFailed, servicesMonitoring, systemLoad, capacityFilesystems],
  checks: [availabilityBootRecovery, availabilityCapacity, availabilityMonitoringAgent],
  data,
})
