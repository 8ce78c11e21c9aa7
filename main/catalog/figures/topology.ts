import type { Figure, FigureKey, FigureMark } from '../../../schemas/figure.ts'
import {
  type Comparison,
  claimedGraph,
  compareWithPci,
  type Disagreement,
  type GpuTopology,
  type TopologyGraph,
  type TopologyParts,
} from '../gpu/topology.ts'
import type { PciDevice } from '../pci/probes.ts'
import { count } from '../steps.ts'
import { box, line, linkKey, squareKey, words } from './marks.ts'
import { nvlinkOf } from './nvlink.ts'
import { drawBand } from './topology-draw.ts'
import { bandsOf, type Side, sidesOf } from './topology-groups.ts'

const NOTE = 12
const MAX_NOTES = 6
const MAX_NAMES = 3

/**
 * How GPUs and adapters reach each other, as the driver claims: NVLink above, switches and the processor's own ways below. Where the PCI
 * tree states otherwise, the pair is marked. Null where the driver names fewer than two parts. `devices` is null where the tree was not
 * read.
 */
export function topology(
  matrix: GpuTopology,
  parts: TopologyParts,
  devices: readonly PciDevice[] | null,
): Figure | null {
  const graph = claimedGraph(matrix, parts)
  if (graph.nodes.length < 2) return null
  const compared = devices === null ? null : compareWithPci(graph, devices)
  const wrong = compared?.disagreements ?? []
  const sides = sidesOf(graph, matrix.rows, devices)
  const { bands, leftOut } = bandsOf(sides)
  const marks: FigureMark[] = []
  const width = Math.max(360, ...bands.map((band) => band.width))
  let top = 0
  const say = (text: string, tone: 'quiet' | 'against'): void => {
    top += NOTE
    marks.push(...words(text, 0, top - 2, width, { tone }))
  }
  for (const text of modelsOf(graph)) say(text, 'quiet')
  const links = nvlinkOf(graph)
  for (const band of bands) {
    const drawn = drawBand(band, links, graph.edges, wrong, top + 4)
    marks.push(...drawn.marks)
    top = drawn.bottom
  }
  for (const text of notesOf(wrong)) say(text, 'against')
  if (leftOut > 0) say(`Not drawn: ${count(leftOut, 'more part')}.`, 'quiet')
  return {
    kind: 'topology',
    title: 'How GPUs and adapters are connected',
    caption: `Connections as reported by the GPU driver of this node. ${comparisonOf(compared)}`,
    width,
    height: top + 6,
    marks,
    legend: legendOf(sides, links.pairs.length > 0, wrong.length > 0),
    table: tableOf(matrix, graph, wrong),
  }
}

const comparisonOf = (compared: Comparison | null): string =>
  compared === null
    ? 'The PCI tree was not read, so nothing was compared with it.'
    : compared.compared === 0
      ? 'The PCI tree is no evidence about these pairs.'
      : `The PCI tree agrees on ${compared.compared - compared.disagreements.length} of ${count(compared.compared, 'pair')}.`

/** The GPUs by name: “8 × NVIDIA H100 80GB HBM3”. */
function modelsOf({ nodes }: TopologyGraph): readonly string[] {
  const names = new Map<string, number>()
  for (const { id, label, kind } of nodes) {
    const name = label.slice(id.length + 1)
    if (kind === 'gpu' && name !== '') names.set(name, (names.get(name) ?? 0) + 1)
  }
  return [...names].slice(0, MAX_NAMES).map(([name, number]) => `${number} × ${name}`)
}

function notesOf(wrong: readonly Disagreement[]): readonly string[] {
  const shown = wrong
    .slice(0, MAX_NOTES)
    .map(
      ({ from, to, claimed, found }) => `${from} – ${to}: the driver reports ${claimed}, the PCI tree ${WAYS[found]}.`,
    )
  return wrong.length > MAX_NOTES
    ? [...shown, `${count(wrong.length - MAX_NOTES, 'more pair')} on which driver and PCI tree differ.`]
    : shown
}

const WAYS: Readonly<Record<Disagreement['found'], string>> = {
  PIX: 'shows a switch (PIX)',
  PXB: 'shows switches (PXB)',
  PHB: 'shows no switch (PHB)',
  far: 'shows different roots',
}

const legendOf = (sides: readonly Side[], hasNvlink: boolean, hasWrong: boolean): readonly FigureKey[] => [
  ...(hasNvlink
    ? [
        squareKey(
          [
            line(
              [
                [1.5, 5],
                [22.5, 5],
              ],
              'plain',
              { weight: 3 },
            ),
          ],
          'NVLink; a heavier line means more links',
        ),
      ]
    : []),
  ...(sides.some(({ joints }) => joints.some(({ kind }) => kind !== null))
    ? [squareKey([box(1, 2, 22, 6, 'quiet')], 'PIX, PXB: joined by one or by several PCI switches')]
    : []),
  squareKey([box(1, 2, 22, 6, 'plain')], 'PHB, NODE: joined by the processor; SYS: across processors'),
  ...(hasWrong ? [linkKey('against', 'The PCI tree differs')] : []),
]

/** The driver's matrix, with what the tree states where it differs. */
function tableOf(matrix: GpuTopology, { nodes }: TopologyGraph, wrong: readonly Disagreement[]): Figure['table'] {
  const found = new Map(
    wrong.flatMap((one) => [
      [`${one.from} ${one.to}`, one.found] as const,
      [`${one.to} ${one.from}`, one.found] as const,
    ]),
  )
  const names = nodes.map(({ id }) => id)
  return {
    head: ['', ...names],
    rows: matrix.rows.map(({ name, cells }) => [
      nodes.find(({ id }) => id === name)?.label ?? name,
      ...names.map((other) => {
        const said = other === name ? '·' : (cells.get(other) ?? '')
        const tree = found.get(`${name} ${other}`)
        return tree === undefined ? said : `${said} (tree: ${tree})`
      }),
    ]),
  }
}
