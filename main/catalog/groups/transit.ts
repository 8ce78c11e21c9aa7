import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { encryptionInTransitCertValidity } from '../checks/encryption-in-transit-cert-validity.ts'
import { encryptionInTransitEphiFlows } from '../checks/encryption-in-transit-ephi-flows.ts'
import { encryptionInTransitTlsListeners } from '../checks/encryption-in-transit-tls-listeners.ts'
import { sshOffers } from '../probes/ssh-offers.ts'
import { sshProcesses } from '../probes/ssh-processes.ts'
import { sshServers } from '../probes/ssh-servers.ts'
import { storageLustre } from '../probes/storage-lustre.ts'
import { tlsListeners } from '../probes/tls-listeners.ts'
import { ipsec, wireguardPeers } from '../probes/vpn-interfaces.ts'

/** Questions about encryption in transit as seen from outside the SSH server’s settings: what it offers, TLS listeners and their certificates. */
export const probes: readonly Probe<unknown>[] = [
  sshOffers,
  sshProcesses,
  tlsListeners,
  sshServers,
  wireguardPeers,
  ipsec,
  storageLustre,
]

export const checks: readonly Check[] = [
  encryptionInTransitTlsListeners,
  encryptionInTransitCertValidity,
  encryptionInTransitEphiFlows,
]
