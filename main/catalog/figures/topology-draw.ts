import type { FigureMark, FigureTone } from '../../../schemas/figure.ts'
import type { Disagreement, TopologyEdge, TopologyNode } from '../gpu/topology.ts'
import { box, line, link, words } from './marks.ts'
import { drawNvlink, type Nvlink } from './nvlink.ts'
import { type Band, BETWEEN, type Block, type Joint, MAX_PART_ROWS } from './topology-groups.ts'

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
export function drawBand(
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
  const looseTop = rootTop + BAR + 6
  const looseRows = Math.max(0, ...blocks.map(({ loose, columns }) => rowsFor(loose, columns)))
  return {
    bottom: looseTop + looseRows * STEP + 4,
    marks: [
      ...above.marks,
      ...joints.flatMap(({ joint, x }) => drawJoint(scene, joint, x, { gpuTop, switchTop, partTop, rootTop })),
      ...blocks.flatMap((block, index) => [
        ...drawRoot(scene, block, lefts[index] ?? 0, rootTop),
        ...drawParts(scene, block.loose, block, lefts[index] ?? 0, rootTop + BAR, looseTop),
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
  const right = x + gpus.length * unit - 5
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
          ...words(`switch, ${kind}`, x + (gpus.length * unit) / 2, switchTop + 10, gpus.length * unit - 10, {
            anchor: 'middle',
          }),
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

const toneOf = ({ wrong }: Scene, id: string): FigureTone =>
  wrong.some(({ from, to }) => from === id || to === id) ? 'against' : 'plain'

function drawGpu(scene: Scene, { id, address }: TopologyNode, x: number, top: number): readonly FigureMark[] {
  const { unit } = scene
  const middle = x + unit / 2
  return [
    box(x + 5, top, unit - 10, GPU, toneOf(scene, id)),
    ...words(id, middle, top + 12, unit - 16, { size: 9, bold: true, anchor: 'middle' }),
    ...words(address?.replace(/^0000:/, '') ?? '', middle, top + 23, unit - 16, {
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
    const room = unit - 24
    return [
      ...link(
        [
          [left + 5, barBottom],
          [left + 5, y + PART / 2],
          [left + 11, y + PART / 2],
        ],
        isWrong ? 'against' : 'plain',
      ),
      box(left + 11, y, unit - 21, PART, toneOf(scene, id)),
      ...words(name === '' ? id : name, left + 14, y + 11, room, { mono: true }),
      ...words(name === '' ? '' : id, left + 14, y + 21, room, { tone: 'quiet' }),
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
  const text = kinds.length === 0 ? block.label : `${block.label}: ${kinds.join(', ')}`
  return [box(x + 3, top, width - 6, BAR), ...words(text, x + width / 2, top + 10, width - 12, { anchor: 'middle' })]
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
