import { describe, expect, test } from 'vitest'
import { conventionOf } from '../../main/catalog/data-protection/listeners/forwarded.ts'
import { argueListener } from '../../main/catalog/data-protection/listeners/index.ts'
import { type Listener, parseListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import {
  type LustreFlavors,
  parseMountinfo,
  storageLustre,
  storageRemote,
} from '../../main/catalog/data-protection/mounts/probes.ts'
import { argueMount, mayCrossNetwork } from '../../main/catalog/data-protection/mounts/remote.ts'
import type { TlsPort } from '../../main/catalog/data-protection/tls/probes.ts'
import { ipsec, parseTunnels, vpnInterfaces, wireguardPeers } from '../../main/catalog/data-protection/vpn/probes.ts'
import { parseRdmaLinks, rdmaGpudirect } from '../../main/catalog/hardware/fabric/rdma.ts'
import type { OsIdentity } from '../../main/catalog/hardware/machine/identity.ts'
import { argvOf, known, type Parsed, unknown } from '../../main/core/recording/probe.ts'
import type { Conclusion, DraftObservation } from '../../main/core/rules/check.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { texts, verdict } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const mountOf = (type: string, source: string, options: string) => {
  const { mounts } = fact(
    parseMountinfo(`1 0 0:9 / / rw - tmpfs t rw\n2 1 0:40 / /mnt/x rw - ${type} ${source} ${options}\n`),
  )
  const mount = mounts.at(-1)
  if (mount === undefined) throw new Error('no mount')
  return mount
}

const NOT_READ: Parsed<never> = unknown('this was not collected')
const kernel = (version: string): Parsed<OsIdentity> =>
  known({ name: 'Linux', kernel: `Linux ${version}`, machine: 'x86_64' })
const directionsOf = (
  [type, source, options]: readonly [string, string, string],
  lustre: Parsed<LustreFlavors> = NOT_READ,
  system: Parsed<OsIdentity> = kernel('6.12.48'),
): readonly DraftObservation['direction'][] => [
  ...new Set(argueMount(mountOf(type, source, options), { lustre, system }).map((step) => step.direction)),
]

describe('file systems over a network', () => {
  test.each([
    ['nfs4', 'rw,vers=4.2,proto=tcp,sec=krb5p,xprtsec=none', 'supports'],
    ['nfs4', 'rw,vers=4.2,proto=rdma,sec=krb5i', 'contradicts'],
    ['nfs', 'rw,vers=3,proto=tcp,sec=sys', 'contradicts'],
    ['nfs', 'rw,vers=3,proto=tcp,xprtsec=mtls,sec=sys', 'supports'],
    ['nfs4', 'rw,vers=4.2,xprtsec=tls,sec=sys', 'unclear'],
    ['nfs4', 'rw,vers=4.2', 'unclear'],
    ['cifs', 'rw,vers=3.1.1,seal', 'supports'],
    ['smb3', 'rw,vers=3.1.1', 'unclear'],
    ['cifs', 'rw,vers=2.1', 'contradicts'],
    ['cifs', 'rw,vers=1.0', 'contradicts'],
    ['ceph', 'rw,name=lab,secret=<hidden>,ms_mode=secure', 'supports'],
    ['ceph', 'rw,ms_mode=prefer-secure', 'unclear'],
    ['ceph', 'rw,ms_mode=crc', 'contradicts'],
    ['ceph', 'rw,name=lab', 'contradicts'],
    ['fuse.ceph-fuse', 'rw', 'unclear'],
    ['beegfs', 'rw,cfgFile=/etc/beegfs/beegfs-client.conf', 'unclear'],
    ['gpfs', 'rw', 'unclear'],
    ['wekafs', 'rw', 'unclear'],
    ['fuse.s3fs', 'rw,user_id=0', 'unclear'],
    ['fuse.gcsfuse', 'rw', 'unclear'],
    ['fuse.rclone', 'rw', 'unclear'],
    ['fuse.juicefs', 'rw', 'unclear'],
    ['fuse', 'rw', 'unclear'],
    ['fuse.sshfs', 'rw', 'supports'],
  ] as const)('%s with %s: %s', (type, options, expected) => {
    expect(directionsOf([type, 'server:/x', options])).toEqual([expected])
    expect(mayCrossNetwork(mountOf(type, 'server:/x', options))).toBe(true)
  })

  // As fs/nfs/super.c and fs/smb/client/cifsfs.c print them: the mount helper of EFS (`mount -t efs -o tls`) mounts from its own stunnel.
  const EFS =
    'rw,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,hard,noresvport,proto=tcp,port=20127,timeo=600,retrans=2,sec=sys,clientaddr=127.0.0.1,local_lock=none,addr=127.0.0.1'
  test.each([
    ['nfs4', '127.0.0.1:/', EFS],
    ['nfs4', 'localhost:/x', EFS.replace('addr=127.0.0.1', 'addr=::1').replace('proto=tcp', 'proto=tcp6')],
    ['nfs', '127.0.0.2:/x', 'rw,vers=3,proto=tcp,sec=sys,mountaddr=127.0.0.2,local_lock=none,addr=127.0.0.2'],
    ['cifs', '//localhost/share', 'rw,vers=3.1.1,cache=strict,username=a,addr=127.0.0.1,file_mode=0755'],
  ] as const)('%s from %s: a program of the node passes it on, and how is not shown', (type, source, options) => {
    expect(directionsOf([type, source, options])).toEqual(['unclear'])
    // Privacy of Kerberos and of SMB holds to the server, whatever passes it on.
    const isPrivate = options.replace('sec=sys', 'sec=krb5p').replace('cache=strict', 'cache=strict,seal')
    expect(directionsOf([type, source, isPrivate])).toEqual(['supports'])
  })

  // fs/smb/client/cifsfs.c shows what the client requested (tcon->seal); the server’s own flags encrypt as well (smb3_encryption_required).
  const AZURE =
    'rw,vers=3.1.1,cache=strict,username=clinic,uid=0,noforceuid,gid=0,noforcegid,addr=203.0.113.88,file_mode=0755,dir_mode=0755,soft,persistenthandles,nounix,serverino,mapposix,nosharesock,rsize=1048576,wsize=1048576,bsize=1048576,retrans=1,echo_interval=60,actimeo=30,closetimeo=1'
  test.each([
    ['a share whose server requires encryption on its own, as Azure Files does', AZURE, 'unclear'],
    ['SMB 3.0 of a kernel that shows no version', AZURE.replace('3.1.1', 'default'), 'unclear'],
    ['SMB 3.0', AZURE.replace('3.1.1', '3.0'), 'unclear'],
    ['SMB 2.0, which has no encryption', AZURE.replace('3.1.1', '2.0'), 'contradicts'],
    ['SMB 2.1, which has no encryption', AZURE.replace('3.1.1', '2.1'), 'contradicts'],
    ['the same with seal', `${AZURE},seal`, 'supports'],
  ] as const)('%s', (_, options, expected) => {
    expect(directionsOf(['cifs', '//clinic.file.core.windows.net/share', options])).toEqual([expected])
  })

  test('an address that only begins like a loopback address is another machine', () =>
    expect(directionsOf(['nfs4', '127.example.net:/x', EFS.replaceAll('127.0.0.1', '198.51.100.7')])).toEqual([
      'contradicts',
    ]))

  test('TLS of NFS 4.1 and later counts from kernels that keep to it everywhere', () => {
    const tls = ['nfs4', 's:/x', 'rw,vers=4.1,xprtsec=tls,sec=sys'] as const
    expect(directionsOf(tls, NOT_READ, kernel('5.14.0-503.el9'))).toEqual(['unclear'])
    expect(directionsOf(tls, NOT_READ, kernel('6.17.0'))).toEqual(['supports'])
    expect(directionsOf(tls, NOT_READ, NOT_READ)).toEqual(['unclear'])
    expect(directionsOf(tls, NOT_READ, kernel('x'))).toEqual(['unclear'])
  })

  test('a file system in user space of unknown kind may cross a network; known local ones do not', () => {
    expect(mayCrossNetwork(mountOf('fuse.mergerfs', 'a:b', 'rw'))).toBe(false)
    expect(mayCrossNetwork(mountOf('fuse.goofys', 'bucket', 'rw'))).toBe(true)
    expect(mayCrossNetwork(mountOf('fuse.newthing', 'bucket', 'rw'))).toBe(true)
  })

  describe('Lustre', () => {
    const mount = ['lustre', '198.51.100.40@o2ib:/scratch/group', 'rw,flock'] as const
    const FOLDER = '/sys/kernel/debug/lustre'
    // The form is that of lustre/ptlrpc/sec_lproc.c and of the Lustre Operations Manual.
    const read = (mdc: string, osc: string) =>
      storageLustre.parse({
        flavors: answer(
          `${FOLDER}/mdc/scratch-MDT0000-mdc-ffff8800da9f0800/srpc_info:rpc flavor:\t${mdc}\n${FOLDER}/osc/scratch-OST0000-osc-ffff8800da9f0800/srpc_info:rpc flavor:     ${osc}\n${FOLDER}/mgc/MGC198.51.100.40@o2ib/srpc_info:rpc flavor:\tnull\n`,
          { exitCode: 2, errorText: 'grep: /proc/fs/lustre: No such file or directory\n' },
        ),
      })
    test.each([
      ['skpi', 'skpi', 'supports'],
      ['krb5p', 'krb5p', 'supports'],
      ['krb5p', 'krb5i', 'contradicts'],
      ['null', 'null', 'contradicts'],
      ['ska', 'skpi', 'contradicts'],
      ['skpi', '???', 'unclear'],
    ] as const)('%s and %s: %s', (mdc, osc, expected) =>
      expect(directionsOf(mount, read(mdc, osc))).toEqual([expected]),
    )

    test('nothing read, or only of another file system: not shown', () => {
      expect(directionsOf(mount)).toEqual(['unclear'])
      expect(directionsOf(mount, known({ flavors: [] }))).toEqual(['unclear'])
      expect(directionsOf(['lustre', '1@tcp:/other', 'rw'], read('skpi', 'skpi'))).toEqual(['unclear'])
      const denied = { exitCode: 2, errorText: `grep: ${FOLDER}: Permission denied\n` }
      expect(storageLustre.parse({ flavors: answer('', denied) }).ok).toBe(false)
    })
  })

  test('of the mixed node, each way is named', () => {
    const said = texts('fx-zfs-remote', 'encryption.in-transit.remote-mounts')
    expect(verdict('fx-zfs-remote', 'encryption.in-transit.remote-mounts')).toBe('not-satisfied')
    expect(said.filter((text) => text.startsWith('contradicts: '))).toHaveLength(2)
    expect(said.join('\n')).toContain('connections of Lustre use “null”, where only krb5p and skpi encrypt')
    expect(said.join('\n')).toContain('ms_mode=prefer-secure may fall back')
  })
})

describe('drives over a network', () => {
  const REMOTE = { lists: answer('/sys/class/iscsi_session:\n', { exitCode: 0 }) }
  const values = (text: string) => fact(storageRemote.parse({ ...REMOTE, values: answer(text) })).nvme

  test('NVMe: only tcp with a session key counts as TLS, and a slot is not a network', () => {
    expect(
      values(
        '/sys/class/nvme/nvme0/transport:pcie\n/sys/class/nvme/nvme1/transport:tcp\n/sys/class/nvme/nvme1/tls_key:2f4a90b1\n/sys/class/nvme/nvme2/transport:tcp\n/sys/class/nvme/nvme2/tls_key:00000000\n/sys/class/nvme/nvme3/transport:rdma\n',
      ),
    ).toEqual([
      { name: 'nvme1', transport: 'tcp', hasTls: true },
      { name: 'nvme2', transport: 'tcp', hasTls: false },
      { name: 'nvme3', transport: 'rdma', hasTls: false },
    ])
  })

  const withWays = (nvme: string): Conclusion => {
    const remote = storageRemote.parse({ ...REMOTE, values: answer(nvme) })
    return concludeOn(checkOf('encryption.in-transit.remote-mounts'), 'demo-gpu-01', [[storageRemote.id, remote]])
  }
  test('a controller elsewhere that no mount was seen to use leaves the claim open, and never supports it', () => {
    expect(withWays('').verdict).toBe('not-applicable')
    expect(withWays('/sys/class/nvme/nvme9/transport:tcp\n').verdict).toBe('inconclusive')
    expect(withWays('/sys/class/nvme/nvme9/transport:fc\n').verdict).toBe('inconclusive')
    expect(withWays('/sys/block/drbd0/size:2048\n').verdict).toBe('inconclusive')
    expect(withWays('/sys/block/nbd0/pid:77\n').verdict).toBe('inconclusive')
  })
})

describe('IPsec', () => {
  // The policy was listed by iproute2 6.1 on Debian 12; the associations are written as its ip/ipxfrm.c prints them.
  const POLICIES = `src 10.0.0.0/24 dst 10.1.0.0/24 
\tdir out priority 0 ptype main 
\ttmpl src 192.0.2.1 dst 192.0.2.2
\t\tproto esp reqid 1 mode tunnel
`
  const STATES = `src 192.0.2.1 dst 192.0.2.2
\tproto esp spi 0x00001001 reqid 1 mode tunnel
\treplay-window 0 flag af-unspec
\tauth-trunc hmac(sha256) <<Keys hidden>> 128
\tenc cbc(aes) <<Keys hidden>>
\tencap type espinudp sport 4500 dport 4500 addr 0.0.0.0
\tanti-replay context: seq 0x0, oseq 0x0, bitmap 0x00000000
src 192.0.2.2 dst 192.0.2.1
\tproto ah spi 0x00001002 reqid 1 mode transport
\treplay-window 32 
\tauth-trunc hmac(sha256) <<Keys hidden>> 128
\tsel src 0.0.0.0/0 dst 0.0.0.0/0 
`
  test('protocols, modes and algorithms; no key in what is kept', () => {
    const read = fact(ipsec.parse({ states: answer(STATES), policies: answer(POLICIES) }))
    expect(read).toEqual({
      associations: [
        { protocol: 'esp', mode: 'tunnel', algorithms: ['hmac(sha256)', 'cbc(aes)'] },
        { protocol: 'ah', mode: 'transport', algorithms: ['hmac(sha256)'] },
      ],
      policies: 1,
    })
    expect(JSON.stringify(read)).not.toMatch(/0x|hidden/)
  })

  test('an ip that does not know “nokeys” complains and lists nothing', () => {
    // Printed by iproute2 6.1 for a word that it does not know, with status 255.
    const complaint = answer('', { exitCode: 255, errorText: 'Error: argument "nokeysx" is wrong: unknown\n' })
    expect(ipsec.parse({ states: complaint, policies: answer('') }).ok).toBe(false)
    expect(reason(ipsec.parse({ states: answer('src 1 dst 2\n'), policies: answer('') }))).toContain(
      'an unexpected format',
    )
  })
})

describe('tunnels', () => {
  // As iplink_wireguard has no options to print, only the kind is in linkinfo; wg(8) names the columns.
  test('WireGuard: names and times, no keys', () => {
    const link =
      '[{"ifindex":7,"ifname":"wg0","flags":["POINTOPOINT","NOARP","UP","LOWER_UP"],"mtu":1420,"qdisc":"noqueue","operstate":"UNKNOWN","linkmode":"DEFAULT","group":"default","txqlen":1000,"link_type":"none","promiscuity":0,"min_mtu":0,"max_mtu":2147483552,"linkinfo":{"info_kind":"wireguard"},"num_tx_queues":1}]'
    expect(fact(parseTunnels(link))).toEqual({ wireguard: [{ name: 'wg0', up: true }] })
    const key = `${'A'.repeat(43)}=`
    const read = fact(wireguardPeers.parse({ handshakes: answer(`wg0\t${key}\t1763629000\nwg0\t${key}\t0\n`) }))
    expect(read).toEqual({
      peers: [
        { interface: 'wg0', lastHandshake: 1763629000 },
        { interface: 'wg0', lastHandshake: 0 },
      ],
    })
    // `wg show all dump` has the private key in its second column.
    expect(wireguardPeers.parse({ handshakes: answer(`wg0\t${key}\t${key}\t51820\toff\n`) }).ok).toBe(false)
  })

  test('no command asks for keys', () => {
    const asked = [ipsec, wireguardPeers, vpnInterfaces].flatMap(({ commands }) =>
      Object.values(commands).map((command) => argvOf(command).join(' ')),
    )
    expect(asked.sort()).toEqual([
      'ip -d -j link show type wireguard',
      'ip xfrm policy list',
      'ip xfrm state list nokeys',
      'wg show all latest-handshakes',
    ])
  })

  // As macsec_print_opt of iproute2 6.1 prints it with -j.
  const macsec = (encrypt: boolean, protect = true): string =>
    `[{"ifindex":9,"link":"ens1f0","ifname":"macsec0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"linkinfo":{"info_kind":"macsec","info_data":{"sci":"04421a0000010001","protect":${protect},"cipher":"GCM-AES-256","icvlen":16,"encodingsa":0,"validate":"strict","encrypt":${encrypt},"send_sci":true,"end_station":false,"scb":false,"replay":false}}}]`
  const links = (text: string, exitCode = 0, classes = 'infiniband\nnet') =>
    fact(
      parseRdmaLinks(
        `/sys/class:\n${classes}\n\n/sys/class/infiniband:\nmlx5_0\n`,
        '/sys/class/infiniband/mlx5_0/ports/1/link_layer:Ethernet\n/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE\n/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0:macsec0\n',
        { exitCode, text },
      ),
    )
  test('MACsec encrypts only with both “encrypt” and “protect”', () => {
    expect(links(macsec(true)).encryptingMacsec).toEqual(['macsec0'])
    expect(links(macsec(false))).toMatchObject({ encryptingMacsec: [], clearMacsec: ['macsec0'] })
    expect(links(macsec(true, false)).encryptingMacsec).toEqual([])
    expect(links(macsec(true), 1)).toMatchObject({ encryptingMacsec: [], clearMacsec: null })
  })

  const fabric = (read: ReturnType<typeof links>, direct?: Parsed<unknown>): Conclusion =>
    concludeOn(checkOf('encryption.in-transit.fabric'), 'demo-gpu-01', [
      ['rdma.links', known(read)],
      ...(direct === undefined ? [] : [[rdmaGpudirect.id, direct] as const]),
    ])
  test('a fabric is clear unless encryption is shown', () => {
    const covered = links(macsec(true))
    const [port] = covered.ports
    if (port === undefined) throw new Error('no port')
    const as = (rest: Partial<typeof port>) => fabric({ ...covered, ports: [{ ...port, ...rest }] })
    expect(fabric(covered).verdict).toBe('satisfied')
    expect(fabric(links('')).verdict).toBe('not-satisfied')
    expect(as({ interfaces: [] }).verdict).toBe('not-satisfied')
    expect(as({ linkLayer: 'InfiniBand' }).verdict).toBe('not-satisfied')
    expect(as({ linkLayer: 'Unspecified', device: 'rdmap0s6' }).observations[0]?.text).toContain('EFA')
    expect(as({ linkLayer: '' }).verdict).toBe('inconclusive')
    expect(as({ active: false }).verdict).toBe('not-applicable')
  })

  // drivers/net/ethernet/mellanox/mlx5/core/dev.c makes an RDMA device of every ConnectX adapter; so do bnxt_re and irdma of theirs.
  test('an adapter that offers RDMA over Ethernet shows no use of it', () => {
    const none = known({ modules: [], hasStorageDriver: false })
    const unused = fabric(links(''), none)
    expect([unused.verdict, unused.observations[0]?.text]).toEqual([
      'inconclusive',
      expect.stringContaining('whether programs use it is not shown'),
    ])
    expect(fabric(links(''), NOT_READ).verdict).toBe('inconclusive')
    expect(fabric(links(''), known({ modules: ['nvidia_peermem'], hasStorageDriver: false })).verdict).toBe(
      'not-satisfied',
    )
    expect(fabric(links(macsec(true)), none).verdict).toBe('satisfied')
    const [port] = links('').ports
    if (port === undefined) throw new Error('no port')
    expect(fabric({ ...links(''), ports: [{ ...port, linkLayer: 'InfiniBand' }] }, none).verdict).toBe('not-satisfied')
  })

  test('Slingshot is no RDMA port, and is not passed over', () => {
    const slingshot = { ...links('', 0, 'cxi\ninfiniband\nnet'), ports: [] }
    expect(slingshot.hasSlingshot).toBe(true)
    expect(fabric(slingshot).verdict).toBe('inconclusive')
    expect(fabric({ ...slingshot, hasSlingshot: false }).verdict).toBe('not-applicable')
  })
})

describe('listeners', () => {
  test.each([
    ['tcp', 'clear', [21, 23, 80, 111, 513, 514, 873, 2375, 5900, 6379, 8080, 8265, 8888, 10255, 11211, 29500]],
    ['udp', 'clear', [69, 111, 514, 4789, 11211]],
    ['tcp', 'optional', [25, 110, 143, 389, 2049, 2379, 3306, 5432, 9090, 9100, 9200, 9400, 27017]],
    ['tcp', 'encrypted', [443, 2376, 6443, 10250]],
  ] as const)('%s, %s by convention', (protocol, kind, ports) => {
    const kinds = ports.map((port) => [port, conventionOf(protocol, port)?.kind])
    const vnc = (port: number) => (port === 5900 ? 'optional' : kind)
    expect(kinds).toEqual(ports.map((port) => [port, vnc(port)]))
  })

  // Exporters and Prometheus use TLS where their settings name a certificate, and Cockpit on 9090 always offers it.
  test.each([
    ['not asked', null, 'unclear'],
    ['HTTP', { outcome: 'plain', greeting: 'http' }, 'contradicts'],
    ['TLS', { outcome: 'tls', greeting: '' }, 'supports'],
  ] as const)('a port of metrics: %s', (_, seen, direction) => {
    const listener: Listener = {
      protocol: 'tcp',
      address: '0.0.0.0',
      interface: null,
      port: 9100,
      loopback: false,
      processes: [],
      pids: [],
    }
    expect(argueListener(listener, seen as TlsPort | null, 22).direction).toBe(direction)
  })

  // kubernetes.io, “Ports and Protocols”: kube-proxy listens on every address at 10256, in clear text, for its own health alone.
  test.each([
    [['kube-proxy'], 'supports'],
    [['python3'], 'contradicts'],
    [['kube-proxy', 'python3'], 'contradicts'],
    [[], 'contradicts'],
  ] as const)('the port of health of Kubernetes, held by %j: %s', (processes, direction) => {
    const [listener] = fact(parseListeners('tcp LISTEN 0 4096 *:10256 *:*\n')).listeners
    if (listener === undefined) throw new Error('no socket')
    const seen = { outcome: 'plain', greeting: 'http' } as TlsPort
    expect(argueListener({ ...listener, processes }, seen, 22).direction).toBe(direction)
  })

  // UDP is not queried. On 443 it may be QUIC, DTLS or OpenVPN, and as well STUN and TURN, which are clear text (coturn, listening-port).
  test.each([
    [443, ['nginx', 'nginx'], 'supports'],
    [443, ['ocserv-main'], 'supports'],
    [443, ['turnserver'], 'unclear'],
    [443, ['docker-proxy'], 'unclear'],
    [443, [], 'unclear'],
    [51820, [], 'supports'],
    [4500, ['charon'], 'supports'],
    [853, ['unbound'], 'unclear'],
    [4433, ['openssl'], 'unclear'],
  ] as const)('udp/%i of %j: %s', (port, processes, expected) => {
    const [listener] = fact(parseListeners(`udp UNCONN 0 0 0.0.0.0:${port} 0.0.0.0:*\n`)).listeners
    if (listener === undefined) throw new Error('no socket')
    expect(argueListener({ ...listener, processes }, null, 22).direction).toBe(expected)
  })

  test('loopback in its forms', () => {
    const { listeners } = fact(
      parseListeners(
        'tcp LISTEN 0 5 127.0.0.53%lo:53 0.0.0.0:*\ntcp LISTEN 0 5 [::1]:631 [::]:*\ntcp LISTEN 0 5 [::ffff:127.0.0.1]:6379 *:*\ntcp LISTEN 0 5 10.0.0.5%lo:1 0.0.0.0:*\ntcp LISTEN 0 5 [fe80::1]%eth0:8888 [::]:*\ntcp LISTEN 0 5 *:22 *:*\n',
      ),
    )
    expect(listeners.map(({ loopback }) => loopback)).toEqual([true, true, true, true, false, false])
  })

  test('the port mapper, its services, containers and jobs are distinguished', () => {
    const said = texts('fx-transit-weak', 'encryption.in-transit.plaintext-listeners')
    const about = (port: string) => said.find((text) => text.includes(port)) ?? ''
    expect(about('tcp/111 ')).toMatch(/^contradicts: .*RPC port mapper, which is clear text\.$/)
    expect(about('udp/43657')).toMatch(/^contradicts: .*process rpc\.statd: a service of ONC RPC/)
    expect(about('tcp/18080')).toMatch(/^unclear: .*a container is published there\.$/)
    expect(said.some((text) => text.includes('9400'))).toBe(false)
    expect(texts('fx-transit-open', 'encryption.in-transit.plaintext-listeners').join('\n')).toMatch(
      /45123.*\(NCCL, MPI\) send in clear/,
    )
  })
})
