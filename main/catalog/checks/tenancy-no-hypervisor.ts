import type { Layer } from '../../../schemas/words.ts'
import { type Conclusion, defineCheck, type Step } from '../../core/check.ts'
import { readFrom } from '../isolation/observe.ts'
import { decideLayer } from '../isolation/rules.ts'
import { SIGNAL_PROBES } from '../isolation/signals.ts'
import { leavesUnclear, speaksAgainst } from '../steps.ts'

const WHAT: Readonly<Partial<Record<Layer, string>>> = {
  vm: 'a virtual machine',
  container: 'a container',
  lpar: 'a logical partition',
  'hypervisor-host': 'a system that runs on a hypervisor and manages it',
}

// All parts are wanted and none is needed first: any one of them can contradict the claim alone, and only all of them together
// can support it, which decideLayer() demands. The four-answer argument uses the same function.
export const tenancyNoHypervisor = defineCheck({
  id: 'tenancy.no-hypervisor',
  property: 'isolation',
  claim:
    'Processor, firmware, buses and timing are consistent with a system that runs directly on hardware, and nothing observed contradicts it.',
  limits:
    'Read from the running system only. A hypervisor built to hide, which hands every device through and imitates counters and tables, cannot be excluded this way; neither can control by firmware or by the management controller. Tables and names are text that whoever provides the machine can choose.',
  needs: {},
  wants: SIGNAL_PROBES,
  evaluate(_, readings): Conclusion {
    const { layer, platform, because } = decideLayer(readFrom(new Map(Object.entries(readings))))
    if (layer === 'metal') return { verdict: 'met', because: [...because, toFake] }
    const what = WHAT[layer]
    if (what === undefined)
      return {
        verdict: 'inconclusive',
        because:
          because.length > 0 ? because : [leavesUnclear('Nothing was read that says what the system runs on.', null)],
      }
    return {
      verdict: 'not-met',
      because: [speaksAgainst(`This is ${what}${platform === null ? '' : ` (${platform})`}.`, null), ...because],
    }
  },
})

const toFake: Step = leavesUnclear(
  'To imitate this, a provider would have to patch a hypervisor so that power-management registers, energy counters and uncore counters answer like hardware, give it a coherent chipset and firmware tables, and pass every device through. No measurement of this run excludes that.',
  null,
)
