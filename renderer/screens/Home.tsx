import { IconPrinter } from '@tabler/icons-react'
import type { HomeView, NextStepKind } from '../../schemas/ipc-findings.ts'
import { collect } from '../actions.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { NO_FINDING_FILTER, SEVERE } from '../finding-model.ts'
import { Ask } from '../parts/Ask.tsx'
import { HomeAside } from '../parts/HomeAside.tsx'
import { FrameworkTable, LeadingTable, Steps } from '../parts/HomeTables.tsx'
import { Page } from '../parts/Page.tsx'
import { Phrases } from '../parts/Phrases.tsx'
import { RunChoice } from '../parts/RunChoice.tsx'
import { go, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'

/** What an assessment comes to, as the engine presents it: how bad it is, what is next, and where. Nothing is counted here. */
export function Home() {
  const { runs, soFar } = useStore()
  const answer = useKept(useAnswer('home.get', null, `${runs} ${soFar}`), 'home')
  return <Ask answer={answer}>{(view) => <Shown view={view} />}</Ask>
}

const STEPS: Readonly<Record<NextStepKind, () => void>> = {
  import: () => go({ screen: 'nodes', part: 'import' }),
  collect: () => void collect('all'),
  'view-collection': () => go({ screen: 'collecting' }),
  assign: () =>
    go({
      screen: 'findings',
      of: 'run',
      filter: { ...NO_FINDING_FILTER, severities: SEVERE, owner: { is: 'none' } },
    }),
  reconcile: () => go({ screen: 'engagement', of: 'run', part: 'population' }),
  engagement: () => go({ screen: 'engagement', of: 'run' }),
  'audit-day': () => go({ screen: 'engagement', of: 'run' }),
  'assign-documents': () => go({ screen: 'documents', of: 'run' }),
  identity: () => go({ screen: 'settings', part: 'identity' }),
  export: () => go({ screen: 'export' }),
}

function Shown({ view }: { readonly view: HomeView }) {
  const { fleet, entity, run, asOf, title, lead, next, steps, results } = view
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
              {next.is !== 'export' && <Button onPress={() => go({ screen: 'export' })}>Export…</Button>}
            </>
          )}
          <Button kind="primary" describedBy="next-step" onPress={STEPS[next.is]}>
            {next.label}
          </Button>
        </>
      }
    >
      <p className="home-lead">
        <Phrases of="run" phrases={lead} />
      </p>
      <p id="next-step" className="home-next">
        <strong>Next step:</strong> {next.reason}
      </p>
      {results === null ? (
        <p>
          <Button kind="link" onPress={() => go({ screen: 'first-run' })}>
            Explore the demo fleet
          </Button>
        </p>
      ) : (
        <>
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

/** What a reader has to know of the evaluation itself; opened where it is stated in full. */
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
