import { defineCheck, type Step, unclearAbout } from '../../core/check.ts'
import type { Parsed } from '../../core/probe.ts'
import { type Connections, networkConnections } from '../probes/network-connections.ts'
import { type LogForwarding, rsyslogForwarding } from '../probes/rsyslog-forwarding.ts'
import { type KnownService, serviceIs, servicesState } from '../probes/services-state.ts'
import { count, leavesUnclear, named, speaksAgainst, speaksFor, weigh } from '../steps.ts'

// Programs that ship logs by settings of their own, which are not read.
const AGENTS: readonly KnownService[] = [
  'syslog-ng',
  'systemd-journal-upload',
  'fluent-bit',
  'td-agent',
  'vector',
  'filebeat',
  'splunk',
  'wazuh-agent',
]

export const auditLogForwarding = defineCheck({
  id: 'audit.log-forwarding',
  property: 'audit',
  claim: 'System logs are sent to another host over an encrypted, authenticated connection that is open now.',
  limits:
    'That the receiver stores them is visible only there. Which messages are sent depends on selectors that were not judged; audit records are sent only if they reach the system log. Other programs’ logs are not covered.',
  needs: { services: servicesState },
  wants: { rsyslog: rsyslogForwarding, connections: networkConnections },
  evaluate({ services }, { rsyslog, connections }) {
    const agents = AGENTS.filter((unit) => serviceIs(services, unit, 'active'))
    const viaAgent = agents.map((unit) =>
      leavesUnclear(`“${unit}” runs and may send logs away; its settings were not read.`, servicesState),
    )
    if (!serviceIs(services, 'rsyslog', 'active')) {
      if (agents.length > 0) return weigh(viaAgent)
      return weigh([speaksAgainst('No service that could send logs to another host is running.', servicesState)])
    }
    if (!rsyslog.ok) return weigh([...unclearAbout(rsyslogForwarding, rsyslog), ...viaAgent])
    if (rsyslog.fact.targets.length === 0) {
      if (agents.length > 0) return weigh(viaAgent)
      return weigh([
        speaksAgainst(
          'rsyslog runs and has no target on another host; no other known log agent runs.',
          rsyslogForwarding,
        ),
        running,
      ])
    }
    return weigh([running, ...target(rsyslog.fact), ...connected(rsyslog.fact, connections)])
  },
})

const running: Step = speaksFor('The log service rsyslog is running.', servicesState)

function target(forwarding: LogForwarding): readonly Step[] {
  return [
    speaksFor(`rsyslog has a target on another host: ${named(forwarding.targets, 3)}.`, rsyslogForwarding),
    forwarding.overTls
      ? speaksFor('Its settings ask for TLS.', rsyslogForwarding)
      : speaksAgainst('Its settings do not ask for TLS: messages leave in clear text.', rsyslogForwarding),
    forwarding.authenticated
      ? speaksFor('The receiver’s certificate is checked.', rsyslogForwarding)
      : speaksAgainst('The receiver’s certificate is not checked by name or fingerprint.', rsyslogForwarding),
  ]
}

function connected({ ports }: LogForwarding, connections: Parsed<Connections>): readonly Step[] {
  if (!connections.ok) return unclearAbout(networkConnections, connections)
  if (ports.length === 0)
    return [
      leavesUnclear(
        'The target’s port is not named in one line with it, so its connection could not be looked for.',
        rsyslogForwarding,
      ),
    ]
  const open = connections.fact.tcp.filter(({ port }) => ports.includes(port))
  const waiting = open.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0)
  if (open.length === 0)
    return [leavesUnclear(`No connection to port ${ports.join(' or ')} is open now.`, networkConnections)]
  return [
    speaksFor(
      `${count(open.length, 'connection')} to port ${[...new Set(ports)].join(' or ')} open now, ${waiting} bytes waiting.`,
      networkConnections,
    ),
  ]
}
