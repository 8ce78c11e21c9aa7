import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type { Location, LocationAnswer, NodeAssessment } from '../../../schemas/types.ts'
import { plain } from '../plain-text.ts'
import { MANY_NODES } from './figures.ts'
import type { Matter } from './input.ts'
import { broughtBlocks } from './location-brought.ts'
import { kilometres, locationBlocks, locationLine, milliseconds, showsBlocks } from './location-dossier.ts'
import { LOCATION_VERDICTS, nearestDisc, placeAnswer, policyAnswers, worstVerdict } from './location-verdicts.ts'
import { type Block, type Cell, heading, type Line, plainCell, type Section, text } from './model.ts'
import { titles } from './titles.ts'
import { ELSEWHERE, of, plural } from './wording.ts'

/** No reader goes through more rows; the others are counted. */
const MOST_ROWS = 300
/** In a large fleet so many dossiers stand in the report, those with the worst answers. */
const MOST_DOSSIERS = 20

/** Where nodes are said to be, what bears that out, and what none of it shows: first the fleet, then node by node. */
export function locationSection(matter: Matter): Section {
  const { nodes, scope, asOf } = matter.assessment
  const dossiers = locatedNodes(matter)
  return {
    id: 'location',
    title: titles.location,
    blocks: [
      text(
        'A round trip that the auditor timed bounds how far away the answering party can be. Everything else is a statement by somebody, told by what stands behind it. The classes are never added up.',
      ),
      ...verdictTable(nodes),
      ...(matter.fleetFigures ?? []).map((figure): Block => ({ kind: 'figure', figure })),
      ...fleetTable(nodes),
      ...broughtBlocks(scope.location ?? {}, asOf),
      ...(nodes.length <= MANY_NODES
        ? []
        : [
            text(
              `The ${dossiers.length} nodes with a contradiction, or with statements that disagree, and the worst answers stand below. ${ELSEWHERE}`,
            ),
          ]),
      ...(dossiers.length === 0 ? showsBlocks() : dossiers.flatMap((node) => locationBlocks(node, matter))),
    ],
  }
}

/** The nodes whose location dossiers stand in the report: all of a small fleet, the worst of a large one. */
export function locatedNodes({ assessment: { nodes } }: Pick<Matter, 'assessment'>): readonly NodeAssessment[] {
  if (nodes.length <= MANY_NODES) return nodes
  return worstFirst(nodes)
    .filter(({ location }) => DISPUTED.has(worstVerdict(location?.answers ?? [])))
    .slice(0, MOST_DOSSIERS)
}
const DISPUTED: ReadonlySet<LocationAnswer['verdict']> = new Set(['contradicted', 'conflicting'])

const rank = ({ location }: NodeAssessment): number => LOCATION_VERDICTS.indexOf(worstVerdict(location?.answers ?? []))
const worstFirst = (nodes: readonly NodeAssessment[]): readonly NodeAssessment[] =>
  [...nodes].sort((a, b) => rank(a) - rank(b))

/** How many nodes have which answer, of all: for the declared places, then for each policy. */
function verdictTable(nodes: readonly NodeAssessment[]): readonly Block[] {
  const asked = new Map<string, LocationAnswer['verdict'][]>()
  for (const { location } of nodes)
    for (const answer of location?.answers ?? []) {
      const key = answer.of === 'declared-place' ? 'Declared place' : `Has to be in: ${plain(answer.title, 200)}`
      asked.set(key, [...(asked.get(key) ?? []), answer.verdict])
    }
  if (asked.size === 0)
    return [
      text('No place was declared for any node, and no policy says where nodes have to be, so nothing is compared.'),
    ]
  return [
    heading(3, 'Answers for collected nodes', true),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Question', width: 22 },
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
        heading(3, 'Nodes and places', true),
        {
          kind: 'table',
          rowHeaders: true,
          columns: [
            { title: 'Node', width: 22 },
            { title: 'Claimed place', width: 20 },
            { title: 'Is it there', width: 15 },
            { title: 'Narrowest bound', width: 21 },
            { title: 'Where it has to be', width: 22 },
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
  return answer === null ? plainCell('Not asked') : [locationLine(answer.verdict)]
}

const policyCell = (location: Location | null | undefined): Cell =>
  policyAnswers(location).map(({ title, verdict }) => {
    const { mark, text: label } = locationLine(verdict)
    return { text: `${plain(title, 80)}: ${label.toLowerCase()}`, ...(mark === undefined ? {} : { mark }) }
  })

/** How near, at most, by which time and from where. */
export function boundText(location: Location | null | undefined): string {
  const disc = nearestDisc(location)
  return disc === null || disc.reachKm === null || disc.milliseconds === null
    ? 'None'
    : `Within ${kilometres(disc.reachKm)} of ${plain(disc.vantage.name, 80)} (${milliseconds(disc.milliseconds)})`
}

/** The same in a cell of the node’s own table. */
export function locationCell(location: Location | null | undefined): Cell {
  if (location == null) return plainCell('Nothing was observed.')
  const answer = placeAnswer(location)
  return [
    answer === null ? { text: 'No place was declared.' } : locationLine(answer.verdict),
    ...policyCell(location),
    { text: `Narrowest bound: ${boundText(location)}`, style: 'quiet' },
  ]
}

/** How the declared places stand, for who has a minute; null where none was declared. */
export function locationSentence(nodes: readonly NodeAssessment[]): string | null {
  const found = nodes.flatMap(({ location }) => placeAnswer(location)?.verdict ?? [])
  if (found.length === 0) return null
  const counted = LOCATION_VERDICTS.flatMap((verdict) => {
    const count = found.filter((one) => one === verdict).length
    return count === 0 ? [] : [`${count} ${locationVerdictWords[verdict].label.toLowerCase()}`]
  })
  return `Declared places of collected nodes: ${counted.join(', ')}, of ${found.length}.`
}
