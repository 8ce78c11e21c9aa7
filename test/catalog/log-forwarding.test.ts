import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tenancyProcesses } from '../../main/catalog/base/processes.ts'
import {
  journalUpload,
  rsyslogForwarding,
  syslogNgForwarding,
} from '../../main/catalog/data-protection/log-forwarding/probes.ts'
import { type KnownService, servicesState } from '../../main/catalog/operations/auditd/index.ts'
import { known, type Probe, unknown } from '../../main/core/recording/probe.ts'
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
    // CrowdStrike’s collector for LogScale, Mezmo’s agent, and Cribl Edge (docs.cribl.io: bin/cribl).
    ...['humio-log-colle', 'logdna-agent', 'cribl'],
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

/** The services of the model node, and this one running as well. */
const withUnit = (unit: KnownService) =>
  changed(servicesState, ({ services }) => ({
    services: new Map([...services, [unit, { loaded: true, active: true, enabled: true }]]),
  }))

/** What the probe reads on a node whose settings are these: its own words of grep, over a file. */
function printed(probe: Probe<unknown>, settings: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-forwarding-'))
  writeFileSync(join(folder, 'a.conf'), settings)
  const { lines } = probe.commands
  const words = lines?.kind === 'run' ? lines.argv.slice(1).filter((word) => !String(word).startsWith('/etc/')) : []
  const text = execFileSync('grep', [...words.map(String), folder], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  return text.replaceAll(folder, probe === syslogNgForwarding ? '/etc/syslog-ng/conf.d' : '/etc/rsyslog.d')
}

describe('actions of rsyslog over several lines', () => {
  const read = (settings: string) =>
    fact(rsyslogForwarding.parse({ lines: answer(printed(rsyslogForwarding, settings)) }))
  // Red Hat, “Configuring TLS-encrypted remote logging”; the closing parenthesis has a line of its own.
  const action = `*.* action(
  type="omfwd"
  StreamDriver="ossl"
  StreamDriverMode="1"
  StreamDriverPermittedPeers="server.example.com"
  StreamDriverAuthMode="x509/name"
  target="server.example.com" port="6514" protocol="tcp"
)
`

  test('each attribute counts, whatever line it is on', () => {
    const target = { text: 'server.example.com:6514', encrypted: true, authenticated: true, port: 6514 }
    expect(read(action).each).toEqual([target])
    expect(read(action.replaceAll('="', ' = "')).each).toEqual([target])
    const single = action.replace(' port="6514" protocol="tcp"', '\n  Port="6514"\n  Protocol="tcp"')
    expect(read(single).each).toEqual([target])
    // The role “logging” of RHEL names its actions first.
    expect(read(action.replace('action(', 'action(name="forward_output0"')).each).toEqual([target])
  })

  test('an action ends at its parenthesis: what follows is a target of its own, and takes nothing from it', () => {
    const after = `${action}*.* @@plain.example:514\nif $programname == 'x' then { action(type="omfwd" target="x.example" port="514" protocol="tcp") stop }\n*.* @@y.example:514\n`
    expect(read(after).each.map(({ text, encrypted }) => [text, encrypted])).toEqual([
      ['server.example.com:6514', true],
      ['@@plain.example:514', false],
      ['x.example:514', false],
      ['@@y.example:514', false],
    ])
    const clear = '*.* action(\n  type="omfwd"\n  target="a.example" port="514" protocol="tcp"\n)\n'
    expect(read(`${clear}module(\n  load="imtcp"\n  StreamDriver.Mode="1"\n)\n`).overTls).toBe(false)
  })

  test('RELP in the old style is a target in clear text', () => {
    const target = { text: 'relp.example:2514', encrypted: false, authenticated: false, port: 2514 }
    expect(read('*.* :omrelp:relp.example:2514;RSYSLOG_ForwardFormat\n').each).toEqual([target])
  })

  test('a name of TLS that older releases pass over leaves the result open', () => {
    const newer = action.replace('StreamDriverMode', 'StreamDriver.Mode').replace('DriverAuthMode', 'Driver.AuthMode')
    const conclusion = over(id, rsyslog(printed(rsyslogForwarding, newer)))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain('unclear: TLS is required by a name that rsyslog 8.2302 and older')
  })
})

describe('outputs whose targets are not read', () => {
  test.each([
    ['omkafka', 'action(type="omkafka" broker=["k.example:9093"] topic="logs" confParam=["security.protocol=SSL"])\n'],
    ['omelasticsearch', '*.* action(\n  type="omelasticsearch"\n  server="https://store.example"\n)\n'],
    ['omhttp', 'action(name="loki" type="omhttp" server="h.example" tls.cacert="/etc/ca.pem")\n'],
  ])('rsyslog: %s', (kind, settings) => {
    const conclusion = over(id, rsyslog(printed(rsyslogForwarding, settings)))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain(`unclear: rsyslog has outputs that may send logs away`)
    expect(stepText(conclusion)).toContain(`“${kind}”`)
  })

  test('rsyslog: outputs to files and users are none, and an output elsewhere leaves a good target open', () => {
    const own = 'action(type="omfile" file="/var/log/a")\naction(type="omusrmsg" users="*")\n'
    expect(over(id, rsyslog(printed(rsyslogForwarding, own))).verdict).toBe('not-satisfied')
    const good =
      'action(type="omfwd" target="l.example" port="6514" protocol="tcp" StreamDriverMode="1" StreamDriverAuthMode="x509/name")\n'
    expect(over(id, rsyslog(printed(rsyslogForwarding, good))).verdict).toBe('satisfied')
    expect(over(id, rsyslog(printed(rsyslogForwarding, `${good}action(type="omkafka" topic="l")\n`))).verdict).toBe(
      'inconclusive',
    )
  })

  // rsyslog’s documentation of omdtls (8.2402 and newer, TLS over UDP) and of omamqp1, whose target is a queue.
  test.each([
    ['omdtls', 'action(type="omdtls" target="192.0.2.1" port="4433")\n'],
    ['omdtls', 'action(\n  type="omdtls"\n  target="192.0.2.1"\n  port="4433"\n)\n'],
    ['omamqp1', '*.* action(type="omamqp1" host="q.example" target="amq.topic")\n'],
  ])('rsyslog: the target of %s is none of syslog', (kind, settings) => {
    const conclusion = over(id, rsyslog(printed(rsyslogForwarding, settings)))
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain(`“${kind}”`)
    expect(over(id, rsyslog(printed(rsyslogForwarding, `${settings}*.* @@a.example:514\n`))).verdict).toBe(
      'not-satisfied',
    )
  })

  const ng = (settings: string) =>
    fact(syslogNgForwarding.parse({ lines: answer(printed(syslogNgForwarding, settings)) }))

  test('syslog-ng: other drivers, and a host on a line of its own', () => {
    const web = 'destination d_es { elasticsearch-http(url("https://es.example/_bulk") password("CANARY")); };\n'
    expect(ng(web)).toEqual({ each: [], others: ['elasticsearch-http'] })
    expect(printed(syslogNgForwarding, web)).not.toContain('CANARY')
    expect(ng('destination d {\n  network(\n    "10.100.20.40"\n    port(999)\n  );\n};\n').others).toEqual(['network'])
    expect(ng("destination d { udp('b.example' port(514)); };\n").each.map(({ text }) => text)).toEqual([
      'b.example:514',
    ])
  })

  test('syslog-ng: sources, filters, files and comments are none', () => {
    const none = `source s { udp(); network(
  ip(0.0.0.0) port(6514) transport("tls")); opentelemetry(port(4317)); };
filter f { program("cron"); };
destination d_file { file("/var/log/x"); };
#destination d_old { http(url("x")); };
log { source(s); destination(d_file); };
`
    expect(ng(none)).toEqual({ each: [] })
  })

  // syslog-ng’s transport-mapper-inet.c: the drivers tcp() and tcp6() use TLS wherever they have tls(), without transport(). Its grammar reads
  // “_” like “-”, and its strings have either quotation mark.
  const tls = (settings: string) =>
    ng(`destination d {\n  ${settings}\n};\n`).each.map(({ encrypted, authenticated }) => [encrypted, authenticated])
  test.each([
    [`tcp("logs.example" port(6514) tls(ca_dir("/etc/ssl/certs")));`, true, true],
    [`tcp("logs.example"\n    port(6514)\n    tls( ca-dir("/etc/ssl/certs") )\n  );`, true, true],
    [`tcp6("logs.example" port(6514)\n    # tls(ca-dir("/etc/ssl/certs"))\n  );`, false, false],
    [`tcp("logs.example" port(6514));`, false, false],
    [`tcp("logs.example" port(6514) tls(peer_verify(optional-untrusted)));`, true, false],
    [`network("logs.example" transport("tls") tls(peer_verify(no)));`, true, false],
    [`network("logs.example" transport("tls") tls(peer-verify(none)));`, true, false],
    [`network("logs.example" transport("tls") tls(peer-verify('required-untrusted')));`, true, false],
    [`network("logs.example" transport("tls") tls(peer-verify(yes)));`, true, true],
    [`network('logs.example' transport('tls') tls(peer_verify('required-trusted')));`, true, true],
    [`syslog("logs.example" transport("TLS") port(6514) tls());`, true, true],
    [`udp("logs.example" port(514));`, false, false],
  ])('syslog-ng: TLS of %s', (settings, encrypted, authenticated) =>
    expect(tls(settings)).toEqual([[encrypted, authenticated]]),
  )

  test('syslog-ng: tls() of a source belongs to no destination', () =>
    expect(
      ng('source s { tcp(port(6514) tls(key-file("/k"))); };\ndestination d { tcp("a.example" port(514)); };\n').each,
    ).toEqual([{ text: 'a.example:514', encrypted: false, authenticated: false, port: 514 }]))

  test('syslog-ng: in the check', () => {
    const conclusion = over(id, rsyslog(''), withUnit('syslog-ng'), [
      syslogNgForwarding,
      known(ng('destination d_k { kafka-c(topic("x")); };\n')),
    ])
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toContain('syslog-ng has outputs that may send logs away')
  })

  test('the journal’s upload to an address with a path, as receivers other than systemd’s have', () => {
    // VictoriaLogs is uploaded to at /insert/journald; grep prints no such address.
    const conclusion = over(id, rsyslog(''), withUnit('systemd-journal-upload'), [
      journalUpload,
      journalUpload.parse({ lines: answer('') }),
    ])
    expect(conclusion.verdict).toBe('inconclusive')
  })
})
