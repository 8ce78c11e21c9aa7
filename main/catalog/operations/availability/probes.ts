import { defineProbe, known, run, unknown } from '../../../core/recording/probe.ts'
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
} from '../../base/read-text.ts'

interface FilesystemUse {
  readonly mountpoint: string
  /** Whole percent in use. */
  readonly usedPercent: number
}

export interface FilesystemUses {
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

export interface FailedUnits {
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

export type Monitor = (typeof MONITORS)[number]

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
