import { describe, expect, test } from 'vitest'
import { journalUpload, rsyslogForwarding, syslogNgForwarding } from '../../main/catalog/log-forwarding/probes.ts'
import { tenancyProcesses } from '../../main/catalog/tenancy/processes.ts'
import { known, unknown } from '../../main/core/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText, withProcesses } from '../support/concluded.ts'

/** Logs that are handed to a program of the node itself, as agents of clouds and of collectors have them handed over. */

const id = 'audit.log-forwarding'
const rsyslog = (text: string) =>
  [rsyslogForwarding, known(fact(rsyslogForwarding.parse({ lines: answer(text) })))] as const

// /etc/rsyslog.d/10-azuremonitoragent-omfwd.conf, as the agent of Azure Monitor writes it; the lines that the probe prints.
const AZURE = `/etc/rsyslog.d/10-azuremonitoragent-omfwd.conf:*.* action(type="omfwd"
/etc/rsyslog.d/10-azuremonitoragent-omfwd.conf:target="127.0.0.1" Port="28330" Protocol="tcp")
`

describe('a target on the node itself is no other host', () => {
  test.each([
    ['the agent of Azure Monitor', AZURE],
    ['the older agent, over UDP', '/etc/rsyslog.d/95-omsagent.conf:auth.=alert;auth.=crit @127.0.0.1:25224\n'],
    [
      'a collector at an IPv6 address',
      '/etc/rsyslog.d/50-promtail.conf:*.* @@[::1]:1514;RSYSLOG_SyslogProtocol23Format\n',
    ],
    ['a name', '/etc/rsyslog.d/50-agent.conf:*.* action(type="omfwd" Target="localhost" Port="1514" Protocol="tcp")\n'],
    [
      'a tunnel, with TLS to itself',
      '/etc/rsyslog.d/50-a.conf:*.* action(type="omfwd" target="127.0.0.1" port="6514" StreamDriverMode="1" StreamDriverAuthMode="x509/name")\n',
    ],
  ])('%s', (_, text) => {
    const conclusion = over(id, rsyslog(text))
    expect(conclusion.verdict).toBe('inconclusive')
    const said = stepText(conclusion)
    expect(said).not.toContain('to another host: ')
    expect(said).not.toContain('contradicts')
    expect(said).toMatch(/unclear: rsyslog hands logs to a program of this node/)
  })

  test('next to a target elsewhere, that one decides', () => {
    const elsewhere = '/etc/rsyslog.d/a.conf:*.* @@logs.example.net:514\n'
    const conclusion = over(id, rsyslog(`${AZURE}${elsewhere}`))
    expect(conclusion.verdict).toBe('not-satisfied')
    const said = stepText(conclusion)
    expect(said).toContain('messages leave in clear text for “@@logs.example.net:514”')
    expect(said).toContain('supports: rsyslog also hands logs to a program of this node: “127.0.0.1:28330”')
  })

  test('syslog-ng and the journal’s upload alike; a name that begins alike is elsewhere', () => {
    const path = '/etc/syslog-ng/syslog-ng.conf'
    const local = syslogNgForwarding.parse({ lines: answer(`${path}:3:destination \n${path}:4:tcp("localhost"\n`) })
    expect(fact(local).each[0]?.text).toBe('localhost')
    const upload = journalUpload.parse({ lines: answer('URL=https://127.0.0.1:19532\n', { exitCode: 2 }) })
    expect(fact(upload).each[0]?.text).toBe('https://127.0.0.1:19532')
    expect(stepText(over(id, rsyslog('/etc/rsyslog.d/a.conf:*.* @localhost.example.net\n')))).toContain(
      'to another host: “@localhost.example.net”',
    )
  })
})

describe('files that rsyslog does not read', () => {
  const live = '/etc/rsyslog.d/60-remote.conf:*.* @@logs.example.net:6514\n'

  test.each([
    '60-old.conf.bak',
    '60-old.conf~',
    '60-old.conf.rpmsave',
    '60-old.disabled',
    '.60-old.conf',
    'old/60.conf',
  ])('rsyslog.d/%s', (name) => {
    const text = `${live}/etc/rsyslog.d/${name}:*.* @@old.example.net:514\n/etc/rsyslog.conf:*.* @main.example.net\n`
    expect(fact(rsyslogForwarding.parse({ lines: answer(text) })).targets).toEqual([
      '@@logs.example.net:6514',
      '@main.example.net',
    ])
  })

  test('a target in such a file alone is none', () => {
    const text =
      '/etc/rsyslog.d/60-remote.conf.disabled:*.* action(type="omfwd" target="logs.example.net" port="6514")\n'
    expect(over(id, rsyslog(text)).verdict).toBe('not-satisfied')
    expect(stepText(over(id, rsyslog(text)))).toContain('has no target on another host')
  })
})

describe('agents that run under other names or in containers', () => {
  const none = rsyslog('')
  test.each([
    ...['fluent-bit', 'vector', 'filebeat', 'promtail', 'otelcol-contrib', 'wazuh-logcollec'],
    // Collectors of OpenTelemetry by AWS, observIQ and the project’s older build; Fluent Bit before 1.9; Beats; Datadog; Dynatrace.
    ...['aws-otel-collec', 'observiq-otel-c', 'otelcontribcol_', 'td-agent-bit', 'journalbeat', 'agentbeat'],
    ...['trace-agent', 'oneagentloganal'],
  ])('%s', (command) => {
    const conclusion = over(id, none, withProcesses(command))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain(
      `unclear: “${command}” runs and may send logs away; its settings were not read.`,
    )
  })

  test('without one there is none; where processes were not listed, that stays open', () => {
    expect(over(id, none, withProcesses('nginx')).verdict).toBe('not-satisfied')
    expect(over(id, none, [tenancyProcesses, unknown('not collected')]).verdict).toBe('inconclusive')
    expect(
      over(
        id,
        none,
        changed(tenancyProcesses, (all) => ({ ...all, isComplete: false })),
      ).verdict,
    ).toBe('inconclusive')
  })

  test('next to a target of rsyslog it changes nothing', () =>
    expect(stepText(over(id, withProcesses('fluent-bit')))).not.toContain('fluent-bit'))
})
