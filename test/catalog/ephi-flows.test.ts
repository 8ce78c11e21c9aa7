import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLsblk, parseSysfsBlock } from '../../main/catalog/data-protection/block-devices/index.ts'
import { encryptionInTransitEphiFlows } from '../../main/catalog/data-protection/ephi/index.ts'
import { parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import { parseMountinfo, type RemoteStorage } from '../../main/catalog/data-protection/mounts/probes.ts'
import type { SshServers } from '../../main/catalog/data-protection/ssh-encryption/probes.ts'
import type { TlsListeners, TlsPort } from '../../main/catalog/data-protection/tls/probes.ts'
import type { IpsecState, VpnInterfaces } from '../../main/catalog/data-protection/vpn/probes.ts'
import { known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import { type Conclusion, conclude, type DraftObservation } from '../../main/core/rules/check.ts'
import type { DeclaredFlow, DeclaredNode } from '../../schemas/types.ts'
import { fixtureOf, fixtures } from '../support/evaluated.ts'

/** Declared flows, and what a socket or a mount shows of them. Everything else is as on the first demo node. */

const base = fixtureOf('demo-gpu-01')
const check = encryptionInTransitEphiFlows
const flow = (port: number, protocol: 'tcp' | 'udp' = 'tcp'): DeclaredFlow => ({ port, protocol, name: 'studies' })

interface Given {
  readonly flows?: readonly DeclaredFlow[]
  readonly paths?: readonly string[]
  readonly readings?: Readonly<Record<string, Parsed<unknown>>>
}

function judge({ flows, paths, readings = {} }: Given): Conclusion {
  const { ephiPaths: _, ...node } = base.context.node
  const declared: DeclaredNode = {
    ...node,
    ...(flows === undefined ? {} : { ephiFlows: flows }),
    ...(paths === undefined ? {} : { ephiPaths: paths }),
  }
  return conclude(check, new Map([...base.readings, ...Object.entries(readings)]), { ...base.context, node: declared })
}

const textOf = ({ observations }: Conclusion): string =>
  observations.map(({ direction, text }) => `${direction}: ${text}`).join('\n')
const directionsOf = ({ observations }: Conclusion, about: string): readonly DraftObservation['direction'][] =>
  observations.filter(({ text }) => text.includes(about)).map(({ direction }) => direction)

const sockets = (...rows: readonly string[]) =>
  parseListeners(
    rows
      .map(
        (row) =>
          `${row.startsWith('udp') ? row.replace(' ', ' UNCONN 0 0 ') : row.replace(' ', ' LISTEN 0 5 ')} 0.0.0.0:*\n`,
      )
      .join(''),
  )
const answered = (port: number, rest: Partial<TlsPort>, host = '127.0.0.1'): Parsed<TlsListeners> =>
  known({
    forwarding: true,
    ports: [
      {
        host,
        port,
        outcome: 'tls',
        greeting: '',
        accepted: [],
        weak: [],
        staticRsa: [],
        open: [],
        isWeakOpen: false,
        certificates: [],
        ...rest,
      },
    ],
    passed: [],
  })
const TLS13 = { version: 'TLS 1.3', suite: 0x1302 } as const
const OLD = { version: 'TLS 1.0', suite: 0x002f } as const
const RC4 = { version: 'TLS 1.2', suite: 0x0005 } as const
const ssh = (port: number, rest: object = {}): Parsed<SshServers> =>
  known({
    forwarding: true,
    servers: [
      {
        host: '127.0.0.1',
        port,
        version: 'OpenSSH_9.6p1',
        hostKey: null,
        offer: { kex: ['curve25519-sha256'] },
        answers: [],
        isMixed: false,
        ...rest,
      },
    ],
    passed: [],
  } as unknown as SshServers)
const wireguard = (up: boolean): Parsed<VpnInterfaces> => known({ wireguard: [{ name: 'wg0', up }] })
/** The routes of wg-quick(8) next to those of an adapter. */
const routed = (to = '10.8.0.0/24'): Readonly<Record<string, Parsed<unknown>>> => ({
  'net.routes': known({
    ipv4: [
      { to, via: null, device: 'wg0', drops: null },
      { to: '192.0.2.0/24', via: null, device: 'eth0', drops: null },
    ],
    ipv6: [],
  }),
})
const esp = (policies: number, ...algorithms: readonly string[]): Parsed<IpsecState> =>
  known({ policies, associations: [{ protocol: 'esp', mode: 'transport', algorithms }] })

describe('one declared flow', () => {
  const at = (port: number, protocol = 'tcp') => ({ 'network.listeners': sockets(`${protocol} 0.0.0.0:${port}`) })
  test.each<[string, DeclaredFlow, Readonly<Record<string, Parsed<unknown>>>, string]>([
    [
      'answers with TLS 1.3',
      flow(7000),
      { ...at(7000), 'tls.listeners': answered(7000, { accepted: [TLS13] }) },
      'satisfied',
    ],
    [
      'answers with TLS on a port of clear text',
      flow(8080),
      { ...at(8080), 'tls.listeners': answered(8080, { accepted: [TLS13] }) },
      'satisfied',
    ],
    [
      'answers with TLS 1.0 alone',
      flow(7000),
      { ...at(7000), 'tls.listeners': answered(7000, { accepted: [OLD] }) },
      'inconclusive',
    ],
    [
      'chooses a broken suite alone',
      flow(7000),
      { ...at(7000), 'tls.listeners': answered(7000, { accepted: [RC4] }) },
      'inconclusive',
    ],
    ['declines every version of TLS', flow(7000), { ...at(7000), 'tls.listeners': answered(7000, {}) }, 'inconclusive'],
    [
      'answers with HTTP',
      flow(7000),
      { ...at(7000), 'tls.listeners': answered(7000, { outcome: 'plain', greeting: 'http' }) },
      'not-satisfied',
    ],
    [
      'answers otherwise where HTTPS is expected',
      flow(443),
      { ...at(443), 'tls.listeners': answered(443, { outcome: 'plain', greeting: 'other' }) },
      'not-satisfied',
    ],
    [
      'answers something unknown',
      flow(7000),
      { ...at(7000), 'tls.listeners': answered(7000, { outcome: 'plain', greeting: 'other' }) },
      'inconclusive',
    ],
    ['hangs up', flow(7000), { ...at(7000), 'tls.listeners': answered(7000, { outcome: 'closed' }) }, 'inconclusive'],
    [
      'may begin in clear and encrypt later',
      flow(5432),
      { ...at(5432), 'tls.listeners': answered(5432, { outcome: 'closed' }) },
      'inconclusive',
    ],
    [
      'is on a port of a protocol in clear',
      flow(23),
      { ...at(23), 'tls.listeners': unknown('not read') },
      'not-satisfied',
    ],
    [
      'is HTTPS by convention and was not asked',
      flow(443),
      { ...at(443), 'tls.listeners': unknown('not read') },
      'inconclusive',
    ],
    ['is SSH by its key exchange', flow(2222), { ...at(2222), 'ssh.servers': ssh(2222) }, 'satisfied'],
    [
      'is SSH by its greeting',
      flow(2222),
      { ...at(2222), 'tls.listeners': answered(2222, { outcome: 'plain', greeting: 'ssh' }) },
      'satisfied',
    ],
    ['is SSH by convention alone', flow(22), { ...at(22), 'ssh.servers': unknown('not read') }, 'inconclusive'],
    [
      'is SSH, and not the same each time',
      flow(22),
      { ...at(22), 'ssh.servers': ssh(22, { isMixed: true }) },
      'inconclusive',
    ],
    ['took no SSH greeting', flow(22), { ...at(22), 'ssh.servers': ssh(22, { offer: null }) }, 'inconclusive'],
    ['is WireGuard by convention alone', flow(51820, 'udp'), at(51820, 'udp'), 'inconclusive'],
    ['is QUIC by convention alone', flow(443, 'udp'), at(443, 'udp'), 'inconclusive'],
    ['is syslog over UDP', flow(514, 'udp'), at(514, 'udp'), 'not-satisfied'],
    ['is RDMA over Ethernet', flow(4791, 'udp'), at(4791, 'udp'), 'inconclusive'],
    ['has nothing listening', flow(7000), at(7001), 'inconclusive'],
    ['has the other protocol listening', flow(7000), at(7000, 'udp'), 'inconclusive'],
    [
      'is listened for on the loopback interface alone',
      flow(80),
      { 'network.listeners': sockets('tcp 127.0.0.1:80') },
      'inconclusive',
    ],
    [
      'is bound to a tunnel that is up',
      flow(80),
      { 'network.listeners': sockets('tcp 10.8.0.1%wg0:80'), 'network.vpn-interfaces': wireguard(true) },
      'satisfied',
    ],
    [
      'is bound to a tunnel that is down',
      flow(80),
      { 'network.listeners': sockets('tcp 10.8.0.1%wg0:80'), 'network.vpn-interfaces': wireguard(false) },
      'not-satisfied',
    ],
    [
      'is listened for at an address of a tunnel',
      flow(80),
      { 'network.listeners': sockets('tcp 10.8.0.1:80'), 'network.vpn-interfaces': wireguard(true), ...routed() },
      'inconclusive',
    ],
    [
      'is listened for at an address of a tunnel that is down',
      flow(80),
      { 'network.listeners': sockets('tcp 10.8.0.1:80'), 'network.vpn-interfaces': wireguard(false), ...routed() },
      'not-satisfied',
    ],
    [
      'is listened for at an address of another network',
      flow(80),
      { 'network.listeners': sockets('tcp 192.0.2.9:80'), 'network.vpn-interfaces': wireguard(true), ...routed() },
      'not-satisfied',
    ],
    [
      'is listened for at any address, with all traffic in a tunnel',
      flow(80),
      { ...at(80), 'network.vpn-interfaces': wireguard(true), ...routed('default') },
      'not-satisfied',
    ],
    ['is in clear beside IPsec', flow(80), { ...at(80), 'network.ipsec': esp(2, 'rfc4106(gcm(aes))') }, 'inconclusive'],
    [
      'is in clear beside IPsec that encrypts nothing',
      flow(80),
      { ...at(80), 'network.ipsec': esp(2, 'ecb(cipher_null)') },
      'not-satisfied',
    ],
    [
      'is in clear beside IPsec without a policy',
      flow(80),
      { ...at(80), 'network.ipsec': esp(0, 'rfc4106(gcm(aes))') },
      'not-satisfied',
    ],
  ])('%s', (_, declared, readings, expected) =>
    expect(judge({ flows: [declared], paths: ['/data/ephi'], readings }).verdict).toBe(expected),
  )

  test('each socket of its port counts', () => {
    const readings = {
      'network.listeners': sockets('tcp 127.0.0.1:7000', 'tcp 10.0.0.5:7000', 'tcp 10.0.0.6:7000'),
      'tls.listeners': answered(7000, { accepted: [TLS13] }, '10.0.0.5'),
    }
    expect(directionsOf(judge({ flows: [flow(7000)], readings }), 'tcp/7000 on')).toEqual(['supports', 'unclear'])
  })

  test('the worst of several decides, and sockets that were not declared do not', () => {
    const readings = { 'network.listeners': sockets('tcp 0.0.0.0:8443', 'tcp 0.0.0.0:80') }
    const verdict = (...ports: readonly number[]) =>
      judge({ flows: ports.map((port) => flow(port)), paths: ['/data/ephi'], readings }).verdict
    expect([verdict(8443), verdict(8443, 80), verdict(8443, 7000)]).toEqual([
      'satisfied',
      'not-satisfied',
      'inconclusive',
    ])
  })

  test('a name that was typed is shown as text', () => {
    const named = { ...flow(80), name: 'a\u202eb' }
    expect(textOf(judge({ flows: [named] }))).toContain('“a\\u{202e}b” (tcp/80)')
  })

  // A proxy is known by its process alone: without names it may be any of the sockets.
  test('without process names a declared port may be held by a proxy', () => {
    const readings = { 'network.listener-processes': unknown('not read') }
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings }).verdict).toBe('inconclusive')
    expect(judge({ readings }).verdict).toBe('inconclusive')
  })

  test('what forwards a declared port leaves it open', () => {
    const readings = { 'firewall.nftables': unknown('not read') }
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings }).verdict).toBe('inconclusive')
  })
})

describe('declared paths on storage over a network', () => {
  const mounted = (type: string, source: string, options: string, point = '/data') => {
    const mounts = base.readings.get('storage.mounts') as ReturnType<typeof parseMountinfo>
    const more = parseMountinfo(
      `22 1 253:1 / / rw - ext4 x rw\n900 ${point.startsWith('/data/') ? 40 : 22} 0:90 / ${point} rw - ${type} ${source} ${options}\n`,
    )
    if (!mounts.ok || !more.ok) throw new Error('no mounts')
    const left = mounts.fact.mounts.filter((one) => one.point !== point)
    return { 'storage.mounts': known({ mounts: [...left, ...more.fact.mounts.slice(1)] }) }
  }
  test.each<[string, string, string, string, string]>([
    ['NFS with privacy', 'nfs4', 's:/x', 'rw,sec=krb5p', 'satisfied'],
    ['NFS with logins protected only', 'nfs4', 's:/x', 'rw,vers=4.2,sec=krb5', 'not-satisfied'],
    ['NFS in clear over a fabric', 'nfs4', 's:/x', 'rw,proto=rdma,sec=sys', 'inconclusive'],
    [
      'NFS from a tunnel of the node',
      'nfs4',
      '127.0.0.1:/',
      'rw,vers=4.1,port=20127,sec=sys,addr=127.0.0.1',
      'inconclusive',
    ],
    ['CIFS that is sealed', 'cifs', '//s/x', 'rw,seal', 'satisfied'],
    ['CIFS that is not, of a version without encryption', 'cifs', '//s/x', 'rw,vers=2.1', 'not-satisfied'],
    ['CIFS that the server may encrypt', 'cifs', '//s/x', 'rw,vers=3.1.1', 'inconclusive'],
    ['CIFS in clear over a fabric', 'cifs', '//s/x', 'rw,vers=2.1,rdma', 'inconclusive'],
    ['object storage that does not show it', 'fuse.s3fs', 's3fs', 'rw', 'inconclusive'],
    ['a mount on first use', 'autofs', 'systemd-1', 'rw', 'inconclusive'],
  ])('%s', (_, type, source, options, expected) => {
    const readings = mounted(type, source, options)
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings }).verdict).toBe(expected)
    // Paths decide by themselves as well, where no port was declared.
    expect(judge({ paths: ['/data/ephi'], readings }).verdict).toBe(expected)
  })

  const NO_WAYS = { iscsi: [], fibreChannel: [], srp: [], rbd: [], nbd: [], drbd: [], nvme: [] }
  const drive = (
    name: string,
    number: string,
    transport: string,
    nvme: RemoteStorage['nvme'] = [],
    fibreChannel: RemoteStorage['fibreChannel'] = [],
  ) => ({
    'storage.mounts': parseMountinfo(
      `1 0 ${number} / / rw - ext4 /dev/${name} rw\n2 1 ${number} / /data rw - ext4 /dev/${name} rw\n`,
    ),
    'storage.block-devices': parseSysfsBlock(`/sys/class/block/${name}/dev:${number}`),
    'storage.lsblk': parseLsblk(
      JSON.stringify({ blockdevices: [{ name, kname: name, 'maj:min': number, type: 'disk', tran: transport }] }),
    ),
    'storage.remote': known<RemoteStorage>({ ...NO_WAYS, nvme, fibreChannel }),
  })
  const controller = (transport: string, hasTls = false) => [{ name: 'nvme7', transport, hasTls }]
  test.each<[string, Readonly<Record<string, Parsed<unknown>>>, string]>([
    ['a drive of this server', drive('sda', '8:0', 'sata'), 'satisfied'],
    ['a drive over iSCSI', drive('sda', '8:0', 'iscsi'), 'not-satisfied'],
    ['a drive over Fibre Channel', drive('sda', '8:0', 'fc'), 'not-satisfied'],
    ['a drive over Fibre Channel over Ethernet', drive('sda', '8:0', 'fcoe'), 'not-satisfied'],
    ['NVMe over TCP in clear', drive('nvme7n1', '259:0', 'tcp', controller('tcp')), 'not-satisfied'],
    ['NVMe over TCP with TLS', drive('nvme7n1', '259:0', 'tcp', controller('tcp', true)), 'satisfied'],
    ['NVMe over RDMA', drive('nvme7n1', '259:0', 'rdma', controller('rdma')), 'inconclusive'],
    [
      'a controller elsewhere that no mount was seen to use',
      drive('sda', '8:0', 'sata', controller('tcp')),
      'inconclusive',
    ],
    [
      'a Fibre Channel port with a link, whose drives no mount was seen to use',
      drive('sda', '8:0', 'sata', [], [{ host: 'host8', state: 'Online' }]),
      'inconclusive',
    ],
    [
      'a Fibre Channel adapter without a link',
      drive('sda', '8:0', 'sata', [], [{ host: 'host8', state: 'Linkdown' }]),
      'satisfied',
    ],
    [
      'attachments that were not read',
      { ...drive('sda', '8:0', 'sata'), 'storage.lsblk': unknown('not read') },
      'inconclusive',
    ],
    [
      'ways elsewhere that were not read',
      { ...drive('sda', '8:0', 'sata'), 'storage.remote': unknown('not read') },
      'inconclusive',
    ],
  ])('%s', (_, readings, expected) =>
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings }).verdict).toBe(expected),
  )

  test('an overlay on a network mount is not followed to a drive of this server', () => {
    const readings = {
      ...drive('sda', '8:0', 'sata'),
      'storage.mounts': parseMountinfo(
        '1 0 8:0 / / rw - ext4 /dev/sda rw\n2 1 0:40 / /far rw - nfs4 s:/x rw,sec=sys\n3 1 0:41 / /data rw - overlay overlay rw,upperdir=/far/u,workdir=/far/w,lowerdir=/usr\n',
      ),
    }
    const found = judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings })
    expect([found.verdict, textOf(found)]).toEqual([
      'inconclusive',
      expect.stringContaining('was not followed to a drive'),
    ])
  })

  test('a mount that holds no declared path counts only while flows or paths are not declared', () => {
    const readings = mounted('nfs4', 's:/x', 'rw,vers=4.2,sec=sys', '/mnt/other')
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings }).verdict).toBe('satisfied')
    expect(judge({ flows: [flow(8443)], readings }).verdict).toBe('inconclusive')
    expect(judge({ paths: ['/data/ephi'], readings }).verdict).toBe('inconclusive')
    expect(judge({ readings }).verdict).toBe('inconclusive')
  })

  test('a mount below a declared path counts, and a path without a mount leaves it open', () => {
    const below = mounted('nfs4', 's:/x', 'rw,vers=4.2,sec=sys', '/data/ephi/far')
    expect(judge({ flows: [flow(8443)], paths: ['/data/ephi'], readings: below }).verdict).toBe('not-satisfied')
    expect(judge({ flows: [flow(8443)], paths: ['/data/../x'] }).verdict).toBe('inconclusive')
  })
})

describe('no declared flow', () => {
  test('met where nothing is in clear, by reasons that state what was tested', () => {
    for (const flows of [undefined, []]) expect(judge(flows === undefined ? {} : { flows }).verdict).toBe('satisfied')
    expect(textOf(judge({}))).toMatch(/^supports: No ePHI flow is declared .* were tested/)
  })
  test.each<[string, Parsed<unknown>, string]>([
    ['loopback alone', sockets('tcp 127.0.0.1:80'), 'satisfied'],
    ['SSH', sockets('tcp 0.0.0.0:22'), 'satisfied'],
    ['clear text', sockets('tcp 0.0.0.0:22', 'tcp 0.0.0.0:80'), 'inconclusive'],
    ['an unknown service', sockets('tcp 0.0.0.0:7000'), 'inconclusive'],
    ['UDP on the port of HTTPS', sockets('tcp 0.0.0.0:22', 'udp 0.0.0.0:443'), 'inconclusive'],
    ['WireGuard', sockets('tcp 0.0.0.0:22', 'udp 0.0.0.0:51820'), 'satisfied'],
    ['a fabric', sockets('tcp 0.0.0.0:22', 'udp 0.0.0.0:4791'), 'satisfied'],
  ])('%s', (_, listeners, expected) =>
    expect(judge({ readings: { 'network.listeners': listeners } }).verdict).toBe(expected),
  )

  test('a fabric is not called a socket of the loopback interface', () =>
    expect(textOf(judge({ readings: { 'network.listeners': sockets('udp 0.0.0.0:4791') } }))).toContain(
      'Except for RDMA, every listening socket is bound to the loopback interface.',
    ))

  test('an open socket is no deviation, and what settles it is named', () => {
    const text = textOf(judge({ readings: { 'network.listeners': sockets('tcp 0.0.0.0:80') } }))
    expect(text).toContain('Declare which ports carry ePHI')
    expect(text).not.toContain('against:')
  })
})

describe('evidence that is not there', () => {
  const probes = Object.values({ ...check.requires, ...check.optional })
  const nodes = fixtures.filter(({ name }) => /^(demo|fx-(ephi|transit|zfs-remote|btrfs|forwarded))/.test(name))
  test.each(nodes.map((node) => [node.name, node] as const))('%s: taking any away never gives met', (_, node) => {
    for (const ephiFlows of [undefined, [flow(80)], [flow(8443), flow(22)]]) {
      const context = {
        ...node.context,
        node: { ...node.context.node, ...(ephiFlows === undefined ? {} : { ephiFlows }) },
      }
      const before = conclude(check, node.readings, context)
      for (const probe of probes) {
        const after = conclude(check, new Map([...node.readings, [probe.id, unknown('not read')]]), context)
        if (before.verdict !== 'satisfied') expect([probe.id, after.verdict]).not.toEqual([probe.id, 'satisfied'])
      }
    }
  })

  test('a needed answer that is missing leaves it open', () => {
    for (const probe of Object.values(check.requires))
      expect(judge({ flows: [flow(8443)], readings: { [probe.id]: unknown('not read') } }).verdict).toBe('inconclusive')
  })

  test('any sockets and flows are judged, never thrown at, and met rests on steps for it alone', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('tcp', 'udp'),
            fc.constantFrom('0.0.0.0', '127.0.0.1', '10.0.0.5%wg0', '[::]'),
            fc.constantFrom(22, 80, 443, 4791, 7000, 8443),
          ),
          { maxLength: 5 },
        ),
        fc.array(
          fc.record({
            port: fc.constantFrom(22, 80, 443, 4791, 7000, 8443),
            protocol: fc.constantFrom('tcp' as const, 'udp' as const),
            name: fc.string({ minLength: 1, maxLength: 20 }),
          }),
          { maxLength: 3 },
        ),
        fc.array(
          fc.string({ maxLength: 40 }).map((text) => `/${text}`),
          { maxLength: 2 },
        ),
        (rows, flows, paths) => {
          const listeners = sockets(
            'tcp 127.0.0.1:1',
            ...rows.map(([protocol, host, port]) => `${protocol} ${host}:${port}`),
          )
          const { verdict, observations } = judge({ flows, paths, readings: { 'network.listeners': listeners } })
          if (verdict === 'satisfied')
            expect(observations.every(({ direction }) => direction === 'supports')).toBe(true)
        },
      ),
      { numRuns: 80 },
    ))

  test('any text as the list of sockets is refused or judged', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        judge({ flows: [flow(80)], readings: { 'network.listeners': parseListeners(text) } })
      }),
    ))
})
