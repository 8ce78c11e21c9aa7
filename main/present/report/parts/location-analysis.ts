import { LOCATION_SHOWS, locationClassWords, locationVerdictWords } from '../../../../schemas/location-words.ts'
import type { DistanceBound, Location, LocationResult, NodeAssessment, Place } from '../../../../schemas/types.ts'
import { plain } from '../../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  type MarkName,
  plainCell,
  quiet,
  table,
  text,
} from '../../../core/base/report-document.ts'
import { figureBlocks } from './figures.ts'
import type { Matter } from './input.ts'
import { brief, cites, observed, when } from './wording.ts'

/** A location result with its mark. */
export const locationLine = (verdict: LocationResult['result']): Line => ({
  text: locationVerdictWords[verdict].label,
  mark: locationVerdictWords[verdict].mark as MarkName,
})

export const placeText = ({ name, country, latitude, longitude, radiusKm }: Place): string =>
  `${plain(name, 100)}${country === undefined ? '' : `, ${plain(country, 20)}`}, within ${radiusKm} km of ${latitude}, ${longitude}`

export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`
/** Rounded up, so that a bound is never printed narrower than it is. */
export const kilometres = (value: number): string => `${Math.ceil(value)} km`

/** Location analysis of one node: results, round trips, statements and limitations. */
export function locationBlocks(node: NodeAssessment, matter: Matter): readonly Block[] {
  const { location } = node
  const name = heading(3, plain(node.node, 80), true)
  if (location == null) return [name, text(`${observed(node)} No location evidence.`)]
  return [
    name,
    quiet(observed(node)),
    answerTable(location),
    ...figureBlocks(matter, node, ['location-map']),
    ...discTable(location),
    ...signalTable(location),
    ...noteList(location),
    ...showsBlocks(),
  ]
}

/** Interpretation of location results; printed with each of them. */
export const showsBlocks = (): readonly Block[] => [heading(4, 'Interpretation'), showsList()]

export const showsList = (): Block =>
  list(LOCATION_SHOWS.map(({ statement, status }) => ({ text: `${statement}. ${status}`, style: 'quiet' })))

function answerTable({ claim, results }: Location): Block {
  const declared: Cell =
    claim === null
      ? plainCell('None declared.')
      : [{ text: placeText(claim) }, { text: `Declared by ${plain(claim.declaredBy, 100)}`, style: 'quiet' }]
  return {
    kind: 'facts',
    rows: [
      { label: 'Declared place', value: declared },
      ...results.map((answer) => ({
        label: answer.of === 'declared-place' ? 'Location result' : 'Residency rule',
        value: answerCell(answer),
      })),
    ],
  }
}

const answerCell = ({ of, title, result, text: words, needed }: LocationResult): Cell => [
  locationLine(result),
  ...(of === 'residency' ? [{ text: `Required area: ${plain(title, 200)}`, style: 'strong' } as const] : []),
  { text: plain(words, 1500) },
  ...(needed === null
    ? []
    : [
        {
          text: `A round trip of at most ${milliseconds(needed.milliseconds)} from ${plain(needed.vantage, 100)} would bound the responder within the area.`,
          style: 'quiet',
        } as const,
      ]),
]

function discTable({ distanceBounds, frontEnd, reachable }: Location): readonly Block[] {
  if (distanceBounds.length === 0)
    return [quiet('No round trip was measured from a declared vantage point, so no distance is bounded.')]
  const gap =
    frontEnd === null
      ? []
      : [
          {
            text: `SSH echo ${milliseconds(frontEnd.echoMs)}, TCP connection ${milliseconds(frontEnd.tcpMs)}: difference ${milliseconds(frontEnd.gapMs)}; ${frontEnd.exceeds ? `more than the usual ${milliseconds(frontEnd.allowedMs)}, so a device closer than the node accepts its TCP connections.` : `within the usual ${milliseconds(frontEnd.allowedMs)}.`}`,
            ...(frontEnd.exceeds ? { mark: 'diamond-question' as const } : {}),
          },
        ]
  const lands =
    reachable === null || reachable.length === 0
      ? []
      : [{ text: `Countries with land within all bounds: ${reachable.join(', ')}.` }]
  return [
    heading(4, `${locationClassWords.E1} (E1)`),
    headedTable(
      { 'Vantage point': 28, 'Declared by': 14, 'Round trip': 14, 'Maximum distance': 12, Measured: 32 },
      distanceBounds.map(discRow),
    ),
    ...(gap.length + lands.length === 0 ? [] : [list([...lands, ...gap])]),
  ]
}

function discRow({
  vantage,
  record,
  signer,
  at,
  milliseconds: time,
  samples,
  maxDistanceKm,
  tcpMs,
  keepaliveMs,
  text: words,
}: DistanceBound): readonly Cell[] {
  const beside = [
    ...(tcpMs === null ? [] : [`TCP ${milliseconds(tcpMs)}`]),
    ...(keepaliveMs === null ? [] : [`keep-alive ${milliseconds(keepaliveMs)}`]),
  ]
  const source = record === null ? 'During collection' : `Measurement ${plain(record, 100)}`
  return [
    [{ text: placeText(vantage) }],
    plainCell(plain(vantage.declaredBy, 100)),
    [
      { text: time === null ? 'Not usable' : milliseconds(time) },
      ...(beside.length === 0 ? [] : [{ text: `${beside.join(', ')}; not used as a bound`, style: 'quiet' } as const]),
    ],
    plainCell(maxDistanceKm === null ? 'Not bounded' : kilometres(maxDistanceKm)),
    [
      {
        text: `${source}${at === null ? '' : `, ${when(at)}`}, ${samples} samples${signer === null ? '' : `, signed by key ${brief(signer)}`}`,
      },
      ...(words === '' ? [] : [{ text: plain(words, 600), style: 'quiet' } as const]),
    ],
  ]
}

const SAYS = { inside: 'inside', outside: 'outside', silent: 'no statement' } as const

function signalTable({ signals, results }: Location): readonly Block[] {
  if (signals.length === 0) return [quiet('No statements about the location were collected.')]
  const linesOf = (id: string): readonly Line[] =>
    results.flatMap((answer): readonly Line[] => {
      const own = answer.signals.find((one) => one.id === id)
      if (own === undefined) return []
      const about = results.length === 1 ? '' : `${plain(answer.title, 80)}: `
      return [
        {
          text: `${about}${SAYS[own.indicates]}`,
          ...(own.indicates === 'outside' ? { mark: 'square-cross' as const } : {}),
        },
      ]
    })
  return [
    heading(4, 'Location statements'),
    table(
      { Statement: 50, 'Source class': 28, Indicates: 22 },
      signals.map((signal) => [
        [{ text: `${plain(signal.text, 800)}${cites(signal.captures)}` }],
        [
          { text: signal.hint ? 'Hint' : signal.class, style: 'strong' },
          { text: signal.hint ? 'Can be set by anyone; not counted.' : locationClassWords[signal.class] },
        ],
        linesOf(signal.id),
      ]),
    ),
  ]
}

const noteList = ({ notes }: Location): readonly Block[] =>
  notes.length === 0 ? [] : [heading(4, 'Notes'), list(notes.map((note) => ({ text: plain(note, 1000) })))]
