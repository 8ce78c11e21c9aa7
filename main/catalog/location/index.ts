import type { AddressDatabase } from '../../../schemas/types.ts'
import { quote } from '../../core/base/plain-text.ts'
import { compare } from '../../core/recording/recording.ts'
import { type Context, type DraftObservation, defineCheck, unclearAbout } from '../../core/rules/check.ts'
import { count, decide, named, stepOn, supports, unclear } from '../base/steps.ts'
import { defineSubject } from '../base/subject.ts'
import { isNetworkMount, mountKind } from '../data-protection/mounts/kinds.ts'
import { type Mount, type RemoteStorage, storageMounts, storageRemote } from '../data-protection/mounts/probes.ts'
import { proxySettings, proxySteps } from '../data-protection/network/flows.ts'
import { netRoutes, type Route } from '../data-protection/network/links.ts'
import { vpnInterfaces } from '../data-protection/vpn/probes.ts'
import { type Disk, inventoryDisks } from '../hardware/drives/inventory.ts'
import { backupSettings, backupUnits } from '../operations/backup/probes.ts'
import { nonceEcho } from '../operations/evidence/probes.ts'
import { attachmentOf, type DriveBus, serviceOf } from '../single-tenancy/isolation/disk-attachment.ts'
import { policiesFor, policyQuestion } from './answers.ts'
import data from './checks.json' with { type: 'json' }
import {
  locationLocaleHints,
  locationProviderClaim,
  locationResidency,
  locationRttBound,
  locationSiteRecord,
  locationTpmGeotag,
} from './checks.ts'
import { publicAddresses, serversOf, settledTime } from './peers.ts'
import {
  dnsSearch,
  identityDocument,
  metadataAws,
  metadataAzure,
  metadataGcp,
  metadataHetzner,
  metadataOci,
  metadataVultr,
  timezone,
  tpmTag,
} from './probes.ts'
import {
  countriesOf,
  databasesIndicate,
  type Found,
  frontEnd,
  onlyFacts,
  registryOf,
  registrySignals,
  type StatedCountry,
} from './registry.ts'

/** Names that tunnels usually have; the kernel lets anyone choose others. */
const TUNNEL = /^(tun|tap|wg|ppp|ipsec|gre|gretap|sit|ip6tnl|vti|xfrm|tailscale|zt|utun|nebula)[a-z0-9._-]*$/

const locationEgressPath = defineCheck({
  id: 'location.egress-path',
  property: 'location',
  expected: 'The path of outgoing traffic from this server, as the server itself reports it, is recorded.',
  ends: 'recorded',
  limitations:
    'The server’s own view at one moment: its default routes, tunnels and proxies. Rules of policy routing and other network namespaces are not in it, and neither is what happens behind the first gateway. The address of the node as observed from outside is not visible from here.',
  requires: { routes: netRoutes },
  optional: { vpn: vpnInterfaces, proxies: proxySettings },
  evaluate({ routes }, { vpn, proxies }) {
    const all = [...routes.ipv4, ...routes.ipv6]
    const devices = new Set(all.flatMap(({ device }) => device ?? []))
    const tunnels = [...devices].filter((device) => TUNNEL.test(device)).sort(compare)
    return {
      verdict: 'informational',
      observations: [
        exits('IPv4', routes.ipv4),
        exits('IPv6', routes.ipv6),
        ...(tunnels.length === 0
          ? [supports('No route leads into an interface with the usual name of a tunnel.', netRoutes)]
          : [supports(`Routes lead into tunnels by their name: ${named(tunnels)}.`, netRoutes)]),
        ...(vpn.ok
          ? [
              supports(
                vpn.fact.wireguard.length === 0
                  ? 'There is no WireGuard interface.'
                  : `WireGuard interfaces: ${named(vpn.fact.wireguard.map(({ name }) => name))}.`,
                vpnInterfaces,
              ),
            ]
          : unclearAbout(vpnInterfaces, vpn)),
        ...proxySteps(proxies),
      ],
    }
  },
})

function exits(family: string, routes: readonly Route[]): DraftObservation {
  const defaults = routes.filter(({ to, drops }) => to === 'default' && drops === null)
  if (defaults.length === 0) return unclear(`There is no default route for ${family}.`, netRoutes)
  const ways = defaults.map(({ via, device }) => `${via ?? 'the link itself'} on ${device ?? 'no named interface'}`)
  return supports(`${count(ways.length, 'default route')} for ${family}: ${named(ways)}.`, netRoutes)
}

export const locationIpRegistry = defineCheck({
  id: 'location.ip-registry',
  property: 'location',
  expected: 'Databases of at least two provenances place the public address of this server in the declared country.',
  limitations:
    'Third-party statements about an address: where it is registered, announced or was last observed, never where a machine is located. Such databases copy each other and are often wrong; anycast, tunnels and front ends show another place. It concerns the address by which the server was reached, and needs databases that the user supplied.',
  requires: { echo: nonceEcho },
  evaluate({ echo }, _, context) {
    const facts = onlyFacts({ echo: { ok: true, fact: echo } })
    const declared = context.node.location?.country
    const databases = context.location?.databases ?? []
    const undecided = (text: string, more: readonly DraftObservation[] = []) =>
      ({ verdict: 'inconclusive', observations: [unclear(text, null), ...more] }) as const
    if (databases.length === 0) return undecided('No database of addresses was given.')
    if (!publicAddresses(facts, context).some(({ how }) => how !== 'own'))
      return undecided('The address by which the server was reached is not public, so that no database knows it.')
    if (frontEnd(settledTime(echo), echo.path)?.exceeds === true)
      return undecided('Something nearer than the node opens the TCP connection, so that the address may be of that.')
    const signals = registrySignals(facts, context)
    const observed = (isFor: (country: string) => DraftObservation['direction']): readonly DraftObservation[] =>
      signals.map(({ text, country, hint, probe }) => {
        const direction = country === null || hint ? 'unclear' : isFor(country)
        return { direction, text, probe }
      })
    if (declared === undefined)
      return undecided(
        'No country was declared for this node.',
        observed(() => 'unclear'),
      )
    const observations = observed((country) => (country === declared ? 'supports' : 'contradicts'))
    switch (allIndicate(signals, declared, context)) {
      case 'inside':
        return { verdict: 'satisfied', observations: observations.filter(({ direction }) => direction === 'supports') }
      case 'outside':
        return { verdict: 'not-satisfied', observations }
      case 'undecided':
        return undecided(
          `Two databases of different provenance that agree, with none against them, would decide about ${quote(declared)}; these do not.`,
          observations,
        )
    }
  },
})

/** Whether two databases decide for every single address; all results must agree. */
function allIndicate(
  signals: readonly Found[],
  declared: string,
  context: Context,
): 'inside' | 'outside' | 'undecided' {
  const byAddress = new Map<number, StatedCountry[]>()
  for (const { id, hint, country, text } of signals) {
    const from = registryOf(id, context)
    if (from === null || hint || country === null) continue
    byAddress.set(from.address, [...(byAddress.get(from.address) ?? []), { source: from.source, country, text }])
  }
  const [first = 'undecided', ...others] = [...byAddress.values()].map((countries) =>
    databasesIndicate(countries, (country) => country === declared),
  )
  return others.every((one) => one === first) ? first : 'undecided'
}

export const locationStorageEndpoints = defineCheck({
  id: 'location.storage-endpoints',
  property: 'location',
  expected:
    'Databases of at least two provenances place every endpoint of remote storage of this server in an allowed country.',
  limitations:
    'The server’s own view at one moment, and third-party statements about addresses. Behind an address, data may be stored, copied and backed up elsewhere. Object stores used by programs, and targets of backup tools, are not covered. Allowed are the countries of the data-residency policies, or the declared country where there is none.',
  requires: { mounts: storageMounts },
  optional: { remote: storageRemote, disks: inventoryDisks, settings: backupSettings, units: backupUnits },
  evaluate({ mounts }, { remote, disks, settings, units }, context) {
    const isAllowed = allowedBy(context)
    const databases = context.location?.databases ?? []
    const judged = (probe: DraftObservation['probe'], name: string, addresses: readonly string[]): DraftObservation =>
      endpoint({ probe, name, addresses, databases, asOf: context.asOf, isAllowed })
    const remotely = mounts.mounts
      .filter(isNetworkMount)
      .map((mount) => judged(storageMounts.id, mount.point, serversOf(mount)))
    const drives = remote.ok
      ? remote.fact.iscsi.map(({ portal, session }) => judged(storageRemote.id, session, [portal]))
      : unclearAbout(storageRemote, remote)
    const because = [
      ...remotely,
      ...drives,
      ...(remote.ok ? withoutAddress(remote.fact) : []),
      ...ofPrograms(mounts.mounts),
      ...(disks.ok ? ofProviders(disks.fact.disks) : unclearAbout(inventoryDisks, disks)),
      ...(settings.ok ? backups(settings.fact.files, backupSettings) : unclearAbout(backupSettings, settings)),
      ...(units.ok
        ? backups(
            units.fact.units.map(({ unit }) => unit),
            backupUnits,
          )
        : unclearAbout(backupUnits, units)),
    ]
    if (because.length > 0) return decide(because)
    const text = `${mounts.mounts.length} mounts were read; none is a network file system, no drive of another machine or of the provider’s storage is attached, and no backup tool is configured.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts)] }
  },
})

type Allowed = ((country: string) => boolean) | null

/** Every policy must allow a country. A policy that draws an area names none, so that nothing is decided by it. */
function allowedBy({ node, location }: Context): Allowed {
  const policies = policiesFor(node.name, location?.residency ?? []).map(policyQuestion)
  const regions = policies.map(({ asked }) => (asked.ok ? asked.value.region : null))
  const declared = node.location?.country
  if (regions.length === 0) return declared === undefined ? null : (country) => country === declared
  const codes = regions.map((region) => (region?.kind === 'countries' ? new Set(region.codes) : null))
  return codes.includes(null) ? null : (country) => codes.every((allowed) => allowed?.has(country) === true)
}

interface Endpoint {
  readonly probe: DraftObservation['probe']
  readonly name: string
  /** As the kernel names them: names and addresses that are not public are placed by no one. */
  readonly addresses: readonly string[]
  readonly databases: readonly AddressDatabase[]
  readonly asOf: string
  readonly isAllowed: Allowed
}

function endpoint({ probe, name, addresses, databases, asOf, isAllowed }: Endpoint): DraftObservation {
  const answers = addresses.map((address) => {
    const countries = countriesOf(address, databases, asOf)
    return {
      texts: countries.map(({ text }) => text),
      is: isAllowed === null ? 'undecided' : databasesIndicate(countries, isAllowed),
    }
  })
  const texts = answers.flatMap((one) => one.texts)
  const statement = `${quote(name)} is remote storage. ${texts.length === 0 ? 'No database with data from the last year names a country for its address.' : texts.join(' ')}`
  if (answers.some(({ is }) => is === 'outside'))
    return { direction: 'contradicts', text: `${statement} That is not allowed.`, probe }
  if (answers.length > 0 && answers.every(({ is }) => is === 'inside'))
    return { direction: 'supports', text: statement, probe }
  const why = isAllowed === null ? ' No allowed country was declared.' : ''
  return { direction: 'unclear', text: `${statement}${why}`, probe }
}

/** Ways to other machines whose other end the kernel does not show as an address. */
function withoutAddress({ fibreChannel, srp, rbd, nbd, drbd, nvme }: RemoteStorage): readonly DraftObservation[] {
  const names = [
    ...fibreChannel.filter(({ state }) => state === 'Online').map(({ host }) => host),
    ...srp,
    ...rbd.map(({ pool, image }) => `${pool}/${image}`),
    ...nbd,
    ...drbd,
    ...nvme.filter(({ transport }) => transport !== 'loop').map(({ name }) => name),
  ]
  return names.length === 0
    ? []
    : [unclear(`Drives of other machines without an address to look up: ${named(names)}.`, storageRemote)]
}

/** File systems of programs that this catalog does not know: such a program chooses its own type (mount.fuse(8), “subtype”). */
const ofPrograms = (mounts: readonly Mount[]): readonly DraftObservation[] =>
  stepOn(
    unclear,
    'File systems without a drive, of which it is not known where their storage is',
    mounts.filter((mount) => mountKind(mount) === 'other').map(({ point, fsType }) => `${point} (${fsType})`),
    storageMounts,
  )

const PARAVIRTUAL: ReadonlySet<DriveBus> = new Set(['virtio', 'virtio-mmio', 'xen', 'hyper-v'])

/** Drives of which the storage can be anywhere in a provider’s network: volumes of its service, and what a hypervisor presents. */
const ofProviders = (disks: readonly Disk[]): readonly DraftObservation[] =>
  stepOn(
    unclear,
    'Drives that the provider presents, of which it is not shown where their storage is',
    disks.filter((disk) => serviceOf(disk) !== null || PARAVIRTUAL.has(attachmentOf(disk))).map(({ name }) => name),
    inventoryDisks,
  )

const backups = (
  names: readonly string[],
  probe: typeof backupSettings | typeof backupUnits,
): readonly DraftObservation[] =>
  names.length === 0
    ? []
    : [unclear(`A backup tool is configured (${named(names, 4)}); where it writes was not read.`, probe)]

export const locationSubject = defineSubject({
  id: 'location',
  title: 'Location',
  probes: [
    identityDocument,
    dnsSearch,
    timezone,
    tpmTag,
    metadataAws,
    metadataGcp,
    metadataAzure,
    metadataOci,
    metadataVultr,
    metadataHetzner,
  ],
  checks: [
    locationRttBound,
    locationResidency,
    locationProviderClaim,
    locationSiteRecord,
    locationIpRegistry,
    locationEgressPath,
    locationStorageEndpoints,
    locationTpmGeotag,
    locationLocaleHints,
  ],
  data,
})
