import { type RowState, rowStateWords } from '../../schemas/conclusion-words.ts'
import type { FrameworkCounts, HomeResults, HomeStep } from '../../schemas/ipc-findings.ts'
import { fixedByWords, NO_FINDING_FILTER, SEVERE } from '../finding-model.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { ROW_TONE, Shape } from './Mark.tsx'
import { Phrases } from './Phrases.tsx'
import { SeverityMark } from './Severity.tsx'

const STEP_MARKS: Readonly<Record<HomeStep['state'], readonly [mark: string, tone: string, words: string]>> = {
  done: ['ring-tick', 'satisfied', 'complete'],
  open: ['diamond-question', 'inconclusive', 'open items'],
  'to-do': ['ring', 'not-tested', 'to do'],
}

/** The steps to an evidence pack; the current one holds the next step. */
export const Steps = ({ steps }: { readonly steps: readonly HomeStep[] }) => (
  <ol className="home-steps" aria-label="Steps to an evidence pack">
    {steps.map(({ id, title, state, current, lines }, at) => {
      const [mark, tone, words] = STEP_MARKS[state]
      return (
        <li key={id} className="home-step" {...(current ? { 'aria-current': 'step' } : {})}>
          <span className="home-step-title">
            <Shape mark={current && state === 'to-do' ? 'disc-half' : mark} tone={tone} />
            {at + 1} {title}
            <span className="said">, {words}</span>
          </span>
          {lines.map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one step have no other name
            <span key={place} className="home-step-line">
              <Phrases of="run" phrases={line} />
            </span>
          ))}
        </li>
      )
    })}
  </ol>
)

/** The findings that matter first, as the engine selects them. */
export function LeadingTable({ results }: { readonly results: HomeResults }) {
  const { leading, findings, furtherSevere, leadingCloses, deviations } = results
  return (
    <section aria-labelledby="leading">
      <div className="section-head">
        <h2 id="leading">Most severe findings</h2>
        {findings > 0 && (
          <Button kind="link" onPress={() => go({ screen: 'findings', of: 'run' })}>
            All {plural(findings, 'finding')}
          </Button>
        )}
      </div>
      {leading.length === 0 ? (
        <p className="empty">No deviations noted on the nodes tested.</p>
      ) : (
        <>
          <table className="leading">
            <thead>
              <tr>
                <th scope="col">Severity</th>
                <th scope="col">Condition found</th>
                <th scope="col" className="count-column">
                  Deviations closed
                </th>
                <th scope="col" className="count-column">
                  Controls affected
                </th>
                <th scope="col">Can be fixed by</th>
              </tr>
            </thead>
            <tbody>
              {leading.map(({ reference, severity, condition, proof, closes, controls, fixedBy }) => (
                <tr key={reference}>
                  <td>
                    <SeverityMark severity={severity} />
                  </td>
                  <th scope="row">
                    <Button kind="link" onPress={() => go({ screen: 'finding', of: 'run', reference })}>
                      {visible(condition)}
                    </Button>
                    {proof !== '' && <span className="note leading-proof">{visible(proof)}</span>}
                  </th>
                  <td className="count-column number">{closes}</td>
                  <td className="count-column number">{controls}</td>
                  <td>{fixedByWords[fixedBy]}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="note">
            One finding of each risk area first.{' '}
            <Button
              kind="link"
              small
              onPress={() =>
                go({ screen: 'findings', of: 'run', filter: { ...NO_FINDING_FILTER, severities: SEVERE } })
              }
            >
              {plural(furtherSevere, 'further critical and high finding')}
            </Button>{' '}
            in the list. Closing these closes {leadingCloses} of {plural(deviations, 'deviation')}.
          </p>
        </>
      )}
    </section>
  )
}

const STATES: readonly RowState[] = [
  'deviations',
  'unable-to-conclude',
  'documents-outstanding',
  'addressable-decision',
  'supported',
  'not-applicable',
]

/** Controls in scope by conclusion. Frameworks are never added up. */
export function FrameworkTable({ frameworks }: { readonly frameworks: readonly FrameworkCounts[] }) {
  if (frameworks.length === 0) return null
  const countOf = ({ states }: FrameworkCounts, wanted: RowState): number =>
    states.find(([state]) => state === wanted)?.[1] ?? 0
  const used = STATES.filter((state) => frameworks.some((one) => countOf(one, state) > 0))
  return (
    <section aria-labelledby="home-controls">
      <h2 id="home-controls">Controls</h2>
      <div className="scroll">
        <table className="home-frameworks">
          <thead>
            <tr>
              <th scope="col">Framework</th>
              <th scope="col" className="count-column">
                In scope
              </th>
              {used.map((state) => (
                <th key={state} scope="col" className="count-column">
                  {rowStateWords[state].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {frameworks.map((framework) => (
              <tr key={framework.id}>
                <th scope="row">{visible(framework.title)}</th>
                <td className="count-column number">
                  <Button
                    kind="link"
                    label={`${framework.inScope} in scope of ${framework.title}`}
                    onPress={() => go({ screen: 'controls', of: 'run', framework: framework.id })}
                  >
                    {framework.inScope}
                  </Button>
                </td>
                {used.map((state) => {
                  const count = countOf(framework, state)
                  return (
                    <td key={state} className="count-column number">
                      {count === 0 ? (
                        <span className="quiet">0</span>
                      ) : (
                        <span className="status">
                          <Shape mark={rowStateWords[state].mark} tone={ROW_TONE[state]} />
                          <Button
                            kind="link"
                            label={`${count} ${rowStateWords[state].label}, ${framework.title}`}
                            onPress={() => go({ screen: 'controls', of: 'run', framework: framework.id, state })}
                          >
                            {count}
                          </Button>
                        </span>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
