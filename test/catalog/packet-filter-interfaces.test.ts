import { describe, expect, test } from 'vitest'
import { firewallNftables } from '../../main/catalog/data-protection/firewall/nftables.ts'
import { netRoutes } from '../../main/catalog/data-protection/network/links.ts'
import { type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { answer } from '../support/answers.ts'
import { over, stepText } from '../support/concluded.ts'

const ID = 'network.host-firewall'
const chain = (name: string, more: object = {}) => ({ chain: { family: 'inet', table: 'firewalld', name, ...more } })
const rule = (chain: string, ...expr: readonly object[]) => ({
  rule: { family: 'inet', table: 'firewalld', chain, expr },
})
const meta = (key: string, right: unknown, op = '==') => ({ match: { op, left: { meta: { key } }, right } })
const state = (op: string, right: unknown) => ({ match: { op, left: { ct: { key: 'state' } }, right } })
const [accept, drop] = [{ accept: null }, { drop: null }]
const REJECT = { reject: { type: 'icmpx', expr: 'admin-prohibited' } }
const to = (kind: 'jump' | 'goto', target: string) => ({ [kind]: { target } })

/** As nft 1.0.6 prints the chains that firewalld 1.x makes for these zones (src/firewall/core/nftables.py). */
const firewalld = (...zones: readonly object[]) => [
  chain('filter_INPUT', { type: 'filter', hook: 'input', prio: 10, policy: 'accept' }),
  rule('filter_INPUT', state('==', { set: ['established', 'related'] }), accept),
  rule('filter_INPUT', { match: { op: 'in', left: { ct: { key: 'status' } }, right: 'dnat' } }, accept),
  rule('filter_INPUT', meta('iifname', 'lo'), accept),
  rule('filter_INPUT', state('in', 'invalid'), drop),
  rule('filter_INPUT', to('jump', 'filter_INPUT_ZONES')),
  rule('filter_INPUT', REJECT),
  chain('filter_INPUT_ZONES'),
  ...zones.map((zone) => rule('filter_INPUT_ZONES', ...(zone as readonly object[]))),
  rule('filter_INPUT_ZONES', to('goto', 'filter_IN_public')),
  chain('filter_IN_public'),
  rule('filter_IN_public', to('jump', 'filter_IN_public_allow')),
  rule('filter_IN_public', meta('l4proto', { set: ['icmp', 'ipv6-icmp'] }), accept),
  rule('filter_IN_public', REJECT),
  chain('filter_IN_public_allow'),
  rule(
    'filter_IN_public_allow',
    { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 22 } },
    accept,
  ),
  chain('filter_IN_trusted'),
  rule('filter_IN_trusted', to('jump', 'filter_IN_trusted_allow')),
  rule('filter_IN_trusted', accept),
  chain('filter_IN_trusted_allow'),
]

const base = (...rules: readonly (readonly object[])[]) => [
  chain('in', { type: 'filter', hook: 'input', prio: 0, policy: 'drop' }),
  ...rules.map((one) => rule('in', ...one)),
]

const routes = (ipv4: string, ipv6 = '[]'): Parsed<unknown> =>
  netRoutes.parse({ ipv4: answer(ipv4), ipv6: answer(ipv6) })
const BY_ENO1 = routes(
  '[{"dst":"default","gateway":"192.0.2.1","dev":"eno1","flags":[]},{"dst":"10.0.0.0/24","dev":"eno2","flags":[]}]',
)

const concluded = (objects: readonly object[], ways: Parsed<unknown> = BY_ENO1) =>
  over(
    ID,
    [
      firewallNftables,
      firewallNftables.parse({
        ruleset: answer(JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, ...objects] })),
      }),
    ],
    [netRoutes, ways],
  )

describe('interfaces by which everything is let in', () => {
  const zone = (device: string, name: string) => [meta('iifname', device), to('goto', `filter_IN_${name}`)]
  test.each([
    ['a zone of firewalld that lets everything in', firewalld(zone('eno1', 'trusted')), 'inconclusive'],
    ['the same zone on an inner interface', firewalld(zone('eno2', 'trusted')), 'satisfied'],
    ['the public zone', firewalld(zone('eno1', 'public')), 'satisfied'],
    ['a rule for the interface', base([meta('iifname', 'eno1'), accept]), 'inconclusive'],
    ['one for several', base([meta('iifname', { set: ['eno1', 'eno2'] }), accept]), 'inconclusive'],
    ['one for a pattern', base([meta('iifname', 'eno*'), accept]), 'inconclusive'],
    ['one for all but another', base([meta('iifname', 'lo', '!='), accept]), 'inconclusive'],
    ['one for all but this', base([meta('iifname', 'eno1', '!='), accept]), 'satisfied'],
    ['one for new connections', base([meta('iif', 'eno1'), state('in', 'new'), accept]), 'inconclusive'],
    ['one for one protocol', base([meta('iifname', 'eno1'), meta('l4proto', 'icmp'), accept]), 'satisfied'],
    ['one for other interfaces', base([meta('iifname', 'docker0'), accept]), 'satisfied'],
    ['one for the loopback interface', base([meta('iifname', 'lo'), accept]), 'satisfied'],
    ['one behind the end', base([drop], [meta('iifname', 'eno1'), accept]), 'satisfied'],
  ])('%s', (_, objects, verdict) => expect(concluded(objects).verdict).toBe(verdict))

  test('another chain that drops is enough', () => {
    const second = chain('other', { type: 'filter', hook: 'input', prio: 1, policy: 'drop' })
    expect(concluded([...base([meta('iifname', 'eno1'), accept]), second]).verdict).toBe('satisfied')
  })

  test('the step names interface and chain', () =>
    expect(stepText(concluded(firewalld(zone('eno1', 'trusted'))))).toContain(
      'unclear: New IPv4 connections by “eno1”, which a default route leads through, are all let in by “inet firewalld filter_INPUT”.',
    ))

  test('without the routes, which interfaces lead outside is not known', () => {
    expect(concluded(base([meta('iifname', 'eno1'), accept]), unknown('no reply')).verdict).toBe('inconclusive')
    expect(concluded(base(), unknown('no reply')).verdict).toBe('satisfied')
  })

  test('a way of IPv6 alone', () => {
    const ways = routes('[]', '[{"dst":"default","gateway":"fe80::1","dev":"eno1"}]')
    expect(stepText(concluded(base([meta('iifname', 'eno1'), accept]), ways))).toMatch(/unclear: New IPv6 connections/)
  })

  test('chains that lead to each other end all the same', () => {
    const rules = [
      ...base([to('jump', 'a')]),
      chain('a'),
      rule('a', to('jump', 'b')),
      chain('b'),
      rule('b', to('jump', 'a')),
    ]
    expect(concluded(rules).verdict).toBe('inconclusive')
  })
})
