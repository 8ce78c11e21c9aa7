import type { Difference } from '../../schemas/verification.ts'
import type { Verdict } from '../../schemas/words.ts'
import { visible } from '../text.ts'
import { VerdictMark } from './Mark.tsx'

const Said = ({ verdict }: { readonly verdict: Verdict | null }) =>
  verdict === null ? <span className="quiet">None</span> : <VerdictMark verdict={verdict} />

/** Verdicts in the pack that re-evaluation does not reproduce. */
export const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Check</th>
          <th scope="col">Stated in the pack</th>
          <th scope="col">Re-evaluated</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ node, check, stated, derived }) => (
          <tr key={`${node} ${check}`}>
            <th scope="row">{visible(node)}</th>
            <td className="mono">{visible(check)}</td>
            <td>
              <Said verdict={stated} />
            </td>
            <td>
              <Said verdict={derived} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
