import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type DraftObservation, unclearAbout } from '../../../core/rules/check.ts'
import { type Processes, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, named, unclear } from '../../base/steps.ts'

/**
 * Programs that watch a server, as the kernel cuts their names (15 characters): those of the services asked for, which often run in a
 * container or pod instead, or as a unit with a name of the site; and others that are asked by or report to a monitoring system.
 */
const AGENTS =
  /^(node_exporter|prometheus(-node)?|(nvidia-)?dcgm-exp(o|orter)?|netdata|zabbix_agent(d|2)|check_mk_agent|cmk-agent-ctl|nrpe|datadog-agent|trace-agent|process-agent|telegraf|collectd|newrelic-infra|grafana-agent|alloy|otelcol(-contrib)?|amazon-cloudwat|google_cloud_op|snmpd|icinga2|munin-node|pmcd|gmond|oneagentwatchdo|elastic-agent|metricbeat|vmagent|vector|cadvisor|monit|splunkd)$/

/** No service that is asked for runs: whether anything else watches the server is shown by the processes. `stopped`: names of those installed. */
export function withoutService(
  stopped: readonly string[],
  services: Probe<unknown>,
  processes: Parsed<Processes>,
): readonly DraftObservation[] {
  const none =
    stopped.length === 0
      ? 'No monitoring agent known to this catalog is installed as a service'
      : `Monitoring agents are installed and none runs as a service: ${named(stopped)}`
  if (!processes.ok) return [unclear(`${none}.`, services), ...unclearAbout(tenancyProcesses, processes)]
  const { processes: all, isComplete } = processes.fact
  const running = [...new Set(all.map(({ command }) => command))].filter((command) => AGENTS.test(command))
  if (running.length > 0)
    return [
      unclear(`${none}.`, services),
      unclear(
        `Running in a container or under another name: ${named(running)}; whether it reports was not read.`,
        tenancyProcesses,
      ),
    ]
  return isComplete
    ? [contradicts(`${none}.`, services)]
    : [unclear(`${none}; not every process is listed, so that one may run in a container.`, tenancyProcesses)]
}
