import { propertyWords, verdictWords } from '../../schemas/words.ts'
import { usePrinting } from '../measure.ts'
import { countsOf, type Matrix, type MatrixRow, whyNotCollected } from '../model.ts'
import { visible } from '../text.ts'
import { Shape } from './Mark.tsx'
import { acceptedWords, Counts } from './Matrix.tsx'

/** Every row as a plain table, in print only. */
export function MatrixPrint({ matrix, rows }: { readonly matrix: Matrix; readonly rows: readonly MatrixRow[] }) {
  const { properties } = matrix
  if (!usePrinting()) return null
  return (
    <table className="matrix-print">
      <thead>
        <tr>
          <th scope="col">Node</th>
          {properties.map((property) => (
            <th key={property} scope="col">
              {propertyWords[property].label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ node, collected, cells }) => (
          <tr key={node.node}>
            <th scope="row">{node.node}</th>
            {collected ? (
              cells.map((cell) => (
                <td key={cell.property}>
                  <Counts counts={countsOf(cell)} />
                  {cell.accepted !== null && <span className="note">{acceptedWords(cell.accepted)}</span>}
                </td>
              ))
            ) : (
              <td colSpan={properties.length}>
                <Shape mark={verdictWords['not-tested'].mark} tone="not-tested" /> {verdictWords['not-tested'].label}:{' '}
                {visible(whyNotCollected(node))}
              </td>
            )}
          </tr>
        ))}
        <tr>
          <th scope="row">All nodes tested</th>
          {properties.map((property, place) => (
            <td key={property}>
              <Counts counts={matrix.sums[place] ?? countsOf(undefined)} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  )
}
