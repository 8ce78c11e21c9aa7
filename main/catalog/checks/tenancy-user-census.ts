import { defineCheck } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { userSteps } from '../isolation/tenancy/users.ts'
import { viewSteps } from '../isolation/tenancy/view.ts'
import { accountsLocal } from '../probes/accounts-local.ts'
import { namespaces } from '../probes/namespaces.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancySessions } from '../probes/tenancy-sessions.ts'
import { tenancySlices } from '../probes/tenancy-slices.ts'
import { decide } from '../steps.ts'

export const tenancyUserCensus = defineCheck({
  id: 'tenancy.user-census',
  property: 'isolation',
  expected: 'Every personal account with a process or session on this system is on the declared roster.',
  limitations:
    'One moment of observation. The roster is a statement by the author of the fleet file, and a shared account hides who uses it.',
  requires: {
    namespaces,
    processes: tenancyProcesses,
    sessions: tenancySessions,
    slices: tenancySlices,
    accounts: accountsLocal,
  },
  evaluate({ namespaces: own, processes, sessions, slices, accounts }, _, context) {
    return decide([
      ...viewSteps({ namespaces: known(own), processes: known(processes) }),
      ...userSteps(
        {
          accounts: known(accounts),
          processes: known(processes),
          sessions: known(sessions),
          slices: known(slices),
        },
        context,
      ),
    ])
  },
})
