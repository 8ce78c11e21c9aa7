import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { argueListener, reachableSockets, seenAt } from '../clear-listeners.ts'
import { argueFlow, isFabricPort } from '../declared-flows.ts'
import { FORWARDING, forwardedSteps } from '../forwarded-ports.ts'
import { type Listener, listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { osIdentity } from '../probes/os-identity.ts'
import { sshServers } from '../probes/ssh-servers.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageLustre } from '../probes/storage-lustre.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageRemote } from '../probes/storage-remote.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { tlsListeners } from '../probes/tls-listeners.ts'
import { ipsec, vpnInterfaces } from '../probes/vpn-interfaces.ts'
import { decide, supports, unclear } from '../steps.ts'
import { carrierSteps } from '../storage/ephi-carriers.ts'
import { ephiPlace } from '../storage/ephi-paths.ts'
import { readStorage, STORAGE_WANTS } from '../storage/roots.ts'

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
    vpn: vpnInterfaces,
    associations: ipsec,
    remote: storageRemote,
    lustre: storageLustre,
    system: osIdentity,
  },
  evaluate({ sockets, mounts, devices, swaps }, wanted, { node }) {
    const { processes, tls, ssh, vpn, associations, remote, lustre, system, nft, legacy, ipvs, ...storageWants } =
      wanted
    const storage = readStorage(mounts, devices, swaps, storageWants)
    const flows = node.ephiFlows ?? []
    const places = (node.ephiPaths ?? []).map((path) => ephiPlace(storage, path))
    const isMapped = flows.length > 0 && places.length > 0
    const carriers = carrierSteps(storage, places, { lsblk: wanted.lsblk, remote, lustre, system }, !isMapped)
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
        ...flows.flatMap((flow) =>
          argueFlow(flow, [...reachable, ...loopback], { tls, ssh, vpn, associations }, node.port),
        ),
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
