import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'

const UNITS = [
  'fluentd',
  'SplunkForwarder',
  'Splunkd',
  'promtail',
  'alloy',
  'grafana-agent',
  'otelcol',
  'otelcol-contrib',
  'google-cloud-ops-agent',
  'stackdriver-agent',
  'amazon-cloudwatch-agent',
  'azuremonitoragent',
  'datadog-agent',
  'elastic-agent',
  'nxlog',
  'phc2sys',
] as const

export interface LogAgents {
  /** Units that run now. */
  readonly active: readonly string[]
}

/** systemctl(1) show, as in services.state, of further programs that ship logs, and of the one that sets the clock by PTP. */
export const servicesLogAgents = defineProbe({
  id: 'services.log-agents',
  title: 'State of further log agents',
  why: 'Shows which programs that can send logs to another host are running.',
  commands: {
    units: run(['systemctl', 'show', '--property=Id,ActiveState', ...UNITS.map((unit) => `${unit}.service`)]),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    const blocks = unitBlocks(units.text, UNITS.length)
    if (blocks === null) return unknown('the service manager reported other units than requested')
    return known<LogAgents>({ active: UNITS.filter((_, index) => blocks[index]?.get('ActiveState') === 'active') })
  },
})
