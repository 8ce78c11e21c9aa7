import { type CellState, type Filter, NO_FILTER, shows } from '../filters.ts'
import type { Matrix } from '../model.ts'
import { plural } from '../text.ts'
import { Shape } from './Mark.tsx'

const LOOKED_AT: readonly (readonly [state: CellState, words: string, mark: string, tone: string])[] = [
  ['not-met', 'contradicted', 'square-cross', 'not-met'],
  ['not-tested', 'not collected', 'dotted-ring', 'not-tested'],
  ['inconclusive', 'lacking evidence', 'diamond-question', 'inconclusive'],
  ['ended', 'with an ended acceptance', 'square-cross', 'not-met'],
  ['accepted', 'with an accepted finding', 'bar', 'not-applicable'],
]

/** How many nodes have something to look at, worst first; each count opens its list. */
export function Attention({ matrix, onShow }: { readonly matrix: Matrix; readonly onShow: (filter: Filter) => void }) {
  const found = LOOKED_AT.map(([state, words, mark, tone]) => {
    const filter = { ...NO_FILTER, state }
    return { words, mark, tone, filter, count: matrix.rows.filter((row) => shows(filter, row)).length }
  }).filter(({ count }) => count > 0)
  if (found.length === 0) return null
  return (
    <ul className="attention" aria-label="To look at">
      {found.map(({ words, mark, tone, filter, count }) => (
        <li key={words}>
          <button type="button" className="attention-item" onClick={() => onShow(filter)}>
            <Shape mark={mark} tone={tone} />
            <span>
              <strong className="number">{plural(count, 'node')}</strong> {words}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
