import { describe, expect, test } from 'vitest'
import { firewallNftables } from '../../main/catalog/data-protection/firewall/nftables.ts'
import { sysctlNetwork, sysctlNetworkMore } from '../../main/catalog/data-protection/network/kernel.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, verdict } from '../support/concluded.ts'

describe('packet filter', () => {
  const base = { type: 'filter', hook: 'input', prio: 0 }
  const chain = (name: string, more: object = {}) => ({
    chain: { family: 'inet', table: 't', name, handle: 1, ...more },
  })
  const rule = (chainName: string, ...expr: readonly object[]) => ({
    rule: { family: 'inet', table: 't', chain: chainName, handle: 2, expr },
  })
  const read = (...objects: readonly object[]) =>
    fact(
      firewallNftables.parse({
        ruleset: answer(JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, ...objects] })),
      }),
    )
  const falls = (...objects: readonly object[]) => read(...objects).inputChains.map(({ fallsTo }) => fallsTo)
  const port = { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: 'tcp' } }

  test.each([
    ['policy', [chain('in', { ...base, policy: 'drop' })], ['drop']],
    [
      'a policy that an open rule overrules',
      [chain('in', { ...base, policy: 'drop' }), rule('in', { counter: {} }, { accept: null })],
      ['accept'],
    ],
    [
      'a rule with a condition does not',
      [chain('in', { ...base, policy: 'drop' }), rule('in', port, { accept: null })],
      ['drop'],
    ],
    [
      'a last rule that rejects',
      [chain('in', { ...base, policy: 'accept' }), rule('in', { log: null }, { reject: null })],
      ['drop'],
    ],
    [
      'a jump that returns, then the policy',
      [chain('in', { ...base, policy: 'drop' }), rule('in', { jump: { target: 'x' } }), chain('x')],
      ['drop'],
    ],
    [
      'a goto that accepts',
      [
        chain('in', { ...base, policy: 'drop' }),
        rule('in', { goto: { target: 'x' } }),
        chain('x'),
        rule('x', { accept: null }),
      ],
      ['accept'],
    ],
    [
      'chains in a circle',
      [chain('in', { ...base, policy: 'drop' }), rule('in', { jump: { target: 'in' } })],
      ['unclear'],
    ],
    ['another hook', [chain('fwd', { ...base, hook: 'forward', policy: 'drop' })], []],
    ['nothing', [], []],
  ])('%s', (_, objects, expected) => expect(falls(...objects)).toEqual(expected))

  // As nft 1.0.6 of Debian 12 prints what iptables-restore 1.8.9 (nf_tables) loaded from a file with policy ACCEPT and the last rule
  // “-A INPUT -j REJECT --reject-with icmp-host-prohibited”, with handles and counters left as they were.
  const loaded = (last: object) =>
    [
      '{"chain": {"family": "ip", "table": "filter", "name": "INPUT", "handle": 1, "type": "filter", "hook": "input", "prio": 0, "policy": "accept"}}',
      '{"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "handle": 4, "expr": [{"xt": {"type": "match", "name": "conntrack"}}, {"counter": {"packets": 0, "bytes": 0}}, {"accept": null}]}}',
      '{"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "handle": 6, "expr": [{"match": {"op": "==", "left": {"meta": {"key": "iifname"}}, "right": "lo"}}, {"counter": {"packets": 0, "bytes": 0}}, {"accept": null}]}}',
      '{"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "handle": 7, "expr": [{"match": {"op": "==", "left": {"meta": {"key": "l4proto"}}, "right": "tcp"}}, {"xt": {"type": "match", "name": "conntrack"}}, {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 22}}, {"counter": {"packets": 0, "bytes": 0}}, {"accept": null}]}}',
      `{"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "handle": 8, "expr": [{"counter": {"packets": 0, "bytes": 0}}, ${JSON.stringify(last)}]}}`,
    ].map((line) => JSON.parse(line) as object)
  const COMMENT = { xt: { type: 'match', name: 'comment' } }
  const xt = (name: string) => ({ xt: { type: 'target', name } })
  const drops = { ...base, policy: 'drop' }
  test.each([
    ['a last rule of iptables that rejects', loaded(xt('REJECT')), ['drop']],
    ['one that only writes to the log', loaded(xt('LOG')), ['accept']],
    ['one that a program decides', loaded(xt('NFQUEUE')), ['unclear']],
    ['one of a name that we do not know', loaded(xt('SYNPROXY')), ['unclear']],
    ['one that an older nft does not name', loaded({ xt: null }), ['unclear']],
    ['a reject with a comment', [chain('in', base), rule('in', COMMENT, { counter: {} }, xt('REJECT'))], ['drop']],
    ['an accept with a comment is open', [chain('in', drops), rule('in', COMMENT, { accept: null })], ['accept']],
    ['a reject with a condition', [chain('in', base), rule('in', port, xt('REJECT'))], ['accept']],
    ['a log, then the policy', [chain('in', drops), rule('in', { counter: {} }, xt('LOG'))], ['drop']],
    [
      'a match alone, then the policy',
      [chain('in', drops), rule('in', { xt: { type: 'match', name: 'x' } })],
      ['drop'],
    ],
  ])('%s', (_, objects, expected) => expect(falls(...objects)).toEqual(expected))

  test('a reject of iptables on one interface is no reject on all', () => {
    const eth0 = { match: { op: '==', left: { meta: { key: 'iifname' } }, right: 'eth0' } }
    const [found] = read(chain('in', base), rule('in', eth0, { counter: {} }, xt('REJECT'))).inputChains
    expect([found?.fallsTo, found?.dropsByInterface]).toEqual(['accept', true])
  })

  // Conditions as nft 1.0.6 prints them; the second rule is one of CIS for Debian, “outbound and established connections”.
  const state = (op: string, right: unknown) => ({ match: { op, left: { ct: { key: 'state' } }, right } })
  const tcp = { match: { op: '==', left: { payload: { protocol: 'ip', field: 'protocol' } }, right: 'tcp' } }
  const both = { match: { op: '==', left: { meta: { key: 'l4proto' } }, right: { set: ['tcp', 'udp'] } } }
  const eth0 = { match: { op: '==', left: { meta: { key: 'iifname' } }, right: 'eth0' } }
  const ssh = { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 22 } }
  const [accept, drop] = [{ accept: null }, { drop: null }]
  const vmap = (verdict: object) => ({
    vmap: {
      key: { ct: { key: 'state' } },
      data: {
        set: [
          ['established', accept],
          ['new', verdict],
        ],
      },
    },
  })
  test.each([
    ['new connections are accepted', drops, [state('in', 'new'), accept], 'accept'],
    [
      'new connections of one protocol',
      drops,
      [tcp, state('in', ['established', 'related', 'new']), accept],
      'unclear',
    ],
    ['new connections of two protocols', drops, [both, state('==', 'new'), accept], 'unclear'],
    ['all states but invalid ones', drops, [state('!=', 'invalid'), accept], 'accept'],
    ['new connections to one port', drops, [tcp, ssh, state('in', 'new'), accept], 'drop'],
    ['new connections on one interface', drops, [eth0, state('in', 'new'), accept], 'drop'],
    ['established connections', drops, [state('in', ['established', 'related']), accept], 'drop'],
    ['invalid packets are dropped', base, [state('in', 'invalid'), drop], 'accept'],
    ['new connections are dropped', base, [state('in', 'new'), drop], 'unclear'],
    ['new connections are dropped, and then the policy', drops, [state('in', 'new'), drop], 'drop'],
    ['all but established ones are dropped', base, [state('!=', { set: ['established', 'related'] }), drop], 'unclear'],
    ['a map of states that drops new ones', base, [vmap(drop)], 'unclear'],
    ['a map of states that leads on', base, [vmap({ jump: { target: 'x' } })], 'accept'],
  ])('%s', (_, of, statements, expected) =>
    expect(falls(chain('in', of), rule('in', ...statements))).toEqual([expected]),
  )
  // Chains of ufw 0.36 (before.rules), loaded by iptables-nft 1.8.9 and printed by nft 1.0.6; before 1.0.7 nft may print no name.
  describe('the chain of ufw that drops what is for others', () => {
    const ufw = (policy: 'accept' | 'drop', match: object, last: object = { drop: null }) => [
      chain('INPUT', { ...base, policy }),
      rule('INPUT', { counter: {} }, { jump: { target: 'ufw-before-input' } }),
      chain('ufw-before-input'),
      rule('ufw-before-input', { counter: {} }, { jump: { target: 'ufw-not-local' } }),
      chain('ufw-not-local'),
      rule('ufw-not-local', match, { counter: {} }, { return: null }),
      rule('ufw-not-local', { limit: { rate: 3, burst: 10, per: 'minute' } }, { jump: { target: 'log' } }),
      rule('ufw-not-local', { counter: {} }, last),
    ]
    test.each([
      ['named', { xt: { type: 'match', name: 'addrtype' } }],
      ['unnamed', { xt: null }],
      ['of nft itself', { match: { op: '==', left: { fib: { result: 'type', flags: ['daddr'] } }, right: 'local' } }],
    ])('%s', (_, match) => {
      expect(falls(...ufw('accept', match))).toEqual(['unclear'])
      expect(falls(...ufw('drop', match))).toEqual(['drop'])
      expect(falls(...ufw('drop', match, { accept: null }))).toEqual(['unclear'])
    })
    test('a rule that returns what comes from one network alone leaves the drop after it', () => {
      const saddr = { match: { op: '==', left: { payload: { protocol: 'ip', field: 'saddr' } }, right: '10.0.0.0' } }
      expect(falls(...ufw('accept', saddr))).toEqual(['drop'])
    })
  })

  test('what comes after an open rule drops nothing', () =>
    expect(falls(chain('in', base), rule('in', accept), rule('in', state('in', 'new'), drop))).toEqual(['accept']))
  test('new connections that are dropped on one interface', () =>
    expect(read(chain('in', base), rule('in', eth0, state('in', 'new'), drop)).inputChains).toMatchObject([
      { fallsTo: 'accept', dropsByInterface: true },
    ]))

  test('ten thousand chains in a row end without a crash', () => {
    const row = Array.from({ length: 10_000 }, (_, at) => rule(`c${at}`, { jump: { target: `c${at + 1}` } }))
    expect(falls(chain('c0', { ...base, policy: 'drop' }), ...row)).toEqual(['unclear'])
  })

  describe('a kernel started with ipv6.disable=1 has no settings of IPv6, and needs no filter for it', () => {
    const ofIpv4 = [
      firewallNftables,
      known(read({ chain: { family: 'ip', table: 'filter', name: 'INPUT', handle: 1, ...base, policy: 'drop' } })),
    ] as const
    const none = changed(sysctlNetwork, ({ values }) => ({
      values: new Map([...values].filter(([path]) => !path.startsWith('ipv6/'))),
    }))
    const values =
      '/proc/sys/net/ipv4/icmp_ignore_bogus_error_responses:1\n/proc/sys/net/ipv4/conf/all/log_martians:1\n'
    const more = (errorText: string, text = values) =>
      [sysctlNetworkMore, sysctlNetworkMore.parse({ values: answer(text, { exitCode: 2, errorText }) })] as const
    const ABSENT = 'grep: /proc/sys/net/ipv6/conf/*/accept_ra: No such file or directory\n'
    const DENIED = 'grep: /proc/sys/net/ipv6/conf/all/accept_ra: Permission denied\n'
    const settled = (...facts: Parameters<typeof over>[1][]) => over('network.host-firewall', ofIpv4, ...facts).verdict

    test('as grep reports it', () => expect(settled(none, more(ABSENT))).toBe('satisfied'))
    test('where that could not be read, it is open', () => expect(settled(none, more(DENIED))).toBe('inconclusive'))
    test('where one of two readings shows IPv6, it is there', () => {
      expect(settled(none, more('', `${values}/proc/sys/net/ipv6/conf/all/accept_ra:1\n`))).not.toBe('satisfied')
      expect(settled(more(ABSENT))).toBe('not-satisfied')
      expect(settled()).toBe('not-satisfied')
    })

    test('the settings of IPv6 are judged by the same reading', () => {
      const ofKernel = (...facts: Parameters<typeof over>[1][]) => over('network.kernel-params', ...facts).verdict
      expect(ofKernel(none, more(ABSENT))).toBe('satisfied')
      expect(ofKernel(none, more(DENIED))).toBe('inconclusive')
      expect(ofKernel(none)).toBe('inconclusive')
    })
  })

  test('rules of the older filter that were not read leave it open; none at all contradict', () => {
    expect(verdict('fx-access-undecided', 'network.host-firewall')).toBe('inconclusive')
    expect(verdict('demo-metal-04', 'network.host-firewall')).toBe('not-satisfied')
  })
})
