import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askDatabases } from '../main/app/location/ask-databases.ts'
import { networkConnections } from '../main/catalog/data-protection/network/flows.ts'
import { ADDRESS_WANTS, type AddressFacts, dataPeers, publicAddresses } from '../main/catalog/location/peers.ts'
import { egressNotes, registryOf, registrySignals } from '../main/catalog/location/registry.ts'
import type { OpenAddressDatabase } from '../main/core/all-ports.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { argvOf } from '../main/core/recording/probe.ts'
import { inMemory } from '../main/core/recording/recording.ts'
import type { Context } from '../main/core/rules/check.ts'
import type { AddressAnswer, AddressDatabase, DeclaredLocation, DeclaredNode } from '../schemas/types.ts'
import { sampleRecording } from './support/sample-pack.ts'

const NODE: DeclaredNode = { name: 'gpu-01', address: 'gpu.example.net', port: 22, user: 'bw', sudo: false }
const context = (location: DeclaredLocation = {}, node = NODE): Context => ({
  node,
  asOf: '2026-11-21T12:00:00.000Z',
  observedAt: '2026-11-21T11:00:00.000Z',
  thresholds: new Map(),
  location,
})
const NOT_READ = { ok: false, reason: 'this was not collected' } as const

/** Facts of which only some were read. */
function factsOf(given: { readonly [K in keyof AddressFacts]?: unknown }): AddressFacts {
  const facts = Object.keys(ADDRESS_WANTS).map((name) => {
    const fact = given[name as keyof AddressFacts]
    return [name, fact === undefined ? NOT_READ : { ok: true, fact }]
  })
  return Object.fromEntries(facts) as AddressFacts
}

const connection = (local: string, localPort: number, peer: string, port: number) => ({
  peer,
  port,
  unsentBytes: 0,
  local: { address: local, port: localPort },
})
const listener = (address: string, port: number) => ({
  protocol: 'tcp',
  address,
  interface: null,
  port,
  loopback: false,
  processes: [],
})
const mount = (fsType: string, source: string, ...options: string[]) => ({
  id: '1',
  parent: '0',
  device: '0:50',
  root: '/',
  point: '/data',
  fsType,
  source,
  options,
})
const path = (remoteAddress: string | null, jumps = 0) => ({
  bursts: [],
  warmup: 3,
  mismatches: 0,
  path: { tcpMs: 1, keepaliveMs: [], jumps, remoteAddress },
})

describe('public addresses of a node', () => {
  it('are those that were reached, declared and seen at its sockets, each once', () => {
    const facts = factsOf({
      echo: path('8.8.8.8'),
      connections: {
        tcp: [connection('[::ffff:9.9.9.9]', 22, '8.8.4.4', 50_000), connection('10.0.0.5', 22, '8.8.4.4', 1)],
      },
      listeners: { listeners: [listener('2a00:1450::5', 443), listener('0.0.0.0', 22), listener('8.8.8.8', 80)] },
    })
    const own = publicAddresses(facts, { node: { ...NODE, address: '1.1.1.1' } })
    expect(own.map(({ address, via, how }) => [address.text, via, how])).toEqual([
      ['8.8.8.8', null, 'reached'],
      ['1.1.1.1', null, 'declared'],
      ['2a00:1450::5', null, 'own'],
      ['9.9.9.9', 'IPv4-mapped', 'own'],
    ])
  })

  it('are not those of a jump host', () => {
    expect(publicAddresses(factsOf({ echo: path('8.8.8.8', 1) }), { node: NODE })).toEqual([])
    expect(publicAddresses(factsOf({ echo: path('10.1.1.1') }), { node: NODE })).toEqual([])
  })
})

describe('peers of its data', () => {
  it('are what it connects to, mounts, and sends logs to; not who connects to it', () => {
    const facts = factsOf({
      listeners: { listeners: [listener('0.0.0.0', 22)] },
      connections: {
        tcp: [
          connection('10.0.0.5', 22, '[2600::9]', 50_000),
          connection('10.0.0.5', 40_000, '8.8.8.8', 443),
          connection('10.0.0.5', 40_002, '8.8.8.8', 443),
          connection('10.0.0.5', 40_001, '10.0.0.9', 2049),
          connection('127.0.0.1', 40_003, '127.0.0.1', 9100),
        ],
      },
      mounts: {
        mounts: [
          mount('nfs4', 'files.example.net:/export', 'rw', 'addr=9.9.9.9'),
          mount('nfs', 'store.example.net:/export'),
          mount('cifs', '//smb.example.net/share', 'rw'),
          mount('fuse.sshfs', 'backup@1.0.0.1:/data'),
          mount('lustre', '9.9.9.10@tcp:9.9.9.11@tcp1:/scratch'),
          mount('ceph', '[2a00:1450::7]:6789,9.9.9.12:6789:/', 'rw'),
          mount('ext4', '/dev/sda1'),
        ],
      },
      remote: {
        iscsi: [{ session: 'session1', target: 'iqn.x', portal: '9.9.9.13' }],
        srp: [],
        rbd: [],
        nbd: [],
        drbd: [],
      },
      rsyslog: {
        each: [
          { text: '@@logs.example.net:6514', port: 6514 },
          { text: '@[2a00:1450::8]:514', port: 514 },
        ],
      },
      journal: { each: [{ text: 'https://9.9.9.14:19532/', port: 19532 }] },
    })
    expect(dataPeers(facts).map(({ what, host, isName }) => `${what} ${host}${isName ? ' (name)' : ''}`)).toEqual([
      'connection 8.8.8.8',
      'drive 9.9.9.13',
      'log 2a00:1450::8',
      'log 9.9.9.14',
      'log logs.example.net (name)',
      'mount 1.0.0.1',
      'mount 2a00:1450::7',
      'mount 9.9.9.10',
      'mount 9.9.9.11',
      'mount 9.9.9.12',
      'mount 9.9.9.9',
      'mount smb.example.net (name)',
      'mount store.example.net (name)',
    ])
  })

  it('leave out connections to well-known ports of its own where listeners could not be listed', () => {
    const tcp = [connection('10.0.0.5', 22, '8.8.4.4', 50_000), connection('10.0.0.5', 40_000, '8.8.8.8', 443)]
    expect(dataPeers(factsOf({ connections: { tcp } })).map(({ host }) => host)).toEqual(['8.8.8.8'])
  })

  it('never throw on any mounts and settings', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9:@/.,[\]=-]{0,40}$/))
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom('nfs4', 'cifs', 'ceph', 'lustre', 'fuse.sshfs', '9p'),
        (source, option, fsType) => {
          const facts = factsOf({
            mounts: { mounts: [mount(fsType, source, option, `addr=${option}`)] },
            rsyslog: { each: [{ text: source, port: null }] },
            connections: { tcp: [connection(source, 1, option, 2)] },
          })
          publicAddresses(facts, { node: { ...NODE, address: source } })
          for (const { host } of dataPeers(facts)) expect(host).toMatch(/^[a-z0-9._:-]+$/)
        },
      ),
    )
  })
})

const answer = (address: string, country: string | null, more: Partial<AddressAnswer> = {}): AddressAnswer => ({
  address,
  network: `${address}/24`,
  country,
  subdivision: null,
  city: null,
  latitude: null,
  longitude: null,
  radiusKm: null,
  asn: null,
  organisation: null,
  level: country === null ? 'none' : 'country',
  ...more,
})
const database = (
  provenance: string,
  answers: readonly AddressAnswer[],
  more: Partial<AddressDatabase> = {},
): AddressDatabase => ({
  file: { name: 'db.mmdb', size: 10, sha256: `${'ab'.repeat(16)}${sha256(provenance).slice(32)}` },
  format: 'mmdb',
  type: 'City',
  provenance,
  builtOn: '2026-11-01',
  families: [4, 6],
  answers: [...answers],
  ...more,
})

describe('what databases state about a node', () => {
  const facts = factsOf({ echo: path('8.8.8.8') })

  it('a country, and a place with a radius where a city is named, with name, type, day and digest of the database', () => {
    const city = {
      city: 'Frankfurt',
      latitude: 50.1,
      longitude: 8.7,
      radiusKm: 5,
      level: 'city',
      asn: 64500,
      organisation: 'Host',
    } as const
    const databases = [
      database('MaxMind', [answer('8.8.8.8', 'DE', city)]),
      database('iptoasn', [answer('8.8.8.8', 'US')], { builtOn: '2026-08-01' }),
      database('RouteViews', [answer('8.8.8.8', null, { asn: 64500, organisation: 'Host', level: 'network' })], {
        builtOn: null,
      }),
      database('DB-IP', [answer('8.8.8.8', null)]),
    ]
    const signals = registrySignals(facts, context({ databases }))
    expect(signals.map(({ id, class: of, hint, country, place }) => [id, of, hint, country, place])).toEqual([
      [
        'registry.1',
        'E4',
        false,
        'DE',
        { name: 'Frankfurt', country: 'DE', latitude: 50.1, longitude: 8.7, radiusKm: 50, declaredBy: 'MaxMind' },
      ],
      ['registry.2', 'E4', false, 'US', null],
      ['registry.3', 'E4', true, null, null],
    ])
    expect(signals.map(({ text }) => text)).toEqual([
      '“MaxMind” (“City”, “db.mmdb”, of 2026-11-01, SHA-256 abababababababab…) places 8.8.8.8, the address that the connection reached, in “Frankfurt”, DE, operated by AS64500 “Host”.',
      '“iptoasn” (“City”, “db.mmdb”, of 2026-08-01, SHA-256 abababababababab…) places 8.8.8.8, the address that the connection reached, in US. The network is 8.8.8.8/24; the result is valid for the country only. Its data is 112 days old at the evaluation time; addresses move.',
      '“RouteViews” (“City”, “db.mmdb”, of an unknown day, SHA-256 abababababababab…) gives the operator of 8.8.8.8, the address that the connection reached, as AS64500 “Host”; an operator is not a location. Data of an unknown day is not counted.',
    ])
    expect(registryOf('registry.2', context({ databases }))).toEqual({ source: 'iptoasn', address: 1 })
    expect(registryOf('registry.2.3', context({ databases }))).toEqual({ source: 'iptoasn', address: 3 })
    expect(registryOf('cloud-init', context({ databases }))).toBeNull()
  })

  it('is marked as unconfirmed where no second source of another provenance answers', () => {
    const one = [answer('8.8.8.8', 'DE')]
    const alone = registrySignals(facts, context({ databases: [database('MaxMind', one), database('MaxMind', one)] }))
    expect(alone.every(({ text }) => text.includes('is not confirmed'))).toBe(true)
    const two = registrySignals(facts, context({ databases: [database('MaxMind', one), database('DB-IP', one)] }))
    expect(two.some(({ text }) => text.includes('is not confirmed'))).toBe(false)
  })

  it('is nothing without a database, and nothing of an address that was not asked', () => {
    expect(registrySignals(facts, context())).toEqual([])
    expect(registrySignals(facts, context({ databases: [database('MaxMind', [answer('9.9.9.9', 'DE')])] }))).toEqual([])
    expect(egressNotes(facts, context())).toEqual([])
  })

  it('counts the peers of its data by country, and names what was not looked up', () => {
    const peers = factsOf({
      connections: {
        tcp: ['9.9.9.9', '9.9.9.8', '1.1.1.1', '8.8.4.4'].map((peer) => connection('10.0.0.5', 40_000, peer, 443)),
      },
      rsyslog: { each: [{ text: 'logs.example.net', port: 514 }] },
    })
    const databases = [database('MaxMind', [answer('9.9.9.9', 'US'), answer('9.9.9.8', 'US'), answer('1.1.1.1', 'AU')])]
    expect(egressNotes(peers, context({ databases }))).toEqual([
      'Public peers of its data, by “MaxMind” (“City”, “db.mmdb”, of 2026-11-01, SHA-256 abababababababab…): US 2 (9.9.9.8, a connection; 9.9.9.9, a connection); AU 1 (1.1.1.1, a connection); no country 1 (8.8.4.4, a connection).',
      'No database was queried for 1 of 4 public peers: too many, or of a family that none holds.',
      'Peers given by name, not by address, were not looked up: “logs.example.net” (a log receiver).',
    ])
  })
})

describe('asking databases', () => {
  const opened = (country: string): OpenAddressDatabase => {
    const { answers: _, ...about } = database(country, [])
    return { about, answer: (address) => (address.includes(':') ? null : answer(address, country)) }
  }
  const ss = (rows: readonly string[]): string => rows.map((row) => `0 0 ${row}\n`).join('')
  const recording = (node: string, rows: readonly string[], address = '8.8.8.8') => {
    const { recording: sample, captures } = sampleRecording(node, '')
    const stdout = new TextEncoder().encode(ss(rows))
    const asked = { probe: networkConnections.id, command: 'tcp', argv: [...argvOf(networkConnections.commands.tcp)] }
    return inMemory({
      recording: { ...sample, node: { ...sample.node, address } },
      captures: captures.map((capture) => ({ ...capture, meta: { ...capture.meta, ...asked }, stdout })),
    })
  }
  const scope = { fleet: 'test', population: ['a', 'b'], frameworks: [] }

  it('keeps the sorted answers for the nodes in scope, whatever the order of recordings', async () => {
    const recordings = [
      recording('b', ['10.0.0.1:40000 1.1.1.1:443', '10.0.0.1:40001 [2600::1]:443']),
      recording('a', ['10.0.0.1:40000 9.9.9.9:443', '10.0.0.1:40001 1.1.1.1:443'], '203.0.113.9'),
      recording('other', ['10.0.0.1:40000 9.9.9.10:443']),
    ]
    const asked = await askDatabases(scope, [opened('DE'), opened('US')], recordings)
    const again = await askDatabases(scope, [opened('DE'), opened('US')], [...recordings].reverse())
    expect(asked).toEqual(again)
    if (!asked.ok) throw new Error(asked.error.detail)
    const databases = asked.value.location?.databases ?? []
    expect(databases.map(({ provenance, answers }) => [provenance, answers.map(({ address }) => address)])).toEqual([
      ['DE', ['1.1.1.1', '8.8.8.8', '9.9.9.9']],
      ['US', ['1.1.1.1', '8.8.8.8', '9.9.9.9']],
    ])
  })

  it('asks of at most 400 addresses of one node, its own before its peers', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `10.0.0.1:40000 9.9.${at >> 8}.${at & 255}:443`)
    const asked = await askDatabases(scope, [opened('DE')], [recording('a', many)])
    const answers = asked.ok ? (asked.value.location?.databases?.[0]?.answers ?? []) : []
    expect(answers).toHaveLength(400)
    expect(answers.some(({ address }) => address === '8.8.8.8')).toBe(true)
  })

  it('leaves a scope without databases as it is, and fails where a recording cannot be read', async () => {
    expect(await askDatabases(scope, [], [])).toEqual({ ok: true, value: scope })
    const broken = {
      ...recording('a', []),
      load: async () => ({ ok: false, error: { code: 'input.refused', detail: 'x' } }) as const,
    }
    expect(await askDatabases(scope, [opened('DE')], [broken])).toMatchObject({ ok: false })
  })
})
