import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { networkConnections, networkFlowMap, proxySettings } from './flows.ts'
import { inventoryNetworkInterfaces, netInterfaces } from './interfaces.ts'
import { networkKernelParams, sysctlNetwork, sysctlNetworkMore } from './kernel.ts'
import { netLinks, netNeighbours, netRoutes } from './links.ts'
import { netLldp, netLldpNetworkd, netLldpPlace } from './lldp.ts'
import { networkSegmentation, tenancyNetworkNeighbours } from './segmentation.ts'

export const networkSubject = defineSubject({
  id: 'network',
  title: 'Network interfaces and routes',
  probes: [
    netInterfaces,
    netLinks,
    netLldp,
    netNeighbours,
    netLldpPlace,
    netLldpNetworkd,
    networkConnections,
    sysctlNetwork,
    netRoutes,
    proxySettings,
    sysctlNetworkMore,
  ],
  checks: [
    tenancyNetworkNeighbours,
    inventoryNetworkInterfaces,
    networkKernelParams,
    networkSegmentation,
    networkFlowMap,
  ],
  data,
})
