import { defineCheck } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { containerSteps } from '../isolation/tenancy/containers.ts'
import { viewSteps } from '../isolation/tenancy/view.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { namespaces } from '../probes/namespaces.ts'
import { tenancyPods } from '../probes/tenancy-pods.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { decide } from '../steps.ts'

export const tenancyContainerCensus = defineCheck({
  id: 'tenancy.container-census',
  property: 'isolation',
  expected: 'No container runs on this system except under owners that the declared roster names.',
  limitations:
    'One moment of observation, based on control groups and folder names. The roster is a statement, and activity inside a container is not evaluated.',
  requires: { namespaces, processes: tenancyProcesses, pods: tenancyPods, accounts: accountsLocal },
  evaluate: ({ namespaces: own, processes, pods, accounts }, _, context) =>
    decide([
      ...viewSteps({ namespaces: known(own), processes: known(processes) }),
      ...containerSteps({ processes: known(processes), pods: known(pods), accounts: known(accounts) }, context),
    ]),
})
