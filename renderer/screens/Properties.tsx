import { IconFlag, IconListDetails, IconPrinter } from '@tabler/icons-react'
import { useEffect, useMemo } from 'react'
import type { AssessmentView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { remedyOf } from '../../schemas/node-remedies.ts'
import { type Property, profileWords, propertyWords, verdictWords } from '../../schemas/words.ts'
import { coverageLine } from '../models/coverage-model.ts'
import { type CellState, type Filter, isNoFilter, NO_FILTER, placesOf, sentenceOf, shows } from '../models/filters.ts'
import { chosenProperties, MATRIX_ORDERS, matrixColumns, rowsIn, withProperties } from '../models/matrix-table.ts'
import { usePrinting } from '../models/measure.ts'
import {
  countsOf,
  countWords,
  excludedWords,
  type Matrix,
  matrixOf,
  sumOf,
  wasReached,
  whyNotCollected,
} from '../models/model.ts'
import { counts } from '../models/run-progress.ts'
import { plural, visible, when } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { ControlCounts } from '../parts/ControlCounts.tsx'
import { FilterBar } from '../parts/FilterBar.tsx'
import { Legend, Shape } from '../parts/Mark.tsx'
import { MatrixGrid } from '../parts/Matrix.tsx'
import { acceptedWords, Counts } from '../parts/MatrixCells.tsx'
import { NoResultsYet } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { RunChoice } from '../parts/RunChoice.tsx'
import { TableTools, useOrder } from '../parts/TableTools.tsx'
import { collect, useResultsSoFar } from '../state/actions.ts'
import { remedyRoute } from '../state/node-remedies.ts'
import { announce, go, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Notice } from '../ui/Notice.tsx'

/** Nodes by property. Counts have denominators that include nodes not collected. */
export function Properties({ of, filter }: { readonly of: Source; readonly filter: Filter | null }) {
  const answer = useResultsSoFar('assessment.get', { of })
  return (
    <Ask answer={answer}>
      {(view) => (view === null ? <NothingYet /> : <Results view={view} of={of} filter={filter ?? NO_FILTER} />)}
    </Ask>
  )
}

const NothingYet = () => (
  <Page title="Nodes × properties">
    <NoResultsYet>Results by node and property appear here. Missing evidence is counted.</NoResultsYet>
  </Page>
)

interface ResultsProps {
  readonly view: AssessmentView
  readonly of: Source
  readonly filter: Filter
}

function Results({ view, of, filter }: ResultsProps) {
  const matrix = useMemo(() => matrixOf(view), [view])
  const { choice, onChoice, order, select } = useOrder('matrix', MATRIX_ORDERS)
  const rows = useMemo(
    () => rowsIn(order.id, matrix.rows).filter((row) => shows(filter, row)),
    [matrix, filter, order.id],
  )
  const shown = useMemo(
    () => withProperties({ ...matrix, rows }, chosenProperties(matrix.properties, choice, filter.property)),
    [matrix, rows, choice, filter.property],
  )
  const narrow = (next: Filter): void => replace({ screen: 'properties', of, filter: next })
  const announcement = isNoFilter(filter)
    ? ''
    : `${rows.length} of ${plural(matrix.rows.length, 'node')}: ${sentenceOf(filter)}.`
  useEffect(() => {
    if (announcement !== '') announce(announcement)
  }, [announcement])
  const answered =
    view.rows.filter(wasReached).length - view.sameMachines.reduce((sum, { nodes }) => sum + nodes.length - 1, 0)
  return (
    <Page
      title={of === 'pack' ? 'Results' : 'Nodes × properties'}
      over={
        <>
          Fleet: {visible(view.scope.fleet)}
          {of === 'run' && <RunChoice run={view.run} />}
        </>
      }
      under={
        <>
          {answered} of {plural(view.rows.length, 'declared node')} collected. Evaluated as of {when(view.asOf)} with
          catalog {view.catalog.version}, threshold profile {profileWords[view.scope.profile?.name ?? 'baseline'].label}
          .
        </>
      }
      actions={
        <>
          <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
            Print
          </Button>
          <Button icon={IconFlag} onPress={() => go({ screen: 'risk-acceptances', of })}>
            Open risk acceptances
          </Button>
          <Button icon={IconListDetails} onPress={() => go({ screen: 'findings', of })}>
            Findings by check
          </Button>
        </>
      }
    >
      {of === 'run' && <StillRunning run={view.run} />}
      <ProfileNote view={view} />
      <CoverageNote of={of} />
      {view.sameMachines.length > 0 && (
        <Notice
          kind="warning"
          title={`${plural(view.sameMachines.length, 'machine')} collected under several names; each counts once.`}
          means={view.sameMachines.slice(0, 8).map(({ text }) => (
            <span key={text} className="conflict">
              {visible(text)}
            </span>
          ))}
          next="Remove the duplicate names from the fleet, or ask the provider for the other machines."
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
        order={order.title}
      >
        <span className="matrix-tools">
          {select}
          <TableTools
            table="nodes-by-property"
            columns={matrixColumns(matrix.properties)}
            rows={rows}
            choice={choice}
            onChoice={onChoice}
            keepsOne
          />
        </span>
      </FilterBar>
      <MatrixGrid
        label="Results by node and property"
        matrix={shown}
        of={matrix.rows.length}
        onOpen={(node, property) => go({ screen: 'why', of, node, property })}
        onNode={(node) => go({ screen: 'node', of, node })}
        onTotal={(property, state) => narrow({ ...NO_FILTER, property, state })}
        onClear={() => narrow(NO_FILTER)}
        fix={
          of === 'pack'
            ? null
            : {
                retry: (node) => void collect('missing', [node]),
                correct: (node, failure) => go(remedyRoute(remedyOf(failure), node) ?? { screen: 'nodes', edit: node }),
              }
        }
      />
      <MatrixPrint matrix={shown} />
      <CountLegend matrix={matrix} shown={shown.properties} />
      <Legend />
      <ControlCounts frameworks={view.frameworks} />
    </Page>
  )
}

function StillRunning({ run }: { readonly run: string }) {
  const { progress } = useStore()
  if (progress === null || progress.ended !== 'no') return null
  const { finished, total } = counts(progress)
  return (
    <Notice
      title={`Collection ${progress.paused ? 'paused' : 'in progress'}: ${finished} of ${plural(total, 'node')} finished.`}
      means={
        run === progress.run
          ? 'Results appear as nodes finish.'
          : 'This table shows the previous run until the first node finishes.'
      }
      actions={
        <Button small onPress={() => go({ screen: 'collecting' })}>
          Show progress
        </Button>
      }
    />
  )
}

/** What the counts of a cell are, how many results they leave out, and which columns are hidden. */
function CountLegend({ matrix, shown }: { readonly matrix: Matrix; readonly shown: readonly Property[] }) {
  const sum = sumOf(matrix.sums)
  const hidden = matrix.properties.filter((property) => !shown.includes(property))
  const excluded = excludedWords(sum)
  return (
    <p className="quiet under-matrix">
      Each cell counts results of checks: not satisfied, inconclusive, satisfied. All nodes tested: {countWords(sum)}.
      {excluded !== '' && ` Not counted against any node: ${excluded}.`}
      {hidden.length > 0 &&
        ` Columns not shown: ${hidden.map((property) => propertyWords[property].label).join(', ')}.`}
    </p>
  )
}

const LOOKED_AT: readonly (readonly [state: CellState, words: string, mark: string, tone: string])[] = [
  ['not-satisfied', 'with deviations', 'square-cross', 'not-satisfied'],
  ['not-tested', 'not tested', 'dotted-ring', 'not-tested'],
  ['inconclusive', 'inconclusive', 'diamond-question', 'inconclusive'],
  ['ended', 'with an expired risk acceptance', 'square-cross', 'not-satisfied'],
  ['accepted', 'with an accepted risk', 'bar', 'not-applicable'],
]

/** How many nodes need attention, worst first; each count opens its list. */
function Attention({ matrix, onShow }: { readonly matrix: Matrix; readonly onShow: (filter: Filter) => void }) {
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

/** The population counts in one line. Not shown without an engagement. */
function CoverageNote({ of }: { readonly of: Source }) {
  const answer = useResultsSoFar('coverage.get', { of })
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  if (answer.state === 'waiting' || answer.value === null) return null
  return (
    <p className="coverage-note number">
      {coverageLine(answer.value.coverage)}{' '}
      <Button kind="link" onPress={() => go({ screen: 'engagement', of, part: 'population' })}>
        Show population
      </Button>
    </p>
  )
}

/** Thresholds that the fleet changed from its profile, each with its reason. Not shown if none was changed. */
function ProfileNote({ view: { scope, moved } }: { readonly view: Pick<AssessmentView, 'scope' | 'moved'> }) {
  if (moved.length === 0) return null
  const looser = moved.filter((one) => one.moved === 'looser').length
  const { label } = profileWords[scope.profile?.name ?? 'baseline']
  return (
    <Disclosure
      level={2}
      startsOpen={looser > 0}
      title={
        looser === 0
          ? `${plural(moved.length, 'threshold')} of the profile ${label} tightened by this fleet`
          : `${looser} of ${plural(moved.length, 'changed threshold')} of the profile ${label} relaxed by this fleet`
      }
    >
      {looser > 0 && <p>Results are evaluated with these relaxed thresholds.</p>}
      <ul>
        {moved.map(({ threshold, title, shown, shownBefore, moved: way, reason }) => (
          <li key={threshold}>
            {title}: <strong>{shown}</strong>, {way} than the profile’s {shownBefore}.
            <span className="note">Reason: {visible(reason)}</span>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}

/** Every row as a plain table, in print only. */
function MatrixPrint({ matrix: { properties, rows, sums } }: { readonly matrix: Matrix }) {
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
              <Counts counts={sums[place] ?? countsOf(undefined)} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  )
}
