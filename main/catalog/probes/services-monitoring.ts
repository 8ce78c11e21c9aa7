import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'

/**
 * Known monitoring agents: unit, what a reader calls it, and how it reports. `asked`: a person reads it on these ports; `sends`: it
 * connects out, so that any connection of its own is the sign.
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

export interface MonitoringServices {
  /** Agents that the service manager knows, and whether they run. */
  readonly installed: readonly { readonly monitor: Monitor; readonly active: boolean }[]
}

/** systemctl(1) show prints every unit requested, those unknown with LoadState=not-found, and changes nothing. */
export const servicesMonitoring = defineProbe({
  id: 'services.monitoring',
  title: 'State of monitoring agents',
  why: 'Shows which agents that watch the server are installed and running.',
  commands: {
    units: run([
      'systemctl',
      'show',
      '--property=Id,LoadState,ActiveState,SubState',
      ...MONITORS.map(({ unit }) => (unit.includes('.') ? unit : `${unit}.service`)),
    ]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, MONITORS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<MonitoringServices>({
      installed: MONITORS.flatMap((monitor, at) =>
        blocks[at]?.get('LoadState') === 'loaded' ? [{ monitor, active: isRunning(blocks[at] ?? new Map()) }] : [],
      ),
    })
  },
})

/** “active (exited)” is what systemd shows of a daemon of an old start script that ended. */
const isRunning = (block: ReadonlyMap<string, string>): boolean =>
  block.get('ActiveState') === 'active' && /^(running|listening)$/.test(block.get('SubState') ?? '')
