import type { Isolation } from '../../../schemas/types.ts'
import { contradictionWords, spoofWords } from '../../../schemas/words.ts'
import type { SignalNote } from '../catalog.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type Block, type Cell, type Column, heading, plainCell, text } from './model.ts'
import { of } from './wording.ts'

/** What is the same in every dossier of a report. */
export interface Common {
  /** What providers would have to fake; empty where nodes differ in it. */
  readonly levels: Isolation['levels']
  readonly cannotShow: readonly string[]
  readonly settle: Isolation['settle']
}

/** What all of these have in common, to be said once. */
export function commonOf(all: readonly Isolation[]): Common {
  const withLevels = all.filter(hasLevels).map((one) => one.levels)
  const [first = []] = withLevels
  const says = (ladder: Isolation['levels']): string => JSON.stringify(ladder.map(({ readHere: _, ...words }) => words))
  const same = withLevels.every((ladder) => says(ladder) === says(first))
  return {
    levels: same ? first : [],
    cannotShow: (all[0]?.cannotShow ?? []).filter((said) => all.every(({ cannotShow }) => cannotShow.includes(said))),
    settle:
      all.length < 2
        ? []
        : (all[0]?.settle ?? []).filter((point) => all.every(({ settle }) => settle.some(sameAs(point)))),
  }
}

type OpenPoint = Isolation['settle'][number]
export const sameAs =
  (one: OpenPoint) =>
  ({ what, how }: OpenPoint): boolean =>
    what === one.what && how === one.how

/** Once for all nodes: how to read the dossiers, what nobody can show from inside, and what providers would have to fake. */
export function commonBlocks(
  { levels: ladder, cannotShow, settle }: Common,
  all: readonly Isolation[],
  notes: ReadonlyMap<string, SignalNote>,
): readonly Block[] {
  return [
    heading(3, 'How to read the dossiers', true),
    text(
      'Weights are natural logarithms of how often guests read like this over how often hardware does, from the counts printed beside each signal. They decide nothing alone; the rules decide. “As read” holds if the provider is honest; “distrusted” leaves out whatever is cheap for a provider to set.',
    ),
    text(`K1: ${contradictionWords.K1.toLowerCase()}. K2: ${contradictionWords.K2.toLowerCase()}.`),
    text(
      `A signal’s code says what it costs to fake: ${spoofText()}. Of the signals that were counted before, the table below says how many machines of known kind read as on a guest; a weight stands at each node.`,
    ),
    ...(cannotShow.length === 0
      ? []
      : [
          heading(4, 'What cannot be shown from inside, on any of these nodes'),
          { kind: 'list', items: cannotShow.map((said) => ({ text: plain(said, 900) })) } as const,
        ]),
    ...(ladder.length === 0
      ? []
      : [
          heading(4, 'What a provider would have to fake'),
          {
            kind: 'table',
            columns: LEVEL_COLUMNS,
            rowHeaders: true,
            rows: ladder.map(levelCells),
          } as const,
        ]),
    ...(settle.length === 0
      ? []
      : [heading(4, 'What would settle points that are open on all of these nodes'), settleTable(settle)]),
    ...countedTable(all, notes),
  ]
}

/** What would settle open points, a row each. */
export const settleTable = (settle: Isolation['settle']): Block => ({
  kind: 'table',
  columns: [
    { title: 'Open', width: 42 },
    { title: 'What would settle it', width: 58 },
  ],
  rows: settle.map(({ what, how }) => [plainCell(plain(what, 300)), plainCell(plain(how, 900))]),
})

/** The counts behind the weights, of the signals that weigh something on one of these nodes: they are the same for every node. */
function countedTable(all: readonly Isolation[], notes: ReadonlyMap<string, SignalNote>): readonly Block[] {
  const weighed = new Set(
    all.flatMap(({ signals }) => signals.filter(({ weight }) => weight !== null).map(({ id }) => id)),
  )
  const rows = [...weighed].sort(compare).flatMap((id): readonly (readonly Cell[])[] => {
    const note = notes.get(id)
    return note?.counts == null
      ? []
      : [
          [
            plainCell(note.title),
            ...[note.counts.vm, note.counts.dressed, note.counts.metal].map(([hits, asked]) =>
              plainCell(of(hits, asked)),
            ),
          ],
        ]
  })
  return rows.length === 0
    ? []
    : [
        heading(4, 'Signals that were counted before: how many read as on a guest'),
        {
          kind: 'table',
          columns: [
            { title: 'Signal', width: 46 },
            { title: 'Honest guests', width: 18 },
            { title: 'Dressed-up guests', width: 18 },
            { title: 'Hardware', width: 18 },
          ],
          rowHeaders: true,
          rows,
        },
      ]
}

const spoofText = (): string =>
  Object.entries(spoofWords)
    .map(([code, words]) => `${code} ${words}`)
    .join('; ')

/** Whether it is of any use to say what a provider would have to fake: where nothing shows a guest. */
export const hasLevels = ({ levels: all, layer }: Isolation): boolean =>
  all.length > 0 && layer !== 'vm' && layer !== 'lpar'

export const LEVEL_COLUMNS: readonly Column[] = [
  { title: 'Provider', width: 30 },
  { title: 'Would have to fake', width: 35 },
  { title: 'Would still show', width: 35 },
]

export const levelCells = ({
  level,
  provider,
  mustFake,
  wouldStillShow,
}: Isolation['levels'][number]): readonly Cell[] => [
  plainCell(`${level}. ${provider}`),
  lines(mustFake, 'Nothing.'),
  lines(wouldStillShow, 'Nothing.'),
]

const lines = (all: readonly string[], none: string): Cell =>
  all.length === 0 ? plainCell(none) : all.map((said) => ({ text: said }))
