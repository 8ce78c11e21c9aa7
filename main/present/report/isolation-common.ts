import type { Isolation, OpenPoint } from '../../../schemas/types.ts'
import { spoofWords } from '../../../schemas/words.ts'
import type { SignalNote } from '../../core/catalog.ts'
import { of } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { compare } from '../../core/recording.ts'
import { type Block, type Cell, type Column, heading, plainCell, text } from '../../core/report-document.ts'

/** Parts that are identical in every isolation analysis of a report. */
export interface Common {
  /** Falsification requirements by provider capability; empty where nodes differ. */
  readonly adversaries: Isolation['adversaries']
  readonly limitations: readonly string[]
  readonly openPoints: Isolation['openPoints']
}

/** The parts common to all analyses, printed once. */
export function commonOf(all: readonly Isolation[]): Common {
  const withLevels = all.filter(hasLevels).map((one) => one.adversaries)
  const [first = []] = withLevels
  const says = (ladder: Isolation['adversaries']): string =>
    JSON.stringify(ladder.map(({ readOnThisNode: _, ...words }) => words))
  const same = withLevels.every((ladder) => says(ladder) === says(first))
  return {
    adversaries: same ? first : [],
    limitations: (all[0]?.limitations ?? []).filter((said) =>
      all.every(({ limitations }) => limitations.includes(said)),
    ),
    openPoints:
      all.length < 2
        ? []
        : (all[0]?.openPoints ?? []).filter((point) => all.every(({ openPoints }) => openPoints.some(sameAs(point)))),
  }
}

export const sameAs =
  (one: OpenPoint) =>
  ({ point, resolution }: OpenPoint): boolean =>
    point === one.point && resolution === one.resolution

/** Printed once for all nodes: method, what cannot be shown from inside a node, and falsification requirements. */
export function commonBlocks(
  { adversaries: ladder, limitations, openPoints }: Common,
  all: readonly Isolation[],
  notes: ReadonlyMap<string, SignalNote>,
): readonly Block[] {
  return [
    heading(3, 'Method of the isolation analysis', true),
    text(
      'A weight is the natural logarithm of the likelihood ratio of a signal: its frequency on guests divided by its frequency on hardware, from the counts printed with each signal. Weights alone decide nothing; the rules decide. “As observed” assumes that the provider does not falsify signals; “without cheap signals” excludes signals that are cheap for a provider to set.',
    ),
    text(
      `The code of a signal states its spoofing effort: ${spoofText()}. For signals with reference counts, the table below states how many machines of known type indicate virtualization; the weight is printed at each node.`,
    ),
    ...(limitations.length === 0
      ? []
      : [
          heading(4, 'Limitations common to all nodes'),
          { kind: 'list', items: limitations.map((said) => ({ text: plain(said, 900) })) } as const,
        ]),
    ...(ladder.length === 0
      ? []
      : [
          heading(4, 'Falsification requirements'),
          {
            kind: 'table',
            columns: LEVEL_COLUMNS,
            rowHeaders: true,
            rows: ladder.map(levelCells),
          } as const,
        ]),
    ...(openPoints.length === 0 ? [] : [heading(4, 'Open points common to all nodes'), openPointTable(openPoints)]),
    ...countedTable(all, notes),
  ]
}

/** Open points, one table row each, with the evidence that would resolve them. */
export const openPointTable = (openPoints: Isolation['openPoints']): Block => ({
  kind: 'table',
  columns: [
    { title: 'Open point', width: 42 },
    { title: 'Evidence required', width: 58 },
  ],
  rows: openPoints.map(({ point, resolution }) => [plainCell(plain(point, 300)), plainCell(plain(resolution, 900))]),
})

/** Reference counts behind the weights, for signals with a weight on any of these nodes; identical for every node. */
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
        heading(4, 'Reference counts: machines that indicate virtualization'),
        {
          kind: 'table',
          columns: [
            { title: 'Signal', width: 46 },
            { title: 'Ordinary guests', width: 18 },
            { title: 'Disguised guests', width: 18 },
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

/** Whether falsification requirements are relevant: only where no evidence shows a guest. */
export const hasLevels = ({ adversaries: all, environment }: Isolation): boolean =>
  all.length > 0 && environment !== 'virtual-machine' && environment !== 'logical-partition'

export const LEVEL_COLUMNS: readonly Column[] = [
  { title: 'Provider', width: 30 },
  { title: 'Would need to falsify', width: 35 },
  { title: 'Residual indicators', width: 35 },
]

export const levelCells = ({
  level,
  adversary,
  wouldNeedToFalsify,
  residualIndicators,
}: Isolation['adversaries'][number]): readonly Cell[] => [
  plainCell(`${level}. ${adversary}`),
  lines(wouldNeedToFalsify, 'Nothing.'),
  lines(residualIndicators, 'Nothing.'),
]

const lines = (all: readonly string[], none: string): Cell =>
  all.length === 0 ? plainCell(none) : all.map((said) => ({ text: said }))
