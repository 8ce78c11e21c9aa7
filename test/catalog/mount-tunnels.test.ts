import { describe, expect, test } from 'vitest'
import { parseMountinfo, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { netRoutes, type Route } from '../../main/catalog/data-protection/network/links.ts'
import { ipsec, vpnInterfaces } from '../../main/catalog/data-protection/vpn/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import { fact } from '../support/answers.ts'
import { changed, overDeclared, stepText } from '../support/concluded.ts'

/** File systems in clear text by their own options, whose server is behind a tunnel. */

const NFS = (addr: string, sec = 'sys') =>
  `95 1 0:60 / /mnt/ephi rw,relatime shared:310 - nfs4 filer:/ephi rw,vers=4.2,proto=tcp,sec=${sec},clientaddr=10.8.0.2,addr=${addr}`
const route = (to: string, device: string, drops: string | null = null): Route => ({ to, via: null, device, drops })
const LAN = [route('default', 'eth0'), route('192.0.2.0/24', 'eth0')]
const state = (...algorithms: readonly string[]) => ({
  associations: [{ protocol: 'esp', mode: 'transport', algorithms }],
  policies: 2,
})

interface Given {
  readonly row?: string
  readonly up?: boolean
  readonly ipv4?: readonly Route[]
  readonly ipv6?: readonly Route[]
  readonly esp?: ReturnType<typeof state>
}

function over(id: string, { row = NFS('10.8.0.1'), up = true, ipv4 = LAN, ipv6 = [], esp }: Given) {
  const more = fact(parseMountinfo(`1 0 8:1 / / rw - ext4 /dev/sda1 rw\n${row}\n`)).mounts.slice(1)
  return overDeclared(
    { ephiPaths: ['/mnt/ephi'], ephiFlows: [{ port: 8443, protocol: 'tcp', name: 'studies' }] },
    id,
    // Below the root of the model node, so that a path leads there.
    changed(storageMounts, ({ mounts }) => ({
      mounts: [
        ...mounts,
        ...more.map((mount) => ({ ...mount, parent: mounts.find(({ point }) => point === '/')?.id ?? '' })),
      ],
    })),
    [vpnInterfaces, known({ wireguard: [{ name: 'wg0', up }] })],
    [netRoutes, known({ ipv4, ipv6 })],
    [ipsec, known(esp ?? { associations: [], policies: 0 })],
  )
}

const WG = route('10.8.0.0/24', 'wg0')

describe.each(['encryption.in-transit.remote-mounts', 'encryption.in-transit.ephi-flows'])('%s', (id) => {
  test.each<readonly [string, Given]>([
    ['no tunnel', {}],
    ['a tunnel to another network', { row: NFS('192.0.2.9'), ipv4: [...LAN, WG] }],
    ['a tunnel that is down', { up: false, ipv4: [...LAN, WG] }],
    ['a more specific route past it', { ipv4: [...LAN, WG, route('10.8.0.1', 'eth0')] }],
    ['a second route of the same length past it', { ipv4: [...LAN, WG, route('10.8.0.0/24', 'eth1')] }],
    ['IPsec that encrypts nothing', { esp: state('ecb(cipher_null)') }],
  ])('%s: clear text', (_, given) => expect(stepText(over(id, given))).toContain('contradicts: '))

  test.each<readonly [string, Given]>([
    ['WireGuard', { ipv4: [...LAN, WG] }],
    ['WireGuard as the default route', { ipv4: [route('default', 'wg0')] }],
    ['WireGuard over IPv6', { row: NFS('2001:db8:8::1'), ipv6: [route('2001:db8:8::/64', 'wg0')] }],
    ['IPsec', { esp: state('rfc4106(gcm(aes))') }],
  ])('%s: open', (_, given) => {
    const conclusion = over(id, given)
    expect(conclusion.verdict).toBe('inconclusive')
    expect(stepText(conclusion)).toMatch(/unclear: .*neither sec=krb5p nor xprtsec is set\. (Its server|The kernel)/)
  })

  test('what the mount encrypts itself is supported with and without', () =>
    expect(stepText(over(id, { row: NFS('10.8.0.1', 'krb5p'), ipv4: [...LAN, WG] }))).toContain(
      'encrypts its traffic: sec=krb5p.',
    ))
})
