import type { FigureMark } from '../../../schemas/figure.ts'
import type { TopologyGraph } from '../gpu/topology.ts'
import { box, line, words } from './marks.ts'

interface LinkedPair {
  readonly from: string
  readonly to: string
  readonly links: number
}

/** What the driver reports about NVLink between GPUs. `uniform`: every pair has that many links; null where pairs differ. */
export interface Nvlink {
  readonly pairs: readonly LinkedPair[]
  readonly uniform: number | null
}

export function nvlinkOf({ nodes, edges }: TopologyGraph): Nvlink {
  const gpus = nodes.filter(({ kind }) => kind === 'gpu').length
  const pairs = edges.flatMap(({ from, to, kind }): readonly LinkedPair[] =>
    kind.startsWith('NV') ? [{ from, to, links: Number(kind.slice(2)) }] : [],
  )
  const counts = new Set(pairs.map(({ links }) => links))
  const [first = null] = counts
  const isAll = gpus > 2 && counts.size === 1 && pairs.length === (gpus * (gpus - 1)) / 2
  return { pairs, uniform: isAll ? first : null }
}

/** Lines drawn above the GPUs: what stands where, by the name of the GPU. */
interface Drawn {
  readonly marks: readonly FigureMark[]
  readonly height: number
}

const weightOf = (links: number): 1 | 2 | 3 => (links >= 12 ? 3 : links >= 5 ? 2 : 1)
const BAR = 16
const DROP = 10
const LEVEL = 12
const MAX_LEVELS = 5

/** NVLink above a row of GPUs whose middles are given: one bar where every pair is joined alike, else a bracket for each pair. */
export function drawNvlink({ pairs, uniform }: Nvlink, middles: ReadonlyMap<string, number>, top: number): Drawn {
  const xs = [...middles.values()]
  if (pairs.length === 0 || xs.length === 0) return { marks: [], height: 0 }
  if (uniform !== null) {
    const [left, right] = [Math.min(...xs) - 24, Math.max(...xs) + 24]
    const text = `NVLink: ${uniform} links between every two GPUs`
    return {
      height: BAR + DROP,
      marks: [
        box(left, top, right - left, BAR),
        ...words(text, (left + right) / 2, top + 11, right - left - 8, { anchor: 'middle', bold: true }),
        ...xs.map((x) =>
          line(
            [
              [x, top + BAR],
              [x, top + BAR + DROP],
            ],
            'plain',
            { weight: weightOf(uniform) },
          ),
        ),
      ],
    }
  }
  return drawBrackets(pairs, middles, top)
}

interface Bracket extends LinkedPair {
  readonly left: number
  readonly right: number
  readonly level: number
}

function drawBrackets(pairs: readonly LinkedPair[], middles: ReadonlyMap<string, number>, top: number): Drawn {
  const brackets: Bracket[] = []
  const spans = pairs
    .flatMap((pair) => {
      const [a, b] = [middles.get(pair.from), middles.get(pair.to)]
      return a === undefined || b === undefined ? [] : [{ ...pair, left: Math.min(a, b), right: Math.max(a, b) }]
    })
    .sort((a, b) => a.right - a.left - (b.right - b.left) || a.left - b.left)
  for (const span of spans) {
    const taken = new Set(
      brackets.filter(({ left, right }) => left < span.right && right > span.left).map(({ level }) => level),
    )
    const level = [...Array(MAX_LEVELS).keys()].find((one) => !taken.has(one))
    if (level !== undefined) brackets.push({ ...span, level })
  }
  const missing = pairs.length - brackets.length
  const levels = Math.max(0, ...brackets.map(({ level }) => level + 1))
  const base = top + (missing > 0 ? LEVEL : 0) + levels * LEVEL + DROP
  const ends = new Map<string, number>()
  const end = (gpu: string, x: number): number => {
    const before = ends.get(gpu) ?? 0
    ends.set(gpu, before + 1)
    return x + (before % 7) * 5 - 15
  }
  return {
    height: base - top,
    marks: [
      ...(missing > 0
        ? words(`NVLink of ${missing} more pairs is not drawn here.`, 0, top + 9, 300, { tone: 'quiet' })
        : []),
      ...brackets.flatMap(({ from, to, left, right, level, links }) => {
        const [a, b] = (middles.get(from) ?? 0) < (middles.get(to) ?? 0) ? [from, to] : [to, from]
        const [x, y, z] = [end(a, left), base - DROP - level * LEVEL, end(b, right)]
        return [
          line(
            [
              [x, base],
              [x, y],
              [z, y],
              [z, base],
            ],
            'plain',
            { weight: weightOf(links) },
          ),
          ...words(`NV${links}`, (x + z) / 2, y - 2, 40, { anchor: 'middle' }),
        ]
      }),
    ],
  }
}
