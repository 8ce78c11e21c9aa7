import { defineSubject } from '../subject.ts'
import data from './checks.json' with { type: 'json' }
import { tenancyContainerCensus } from './containers.ts'
import { tenancyForeignMounts } from './foreign-mounts.ts'
import { tenancyNoGuests } from './guests.ts'
import { sessionLimits } from './limits.ts'
import { tenancyKfd, tenancyPods, tenancyProcesses } from './processes.ts'
import { clusterKubernetes, clusterSlurm, tenancyRay, tenancySlices, tenancySlurm } from './schedulers.ts'
import { namespaces, tenancyRuntimes, tenancySessions } from './sessions.ts'
import { tenancyUserCensus } from './users.ts'

export const tenancySubject = defineSubject({
  id: 'tenancy',
  title: 'Tenants of the operating system',
  probes: [
    namespaces,
    tenancyProcesses,
    tenancySessions,
    tenancyPods,
    tenancyRuntimes,
    sessionLimits,
    tenancyKfd,
    tenancyRay,
    tenancySlices,
    tenancySlurm,
    clusterKubernetes,
    clusterSlurm,
  ],
  checks: [tenancyNoGuests, tenancyUserCensus, tenancyContainerCensus, tenancyForeignMounts],
  data,
})
