import { defineCheck } from '../../core/check.ts'
import { known } from '../../core/probe.ts'
import { guestSteps } from '../isolation/tenancy/guests.ts'
import { viewSteps } from '../isolation/tenancy/view.ts'
import { namespaces } from '../probes/namespaces.ts'
import { tenancyProcesses } from '../probes/tenancy-processes.ts'
import { tenancyRuntimes } from '../probes/tenancy-runtimes.ts'
import { virtGuests } from '../probes/virt-guests.ts'
import { virtHosted } from '../probes/virt-hosted.ts'
import { virtMachines } from '../probes/virt-machines.ts'
import { decide } from '../steps.ts'

export const tenancyNoGuests = defineCheck({
  id: 'tenancy.no-guests',
  property: 'isolation',
  expected: 'No virtual machine, emulator or service that starts them was running on this system.',
  limitations:
    'One moment of observation: guests started before or after are not detected. A program can choose its own name, and a hypervisor outside this system is covered by another check.',
  requires: { namespaces, processes: tenancyProcesses, guests: virtGuests, hosted: virtHosted },
  optional: { runtimes: tenancyRuntimes, machines: virtMachines },
  evaluate({ namespaces: own, processes, guests, hosted }, { runtimes, machines }, context) {
    const readings = { namespaces: known(own), processes: known(processes) }
    return decide([
      ...viewSteps(readings),
      ...guestSteps({ ...readings, guests: known(guests), hosted: known(hosted), runtimes, machines }, context),
    ])
  },
})
