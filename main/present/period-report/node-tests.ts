import type { ControlCheck, Period } from '../../../schemas/types.ts'
import { of } from '../../core/phrases.ts'

/**
 * What checks counted over a period, in node tests: one node in one run is one. A control limited to nodes with ePHI counts fewer, so that of the
 * counts of one check the widest is taken.
 */
export function nodeTestsIn({ conclusions }: Pick<Period, 'conclusions'>): (check: string) => string {
  const found = new Map<string, ControlCheck>()
  for (const { conclusion } of conclusions?.controls ?? [])
    for (const one of conclusion.checks) {
      const known = found.get(one.check)
      if (known === undefined || one.population > known.population) found.set(one.check, one)
    }
  return (check) => {
    const one = found.get(check)
    return one === undefined
      ? 'not counted in this period'
      : `deviations in ${of(one.notSatisfied, one.tested)} node tests, ${one.inconclusive} inconclusive, ${one.notTested} not tested`
  }
}
