import { IconPrinter } from '@tabler/icons-react'
import { type RowState, rowStateWords } from '../../schemas/conclusion-words.ts'
import type {
  CountedRows,
  DeviationCount,
  FrameworkCounts,
  HomeResults,
  HomeStep,
  HomeView,
  NotSeenLine,
} from '../../schemas/ipc-findings.ts'
import { fixedByWords, NO_FINDING_FILTER, routeOf, SEVERE } from '../models/finding-model.ts'
import { isOffered } from '../models/routes.ts'
import { plural, visible, when } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { Phrases, SeverityMark } from '../parts/FindingParts.tsx'
import { HomeNotices } from '../parts/HomeNotices.tsx'
import { ROW_TONE, Shape } from '../parts/Mark.tsx'
import { mayTake, takeStep } from '../parts/NextStep.tsx'
import { SealerCommand } from '../parts/NoSealer.tsx'
import { Page } from '../parts/Page.tsx'
import { RunChoice } from '../parts/RunChoice.tsx'
import { useAnswer, useKept } from '../state/bridge.ts'
import { REMEDY_WORDS, takeRemedy } from '../state/node-remedies.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Whole } from '../ui/Whole.tsx'

const STEP_MARKS: Readonly<Record<HomeStep['state'], readonly [mark: string, tone: string, words: string]>> = {
  done: ['ring-tick', 'satisfied', 'complete'],
  open: ['diamond-question', 'inconclusive', 'open items'],
  'to-do': ['ring', 'not-tested', 'to do'],
}

/** The steps to an evidence pack; the current one holds the next step. */
const Steps = ({ steps }: { readonly steps: readonly HomeStep[] }) => (
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
              <Phrases phrases={line} />
            </span>
          ))}
        </li>
      )
    })}
  </ol>
)

/** The findings to handle first, as the engine selects them. */
function LeadingTable({ results }: { readonly results: HomeResults }) {
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
        <p className="empty">{results.noFinding}</p>
      ) : (
        <>
          <div className="scroll">
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
                        <Whole text={condition} />
                      </Button>
                      {proof !== '' && (
                        <span className="note leading-proof" title={visible(proof)}>
                          {visible(proof)}
                        </span>
                      )}
                    </th>
                    <td className="count-column number">{closes}</td>
                    <td className="count-column number">{controls}</td>
                    <td>{fixedByWords[fixedBy]}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="note">
            One finding of each risk area first.{' '}
            {furtherSevere > 0 && (
              <>
                <Button
                  kind="link"
                  small
                  onPress={() =>
                    go({ screen: 'findings', of: 'run', filter: { ...NO_FINDING_FILTER, severities: SEVERE } })
                  }
                >
                  {plural(furtherSevere, 'further critical and high finding')}
                </Button>{' '}
                in the list.{' '}
              </>
            )}
            Closing these closes {leadingCloses} of {plural(deviations, 'deviation')}.
            {leading.some(({ closes }) => closes === 0) &&
              ' A deviation is counted with the first finding that closes it.'}
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
function FrameworkTable({ frameworks }: { readonly frameworks: readonly FrameworkCounts[] }) {
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

/** Where deviations are, what is satisfied, and what was not seen. */
function HomeAside({ results }: { readonly results: HomeResults }) {
  const { byNode, inOrder, notSeen, deviations } = results
  const most = Math.max(...byNode.map(({ count }) => count), 1)
  return (
    <aside className="home-aside" aria-label="Where, satisfied, not seen">
      {byNode.length > 0 && (
        <section aria-labelledby="by-node">
          <h2 id="by-node">{plural(deviations, 'deviation')} by node</h2>
          <ul className="bars">
            {byNode.map((one) => (
              <Bar key={one.name} one={one} most={most} />
            ))}
          </ul>
        </section>
      )}
      {inOrder.length > 0 && (
        <section aria-labelledby="in-order">
          <h2 id="in-order">Satisfied</h2>
          <ul className="plain-list">
            {inOrder.map(({ text, part, whole, counts }) => (
              <li key={text}>
                {text}:{' '}
                <Button kind="link" small onPress={() => go(routeOf(counts, 'run'))}>
                  {part} of {whole}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="not-seen">
        <h2 id="not-seen">Not seen</h2>
        <ul className="plain-list">
          {notSeen.map((line) => (
            <li key={line.text}>
              {visible(line.text)}. <Remedy line={line} />
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}

const OPENS: Readonly<Record<DeviationCount['of'], (name: string) => CountedRows>> = {
  node: (name) => ({ rows: 'findings', severity: null, owner: null, node: name }),
  'other-nodes': () => ({ rows: 'nodes', state: 'all' }),
  inventory: () => ({ rows: 'population' }),
}

function Bar({ one: { of, name, count }, most }: { readonly one: DeviationCount; readonly most: number }) {
  return (
    <li className="bar-line">
      <span className="bar-name" title={name}>
        {visible(name)}
      </span>
      <span className="bar-track" aria-hidden="true">
        <span className="bar" style={{ inlineSize: `${(100 * count) / most}%` }} />
      </span>
      <Button
        kind="link"
        small
        label={`${plural(count, 'deviation')} on ${visible(name)}`}
        onPress={() => go(routeOf(OPENS[of](name), 'run'))}
      >
        {count}
      </Button>
    </li>
  )
}

function Remedy({ line: { is, action, node } }: { readonly line: NotSeenLine }) {
  if (is === 'not-tested' && node === null)
    return (
      <Button kind="link" small onPress={() => go(routeOf({ rows: 'nodes', state: 'not-tested' }, 'run'))}>
        Show all not tested
      </Button>
    )
  if (action === null || node === null) return null
  const words = action === 'edit-node' ? 'Set up sudo' : REMEDY_WORDS[action]
  const act = (): void => (action === 'edit-node' ? go({ screen: 'nodes', edit: node }) : takeRemedy(action, node))
  return (
    <Button kind="link" small label={`${words}: ${visible(node)}`} onPress={act}>
      {words}
    </Button>
  )
}

/**
 * The conclusions of an assessment as the engine presents them: the most severe findings, the next step, and where
 * deviations are. Nothing is counted here.
 */
export function Home() {
  const { runs, soFar, portal } = useStore()
  const answer = useKept(useAnswer('home.get', null, `${runs} ${soFar} ${portal}`), 'home')
  return <Ask answer={answer}>{(view) => <Shown view={view} />}</Ask>
}

function Shown({ view }: { readonly view: HomeView }) {
  const { fleet, entity, run, asOf, title, lead, next, notices, steps, results, isDemoOffered } = view
  const about = [entity, fleet].flatMap((text) => (text === null ? [] : [visible(text)])).join(' · ')
  return (
    <Page
      title={title}
      over={
        <>
          {about}
          {run !== null && <RunChoice run={run} />}
        </>
      }
      under={asOf === null ? undefined : `Evaluated as of ${when(asOf)}.`}
      actions={
        <>
          {results !== null && (
            <>
              <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
                Print
              </Button>
              {next.is !== 'export' && isOffered({ screen: 'export' }) && (
                <Button onPress={() => go({ screen: 'export' })}>Export…</Button>
              )}
            </>
          )}
          {mayTake(next.is) && (
            <Button kind="primary" describedBy="next-step" onPress={() => takeStep(next.is)}>
              {next.label}
            </Button>
          )}
        </>
      }
    >
      <p className="home-lead">
        <Phrases phrases={lead} />
      </p>
      <p id="next-step" className="home-next">
        <strong>Next step:</strong> {next.reason}
      </p>
      {next.is === 'sealer' && mayTake(next.is) && <SealerCommand />}
      {isDemoOffered && (
        <p>
          <Button kind="link" onPress={() => go({ screen: 'first-run' })}>
            Explore the demo fleet
          </Button>
        </p>
      )}
      {results !== null && (
        <>
          <HomeNotices first={notices} />
          <Steps steps={steps} />
          <div className="home-columns">
            <LeadingTable results={results} />
            <HomeAside results={results} />
          </div>
          <FrameworkTable frameworks={results.frameworks} />
          <Reservations results={results} />
        </>
      )}
    </Page>
  )
}

/** Reservations about the evaluation itself, each with a link to its full statement. */
function Reservations({ results }: { readonly results: NonNullable<HomeView['results']> }) {
  const { relaxedThresholds, sharedMachines } = results
  const lines = [
    ...(relaxedThresholds === 0 ? [] : [`${plural(relaxedThresholds, 'threshold')} relaxed by this fleet`]),
    ...(sharedMachines === 0
      ? []
      : [`${plural(sharedMachines, 'machine')} collected under several names; each counts once`]),
  ]
  if (lines.length === 0) return null
  return (
    <p className="quiet">
      {lines.map((line) => (
        <Button key={line} kind="link" onPress={() => go({ screen: 'properties', of: 'run' })}>
          {line}
        </Button>
      ))}
    </p>
  )
}
