import type { Environment } from '../../../../schemas/words.ts'
import { readFrom } from '../../../core/recording/readings.ts'
import { type Conclusion, type DraftObservation, defineCheck } from '../../../core/rules/check.ts'
import { contradicts, count, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import data from './checks.json' with { type: 'json' }
import { decideEnvironment } from './rules.ts'
import type { Observed, SpoofingEffort } from './signal.ts'
import { SIGNAL_PROBES } from './signals.ts'

const WHAT: Readonly<Partial<Record<Environment, string>>> = {
  'virtual-machine': 'a virtual machine',
  container: 'a container',
  'logical-partition': 'a logical partition',
  'hypervisor-host': 'a system that runs on a hypervisor and manages it',
}

// All parts are wanted and none is needed first: any one of them can contradict the claim alone, and only all of them together can support
// it, which decideEnvironment() demands. The four-part argument uses the same function.
const tenancyNoHypervisor = defineCheck({
  id: 'tenancy.no-hypervisor',
  property: 'isolation',
  expected: 'Processor, firmware, buses and timing are consistent with a system that runs directly on hardware.',
  limitations:
    'Read from the running system only: root in its image can falsify any response. A hypervisor built to hide, which passes every device through and imitates counters and tables, cannot be excluded this way; neither can control by firmware or by the management controller. Tables and names are text that the operator of the machine can choose.',
  requires: {},
  optional: SIGNAL_PROBES,
  evaluate(_, readings): Conclusion {
    const { environment, platform, because, observed } = decideEnvironment(readFrom(new Map(Object.entries(readings))))
    if (environment === 'bare-metal') return { verdict: 'satisfied', observations: [...because, toFake(observed)] }
    const what = WHAT[environment]
    if (what === undefined)
      return {
        verdict: 'inconclusive',
        observations:
          because.length > 0 ? because : [unclear('No evidence was read that shows what the system runs on.', null)],
      }
    return {
      verdict: 'not-satisfied',
      observations: [contradicts(`This is ${what}${platform === null ? '' : ` (${platform})`}.`, null), ...because],
    }
  },
})

const COSTS: readonly (readonly [SpoofingEffort, string])[] = [
  ['S0', 'a setting or a text'],
  ['S1', 'rebuilt firmware or a patched machine monitor'],
  ['S2', 'a patched hypervisor kernel'],
  ['S3', 'the physical part, or a private key'],
]

/** The effort to fake what was read here, as the number of signals that indicate hardware on this node. */
function toFake(observed: readonly Observed[]): DraftObservation {
  const real = observed.filter(({ found }) => found.indicates === 'bare-metal')
  const costs = COSTS.flatMap(([spoof, words]) => {
    const number = real.filter(({ signal }) => signal.spoofingEffort === spoof).length
    return number === 0 ? [] : [`${number} by ${words}`]
  })
  return unclear(
    `${count(real.length, 'signal')} indicate bare metal here. A provider could imitate ${costs.join(', ')}; root in the system’s image could imitate all of them, at no cost. No measurement of this run excludes that.`,
    null,
  )
}

export const isolationSubject = defineSubject({
  id: 'isolation',
  title: 'Execution environment',
  probes: [],
  checks: [tenancyNoHypervisor],
  data,
})
