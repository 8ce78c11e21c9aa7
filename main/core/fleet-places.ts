import type { Fleet, ResidencyPolicy } from '../../schemas/types.ts'
import type { FleetProblem } from './fleet.ts'
import { polygonProblem } from './geo/polygon.ts'
import { isDay } from './register/days.ts'
import { vantagePlaceProblem } from './vantage.ts'

/** What a schema cannot express of the places that a fleet file names. Which codes are countries, the catalog knows; see `declaredLocation`. */
export function placeProblems({ vantage, sites, residency = [] }: Fleet): readonly FleetProblem[] {
  const from = vantage === undefined ? null : vantagePlaceProblem(vantage)
  return [
    ...(from === null ? [] : [{ path: ['vantage'], text: from }]),
    ...(sites === undefined || isDay(sites.on)
      ? []
      : [{ path: ['sites', 'on'], text: `is “${sites.on}”, which is not a valid date` }]),
    ...residency.flatMap((policy, index) =>
      policyProblems(policy).map(({ path, text }) => ({ path: ['residency', index, ...path], text })),
    ),
  ]
}

function policyProblems({ region, country, polygon }: ResidencyPolicy): readonly FleetProblem[] {
  const given = Object.entries({ region, country, polygon }).flatMap(([key, value]) => (value === undefined ? [] : key))
  if (given.length !== 1)
    return [
      {
        path: [],
        text:
          given.length === 0
            ? 'has no area: one of region, country, polygon is required'
            : `has ${given.join(' and ')}: only one of them is permitted in a rule`,
      },
    ]
  const problem = polygon === undefined ? null : polygonProblem(polygon.map(pointOf))
  return problem === null ? [] : [{ path: ['polygon'], text: `cannot be used: ${problem}` }]
}

const pointOf = ([latitude = Number.NaN, longitude = Number.NaN]: readonly number[]) => ({ latitude, longitude })
