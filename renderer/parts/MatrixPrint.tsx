import { propertyWords, verdictWords } from '../../schemas/words.ts'
import { usePrinting } from '../measure.ts'
import { type Matrix, type MatrixRow, shortShareOf, totalsOf, whyNotCollected } from '../model.ts'
import { visible } from '../text.ts'
import { Shape, VerdictMark } from './Mark.tsx'
import { acceptedWords } from './Matrix.tsx'

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
              cells.map(({ property, verdict, tally, accepted }) => (
                <td key={property}>
                  <VerdictMark verdict={verdict} />
                  <span className="note">
                    {shortShareOf(tally)}
                    {accepted === null ? '' : `. ${acceptedWords(accepted)}`}
                  </span>
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
          <th scope="row">Nodes satisfied</th>
          {properties.map((property) => (
            <td key={property}>{shortShareOf(totalsOf(matrix, property))}</td>
          ))}
        </tr>
      </tbody>
    </table>
  )
}
