import type { Figure, FigureKey, FigureMark, FigureTone } from '../../../schemas/figure.ts'
import { count } from '../base/steps.ts'
import {
  type Comparison,
  claimedGraph,
  compareWithPci,
  type Disagreement,
  type GpuTopology,
  type TopologyEdge,
  type TopologyGraph,
  type TopologyNode,
  type TopologyParts,
} from '../hardware/gpu/topology.ts'
import type { PciDevice } from '../hardware/pci/probes.ts'
import { box, drawn, FIGURE_HEIGHT, line, link, linkKey, squareKey, widthOf, words } from './marks.ts'
import {
  type Band,
  BETWEEN,
  type Block,
  bandsOf,
  drawNvlink,
  type Joint,
  MAX_PART_ROWS,
  type Nvlink,
  notShown,
  nvlinkOf,
  type Side,
  sidesOf,
} from './topology-groups.ts'

const NOTE = 12
/** Below the last line. */
const EDGE = 6
const MAX_NOTES = 4
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
  const bands = bandsOf(sides)
  const marks: FigureMark[] = []
  const width = Math.max(380, ...bands.map((band) => band.width))
  let top = 0
  const write = (text: string, tone: 'quiet' | 'against'): void => {
    top += NOTE
    marks.push(...words(text, 0, top - 2, width, { tone }))
  }
  for (const text of modelsOf(graph)) write(text, 'quiet')
  const links = nvlinkOf(graph)
  const notes = notesOf(wrong)
  const shown: Band[] = []
  for (const band of bands) {
    const drawn = drawBand(band, links, graph.edges, wrong, top + 4)
    if (drawn.bottom + (notes.length + 1) * NOTE + EDGE > FIGURE_HEIGHT) break
    marks.push(...drawn.marks)
    top = drawn.bottom
    shown.push(band)
  }
  for (const text of notes) write(text, 'against')
  const leftOut = notShown(sides, shown)
  if (leftOut > 0) write(`Not drawn: ${count(leftOut, 'more part')}.`, 'quiet')
  return {
    kind: 'topology',
    title: 'How GPUs and adapters are connected',
    caption: `Connections as reported by the GPU driver of this node. ${comparisonOf(compared)}`,
    width,
    height: top + EDGE,
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
        const link = other === name ? '·' : (cells.get(other) ?? '')
        const tree = found.get(`${name} ${other}`)
        return tree === undefined ? link : `${link} (tree: ${tree})`
      }),
    ]),
  }
}

const GPU = 28
const BAR = 14
const PART = 25
const STEP = 30

interface Scene {
  readonly unit: number
  readonly wrong: readonly Disagreement[]
  readonly edges: readonly TopologyEdge[]
}

/** Draws one band below `top`. */
function drawBand(
  { blocks, unit }: Band,
  links: Nvlink,
  edges: readonly TopologyEdge[],
  wrong: readonly Disagreement[],
  top: number,
): { readonly marks: readonly FigureMark[]; readonly bottom: number } {
  const scene: Scene = { unit, wrong, edges }
  const lefts = blocks.map((_, index) =>
    blocks.slice(0, index).reduce((sum, { columns }) => sum + columns * unit + BETWEEN, 0),
  )
  const joints = blocks.flatMap((block, index) => placedJoints(block, lefts[index] ?? 0, unit))
  const middles = new Map(
    joints.flatMap(({ joint, x }) => joint.gpus.map(({ id }, index) => [id, x + (index + 0.5) * unit] as const)),
  )
  const above = drawNvlink(links, middles, top)
  const gpuTop = top + above.height
  const hasGpus = joints.length > 0
  const switchTop = gpuTop + (hasGpus ? GPU + 10 : 0)
  const hasSwitch = joints.some(({ joint }) => joint.kind !== null)
  const partTop = switchTop + (hasSwitch ? BAR + 6 : 0)
  const rows = Math.max(0, ...joints.map(({ joint }) => rowsFor(joint.adapters, joint.gpus.length)))
  const rootTop = partTop + rows * STEP + 6
  const rootBottom = rootTop + BAR
  const looseTop = rootBottom + 6
  const looseRows = Math.max(0, ...blocks.map(({ loose, columns }) => rowsFor(loose, columns)))
  return {
    bottom: looseRows === 0 ? rootBottom + 4 : looseTop + looseRows * STEP + 4,
    marks: [
      ...above.marks,
      ...joints.flatMap(({ joint, x }) => drawJoint(scene, joint, x, { gpuTop, switchTop, partTop, rootTop })),
      ...blocks.flatMap((block, index) => [
        ...drawRoot(scene, block, lefts[index] ?? 0, rootTop),
        ...drawParts(scene, block.loose, block, lefts[index] ?? 0, rootBottom, looseTop),
        ...drawAcross(scene, block, blocks[index + 1], lefts[index] ?? 0, rootTop),
      ]),
    ],
  }
}

const rowsFor = (parts: readonly TopologyNode[], columns: number): number =>
  Math.min(MAX_PART_ROWS, Math.ceil(parts.length / columns))

function placedJoints({ joints }: Block, left: number, unit: number): readonly { joint: Joint; x: number }[] {
  return joints.map((joint, index) => ({
    joint,
    x: left + joints.slice(0, index).reduce((sum, { gpus }) => sum + gpus.length * unit, 0),
  }))
}

interface Tops {
  readonly gpuTop: number
  readonly switchTop: number
  readonly partTop: number
  readonly rootTop: number
}

function drawJoint(scene: Scene, joint: Joint, x: number, tops: Tops): readonly FigureMark[] {
  const { unit } = scene
  const { gpuTop, switchTop, partTop, rootTop } = tops
  const { gpus, kind } = joint
  const right = x + gpus.length * unit - 3.5
  const down = (at: number): number => x + (at + 0.5) * unit
  return [
    ...gpus.flatMap((gpu, index) => drawGpu(scene, gpu, x + index * unit, gpuTop)),
    ...gpus.map((_, index) =>
      line(
        [
          [down(index), gpuTop + GPU],
          [down(index), kind === null ? rootTop : switchTop],
        ],
        'plain',
      ),
    ),
    ...(kind === null
      ? []
      : [
          box(x + 3, switchTop, gpus.length * unit - 6, BAR, 'quiet'),
          ...firstFitting(
            [`switch, ${kind}`, kind],
            x + (gpus.length * unit) / 2,
            switchTop + 10,
            gpus.length * unit - 10,
          ),
          line(
            [
              [right, switchTop + BAR],
              [right, rootTop],
            ],
            'plain',
          ),
          ...drawParts(scene, joint.adapters, { joints: [joint], columns: gpus.length }, x, switchTop + BAR, partTop),
        ]),
  ]
}

/** The first of the texts that has room around `x`, else as much of the last as has. */
function firstFitting(texts: readonly string[], x: number, y: number, room: number): readonly FigureMark[] {
  const text = texts.find((one) => widthOf(drawn(one), 8) <= room) ?? texts.at(-1) ?? ''
  return words(text, x, y, room, { anchor: 'middle' })
}

const toneOf = ({ wrong }: Scene, id: string): FigureTone =>
  wrong.some(({ from, to }) => from === id || to === id) ? 'against' : 'plain'

function drawGpu(scene: Scene, { id, address }: TopologyNode, x: number, top: number): readonly FigureMark[] {
  const { unit } = scene
  const middle = x + unit / 2
  return [
    box(x + 3, top, unit - 6, GPU, toneOf(scene, id)),
    ...words(id, middle, top + 12, unit - 12, { size: 9, bold: true, anchor: 'middle' }),
    ...words(address?.replace(/^0000:/, '') ?? '', middle, top + 23, unit - 12, {
      mono: true,
      anchor: 'middle',
      tone: 'quiet',
    }),
  ]
}

/** Adapters below a bar, in columns, each hung on a stem at its left. */
function drawParts(
  scene: Scene,
  parts: readonly TopologyNode[],
  { joints, columns }: Pick<Block, 'joints' | 'columns'>,
  x: number,
  barBottom: number,
  top: number,
): readonly FigureMark[] {
  const { unit, wrong } = scene
  const gpus = new Set(joints.flatMap((joint) => joint.gpus.map(({ id }) => id)))
  return parts.slice(0, columns * MAX_PART_ROWS).flatMap(({ id, label }, index): readonly FigureMark[] => {
    const [left, y] = [x + (index % columns) * unit, top + Math.floor(index / columns) * STEP]
    const isWrong = wrong.some(({ from, to }) => (from === id && gpus.has(to)) || (to === id && gpus.has(from)))
    const name = label.slice(id.length + 1)
    const room = unit - 17.5
    return [
      ...link(
        [
          [left + 4, barBottom],
          [left + 4, y + PART / 2],
          [left + 8, y + PART / 2],
        ],
        isWrong ? 'against' : 'plain',
      ),
      box(left + 8, y, unit - 15, PART, toneOf(scene, id)),
      ...words(name === '' ? id : name, left + 9.5, y + 11, room, { mono: true }),
      ...words(name === '' ? '' : id, left + 9.5, y + 21, room, { tone: 'quiet' }),
    ]
  })
}

const idsIn = ({ joints, loose }: Block): ReadonlySet<string> =>
  new Set([...joints.flatMap(({ gpus, adapters }) => [...gpus, ...adapters]), ...loose].map(({ id }) => id))

function drawRoot({ unit, edges }: Scene, block: Block, x: number, top: number): readonly FigureMark[] {
  const ids = idsIn(block)
  const kinds = ['PHB', 'NODE'].filter((kind) =>
    edges.some((edge) => edge.kind === kind && ids.has(edge.from) && ids.has(edge.to)),
  )
  const width = block.columns * unit
  const whole = kinds.length === 0 ? block.label : `${block.label}: ${kinds.join(', ')}`
  return [
    box(x + 3, top, width - 6, BAR),
    ...firstFitting([whole, block.label, block.brief], x + width / 2, top + 10, width - 10),
  ]
}

/** The way between processors, where the driver names it between two neighbors of the picture. */
function drawAcross(
  { unit, edges }: Scene,
  block: Block,
  next: Block | undefined,
  x: number,
  top: number,
): readonly FigureMark[] {
  if (next === undefined) return []
  const [here, there] = [idsIn(block), idsIn(next)]
  const kind = edges.find(
    (edge) =>
      (edge.kind === 'SYS' || edge.kind === 'SOC') &&
      ((here.has(edge.from) && there.has(edge.to)) || (there.has(edge.from) && here.has(edge.to))),
  )?.kind
  if (kind === undefined) return []
  const [from, to] = [x + block.columns * unit - 3, x + block.columns * unit + BETWEEN + 3]
  return [
    line(
      [
        [from, top + BAR / 2],
        [to, top + BAR / 2],
      ],
      'plain',
    ),
    ...words(kind, (from + to) / 2, top + BAR / 2 - 3, to - from, { anchor: 'middle' }),
  ]
}
