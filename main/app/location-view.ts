import type { LocationRow, LocationView } from '../../schemas/ipc-location.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Assessment, Location, NodeAssessment, ResidencyPolicy } from '../../schemas/types.ts'
import { fleetFiguresOf } from '../catalog/figures/figures.ts'
import { policiesFor, policyQuestion } from '../catalog/location/answers.ts'

/**
 * Declared locations and results of the nodes of an assessment, small enough for a thousand of them; with the map only
 * where it is drawn.
 */
export function locationView(of: Source, assessment: Assessment, drawn = true): LocationView {
  const { asOf, demo, nodes, scope } = assessment
  const policies = scope.location?.residency ?? []
  return {
    of,
    asOf,
    demo,
    rows: nodes.map((node) => rowOf(node, policies)),
    figures: drawn ? fleetFiguresOf(assessment) : [],
  }
}

const rowOf = (
  { node, status, failure, stale, location }: NodeAssessment,
  policies: readonly ResidencyPolicy[],
): LocationRow => ({
  node,
  status,
  failure,
  stale,
  claim: location?.claim ?? null,
  results:
    location?.results.map(({ of, title, result, text }) => ({
      of,
      title,
      result,
      why: result === 'contradicted' ? text : null,
    })) ?? [],
  withoutResult: location == null ? policiesFor(node, policies).map((policy) => policyQuestion(policy).title) : [],
  narrowest: narrowestOf(location?.distanceBounds ?? []),
})

function narrowestOf(discs: Location['distanceBounds']): LocationRow['narrowest'] {
  const bounded = discs.flatMap(({ maxDistanceKm, vantage }) =>
    maxDistanceKm === null ? [] : [{ km: maxDistanceKm, vantage: vantage.name }],
  )
  return [...bounded].sort((a, b) => a.km - b.km)[0] ?? null
}
