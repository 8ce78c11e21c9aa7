import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { encryptionInTransitVpn } from './checks.ts'
import { ipsec, vpnInterfaces, wireguardPeers } from './probes.ts'

export const vpnSubject = defineSubject({
  id: 'vpn',
  title: 'VPN interfaces',
  probes: [vpnInterfaces, wireguardPeers, ipsec],
  checks: [encryptionInTransitVpn],
  data,
})
