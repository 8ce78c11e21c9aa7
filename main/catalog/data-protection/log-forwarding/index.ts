import type { Parsed, Probe } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { type Processes, tenancyProcesses } from '../../base/processes.ts'
import { contradicts, count, decide, named, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { type KnownService, type ServiceStates, serviceIs, servicesState } from '../../operations/auditd/index.ts'
import { type Connections, networkConnections } from '../network/flows.ts'
import data from './checks.json' with { type: 'json' }
import {
  auditdRemote,
  journalUpload,
  type LogTarget,
  rsyslogForwarding,
  servicesLogAgents,
  syslogNgForwarding,
} from './probes.ts'

// Programs that ship logs by settings of their own, which are not read.
const AGENTS: readonly KnownService[] = ['fluent-bit', 'td-agent', 'vector', 'filebeat', 'splunk', 'wazuh-agent']

/**
 * Programs that ship logs, by the names that the kernel keeps (15 characters). In containers, as agents of Kubernetes run on each node, and
 * under units of other names they are seen by their processes alone. Each maker of a collector of OpenTelemetry names its own; Datadog’s agent
 * is named “agent”, and is seen by the programs beside it.
 */
const SHIPPERS =
  /^(fluent-bit|fluentd|td-agent(-bit)?|vector|(file|journal|agent)beat|promtail|alloy|grafana-agent|[\w-]{0,11}otel[\w-]{0,11}|opentelemetry-c|splunkd|elastic-agent|humio-log-colle|logdna-agent|cribl|nxlog|logstash|wazuh-logcollec|ossec-logcollec|amazon-cloudwat|newrelic-infra|(trace|process)-agent|oneagentloganal)$/

type Reading = Parsed<{ readonly each: readonly LogTarget[]; readonly others?: readonly string[] }>
interface Forwarder {
  readonly name: string
  readonly probe: Probe<unknown>
  readonly reading: Reading
}

const auditLogForwarding = defineCheck({
  id: 'audit.log-forwarding',
  property: 'audit',
  expected: 'System logs are sent to another host over an encrypted, authenticated connection that is open now.',
  limitations:
    'That the receiver stores them is visible only there. Logs that are handed to a program of this node, or sent by an output for something other than syslog, leave the result inconclusive, since those targets are not read. A connection is identified by its port alone, so another program’s connection to the same port looks the same. Which messages are sent depends on selectors that were not evaluated; audit records are sent only if they reach the system log or are forwarded separately. Other programs’ logs are not covered.',
  requires: { services: servicesState },
  optional: {
    rsyslog: rsyslogForwarding,
    syslogNg: syslogNgForwarding,
    upload: journalUpload,
    audit: auditdRemote,
    agents: servicesLogAgents,
    connections: networkConnections,
    processes: tenancyProcesses,
  },
  evaluate({ services }, { rsyslog, syslogNg, upload, audit, agents, connections, processes }) {
    const running = [
      ...when(services, 'rsyslog', { name: 'rsyslog', probe: rsyslogForwarding, reading: rsyslog }),
      ...when(services, 'syslog-ng', { name: 'syslog-ng', probe: syslogNgForwarding, reading: syslogNg }),
      ...when(services, 'systemd-journal-upload', {
        name: 'systemd-journal-upload',
        probe: journalUpload,
        reading: upload,
      }),
      ...when(services, 'auditd', { name: 'auditd', probe: auditdRemote, reading: audit }),
    ]
    const sending = running.filter(({ reading }) => targetsOf(reading, false).length > 0)
    const handing = running.filter(({ reading }) => targetsOf(reading, true).length > 0)
    const unread = [
      ...running.flatMap(({ probe, reading }) => unclearAbout(probe, reading)),
      ...running.flatMap(otherOutputs),
    ]
    const withAgents = [
      ...AGENTS.filter((unit) => serviceIs(services, unit, 'active')).map((unit) => ownSettings(unit, servicesState)),
      ...(agents.ok ? agents.fact.active : [])
        .filter((unit) => unit !== 'phc2sys')
        .map((unit) => ownSettings(unit, servicesLogAgents)),
    ]
    const sent = sending.flatMap((forwarder) => judge(forwarder, connections))
    const also = handing.map((one) =>
      supports(`${one.name} also hands logs to a program of this node: ${onThisNode(one)}.`, one.probe),
    )
    if (sending.some(({ probe }) => probe !== auditdRemote)) return decide([...sent, ...also, ...unread])
    const handed = handing.map((one) =>
      unclear(
        `${one.name} hands logs to a program of this node, whose own targets were not read: ${onThisNode(one)}.`,
        one.probe,
      ),
    )
    const open = [
      ...handed,
      ...unread,
      ...withAgents,
      ...unclearAbout(servicesLogAgents, agents),
      ...(withAgents.length > 0 ? [] : byProcess(processes)),
    ]
    if (open.length > 0) return decide([...sent, ...open])
    if (sending.length > 0)
      return decide([
        ...sent,
        contradicts('Only audit records are sent to another host; no service sends the system log.', servicesState),
      ])
    if (running.some(({ probe }) => probe !== auditdRemote))
      return decide([
        contradicts(
          `${running.map(({ name }) => name).join(' and ')} runs and has no target on another host; no other known log agent runs.`,
          running[0]?.probe ?? servicesState,
        ),
      ])
    return decide([contradicts('No service that could send logs to another host is running.', servicesState)])
  },
})

/**
 * A host of this node: 127.0.0.0/8, ::1, and the names that hosts(5) assigns to them; with “@” and a port, in the
 * form of targets.
 */
const THIS_NODE =
  /^(?:@{1,2}|https?:\/\/)?\[?(?:127(?:\.\d{1,3}){3}|::1|localhost[46]?(?:\.localdomain[46]?)?)\]?(?::\d{1,5})?\/?$/i

/** The log targets of a service on this node, or those elsewhere. */
const targetsOf = (reading: Reading, isHere: boolean): readonly LogTarget[] =>
  reading.ok ? reading.fact.each.filter(({ text }) => THIS_NODE.test(text) === isHere) : []

/** Outputs whose targets are not read, which may be on another host and in clear text. */
function otherOutputs({ name, probe, reading }: Forwarder): readonly DraftObservation[] {
  if (!reading.ok) return []
  const others = reading.fact.others ?? []
  // The upload of the journal does not run without an address (systemd-journal-upload(8)); one with a path, or of IPv6, is not printed.
  if (probe === journalUpload && reading.fact.each.length === 0)
    return [unclear(`${name} runs, and the address that it sends to is not in a form that is read.`, probe)]
  return others.length === 0
    ? []
    : [
        unclear(
          `${name} has outputs that may send logs away, and whose targets were not read: ${named(others, 5)}.`,
          probe,
        ),
      ]
}

const onThisNode = ({ reading }: Forwarder): string =>
  named(
    targetsOf(reading, true).map(({ text }) => text),
    3,
  )

const when = (services: ServiceStates, unit: KnownService, forwarder: Forwarder): readonly Forwarder[] =>
  serviceIs(services, unit, 'active') ? [forwarder] : []

/** Shippers among the processes, or why there may be one; empty where the list is whole and has none. */
function byProcess(processes: Parsed<Processes>): readonly DraftObservation[] {
  if (!processes.ok) return unclearAbout(tenancyProcesses, processes)
  const names = [...new Set(processes.fact.processes.map(({ command }) => command))]
  const found = names.filter((name) => SHIPPERS.test(name)).map((name) => ownSettings(name, tenancyProcesses))
  return found.length > 0 || processes.fact.isComplete
    ? found
    : [unclear('Not every process is listed, so that another program may send logs away.', tenancyProcesses)]
}

const ownSettings = (unit: string, probe: Probe<unknown>): DraftObservation =>
  unclear(`“${unit}” runs and may send logs away; its settings were not read.`, probe)

function judge({ name, probe, reading }: Forwarder, connections: Parsed<Connections>): readonly DraftObservation[] {
  const each = targetsOf(reading, false)
  const clear = each.filter(({ encrypted }) => !encrypted)
  const newer = each.filter(({ byNewerName }) => byNewerName)
  const unchecked = each.filter(({ encrypted, authenticated }) => encrypted && authenticated !== true)
  return [
    supports(
      `${name} runs and sends logs to another host: ${named(
        each.map(({ text }) => text),
        3,
      )}.`,
      probe,
    ),
    ...(newer.length === 0
      ? []
      : [
          unclear(
            `TLS is required by a name that rsyslog 8.2302 and older releases do not know and pass over (StreamDriver.Mode), for ${named(
              newer.map(({ text }) => text),
              3,
            )}.`,
            probe,
          ),
        ]),
    clear.length === 0
      ? supports('Its settings require encryption.', probe)
      : contradicts(
          `Its settings do not require TLS: messages leave in clear text for ${named(
            clear.map(({ text }) => text),
            3,
          )}.`,
          probe,
        ),
    ...(unchecked.length > 0
      ? [contradicts('The receiver’s certificate is not checked by name or fingerprint.', probe)]
      : clear.length === 0
        ? [supports('The receiver’s certificate is checked.', probe)]
        : []),
    ...connected(each, probe, connections),
  ]
}

function connected(
  each: readonly LogTarget[],
  probe: Probe<unknown>,
  connections: Parsed<Connections>,
): readonly DraftObservation[] {
  if (!connections.ok) return unclearAbout(networkConnections, connections)
  const ports = [...new Set(each.flatMap(({ port }) => port ?? []))]
  if (ports.length === 0)
    return [
      unclear(
        'The target’s port is not named in one line with it, so its connection could not be searched for.',
        probe,
      ),
    ]
  const open = connections.fact.tcp.filter(({ port }) => ports.includes(port))
  const waiting = open.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0)
  if (open.length === 0)
    return [unclear(`No connection to port ${ports.join(' or ')} is open now.`, networkConnections)]
  return [
    supports(
      `${count(open.length, 'connection')} to port ${ports.join(' or ')} open now, ${waiting} bytes waiting.`,
      networkConnections,
    ),
  ]
}

export const logForwardingSubject = defineSubject({
  id: 'log-forwarding',
  title: 'Forwarding of logs',
  probes: [rsyslogForwarding, auditdRemote, syslogNgForwarding, journalUpload, servicesLogAgents],
  checks: [auditLogForwarding],
  data,
})
