import { describe, expect, test } from 'vitest'
import { firewallNftables } from '../../main/catalog/data-protection/firewall/nftables.ts'
import { forwardedSteps } from '../../main/catalog/data-protection/listeners/forwarded.ts'
import { ipvsServices, type Listener } from '../../main/catalog/data-protection/listeners/probes.ts'
import { type Answer, known, type Parsed } from '../../main/core/recording/probe.ts'
import { checkOf, concludeOn, fixtureOf } from '../support/evaluated.ts'

const answer = (text: string, exitCode = 0, errorText = ''): Answer => ({ exitCode, text, errorText }) as Answer
const NFT = { metainfo: { version: '1.0.6' } }
const chain = (name: string, hook?: string, table = 'nat') => ({
  chain: {
    family: 'ip',
    table,
    name,
    handle: 1,
    ...(hook === undefined ? {} : { type: 'nat', hook, prio: -100, policy: 'accept' }),
  },
})
const rule = (at: string, ...expr: readonly unknown[]) => ({
  rule: { family: 'ip', table: 'nat', chain: at, handle: 1, expr },
})
const dport = (right: unknown) => ({
  match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right },
})
const DNAT = { dnat: { addr: '10.88.0.5', port: 80 } }
const forwards = (...entries: readonly unknown[]): readonly string[] => {
  const read = firewallNftables.parse({ ruleset: answer(JSON.stringify({ nftables: [NFT, ...entries] })) })
  if (!read.ok) throw new Error(read.reason)
  return read.fact.forwards.map(({ at }) => at)
}

describe('rules that forward ports', () => {
  test.each<[string, readonly unknown[], readonly string[]]>([
    ['dnat before routing', [chain('pre', 'prerouting'), rule('pre', dport(8080), DNAT)], ['ip nat pre']],
    ['redirect', [chain('pre', 'prerouting'), rule('pre', dport(80), { redirect: { port: 3128 } })], ['ip nat pre']],
    ['every port', [chain('pre', 'prerouting'), rule('pre', DNAT)], ['ip nat pre']],
    [
      'in a chain that is jumped to, and one after it',
      [
        chain('pre', 'prerouting'),
        chain('KUBE-SERVICES'),
        chain('KUBE-NODEPORTS'),
        rule('pre', { jump: { target: 'KUBE-SERVICES' } }),
        rule('KUBE-SERVICES', { goto: { target: 'KUBE-NODEPORTS' } }),
        rule('KUBE-NODEPORTS', dport(30443), { xt: { type: 'target', name: 'DNAT' } }),
      ],
      ['ip nat KUBE-NODEPORTS'],
    ],
    [
      'in a chain that a map chooses',
      [
        chain('pre', 'prerouting'),
        chain('service-1'),
        rule('pre', { vmap: { key: { payload: { protocol: 'tcp', field: 'dport' } }, data: '@service-nodeports' } }),
        rule('service-1', DNAT),
      ],
      ['ip nat service-1'],
    ],
    [
      'a rule that this nft does not print in full',
      [chain('pre', 'prerouting'), rule('pre', dport(8080), { xt: null })],
      ['ip nat pre'],
    ],
    [
      'what the server itself sends out',
      [chain('out', 'output'), chain('post', 'postrouting'), rule('out', DNAT), rule('post', { masquerade: null })],
      [],
    ],
    [
      'a match or target that forwards nothing',
      [chain('pre', 'prerouting'), rule('pre', { xt: { type: 'target', name: 'LOG' } })],
      [],
    ],
    ['chains in a circle', [chain('pre', 'prerouting'), rule('pre', { jump: { target: 'pre' } })], []],
    [
      'a table that is dormant',
      [
        { table: { family: 'ip', name: 'nat', handle: 1, flags: ['dormant'] } },
        chain('pre', 'prerouting'),
        rule('pre', DNAT),
      ],
      [],
    ],
  ])('%s', (_, entries, at) => {
    expect(forwards(...entries)).toEqual(at)
  })
})

describe('virtual services of the kernel', () => {
  const TABLE = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
`
  const read = (text: string, exitCode = 0, errorText = '') =>
    ipvsServices.parse({ table: answer(text, exitCode, errorText) })
  const names = (text: string): readonly string[] | null => {
    const found = read(text)
    return found.ok ? found.fact.services.map(({ name }) => name) : null
  }

  test('are read with address and port', () => {
    expect(names(TABLE)).toEqual([])
    expect(
      names(
        `${TABLE}TCP  0A600001:01BB rr \n  -> C0000203:192B      Masq    1      2          0         \nUDP  [fd00:0000:0000:0000:0000:0000:0000:000a]:0035 rr \nFWM  00000010 wlc \n`,
      ),
    ).toEqual(['tcp 10.96.0.1:443', 'udp [fd00:0000:0000:0000:0000:0000:0000:000a]:53', 'mark 16'])
  })

  test('are none where the module is not loaded, and unknown in any other form', () => {
    expect(read('', 1, 'cat: /proc/net/ip_vs: No such file or directory')).toEqual({ ok: true, fact: { services: [] } })
    expect(read('', 1, 'cat: /proc/net/ip_vs: Permission denied').ok).toBe(false)
    expect(names('')).toBeNull()
    expect(names(`${TABLE}QUIC 0A600001:01BB rr\n`)).toBeNull()
  })
})

describe('what a list of sockets does not show', () => {
  const whole = fixtureOf('demo-gpu-01')
  const read = <T>(id: string): Parsed<T> => whole.readings.get(id) as Parsed<T>
  const all = {
    nft: read<never>('firewall.nftables'),
    legacy: read<never>('firewall.legacy'),
    ipvs: read<never>('ipvs.services'),
  }
  const gone = { ok: false, reason: 'not read' } as const
  const listener = (program: string, loopback = false): Listener => ({
    protocol: 'tcp',
    address: '0.0.0.0',
    interface: null,
    port: 8443,
    loopback,
    processes: [program],
    pids: [],
  })

  test('is nothing where every list was read and is empty', () => {
    expect(forwardedSteps(all, [listener('nginx')])).toEqual([])
  })

  test.each([
    ['the rules', { ...all, nft: gone }],
    ['the older rules', { ...all, legacy: gone }],
    ['an older table of address translation', { ...all, legacy: { ok: true, fact: { tables: ['nat'] } } as const }],
    ['the virtual services', { ...all, ipvs: gone }],
  ])('is open without %s', (_, readings) => {
    expect(forwardedSteps(readings, []).map(({ direction }) => direction)).toEqual(['unclear'])
  })

  test('is behind the proxy of a container runtime, unless that serves the node alone', () => {
    expect(forwardedSteps(all, [listener('docker-proxy')]).map(({ direction }) => direction)).toEqual(['unclear'])
    expect(forwardedSteps(all, [listener('docker-proxy', true)])).toEqual([])
    // Cilium in place of kube-proxy: a NodePort has neither a socket nor a rule; its agent listens, also on the loopback interface alone.
    expect(forwardedSteps(all, [listener('cilium-agent')]).map(({ direction }) => direction)).toEqual(['unclear'])
    expect(forwardedSteps(all, [listener('cilium-agent', true)]).map(({ direction }) => direction)).toEqual(['unclear'])
  })

  test.each(['network.listening-ports', 'encryption.in-transit.plaintext-listeners'])('leaves %s undecided', (id) => {
    const { verdict, observations } = concludeOn(checkOf(id), 'fx-forwarded')
    expect(verdict).toBe('inconclusive')
    const texts = observations.filter(({ direction }) => direction === 'unclear').map(({ text }) => text)
    for (const named of ['172.17.0.2', 'DOCKER', 'KUBE-NODEPORTS', 'tcp 10.96.0.1:443'])
      expect(texts.some((text) => text.includes(named))).toBe(true)
    // What is sent on by the node itself arrives from no one else.
    expect(texts.some((text) => text.includes('9999'))).toBe(false)
  })

  // Only SSH listens: what a rule hands to a container is in no list of sockets, so that it may use TLS all the same.
  test.each(['encryption.in-transit.tls-listeners', 'encryption.in-transit.cert-validity'])(
    'keeps %s from being not applicable',
    (id) => {
      const only = known({ listeners: [{ ...listener('sshd'), port: 22 }] })
      const verdict = (node: string, ...changed: readonly (readonly [string, Parsed<unknown>])[]): string =>
        concludeOn(checkOf(id), node, [['network.listeners', only], ...changed]).verdict
      expect(verdict('demo-gpu-01')).toBe('not-applicable')
      expect(verdict('fx-forwarded')).toBe('inconclusive')
      for (const probe of ['firewall.nftables', 'firewall.legacy', 'ipvs.services'])
        expect(verdict('demo-gpu-01', [probe, gone])).toBe('inconclusive')
    },
  )
})
