import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { type SysfsBlock, storageBlockDevices } from '../block-devices/index.ts'
import { type Crypttab, storageCrypttab } from '../disk-encryption/key-custody.ts'
import { gpuNvidia, type NvidiaGpus } from '../gpu/nvidia.ts'
import { type Listeners, networkListeners } from '../listeners/probes.ts'
import { type Connections, networkConnections } from '../network/flows.ts'
import { cpuFeatures } from '../processors/features.ts'
import {
  asList,
  asRecord,
  asText,
  gibibytes,
  inOrder,
  isPassingMount,
  type JsonValue,
  kindsOf,
  lines,
  readJson,
  readUnits,
  showUnits,
  type UnitState,
} from '../read-text.ts'
import { count, decide, named, supports, unclear } from '../steps.ts'
import { defineSubject } from '../subject.ts'
import { tenancyProcesses } from '../tenancy/processes.ts'
import { withoutService } from './agents.ts'
import data from './checks.json' with { type: 'json' }

interface FilesystemUse {
  readonly mountpoint: string
  /** Whole percent in use. */
  readonly usedPercent: number
}

interface FilesystemUses {
  readonly filesystems: readonly FilesystemUse[]
}

/** More than a host of containers has; a larger response is not read. */
const MOST = 20_000

/** lsblk(8), since util-linux 2.33. It looks at mounted block devices only, never at network mounts, which can hang. */
export const capacityFilesystems = defineProbe({
  id: 'capacity.filesystems',
  title: 'File system usage',
  why: 'Shows whether a local file system is about to run out of space.',
  ignoredInDrift: {
    why: 'Files are written and deleted.',
    normalize: ({ filesystems }: FilesystemUses) => ({
      mountpoints: inOrder(filesystems.map(({ mountpoint }) => mountpoint).filter((point) => !isPassingMount(point))),
    }),
  },
  commands: { use: run(['lsblk', '-J', '-l', '-o', 'MAJ:MIN,FSUSE%,MOUNTPOINT']) },
  parse({ use }) {
    if (use.exitCode !== 0) return unknown('lsblk did not report the usage of the file systems')
    const json = readJson(use.text, 'lsblk')
    if (!json.ok) return json
    const rows = asList(asRecord(json.fact).blockdevices).map(asRecord)
    if (rows.length > MOST) return unknown(`lsblk listed more than ${MOST} devices`)
    const found = new Map<string, number>()
    for (const row of rows) {
      const mountpoint = asText(row.mountpoint)
      const percent = percentOf(row['fsuse%'])
      if (mountpoint?.startsWith('/') === true && percent !== null) found.set(mountpoint, percent)
    }
    return found.size === 0
      ? unknown('lsblk named no file system with its use')
      : known<FilesystemUses>({
          filesystems: [...found].map(([mountpoint, usedPercent]) => ({ mountpoint, usedPercent })),
        })
  },
})

function percentOf(value: JsonValue | undefined): number | null {
  const digits = /^(\d{1,3})%$/.exec(asText(value) ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

export interface SystemLoad {
  /** Seconds since the kernel started. */
  readonly uptimeSeconds: number
  /** Tasks that ran or waited, averaged over one, five and fifteen minutes. */
  readonly load: readonly [number, number, number]
  readonly memory: {
    readonly totalKib: number
    readonly availableKib: number
    readonly swapTotalKib: number
    readonly swapFreeKib: number
  }
}

/** proc_uptime(5), proc_loadavg(5), proc_meminfo(5). */
export const systemLoad = defineProbe({
  id: 'system.load',
  title: 'Time since start, load and memory',
  why: 'Shows how long the server has run and how much free memory it has.',
  ignoredInDrift: {
    why: 'Time passes, and load and free memory change with the workload.',
    normalize: ({ memory }: SystemLoad) => ({ gibibytes: gibibytes(memory.totalKib), swapKib: memory.swapTotalKib }),
  },
  commands: {
    uptime: run(['cat', '/proc/uptime']),
    load: run(['cat', '/proc/loadavg']),
    memory: run(['grep', '-E', '^(MemTotal|MemAvailable|SwapTotal|SwapFree):', '/proc/meminfo']),
  },
  parse({ uptime, load, memory }) {
    const seconds = /^(\d{1,12}\.\d{1,6}) /.exec(uptime.text)?.[1]
    const [, one, five, fifteen] = /^(\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (\d{1,7}\.\d\d) /.exec(load.text) ?? []
    const sizes = new Map(
      lines(memory.text).flatMap((line) => {
        const [, name, kib] = /^(\w+):\s+(\d{1,15}) kB$/.exec(line) ?? []
        return name === undefined ? [] : [[name, Number(kib)] as const]
      }),
    )
    const [totalKib, availableKib] = [sizes.get('MemTotal'), sizes.get('MemAvailable')]
    if (seconds === undefined || fifteen === undefined || totalKib === undefined || availableKib === undefined)
      return unknown('the kernel’s figures have an unexpected format')
    return known<SystemLoad>({
      uptimeSeconds: Number(seconds),
      load: [Number(one), Number(five), Number(fifteen)],
      memory: {
        totalKib,
        availableKib,
        swapTotalKib: sizes.get('SwapTotal') ?? 0,
        swapFreeKib: sizes.get('SwapFree') ?? 0,
      },
    })
  },
})

interface FailedUnits {
  readonly units: readonly string[]
}

/** systemctl(1) list-units: names only; the description that follows is not read. */
export const servicesFailed = defineProbe({
  id: 'services.failed',
  title: 'Services that failed',
  why: 'Shows whether every service that should have started did so.',
  ignoredInDrift: {
    why: 'Units are listed in no fixed order, and some are numbered anew at each of their starts.',
    normalize: ({ units }: FailedUnits) => ({
      units: kindsOf(units.map((unit) => unit.replace(/@\d[^.]*(?=\.)/, '@'))),
    }),
  },
  commands: {
    units: run(['systemctl', '--no-pager', '--no-legend', '--plain', 'list-units', '--state=failed'], {
      maxBytes: 262_144,
    }),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    return known<FailedUnits>({
      // Releases before 247 mark failed units with a dot even where plain output was requested.
      units: lines(units.text).flatMap((line) => /^[●*\s]{0,8}(\S{1,256}\.[a-z]+)\s/.exec(line)?.[1] ?? []),
    })
  },
})

/**
 * Known monitoring agents: unit, display name, and how they report. `asked`: polled on these ports; `sends`: connects
 * out, so that any connection of its own is the indication.
 */
export const MONITORS = [
  { unit: 'node_exporter', name: 'Prometheus node exporter', ports: [9100] },
  { unit: 'prometheus-node-exporter', name: 'Prometheus node exporter', ports: [9100] },
  { unit: 'dcgm-exporter', name: 'NVIDIA DCGM exporter', ports: [9400] },
  { unit: 'nvidia-dcgm-exporter', name: 'NVIDIA DCGM exporter', ports: [9400] },
  { unit: 'prometheus', name: 'Prometheus', ports: [9090] },
  { unit: 'netdata', name: 'Netdata', ports: [19999] },
  { unit: 'zabbix-agent', name: 'Zabbix agent', ports: [10050] },
  { unit: 'zabbix-agent2', name: 'Zabbix agent', ports: [10050] },
  { unit: 'check-mk-agent.socket', name: 'Checkmk agent', ports: [6556] },
  { unit: 'nagios-nrpe-server', name: 'NRPE', ports: [5666] },
  { unit: 'nrpe', name: 'NRPE', ports: [5666] },
  { unit: 'datadog-agent', name: 'Datadog agent', ports: [] },
  { unit: 'telegraf', name: 'Telegraf', ports: [] },
  { unit: 'collectd', name: 'collectd', ports: [] },
  { unit: 'newrelic-infra', name: 'New Relic agent', ports: [] },
  { unit: 'grafana-agent', name: 'Grafana agent', ports: [] },
  { unit: 'alloy', name: 'Grafana Alloy', ports: [] },
  { unit: 'otelcol', name: 'OpenTelemetry collector', ports: [] },
  { unit: 'otelcol-contrib', name: 'OpenTelemetry collector', ports: [] },
  { unit: 'amazon-cloudwatch-agent', name: 'CloudWatch agent', ports: [] },
  { unit: 'google-cloud-ops-agent-opentelemetry-collector', name: 'Google Cloud Ops agent', ports: [] },
  { unit: 'azuremonitoragent', name: 'Azure Monitor agent', ports: [] },
] as const

type Monitor = (typeof MONITORS)[number]

interface MonitoringServices {
  /** Agents that the service manager lists, and whether they run. */
  readonly installed: readonly { readonly monitor: Monitor; readonly active: boolean }[]
}

export const servicesMonitoring = defineProbe({
  id: 'services.monitoring',
  title: 'State of monitoring agents',
  why: 'Shows which agents that watch the server are installed and running.',
  commands: {
    units: showUnits(
      'Id,LoadState,ActiveState,SubState',
      MONITORS.map(({ unit }) => unit),
    ),
  },
  parse({ units }) {
    const states = readUnits(
      units,
      MONITORS.map(({ unit }) => unit),
    )
    if (!states.ok) return states
    return known<MonitoringServices>({
      installed: MONITORS.flatMap((monitor) => {
        const state = states.fact.get(monitor.unit)
        return state?.get('LoadState') === 'loaded' ? [{ monitor, active: isRunning(state) }] : []
      }),
    })
  },
})

/** “active (exited)” is what systemd shows of a daemon of an old start script that ended. */
const isRunning = (state: UnitState): boolean =>
  state.get('ActiveState') === 'active' && /^(running|listening)$/.test(state.get('SubState') ?? '')

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
