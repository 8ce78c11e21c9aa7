import { type CellState, type Filter, NO_FILTER, shows } from '../filters.ts'
import type { Matrix } from '../model.ts'
import { plural } from '../text.ts'
import { Shape } from './Mark.tsx'

const LOOKED_AT: readonly (readonly [state: CellState, words: string, mark: string, tone: string])[] = [
  ['not-satisfied', 'with deviations', 'square-cross', 'not-satisfied'],
  ['not-tested', 'not tested', 'dotted-ring', 'not-tested'],
  ['inconclusive', 'inconclusive', 'diamond-question', 'inconclusive'],
  ['ended', 'with an expired risk acceptance', 'square-cross', 'not-satisfied'],
  ['accepted', 'with an accepted risk', 'bar', 'not-applicable'],
]

/** How many nodes need attention, worst first; each count opens its list. */
export function Attention({ matrix, onShow }: { readonly matrix: Matrix; readonly onShow: (filter: Filter) => void }) {
  const found = LOOKED_AT.map(([state, words, mark, tone]) => {
    const filter = { ...NO_FILTER, state }
    return { words, mark, tone, filter, count: matrix.rows.filter((row) => shows(filter, row)).length }
  }).filter(({ count }) => count > 0)
  if (found.length === 0) return null
  return (
    <ul className="attention" aria-label="Needs attention">
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
