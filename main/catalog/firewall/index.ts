import { defineSubject } from '../subject.ts'
import { networkEgressPolicy, networkHostFirewall } from './checks.ts'
import { firewallLegacy, firewallNftables } from './nftables.ts'

export const firewallSubject = defineSubject({
  id: 'firewall',
  title: 'Host firewall',
  probes: [firewallNftables, firewallLegacy],
  checks: [networkHostFirewall, networkEgressPolicy],
})
