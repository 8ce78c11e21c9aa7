import { locationVerdictWords } from '../../../../schemas/location-words.ts'
import type {
  AddressDatabase,
  DeclaredLocation,
  Location,
  LocationResult,
  NodeAssessment,
  ResidencyPolicy,
  SiteList,
  VantageRecord,
} from '../../../../schemas/types.ts'
import { dayCount } from '../../../../schemas/words.ts'
import { of, plain, plural } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  plainCell,
  type Section,
  text,
} from '../../../core/base/report-document.ts'
import {
  LOCATION_VERDICTS,
  nearestDisc,
  placeAnswer,
  policyAnswers,
  worstVerdict,
} from '../../../core/conclusion/location-verdicts.ts'
import { MANY_NODES } from '../parts/figures.ts'
import type { Matter } from '../parts/input.ts'
import {
  kilometres,
  locationBlocks,
  locationLine,
  milliseconds,
  placeText,
  showsBlocks,
} from '../parts/location-analysis.ts'
import { between, ELSEWHERE, titles } from '../parts/wording.ts'
import { dayOf, daysSince } from '../scope/boundary.ts'

/** Older address databases are less reliable, because networks move. */
const OLD_DAYS = 60

/** Location evidence from outside the nodes: source, date and digest. */
function broughtBlocks(
  { vantages = [], sites, databases = [], residency = [] }: DeclaredLocation,
  asOf: string,
): readonly Block[] {
  return [
    ...titledTable(
      'Round-trip measurements from other vantage points',
      { Measurement: 18, 'Vantage point, as declared': 30, Measured: 24, 'Signing key': 28 },
      vantages.map(vantageRow),
    ),
    ...titledTable(
      'Address databases',
      { File: 22, 'Type and publisher': 24, Date: 22, 'SHA-256': 32 },
      databases.map((one) => databaseRow(one, asOf)),
    ),
    ...titledTable(
      'Site list',
      { File: 24, Source: 24, Rows: 10, 'SHA-256, signer': 42 },
      sites === undefined ? [] : [siteRow(sites)],
    ),
    ...titledTable('Residency rules', { 'Residency rule': 30, Area: 40, Nodes: 30 }, residency.map(policyRow)),
  ]
}

const titledTable = (
  title: string,
  widths: Readonly<Record<string, number>>,
  rows: readonly (readonly Cell[])[],
): readonly Block[] => (rows.length === 0 ? [] : [heading(4, title), headedTable(widths, rows)])

const vantageRow = ({
  id,
  vantage,
  startedAt,
  endedAt,
  demo,
  measurements,
  signature,
}: VantageRecord): readonly Cell[] => [
  [{ text: plain(id, 100) }, ...(demo ? [{ text: 'Demo data', style: 'quiet' } as const] : [])],
  [{ text: placeText(vantage) }, { text: `Declared by ${plain(vantage.declaredBy, 100)}`, style: 'quiet' }],
  [
    { text: between(startedAt, endedAt) },
    { text: `${of(measurements.filter(({ echo }) => echo !== null).length, measurements.length)} nodes measured` },
  ],
  [{ text: signature.fingerprint, style: 'mono' }],
]

function databaseRow(
  { file, format, type, provenance, builtOn, answers }: AddressDatabase,
  asOf: string,
): readonly Cell[] {
  const days = builtOn === null ? null : daysSince(builtOn, asOf)
  const age =
    days === null
      ? 'No date; age unknown.'
      : days < 0
        ? 'Dated after the evaluation date.'
        : days > OLD_DAYS
          ? `${dayCount(days)} old: more than ${OLD_DAYS}.`
          : null
  return [
    [
      { text: plain(file.name, 255) },
      { text: `${plural(answers.length, 'address', 'addresses')} queried`, style: 'quiet' },
    ],
    [{ text: `${plain(type, 200)}, ${format}` }, { text: plain(provenance, 200), style: 'quiet' }],
    [
      { text: builtOn === null ? 'None' : dayOf(builtOn) },
      ...(age === null ? [] : [{ text: age, mark: 'diamond-question' } as const]),
    ],
    [{ text: file.sha256, style: 'mono' }],
  ]
}

const siteRow = ({ source, on, declaredBy, file, rows, signature, signer }: SiteList): readonly Cell[] => [
  plainCell(plain(file.name, 255)),
  [{ text: plain(source, 200) }, { text: `${dayOf(on)}, supplied by ${plain(declaredBy, 100)}`, style: 'quiet' }],
  plainCell(`${rows.length}`),
  [
    { text: file.sha256, style: 'mono' },
    signature === undefined
      ? { text: 'Not signed.', style: 'quiet' }
      : {
          text: `Signed as ${plain(signature.subject, 200)}, certificate ${signature.fingerprint}: ${
            signer === signature.fingerprint
              ? `the expected signer according to ${plain(declaredBy, 100)}`
              : 'not an expected signer'
          }`,
          style: 'quiet',
        },
  ],
]

const policyRow = ({ name, nodes, region, country, polygon }: ResidencyPolicy): readonly Cell[] => [
  plainCell(name === undefined ? 'Unnamed' : plain(name, 200)),
  plainCell(
    polygon !== undefined
      ? `Area with ${polygon.length} corners: ${polygon
          .slice(0, 12)
          .map(([latitude, longitude]) => `${latitude}, ${longitude}`)
          .join('; ')}${polygon.length > 12 ? ' and more' : ''}`
      : plain((region === undefined ? (country ?? []) : [region]).join(', '), 1000),
  ),
  plainCell(nodes === undefined ? 'All nodes' : plural(nodes.length, 'node')),
]

/** Row limit of a printed table; the others are counted. */
const MOST_ROWS = 300
/** In a large fleet, the number of nodes analyzed in the report: those with the worst results. */
const MOST_DOSSIERS = 20

/** Declared places, supporting evidence and limitations: first the fleet, then each node. */
export function locationSection(matter: Matter): Section {
  const { nodes, scope, asOf } = matter.assessment
  const dossiers = locatedNodes(matter)
  return {
    id: 'location',
    title: titles.location,
    blocks: [
      text(
        'A round trip timed by the collecting computer or a vantage point bounds the distance of the SSH responder. All other evidence is a statement by a party, listed with its source class. Source classes are never combined.',
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

/** Node counts by result: for declared places, then for each residency rule. */
function verdictTable(nodes: readonly NodeAssessment[]): readonly Block[] {
  const asked = new Map<string, LocationResult['result'][]>()
  for (const { location } of nodes)
    for (const answer of location?.results ?? []) {
      const key = answer.of === 'declared-place' ? 'Declared place' : `Required area: ${plain(answer.title, 200)}`
      asked.set(key, [...(asked.get(key) ?? []), answer.result])
    }
  if (asked.size === 0)
    return [text('No location was declared for any node and no residency rule is defined, so nothing was compared.')]
  return [
    heading(3, 'Location results of collected nodes', true),
    headedTable(
      {
        Tested: 22,
        ...Object.fromEntries(LOCATION_VERDICTS.map((verdict) => [locationVerdictWords[verdict].label, 13])),
      },
      [...asked].map(([question, verdicts]) => [
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
    ),
    list(
      LOCATION_VERDICTS.map((verdict) => ({
        ...locationLine(verdict),
        text: `${locationVerdictWords[verdict].label}. ${locationVerdictWords[verdict].meaning}`,
      })),
    ),
  ]
}

function fleetTable(nodes: readonly NodeAssessment[]): readonly Block[] {
  const rows = worstFirst(nodes).slice(0, MOST_ROWS)
  const left = nodes.length - rows.length
  return nodes.length === 0
    ? []
    : [
        heading(3, 'Location by node', true),
        headedTable(
          {
            Node: 22,
            'Declared place': 20,
            'Location result': 15,
            'Narrowest bound (maximum distance)': 21,
            'Residency rule': 22,
          },
          rows.map(({ node, location }) => [
            plainCell(plain(node, 80)),
            plainCell(location?.claim == null ? 'None declared' : plain(location.claim.name, 100)),
            placeCell(location),
            plainCell(boundText(location)),
            policyCell(location),
          ]),
        ),
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
function boundText(location: Location | null | undefined): string {
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
