import type { DeclaredFlow } from '../../../../schemas/types.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { isKnownSuite, suiteWeakness } from '../../../core/tls/client-hello.ts'
import { count, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { osIdentity } from '../../hardware/machine/identity.ts'
import { type Lsblk, storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import {
  mountRoots,
  quoted,
  type Root,
  readStorage,
  root,
  STORAGE_WANTS,
  type Storage,
  swapRoots,
} from '../disk-encryption/roots.ts'
import { FORWARDING, forwardedSteps } from '../listeners/forwarded.ts'
import { argueListener, reachableSockets, seenAt } from '../listeners/index.ts'
import { type Listener, listenerProcesses, networkListeners } from '../listeners/probes.ts'
import { valuesOf } from '../mounts/kinds.ts'
import { type Mount, type RemoteStorage, storageLustre, storageMounts, storageRemote } from '../mounts/probes.ts'
import {
  argueDrive,
  argueMount,
  leafOf,
  type MountEvidence,
  mayCrossNetwork,
  onDemand,
  otherWays,
} from '../mounts/remote.ts'
import { mayUseIpsec, TUNNEL_WANTS, type Tunnels, tunnelAt } from '../mounts/tunnels.ts'
import { netRoutes } from '../network/links.ts'
import { type SshServer, type SshServers, sshServers } from '../ssh-encryption/probes.ts'
import { socketName } from '../tls/index.ts'
import { type TlsListeners, type TlsPort, targetOf, tlsListeners } from '../tls/probes.ts'
import { ipsec, type VpnInterfaces, vpnInterfaces } from '../vpn/probes.ts'
import data from './checks.json' with { type: 'json' }
import {
  type EphiPlace,
  encryptionAtRestEphiPaths,
  ephiPlace,
  inventoryEphiPaths,
  mountsOf,
  workingDirectories,
} from './paths.ts'

/** Evidence on whether a socket is protected. */
interface FlowEvidence {
  readonly tls: Parsed<TlsListeners>
  readonly ssh: Parsed<SshServers>
  readonly tunnels: Tunnels
}

/** RoCE v2 (IBTA Annex A17): the packets of a fabric, which a documented boundary decision has to cover. */
const isFabricPort = ({ protocol, port }: Pick<Listener, 'protocol' | 'port'>): boolean =>
  protocol === 'udp' && port === 4791

/**
 * Steps about one declared flow: one for each socket at its port. Only what was observed counts for it: a response of TLS (RFC 8446, 5246),
 * the proposal of an SSH server (RFC 4253), or a binding to a WireGuard interface. That a port is encrypted by convention does not.
 */
function argueFlow(
  flow: DeclaredFlow,
  listeners: readonly Listener[],
  evidence: FlowEvidence,
  sshPort: number,
): readonly DraftObservation[] {
  const name = `Declared ePHI flow ${quote(flow.name)} (${flow.protocol}/${flow.port})`
  if (isFabricPort(flow))
    return [
      unclear(
        `${name} is RDMA over a fabric, which this check does not decide; the documented boundary decision for the fabric has to cover it.`,
        null,
      ),
    ]
  const own = listeners.filter(({ protocol, port }) => protocol === flow.protocol && port === flow.port)
  const reachable = own.filter(({ loopback }) => !loopback)
  if (own.length === 0)
    return [unclear(`${name}: no socket listens on this port, so its protection was not observed.`, networkListeners)]
  if (reachable.length === 0)
    return [
      unclear(
        `${name}: only the loopback interface is listened on, so how other machines reach it was not observed.`,
        networkListeners,
      ),
    ]
  return reachable.map((listener) => argueSocket(name, listener, evidence, sshPort))
}

function argueSocket(name: string, listener: Listener, evidence: FlowEvidence, sshPort: number): DraftObservation {
  const seen = seenAt(evidence.tls, listener)
  const where = `${name}: ${socketName(listener)}`
  const tunnel = tunnelOf(listener, evidence.tunnels.vpn)
  // socket(7), SO_BINDTODEVICE: only packets that arrive by that interface are taken.
  if (tunnel !== null)
    return supports(`${where} is bound to the WireGuard interface ${quote(tunnel)}, which is up.`, vpnInterfaces)
  if (seen?.outcome === 'tls') return argueTls(where, seen)
  const server = listener.protocol === 'tcp' ? sshAt(evidence.ssh, listener) : null
  if (server !== null && server.offer !== null)
    return server.isMixed
      ? unclear(`${where}: one connection reached another SSH server than the next.`, sshServers)
      : supports(`${where} responded with the SSH key exchange${versionOf(server)}.`, sshServers)
  if (seen?.greeting === 'ssh') return supports(`${where} responded as SSH, which is encrypted.`, tlsListeners)
  const step = argueListener(listener, seen, sshPort)
  const text = `${name}: ${step.text}`
  if (step.direction === 'contradicts') {
    const at = tunnelAt(listener.address, evidence.tunnels)
    if (at !== null)
      return unclear(
        `${text} Its address is on the network of the WireGuard interface ${quote(at)}; whether packets for it arrive by other interfaces as well is not read.`,
        netRoutes,
      )
    return mayUseIpsec(evidence.tunnels.associations)
      ? unclear(
          `${text} The kernel holds IPsec policies and encrypting associations; whether they cover this flow is not read.`,
          ipsec,
        )
      : { ...step, text }
  }
  return step.direction === 'unclear' ? { ...step, text } : unclear(`${text} That was not observed.`, networkListeners)
}

const versionOf = ({ version }: SshServer): string => (version === '' ? '' : ` (${plain(version, 60)})`)

/** The suites of TLS that NIST SP 800-52 rev. 2 refuses, and versions before 1.2, leave the flow open: `tls-listeners` evaluates them. */
function argueTls(where: string, { accepted }: TlsPort): DraftObservation {
  const sound = accepted.filter(
    ({ version, suite }) => /^TLS 1\.[23]$/.test(version) && isKnownSuite(suite) && suiteWeakness(suite) === null,
  )
  return sound.length > 0
    ? supports(
        `${where} responded with ${[...new Set(sound.map(({ version }) => version))].join(' and ')}.`,
        tlsListeners,
      )
    : unclear(
        `${where} responded with TLS, but chose no version from 1.2 on with a suite that NIST SP 800-52 allows; encryption.in-transit.tls-listeners tests that.`,
        tlsListeners,
      )
}

/** The WireGuard interface that a socket is bound to, where that is up. */
const tunnelOf = ({ interface: bound }: Listener, vpn: Parsed<VpnInterfaces>): string | null =>
  bound !== null && vpn.ok && vpn.fact.wireguard.some(({ name, up }) => name === bound && up) ? bound : null

/** The SSH server that replied at a socket; by the other family where a service listens on all addresses of both. */
function sshAt(ssh: Parsed<SshServers>, listener: Listener): SshServer | null {
  if (!ssh.ok) return null
  const { host, port } = targetOf(listener)
  for (const one of host === '::1' ? [host, '127.0.0.1'] : [host]) {
    const at = (found: { readonly host: string; readonly port: number }): boolean =>
      found.host === one && found.port === port
    if (ssh.fact.passed.some(at)) return null
    const server = ssh.fact.servers.find(at)
    if (server !== undefined) return server
  }
  return null
}

/** Evidence of how data reaches other systems through storage. */
interface CarrierEvidence extends MountEvidence {
  readonly lsblk: Parsed<Lsblk>
  readonly remote: Parsed<RemoteStorage>
}

/**
 * Storage as a way of ePHI over the network. Mounts and drives of declared paths decide, by the rules of `remote-mounts`. Others count
 * where `isWhole`, because which of them carries ePHI was not declared; what is clear there leaves the result inconclusive. A clear fabric
 * never decides.
 */
function carrierSteps(
  storage: Storage,
  places: readonly EphiPlace[],
  evidence: CarrierEvidence,
  isWhole: boolean,
): readonly DraftObservation[] {
  const declared = new Set(places.flatMap(mountsOf))
  const considered = storage.mounts.filter((mount) => mayCrossNetwork(mount) && (isWhole || declared.has(mount)))
  const own = [...declared]
    .filter((mount) => !mayCrossNetwork(mount))
    .map((mount) => root(`${quoted(mount.point)}, which holds a declared ePHI path,`, storage.mount(mount)))
  const others = isWhole ? [...mountRoots(storage, (mount) => !declared.has(mount)), ...swapRoots(storage)] : []
  const drives = [...own, ...others].filter(({ walked }) => walked.remote)
  const decide = (
    isDeclared: boolean,
    isFabric: boolean,
    steps: readonly DraftObservation[],
  ): readonly DraftObservation[] =>
    steps.map((step) =>
      step.direction !== 'contradicts' || (isDeclared && !isFabric)
        ? step
        : {
            ...step,
            direction: 'unclear',
            text: isFabric
              ? `${step.text} It uses RDMA, which the documented boundary decision for the fabric has to cover.`
              : `${step.text} Whether it holds ePHI is not declared.`,
          },
    )
  const steps = [
    ...places
      .filter(({ mount }) => mount === null)
      .map(({ path, why }) => unclear(`Declared ePHI path ${quoted(path)}: ${why}.`, storageMounts)),
    ...considered.flatMap((mount) =>
      decide(declared.has(mount), usesFabric(mount), argueMount(mount, evidence)).map((step) =>
        declared.has(mount) ? { ...step, text: `Holds a declared ePHI path: ${step.text}` } : step,
      ),
    ),
    ...drives.flatMap((drive) =>
      decide(own.includes(drive), isFabricDrive(drive, evidence.remote), [argueDrive(drive, evidence.remote)]),
    ),
    ...own.filter(({ walked }) => !walked.remote).flatMap(unfollowed),
    ...(evidence.remote.ok ? otherWays(evidence.remote.fact, drives) : unclearAbout(storageRemote, evidence.remote)),
    ...(isWhole ? onDemand(storage.mounts) : []),
    ...(evidence.lsblk.ok ? [] : [unclear('How the drives are attached was not read.', storageMounts)]),
  ]
  if (steps.length > 0) return steps
  const text = isWhole
    ? `${count(storage.mounts.length, 'mount')} were read; none is a network file system, and no drive below them is attached over a network.`
    : 'No declared ePHI path is on a network file system or on a drive that is attached over a network.'
  return [supports(text, storageMounts)]
}

/** A mount that leads to another system by a layer between, such as an image on NFS, or to a place that is not known. */
const unfollowed = ({ name, walked: { outcome, why, path } }: Root): readonly DraftObservation[] =>
  outcome === 'external-unverified' || outcome === 'unknown'
    ? [unclear(`${name} was not followed to a drive of this server: ${why}. Path: ${path.join(' → ')}.`, storageMounts)]
    : []

/** nfs(5) proto=, mount.cifs(8) rdma, v9fs trans=, and networks of Lustre (o2ib is InfiniBand or RoCE). */
const usesFabric = (mount: Mount): boolean =>
  valuesOf(mount, 'proto').some((value) => /^rdma6?$/.test(value)) ||
  valuesOf(mount, 'trans').includes('rdma') ||
  mount.options.includes('rdma') ||
  (mount.fsType === 'lustre' && /@o2ib\d{0,5}[:,]/.test(mount.source))

/** NVMe over RDMA, where every controller elsewhere uses it: with several paths to a drive its name does not show its controllers. */
const isFabricDrive = (drive: Root, remote: Parsed<RemoteStorage>): boolean =>
  leafOf(drive).startsWith('nvme') &&
  remote.ok &&
  remote.fact.nvme.length > 0 &&
  remote.fact.nvme.every(({ transport }) => transport === 'rdma')

/**
 * 45 CFR 164.312(e)(1) and (e)(2)(ii) ask about ePHI on a network (NIST SP 800-52 rev. 2, SP 800-77 rev. 1), not about every socket.
 * Without a declaration a socket in clear text shows nothing about ePHI, so that it leaves the result inconclusive; where nothing is in
 * clear text, no declaration could change the result.
 */
export const encryptionInTransitEphiFlows = defineCheck({
  id: 'encryption.in-transit.ephi-flows',
  property: 'encryption-in-transit',
  expected: 'Declared ePHI flows are encrypted at this node.',
  limitations:
    'Covers this node’s end only, tested from the node itself. Not covered: the far end, flows that this node initiates, and whether all flows are declared. Services that begin in clear text and switch to TLS, and UDP services, are not tested. Which traffic an IPsec policy covers is not read. Flows over RDMA fabrics are left to the documented boundary decision. Where a rule or a proxy forwards ports, or that could not be read, the result is inconclusive.',
  requires: {
    sockets: networkListeners,
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
  },
  optional: {
    ...STORAGE_WANTS,
    ...FORWARDING,
    processes: listenerProcesses,
    tls: tlsListeners,
    ssh: sshServers,
    ...TUNNEL_WANTS,
    remote: storageRemote,
    lustre: storageLustre,
    system: osIdentity,
    directories: workingDirectories,
  },
  evaluate({ sockets, mounts, devices, swaps }, wanted, { node }) {
    const {
      processes,
      tls,
      ssh,
      vpn,
      routes,
      associations,
      remote,
      lustre,
      system,
      directories,
      nft,
      legacy,
      ipvs,
      ...storageWants
    } = wanted
    const storage = readStorage(mounts, devices, swaps, storageWants)
    const flows = node.ephiFlows ?? []
    const places = (node.ephiPaths ?? []).map((path) => ephiPlace(storage, path, directories))
    const tunnels = { vpn, routes, associations }
    const isMapped = flows.length > 0 && places.length > 0
    const carriers = carrierSteps(storage, places, { lsblk: wanted.lsblk, remote, lustre, system, tunnels }, !isMapped)
    const reachable = reachableSockets(sockets, processes).filter((listener) => !isFabricPort(listener))
    // A proxy is known by its process: without names, any of these sockets may be held by one.
    const forwarded = (listeners: readonly Listener[]): readonly DraftObservation[] => [
      ...forwardedSteps({ nft, legacy, ipvs }, listeners),
      ...(listeners.length === 0 ? [] : unclearAbout(listenerProcesses, processes)),
    ]
    if (flows.length > 0) {
      const declared = reachable.filter((one) =>
        flows.some((flow) => flow.protocol === one.protocol && flow.port === one.port),
      )
      const loopback = sockets.listeners.filter((one) => one.loopback)
      return decide([
        ...flows.flatMap((flow) => argueFlow(flow, [...reachable, ...loopback], { tls, ssh, tunnels }, node.port)),
        ...forwarded(declared),
        ...carriers,
      ])
    }
    const listening: readonly DraftObservation[] =
      reachable.length === 0
        ? [supports('Except for RDMA, every listening socket is bound to the loopback interface.', networkListeners)]
        : reachable.map((listener) => argueListener(listener, seenAt(tls, listener), node.port))
    const open = [...listening, ...forwarded(reachable)].map(
      (step): DraftObservation => (step.direction === 'contradicts' ? { ...step, direction: 'unclear' } : step),
    )
    const tested = [...open, ...carriers]
    const lead = tested.every(({ direction }) => direction === 'supports')
      ? supports(
          'No ePHI flow is declared for this server, so every socket that other machines can address and all storage over a network were tested.',
          networkListeners,
        )
      : unclear(
          'No ePHI flow is declared for this server, and not everything that crosses the network is shown to be encrypted. Declare which ports carry ePHI (ephiFlows in the fleet file): then these and the declared paths alone decide.',
          networkListeners,
        )
    return decide([lead, ...tested])
  },
})

export const ephiSubject = defineSubject({
  id: 'ephi',
  title: 'Paths and flows of ePHI',
  probes: [workingDirectories],
  checks: [encryptionAtRestEphiPaths, inventoryEphiPaths, encryptionInTransitEphiFlows],
  data,
})
