import { FIGURE_WIDTH } from './marks.ts'
import type { Joint, Side } from './topology-groups.ts'

/** A part of a side that is in one row of the picture. */
export interface Block extends Side {
  readonly columns: number
}
/** One row of GPUs with what hangs below them. */
export interface Band {
  readonly blocks: readonly Block[]
  readonly unit: number
  readonly width: number
}

const COLUMNS = 8
const MAX_BANDS = 2
const MAX_UNIT = 120
export const BETWEEN = 26
/** More adapters than these rows hold are left out. */
export const MAX_PART_ROWS = 3

/** Sides laid out in rows of at most eight GPUs; `leftOut` counts the parts that no row has room for. */
export function bandsOf(sides: readonly Side[]): { readonly bands: readonly Band[]; readonly leftOut: number } {
  const rows: Block[][] = [[]]
  for (const block of sides.flatMap(blocksOf)) {
    const row = rows.at(-1) ?? []
    const used = row.reduce((sum, { columns }) => sum + columns, 0)
    if (used + block.columns <= COLUMNS) row.push(block)
    else rows.push([block])
  }
  const bands = rows.slice(0, MAX_BANDS).map((blocks): Band => {
    const columns = blocks.reduce((sum, block) => sum + block.columns, 0)
    const gaps = (blocks.length - 1) * BETWEEN
    const unit = Math.min(MAX_UNIT, (FIGURE_WIDTH - gaps) / columns)
    return { blocks, unit, width: columns * unit + gaps }
  })
  const drawn = bands.flatMap(({ blocks }) => blocks.map(shownIn)).reduce((sum, shown) => sum + shown, 0)
  const all = sides.reduce((sum, side) => sum + partsIn(side), 0)
  return { bands, leftOut: all - drawn }
}

const partsIn = ({ joints, loose }: Side): number =>
  joints.reduce((sum, { gpus, adapters }) => sum + gpus.length + adapters.length, 0) + loose.length

const shownIn = ({ joints, loose, columns }: Block): number =>
  joints.reduce(
    (sum, { gpus, adapters }) => sum + gpus.length + Math.min(adapters.length, gpus.length * MAX_PART_ROWS),
    0,
  ) + Math.min(loose.length, columns * MAX_PART_ROWS)

/** A side in pieces of at most eight GPUs. */
function blocksOf({ label, joints, loose }: Side): readonly Block[] {
  const pieces = joints.flatMap((joint) =>
    Array.from(
      { length: Math.ceil(joint.gpus.length / COLUMNS) },
      (_, index): Joint => ({
        ...joint,
        gpus: joint.gpus.slice(index * COLUMNS, (index + 1) * COLUMNS),
        adapters: index === 0 ? joint.adapters : [],
      }),
    ),
  )
  const blocks: { joints: Joint[]; columns: number }[] = []
  for (const joint of pieces) {
    const last = blocks.at(-1)
    if (last !== undefined && last.columns + joint.gpus.length <= COLUMNS) {
      last.joints.push(joint)
      last.columns += joint.gpus.length
    } else blocks.push({ joints: [joint], columns: joint.gpus.length })
  }
  if (blocks.length === 0) return [{ label, joints: [], loose, columns: Math.min(COLUMNS, Math.max(1, loose.length)) }]
  return blocks.map((block, index) => ({ label, ...block, loose: index === 0 ? loose : [] }))
}
