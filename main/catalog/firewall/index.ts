import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { networkEgressPolicy, networkHostFirewall } from './checks.ts'
import { firewallLegacy, firewallNftables } from './nftables.ts'

export const firewallSubject = defineSubject({
  id: 'firewall',
  title: 'Host firewall',
  probes: [firewallNftables, firewallLegacy],
  checks: [networkHostFirewall, networkEgressPolicy],
  data,
})
