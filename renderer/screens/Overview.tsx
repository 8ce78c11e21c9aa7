import { IconFlag, IconPackageExport, IconPrinter } from '@tabler/icons-react'
import { useEffect, useMemo } from 'react'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { profileWords } from '../../schemas/words.ts'
import { collect } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { type Filter, isNoFilter, NO_FILTER, placesOf, sentenceOf, shows } from '../filters.ts'
import { useKept } from '../kept.ts'
import { matrixOf, wasReached } from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { Attention } from '../parts/Attention.tsx'
import { CoverageNote } from '../parts/CoverageNote.tsx'
import { FilterBar } from '../parts/FilterBar.tsx'
import { Legend } from '../parts/Mark.tsx'
import { MatrixGrid } from '../parts/Matrix.tsx'
import { MatrixPrint } from '../parts/MatrixPrint.tsx'
import { Page } from '../parts/Page.tsx'
import { ProfileNote } from '../parts/ProfileNote.tsx'
import { RunChoice } from '../parts/RunChoice.tsx'
import { counts } from '../run-progress.ts'
import { go, replace, say, useStore } from '../store.ts'
import { plural, visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Notice } from '../ui/Notice.tsx'

/** Nodes by properties, worst first. Counts with denominators; what was not collected stays in them. */
export function Overview({ of, filter }: { readonly of: Source; readonly filter: Filter | null }) {
  const { runs, soFar } = useStore()
  const answer = useKept(useAnswer('assessment.get', { of }, `${runs} ${soFar}`), of)
  return (
    <Ask answer={answer}>
      {(view) => (view === null ? <NothingYet /> : <Results view={view} of={of} filter={filter ?? NO_FILTER} />)}
    </Ask>
  )
}

function NothingYet() {
  const { fleet } = useStore()
  const some = fleet !== null && fleet.nodes.length > 0
  return (
    <Page title="Overview">
      <EmptyState
        title="No run has finished yet"
        action={
          some ? (
            <Button onPress={() => void collect('all')}>Collect evidence</Button>
          ) : (
            <Button onPress={() => go({ screen: 'nodes', part: 'import' })}>Add nodes</Button>
          )
        }
      >
        Here will be what each node’s evidence supports, property by property, with what is missing counted in.
      </EmptyState>
    </Page>
  )
}

interface ResultsProps {
  readonly view: AssessmentView
  readonly of: Source
  readonly filter: Filter
}

function Results({ view, of, filter }: ResultsProps) {
  const matrix = useMemo(() => matrixOf(view), [view])
  const rows = useMemo(() => matrix.rows.filter((row) => shows(filter, row)), [matrix, filter])
  const narrow = (next: Filter): void => replace({ screen: 'overview', of, filter: next })
  const said = isNoFilter(filter)
    ? ''
    : `${rows.length} of ${plural(matrix.rows.length, 'node')}: ${sentenceOf(filter)}.`
  useEffect(() => {
    if (said !== '') say(said)
  }, [said])
  const answered =
    view.rows.filter(wasReached).length - view.sameMachines.reduce((sum, { nodes }) => sum + nodes.length - 1, 0)
  return (
    <Page
      title={of === 'pack' ? 'Results in this pack' : 'Overview'}
      over={
        <>
          Fleet: {visible(view.scope.fleet)}
          {of === 'run' && <RunChoice view={view} />}
        </>
      }
      under={
        <>
          {answered} of {plural(view.rows.length, 'declared node')} answered. Judged as of {when(view.asOf)} with
          catalog {view.catalog.version}, by the profile {profileWords[view.scope.profile?.name ?? 'baseline'].label}.
        </>
      }
      actions={
        <>
          <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
            Print
          </Button>
          <Button icon={IconFlag} onPress={() => go({ screen: 'exceptions', of })}>
            Exceptions
          </Button>
          {of === 'run' && (
            <Button icon={IconPackageExport} onPress={() => go({ screen: 'export' })}>
              Export pack…
            </Button>
          )}
        </>
      }
    >
      {of === 'run' && <StillRunning run={view.run} />}
      <ProfileNote view={view} />
      <CoverageNote of={of} />
      {view.sameMachines.length > 0 && (
        <Notice
          kind="warning"
          title={`${plural(view.sameMachines.length, 'machine')} answered under several names, and count once.`}
          means={view.sameMachines.slice(0, 8).map(({ text }) => (
            <span key={text} className="conflict">
              {visible(text)}
            </span>
          ))}
          next="Remove the other names from the fleet, or ask the provider where the other machines are."
        />
      )}
      <Attention matrix={matrix} onShow={narrow} />
      <FilterBar
        filter={filter}
        onChange={narrow}
        properties={matrix.properties}
        places={placesOf(matrix.rows)}
        shown={rows.length}
        of={matrix.rows.length}
      />
      <MatrixGrid
        label="Nodes by property"
        matrix={matrix}
        rows={rows}
        onOpen={(node, property) => go({ screen: 'why', of, node, property })}
        onNode={(node) => go({ screen: 'node', of, node })}
        onTotal={(property, state) => narrow({ ...NO_FILTER, property, state })}
        onClear={() => narrow(NO_FILTER)}
        mend={
          of === 'pack'
            ? null
            : {
                retry: (node) => void collect('missing', [node]),
                edit: (node) => go({ screen: 'nodes', edit: node }),
              }
        }
      />
      <MatrixPrint matrix={matrix} rows={rows} />
      <p className="quiet under-matrix">
        A mark shows the worst answer among the checks of a property; the count says how many are supported, out of
        those that can be decided. After a plus sign stand checks that only record a fact or do not apply. The number
        under each title counts the declared nodes in the same way.
      </p>
      <Legend />
    </Page>
  )
}

function StillRunning({ run }: { readonly run: string }) {
  const { progress } = useStore()
  if (progress === null || progress.ended !== 'no') return null
  const { finished, total } = counts(progress)
  return (
    <Notice
      title={`A run is ${progress.paused ? 'paused' : 'going on'}: ${finished} of ${plural(total, 'node')} so far.`}
      means={
        run === progress.run
          ? 'This table fills as nodes are done. What is not here yet supports nothing.'
          : 'This table shows the run before it until its first node is done.'
      }
      actions={
        <Button small onPress={() => go({ screen: 'collecting' })}>
          Show progress
        </Button>
      }
    />
  )
}
