import { defineCheck } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { viewSteps } from '../isolation/tenancy.ts'
import { guestSteps } from '../isolation/workloads.ts'
import { namespaces } from '../probes/namespaces.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { virtGuests } from '../probes/virt-guests.ts'
import { named, speaksAgainst, weigh } from '../steps.ts'

export const tenancyNoGuests = defineCheck({
  id: 'tenancy.no-guests',
  property: 'isolation',
  claim: 'No virtual machine, emulator or service that starts them was running on this system.',
  limits:
    'One moment of observation: guests started before or after are not seen. A program can choose its own name, and a hypervisor outside this system is another question.',
  needs: { namespaces, processes: tenancyProcesses, guests: virtGuests },
  wants: { runtimes: tenancyRuntimes },
  evaluate({ namespaces: own, processes, guests }, { runtimes }, context) {
    const readings = { namespaces: known(own), processes: known(processes), guests: known(guests) }
    const listed = runtimes.ok ? runtimes.fact.libvirtGuests : []
    return weigh([
      ...viewSteps(readings),
      ...guestSteps(readings, context),
      ...(listed.length > 0
        ? [speaksAgainst(`The guest manager lists running guests: ${named(listed)}.`, tenancyRuntimes)]
        : []),
    ])
  },
})
