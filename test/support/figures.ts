import { catalog } from '../../main/catalog/definition/index.ts'
import { figuresOf } from '../../main/catalog/figures/figures.ts'
import { assessNode } from '../../main/core/conclusion/assess.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Figure, FigureMark } from '../../schemas/figure.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { FIXTURE_TIME, fixtureRecording } from './fixtures.ts'

export interface Pictured {
  readonly loaded: LoadedRecording
  readonly node: NodeAssessment
  readonly figures: readonly Figure[]
}

/** A fixture node with its pictures. */
export function pictured(name: string): Pictured {
  const loaded = fixtureRecording(name, catalog.probes)
  const node = assessNode(catalog, name, loaded, { asOf: FIXTURE_TIME, profile: undefined })
  return { loaded, node, figures: figuresOf(loaded, node) }
}

export type TextMark = Extract<FigureMark, { is: 'text' }>
export type BoxMark = Extract<FigureMark, { is: 'box' }>

export const texts = ({ marks }: Pick<Figure, 'marks'>): readonly TextMark[] =>
  marks.filter((mark) => mark.is === 'text')
export const boxes = ({ marks }: Pick<Figure, 'marks'>): readonly BoxMark[] => marks.filter((mark) => mark.is === 'box')

interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Where a text stands, given what it takes. */
export function areaOf({ x, y, size, anchor }: TextMark, width: number): Area {
  const left = anchor === 'start' ? x : anchor === 'middle' ? x - width / 2 : x - width
  return { left, right: left + width, top: y - size * 0.7, bottom: y + size * 0.2 }
}
