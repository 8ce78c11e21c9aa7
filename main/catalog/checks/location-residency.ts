import { type Conclusion, type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { policiesFor, policyQuestion, type Question } from '../location/answers.ts'
import { boundBy, timeSteps } from '../location/bounds.ts'
import { readDelay } from '../location/discs.ts'
import type { Found } from '../location/found.ts'
import { missedOfProvider, PROVIDER_WANTS, providerSignals } from '../location/signals.ts'
import { placeSays } from '../location/verdict.ts'
import { nonceEcho } from '../probes/nonce-echo.ts'
import { count, decide, unclear } from '../steps.ts'

export const locationResidency = defineCheck({
  id: 'location.residency',
  property: 'location',
  expected: 'Round-trip time bounds the SSH responder within every area that the data-residency policies require.',
  limitations:
    'It bounds the holder of the SSH session keys, by land borders: territorial waters belong to no country here. It assumes the declared places of the measuring computers, and clocks there that are not slowed by more than 0.05 % during the measurement. A relay inside the area with a copy of the host key would respond the same way. Where data, replicas and backups are is not shown; their endpoints are listed separately.',
  requires: {},
  optional: { echo: nonceEcho, ...PROVIDER_WANTS },
  evaluate(_, { echo, ...facts }, context): Conclusion {
    const declared = context.location?.residency ?? []
    const policies = policiesFor(context.node.name, declared)
    if (policies.length === 0) return noCommitment(declared.length)
    if (!echo.ok) return decide(unclearAbout(nonceEcho, echo))
    const delay = readDelay(echo.fact, context)
    const questions = policies.map(policyQuestion)
    const bounds = questions.map((question) => boundBy(question, delay, context))
    const isInside = bounds.every(({ says }) => says === 'inside')
    const argued = decide([
      ...bounds.flatMap(({ because }) => because),
      ...providerSignals(facts).flatMap((signal) => statedOutside(signal, questions)),
      ...missedOfProvider(facts),
    ])
    // A vantage that was of no use next to others takes nothing away from what the others bound.
    return { ...argued, observations: [...argued.observations, ...timeSteps(delay, isInside ? 'supports' : 'unclear')] }
  },
})

/**
 * The fleet file is where a commitment is declared, so that a file without one for this node is itself the evidence that the question does
 * not arise; no capture of the node could make it arise, and none is needed for it.
 */
const noCommitment = (elsewhere: number): Conclusion => ({
  verdict: 'not-applicable',
  observations: [
    unclear(
      elsewhere === 0
        ? 'The declared scope has no data-residency policy, so no area is required. A contractual commitment that was not declared is not covered.'
        : `The declared scope has ${count(elsewhere, 'data-residency policy', 'data-residency policies')}, and none of them names this node. A commitment in a contract that was not declared is not covered.`,
      null,
    ),
  ],
})

/** What the provider signed about this machine contradicts; what anyone else may have written only leaves it open. */
const statedOutside = (signal: Found, questions: readonly Question[]): readonly DraftObservation[] =>
  questions
    .filter(({ asked }) => !signal.hint && asked.ok && placeSays(signal, asked.value) === 'outside')
    .map(({ title }): DraftObservation => {
      const { probe, commands } = signal
      const text = `${signal.text} That is outside ${quote(title)}.`
      const direction = signal.class === 'E2' ? 'contradicts' : 'unclear'
      return { direction, text, probe, ...(commands === undefined ? {} : { commands }) }
    })
