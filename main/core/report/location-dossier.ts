import { LOCATION_SHOWS, locationClassWords, locationVerdictWords } from '../../../schemas/location-words.ts'
import type { Location, LocationAnswer, LocationDisc, NodeAssessment, Place } from '../../../schemas/types.ts'
import { plain } from '../plain-text.ts'
import { figureBlocks } from './figures.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, type Line, type MarkName, plainCell, quiet, text } from './model.ts'
import { brief, cites, observed, when } from './wording.ts'

/** A location verdict with its mark. */
export const locationLine = (verdict: LocationAnswer['verdict']): Line => ({
  text: locationVerdictWords[verdict].label,
  mark: locationVerdictWords[verdict].mark as MarkName,
})

export const placeText = ({ name, country, latitude, longitude, radiusKm }: Place): string =>
  `${plain(name, 100)}${country === undefined ? '' : `, ${plain(country, 20)}`}, within ${radiusKm} km of ${latitude}, ${longitude}`

export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`
/** Rounded up: a bound is never told narrower than it is. */
export const kilometres = (value: number): string => `${Math.ceil(value)} km`

/** Everything that bears on where one node is: answers, times, statements, and what none of them shows. */
export function locationBlocks(node: NodeAssessment, matter: Matter): readonly Block[] {
  const { location } = node
  const name = heading(3, plain(node.node, 80), true)
  if (location == null) return [name, text(`${observed(node)} Nothing was read or measured that bears on its place.`)]
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

/** What a location result can and cannot show; stands with every one of them. */
export const showsBlocks = (): readonly Block[] => [heading(4, 'What this can and cannot show'), showsList()]

export const showsList = (): Block => ({
  kind: 'list',
  items: LOCATION_SHOWS.map(({ statement, status }) => ({ text: `${statement}. ${status}`, style: 'quiet' })),
})

function answerTable({ claim, answers }: Location): Block {
  const declared: Cell =
    claim === null
      ? plainCell('None was declared.')
      : [{ text: placeText(claim) }, { text: `Declared by ${plain(claim.declaredBy, 100)}`, style: 'quiet' }]
  return {
    kind: 'facts',
    rows: [
      { label: 'Claimed place', value: declared },
      ...answers.map((answer) => ({
        label: answer.of === 'declared-place' ? 'Is it there' : 'Policy',
        value: answerCell(answer),
      })),
    ],
  }
}

const answerCell = ({ of, title, verdict, text: said, needed }: LocationAnswer): Cell => [
  locationLine(verdict),
  ...(of === 'residency' ? [{ text: `Has to be in: ${plain(title, 200)}`, style: 'strong' } as const] : []),
  { text: plain(said, 1500) },
  ...(needed === null
    ? []
    : [
        {
          text: `A round trip of at most ${milliseconds(needed.milliseconds)} from ${plain(needed.vantage, 100)} would bound it inside.`,
          style: 'quiet',
        } as const,
      ]),
]

function discTable({ discs, frontEnd, reachable }: Location): readonly Block[] {
  if (discs.length === 0) return [quiet('No round trip was timed from a declared place, so no distance is bounded.')]
  const gap =
    frontEnd === null
      ? []
      : [
          {
            text: `Echo ${milliseconds(frontEnd.echoMs)} beside ${milliseconds(frontEnd.tcpMs)} for the TCP connection: a gap of ${milliseconds(frontEnd.gapMs)}; ${frontEnd.exceeds ? `more than the ${milliseconds(frontEnd.allowedMs)} that is usual, so something nearer opens the connection and passes it on.` : `within the ${milliseconds(frontEnd.allowedMs)} that is usual.`}`,
            ...(frontEnd.exceeds ? { mark: 'diamond-question' as const } : {}),
          },
        ]
  const lands =
    reachable === null || reachable.length === 0
      ? []
      : [{ text: `Countries with land in reach of all: ${reachable.join(', ')}.` }]
  return [
    heading(4, `${locationClassWords.E1} (E1)`),
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'From', width: 28 },
        { title: 'Declared by', width: 14 },
        { title: 'Round trip', width: 14 },
        { title: 'Away at most', width: 12 },
        { title: 'Measured', width: 32 },
      ],
      rows: discs.map(discRow),
    },
    ...(gap.length + lands.length === 0 ? [] : [{ kind: 'list', items: [...lands, ...gap] } as const]),
  ]
}

function discRow({
  vantage,
  record,
  signer,
  at,
  milliseconds: time,
  samples,
  reachKm,
  tcpMs,
  keepaliveMs,
  text: said,
}: LocationDisc): readonly Cell[] {
  const beside = [
    ...(tcpMs === null ? [] : [`TCP ${milliseconds(tcpMs)}`]),
    ...(keepaliveMs === null ? [] : [`keep-alive ${milliseconds(keepaliveMs)}`]),
  ]
  const source = record === null ? 'While collecting' : `Record ${plain(record, 100)}`
  return [
    [{ text: placeText(vantage) }],
    plainCell(plain(vantage.declaredBy, 100)),
    [
      { text: time === null ? 'Not usable' : milliseconds(time) },
      ...(beside.length === 0 ? [] : [{ text: `${beside.join(', ')}; bounds nothing`, style: 'quiet' } as const]),
    ],
    plainCell(reachKm === null ? 'Not bounded' : kilometres(reachKm)),
    [
      {
        text: `${source}${at === null ? '' : `, ${when(at)}`}, ${samples} samples${signer === null ? '' : `, signed by key ${brief(signer)}`}`,
      },
      ...(said === '' ? [] : [{ text: plain(said, 600), style: 'quiet' } as const]),
    ],
  ]
}

const SAYS = { inside: 'inside', outside: 'outside', silent: 'nothing' } as const

function signalTable({ signals, answers }: Location): readonly Block[] {
  if (signals.length === 0) return [quiet('No statement of where it is was read.')]
  const said = (id: string): readonly Line[] =>
    answers.flatMap((answer): readonly Line[] => {
      const own = answer.signals.find((one) => one.id === id)
      if (own === undefined) return []
      const about = answers.length === 1 ? '' : `${plain(answer.title, 80)}: `
      return [
        {
          text: `${about}${SAYS[own.says]}`,
          ...(own.says === 'outside' ? { mark: 'square-cross' as const } : {}),
        },
      ]
    })
  return [
    heading(4, 'Statements of where it is'),
    {
      kind: 'table',
      columns: [
        { title: 'What was read', width: 50 },
        { title: 'Class', width: 28 },
        { title: 'Says of it', width: 22 },
      ],
      rows: signals.map((signal) => [
        [{ text: `${plain(signal.text, 800)}${cites(signal.captures)}` }],
        [
          { text: signal.hint ? 'Hint' : signal.class, style: 'strong' },
          { text: signal.hint ? 'Anyone can choose it: counted nowhere.' : locationClassWords[signal.class] },
        ],
        said(signal.id),
      ]),
    },
  ]
}

const noteList = ({ notes }: Location): readonly Block[] =>
  notes.length === 0
    ? []
    : [heading(4, 'Notes'), { kind: 'list', items: notes.map((note) => ({ text: plain(note, 1000) })) }]
