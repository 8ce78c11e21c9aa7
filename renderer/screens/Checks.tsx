import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { propertyWords } from '../../schemas/words.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { tallyIn, verdictAt } from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { VerdictMark } from '../parts/Mark.tsx'
import { Page } from '../parts/Page.tsx'
import { go, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** Checks that were decided on at least one node, or of these, those without a deviation. */
export function Checks({ of, state }: { readonly of: Source; readonly state: 'decided' | 'in-order' }) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('assessment.get', { of }, runs), of)
  return (
    <Ask answer={answer}>
      {(view) => {
        const rows = view === null ? [] : checksIn(view, state)
        return (
          <Page
            title={state === 'in-order' ? 'Checks without a deviation' : 'Checks decided'}
            under={`${plural(rows.length, 'check')}. ${
              state === 'in-order'
                ? 'Satisfied on every node on which they were decided.'
                : 'Decided on at least one node.'
            }`}
          >
            <div className="scroll">
              <table className="claims">
                <thead>
                  <tr>
                    <th scope="col">Expected condition</th>
                    <th scope="col">Property</th>
                    <th scope="col" className="count-column">
                      Not satisfied
                    </th>
                    <th scope="col" className="count-column">
                      Inconclusive
                    </th>
                    <th scope="col" className="count-column">
                      Satisfied
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ check, counts }) => (
                    <tr key={check.id}>
                      <th scope="row">
                        {visible(check.expected)}
                        <span className="note mono">{check.id}</span>
                      </th>
                      <td>{propertyWords[check.property].label}</td>
                      <td className="count-column number">{counts['not-satisfied']}</td>
                      <td className="count-column number">{counts.inconclusive}</td>
                      <td className="count-column number">{counts.satisfied}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </Page>
        )
      }}
    </Ask>
  )
}

function checksIn({ checks, checksCounted }: AssessmentView, state: 'decided' | 'in-order') {
  return checks.flatMap((check, at) => {
    const { counts } = tallyIn(checksCounted[at])
    const isDecided = counts.satisfied + counts['not-satisfied'] > 0
    return isDecided && (state === 'decided' || counts['not-satisfied'] === 0) ? [{ check, counts }] : []
  })
}

export interface OneCheckProps {
  readonly of: Source
  readonly check: string
  readonly nodes: readonly string[]
}

/** The result of one check on the nodes that a number counted. */
export function OneCheck({ of, check: id, nodes }: OneCheckProps) {
  const { runs } = useStore()
  const answer = useKept(useAnswer('assessment.get', { of }, runs), of)
  return (
    <Ask answer={answer}>
      {(view) => {
        const at = view?.checks.findIndex((one) => one.id === id) ?? -1
        const check = view?.checks[at]
        if (view === null || check === undefined) return <Page title="Check">This catalog has no such check.</Page>
        return (
          <Page
            title={visible(check.expected)}
            over={<span className="mono">{id}</span>}
            under={plural(nodes.length, 'node')}
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">Result</th>
                  <th scope="col">Observed</th>
                </tr>
              </thead>
              <tbody>
                {view.rows
                  .filter(({ node }) => nodes.includes(node))
                  .map((row) => (
                    <tr key={row.node}>
                      <th scope="row">
                        <Button
                          kind="link"
                          onPress={() => go({ screen: 'why', of, node: row.node, property: check.property, check: id })}
                        >
                          {visible(row.node)}
                        </Button>
                      </th>
                      <td>
                        <VerdictMark verdict={verdictAt(row, at)} />
                      </td>
                      <td className="number">{when(row.observedAt)}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </Page>
        )
      }}
    </Ask>
  )
}
