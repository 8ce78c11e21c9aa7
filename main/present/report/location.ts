import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type { Location, LocationResult, NodeAssessment } from '../../../schemas/types.ts'
import {
  LOCATION_VERDICTS,
  nearestDisc,
  placeAnswer,
  policyAnswers,
  worstVerdict,
} from '../../core/location-verdicts.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from '../../core/report-document.ts'
import { MANY_NODES } from './figures.ts'
import type { Matter } from './input.ts'
import { broughtBlocks } from './location-brought.ts'
import { kilometres, locationBlocks, locationLine, milliseconds, showsBlocks } from './location-dossier.ts'
import { titles } from './titles.ts'
import { ELSEWHERE } from './wording.ts'

/** Row limit of a printed table; the others are counted. */
const MOST_ROWS = 300
/** In a large fleet, the number of nodes analyzed in the report: those with the worst results. */
const MOST_DOSSIERS = 20

/** Declared locations, supporting evidence and limitations: first the fleet, then each node. */
export function locationSection(matter: Matter): Section {
  const { nodes, scope, asOf } = matter.assessment
  const dossiers = locatedNodes(matter)
  return {
    id: 'location',
    title: titles.location,
    blocks: [
      text(
        'A round trip timed by the auditor bounds the distance of the SSH responder. All other evidence is a statement by a party, listed with its source class. Source classes are never combined.',
      ),
      ...verdictTable(nodes),
      ...(matter.fleetFigures ?? []).map((figure): Block => ({ kind: 'figure', figure })),
      ...fleetTable(nodes),
      ...broughtBlocks(scope.location ?? {}, asOf),
      ...(nodes.length <= MANY_NODES
        ? []
        : [
            text(
              `The ${dossiers.length} nodes with contradicted or conflicting results are analyzed below. ${ELSEWHERE}`,
            ),
          ]),
      ...(dossiers.length === 0 ? showsBlocks() : dossiers.flatMap((node) => locationBlocks(node, matter))),
    ],
  }
}

/** Nodes with a location analysis in the report: all of a small fleet, the worst of a large one. */
export function locatedNodes({ assessment: { nodes } }: Pick<Matter, 'assessment'>): readonly NodeAssessment[] {
  if (nodes.length <= MANY_NODES) return nodes
  return worstFirst(nodes)
    .filter(({ location }) => DISPUTED.has(worstVerdict(location?.results ?? [])))
    .slice(0, MOST_DOSSIERS)
}
const DISPUTED: ReadonlySet<LocationResult['result']> = new Set(['contradicted', 'conflicting'])

const rank = ({ location }: NodeAssessment): number => LOCATION_VERDICTS.indexOf(worstVerdict(location?.results ?? []))
const worstFirst = (nodes: readonly NodeAssessment[]): readonly NodeAssessment[] =>
  [...nodes].sort((a, b) => rank(a) - rank(b))

/** Node counts by result: for declared locations, then for each residency rule. */
function verdictTable(nodes: readonly NodeAssessment[]): readonly Block[] {
  const asked = new Map<string, LocationResult['result'][]>()
  for (const { location } of nodes)
    for (const answer of location?.results ?? []) {
      const key = answer.of === 'declared-place' ? 'Declared location' : `Required area: ${plain(answer.title, 200)}`
      asked.set(key, [...(asked.get(key) ?? []), answer.result])
    }
  if (asked.size === 0)
    return [text('No location was declared for any node and no residency rule is defined, so nothing was compared.')]
  return [
    heading(3, 'Location results of collected nodes', true),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Tested', width: 22 },
        ...LOCATION_VERDICTS.map((verdict) => ({ title: locationVerdictWords[verdict].label, width: 13 })),
      ],
      rows: [...asked].map(([question, verdicts]) => [
        plainCell(question),
        ...LOCATION_VERDICTS.map((verdict): Cell => {
          const count = verdicts.filter((one) => one === verdict).length
          const line: Line = { text: of(count, verdicts.length) }
          return [
            count === 0
              ? { ...line, style: 'quiet' }
              : { ...locationLine(verdict), ...line, means: locationVerdictWords[verdict].label },
          ]
        }),
      ]),
    },
    {
      kind: 'list',
      items: LOCATION_VERDICTS.map((verdict) => ({
        ...locationLine(verdict),
        text: `${locationVerdictWords[verdict].label}. ${locationVerdictWords[verdict].meaning}`,
      })),
    },
  ]
}

function fleetTable(nodes: readonly NodeAssessment[]): readonly Block[] {
  const rows = worstFirst(nodes).slice(0, MOST_ROWS)
  const left = nodes.length - rows.length
  return nodes.length === 0
    ? []
    : [
        heading(3, 'Location by node', true),
        {
          kind: 'table',
          rowHeaders: true,
          columns: [
            { title: 'Node', width: 22 },
            { title: 'Declared location', width: 20 },
            { title: 'Location result', width: 15 },
            { title: 'Narrowest bound (maximum distance)', width: 21 },
            { title: 'Residency rule', width: 22 },
          ],
          rows: rows.map(({ node, location }) => [
            plainCell(plain(node, 80)),
            plainCell(location?.claim == null ? 'None declared' : plain(location.claim.name, 100)),
            placeCell(location),
            plainCell(boundText(location)),
            policyCell(location),
          ]),
        },
        ...(left > 0 ? [text(`And ${plural(left, 'node')} more. ${ELSEWHERE}`)] : []),
      ]
}

function placeCell(location: Location | null | undefined): Cell {
  const answer = placeAnswer(location)
  return answer === null ? plainCell('Not tested') : [locationLine(answer.result)]
}

const policyCell = (location: Location | null | undefined): Cell =>
  policyAnswers(location).map(({ title, result }) => {
    const { mark, text: label } = locationLine(result)
    return { text: `${plain(title, 80)}: ${label.toLowerCase()}`, ...(mark === undefined ? {} : { mark }) }
  })

/** Maximum distance, with vantage point and round-trip time. */
export function boundText(location: Location | null | undefined): string {
  const disc = nearestDisc(location)
  return disc === null || disc.maxDistanceKm === null || disc.milliseconds === null
    ? 'None'
    : `Within ${kilometres(disc.maxDistanceKm)} of ${plain(disc.vantage.name, 80)} (${milliseconds(disc.milliseconds)})`
}

/** Location summary in the table of one node. */
export function locationCell(location: Location | null | undefined): Cell {
  if (location == null) return plainCell('Not collected.')
  const answer = placeAnswer(location)
  return [
    answer === null ? { text: 'No location declared.' } : locationLine(answer.result),
    ...policyCell(location),
    { text: `Narrowest bound: ${boundText(location)}`, style: 'quiet' },
  ]
}
