import { IconPrinter } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { LocationRow, LocationView, Source } from '../../schemas/ipc-views.ts'
import {
  contradictedOf,
  countsOfWords,
  isShown,
  kilometres,
  LOCATION_WORDS,
  type LocationWord,
  nothingDeclared,
  placeWord,
  policiesOf,
  policyWord,
  policyWords,
  shownAs,
  wasCollected,
  worstFirst,
} from '../models/location-model.ts'
import { failureTitle } from '../models/run-progress.ts'
import { plural, visible, when } from '../models/text.ts'
import { Ask } from '../parts/Ask.tsx'
import { FigureView } from '../parts/Figure.tsx'
import { LocationLimits, LocationMark } from '../parts/NodeLocation.tsx'
import { NoResultsYet } from '../parts/NoResults.tsx'
import { Page } from '../parts/Page.tsx'
import { useTable } from '../parts/TableTools.tsx'
import { useResultsSoFar } from '../state/actions.ts'
import { go } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { CellLine, CellLines, type GridColumn, GridTable } from '../ui/GridTable.tsx'
import { EmptyState, Notice } from '../ui/Notice.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'

/** Declared place and residency rules of the nodes with the supporting evidence, worst first. */
export function Location({ of }: { readonly of: Source }) {
  const answer = useResultsSoFar('location.get', { of })
  return (
    <Ask answer={answer}>
      {(view) =>
        view === null ? (
          <Page title="Location">
            <NothingYet of={of} />
          </Page>
        ) : (
          <Judged view={view} of={of} />
        )
      }
    </Ask>
  )
}

const NothingYet = ({ of }: { readonly of: Source }) =>
  of === 'pack' ? (
    <EmptyState title="No results">The assessment in this pack cannot be read.</EmptyState>
  ) : (
    <NoResultsYet>The declared place, the maximum distance and the evidence for each node appear here.</NoResultsYet>
  )

function Judged({ view, of }: { readonly view: LocationView; readonly of: Source }) {
  const { rows, asOf, figures } = view
  const answered = rows.filter(wasCollected).length
  return (
    <Page
      title="Location"
      over={of === 'pack' ? 'As stated in the pack' : 'Declared place and supporting evidence'}
      under={
        <>
          {answered} of {plural(rows.length, 'declared node')} {answered === 1 ? 'has' : 'have'} a result. Evaluated as
          of {when(asOf)}.
        </>
      }
      actions={
        <Button icon={IconPrinter} kind="quiet" onPress={() => window.print()}>
          Print
        </Button>
      }
    >
      {nothingDeclared(rows) ? (
        <LocationExample of={of} />
      ) : (
        <>
          <LocationContradicted rows={rows} of={of} />
          <NotAnswered rows={rows} of={of} />
          <LocationCounts rows={rows} />
          <Rows rows={rows} of={of} />
          {figures.length > 0 && <h2>Map</h2>}
          {figures.map((figure) => (
            <FigureView key={figure.title} figure={figure} />
          ))}
        </>
      )}
      <LocationLimits level={2} />
    </Page>
  )
}

/** Nodes without a result remain in every count, and are listed. */
function NotAnswered({ rows, of }: { readonly rows: readonly LocationRow[]; readonly of: Source }) {
  const gone = rows.filter(({ status }) => status === 'failed' || status === 'missing').length
  const partial = rows.filter(({ status }) => status === 'partial').length
  const undeclared = rows.length - rows.filter(wasCollected).length - gone
  if (gone + partial + undeclared === 0) return null
  const parts = [
    gone > 0 ? `${plural(gone, 'node')} not collected` : '',
    partial > 0 ? `${plural(partial, 'node')} partially collected` : '',
    undeclared > 0 ? `${plural(undeclared, 'node')} without a declared place or residency rule` : '',
  ].filter((part) => part !== '')
  return (
    <Notice
      title={`${parts.join(', ')}.`}
      means={
        gone + partial + undeclared === 1
          ? 'It remains counted. Missing evidence shows nothing about its location.'
          : 'They remain counted. Missing evidence shows nothing about their location.'
      }
      actions={
        undeclared > 0 && of === 'run' ? (
          <Button small onPress={() => go({ screen: 'declarations', part: 'nodes' })}>
            Declare places
          </Button>
        ) : undefined
      }
    />
  )
}

function Rows({ rows, of }: { readonly rows: readonly LocationRow[]; readonly of: Source }) {
  const [text, setText] = useState('')
  const [word, setWord] = useState<LocationWord | 'all'>('all')
  const ordered = useMemo(() => worstFirst(rows), [rows])
  const shown = useMemo(() => ordered.filter((row) => isShown(row, { text, word })), [ordered, text, word])
  const columns = useMemo(() => locationColumns(of, policiesOf(rows)), [of, rows])
  const table = useTable('location', columns, shown)
  const options = useMemo(() => {
    const held = LOCATION_WORDS.filter((one) => rows.some((row) => isShown(row, { text: '', word: one })))
    return [{ id: 'all' as const, title: 'All results' }, ...held.map((id) => ({ id, title: shownAs(id).label }))]
  }, [rows])
  return (
    <>
      <div className="table-bar">
        <SearchField isFilter label="Find a node" value={text} onChange={setText} placeholder="Find by name or place" />
        <Select label="Result" hideLabel value={word} onChange={setWord} options={options} />
        <span className="note" role="status">
          {shown.length} of {plural(rows.length, 'node')}
        </span>
        {table.tools}
      </div>
      <GridTable
        label="Nodes by location"
        {...table.grid}
        keyOf={nodeOf}
        rowHeight={4}
        headingHeight={3.5}
        leaves={22}
        empty={<p className="empty">No matching nodes.</p>}
      />
    </>
  )
}

const nodeOf = ({ node }: LocationRow): string => node

/** More would push the table out of view; the table lists all of them first. */
const MOST = 3

/** Contradicted nodes and reasons, above everything else. */
function LocationContradicted({ rows, of }: { readonly rows: readonly LocationRow[]; readonly of: Source }) {
  const found = contradictedOf(rows)
  return (
    <>
      {found.slice(0, MOST).map(({ node, why }) => (
        <Notice
          key={node}
          kind="failure"
          title={`Declared place of ${visible(node)} contradicted.`}
          means={visible(why)}
          actions={
            <Button kind="quiet" onPress={() => go({ screen: 'node', of, node })}>
              Recommendation for {visible(node)}
            </Button>
          }
        />
      ))}
      {found.length > MOST && <p className="note">And {plural(found.length - MOST, 'node')} more: see the table.</p>}
    </>
  )
}

/** Nodes per result, for the declared place and each residency rule. */
function LocationCounts({ rows }: { readonly rows: readonly LocationRow[] }) {
  return (
    <dl className="location-counts" aria-label="Location results">
      <Count title="Declared place" words={rows.map(placeWord)} />
      {policiesOf(rows).map((title) => (
        <Count key={title} title={visible(title)} words={rows.flatMap((row) => policyWord(row, title) ?? [])} />
      ))}
    </dl>
  )
}

function Count({ title, words }: { readonly title: string; readonly words: readonly LocationWord[] }) {
  return (
    <Fact term={title}>
      <ul>
        {countsOfWords(words).map(({ word, text }) => (
          <li key={word}>
            <LocationMark word={word} text={text} />
          </li>
        ))}
      </ul>
    </Fact>
  )
}

/** Shown without a declared place or residency rule. */
function LocationExample({ of }: { readonly of: Source }) {
  return (
    <EmptyState
      title="No location declared"
      action={
        of === 'run' && (
          <Button kind="primary" onPress={() => go({ screen: 'declarations', part: 'nodes' })}>
            Declare places
          </Button>
        )
      }
    >
      {of === 'pack'
        ? 'This pack declares neither a place nor a residency rule, so nothing was compared.'
        : 'Declare the place of each node, your vantage point and the residency rules. Then collect again.'}
    </EmptyState>
  )
}

/** More columns do not fit next to each other. */
const MOST_POLICIES = 4

/** Node, declared place and its source, results for it and for each residency rule, and maximum distance. */
function locationColumns(of: Source, policies: readonly string[]): readonly GridColumn<LocationRow>[] {
  return [
    {
      id: 'node',
      title: 'Node',
      isRowHeader: true,
      text: nodeOf,
      width: '1.5fr',
      minWidth: 8.75,
      cell: ({ node, stale }) => (
        <>
          <Button kind="link" className="node-name" onPress={() => go({ screen: 'node', of, node })}>
            {visible(node)}
          </Button>
          {stale && <span className="cell-line node-note">stale: not counted</span>}
        </>
      ),
    },
    {
      id: 'claim',
      title: 'Declared place',
      text: ({ place }) => place,
      width: '2.5fr',
      minWidth: 7.75,
      cell: ({ place, claim, status, failure }) =>
        place === null ? (
          <span className="cell-lines quiet">{whyNoClaim(status, failure)}</span>
        ) : (
          <>
            <CellLines text={visible(place)} />
            <CellLine
              className="node-note"
              text={claim === null ? whyNoClaim(status, failure) : `declared by ${visible(claim.declaredBy)}`}
            />
          </>
        ),
    },
    {
      id: 'place',
      title: 'Result',
      text: (row) => shownAs(placeWord(row)).label,
      width: '1.5fr',
      minWidth: 7.75,
      cell: (row) => <LocationMark word={placeWord(row)} />,
    },
    ...(policies.length > MOST_POLICIES ? [WORST_POLICY] : policies.map(policyColumn)),
    {
      id: 'reach',
      title: 'Maximum distance',
      text: ({ narrowest }) => (narrowest === null ? null : kilometres(narrowest.km)),
      width: '2fr',
      minWidth: 7.25,
      cell: ({ narrowest }) =>
        narrowest === null ? (
          <span className="cell-line quiet">no bound</span>
        ) : (
          <>
            <CellLine className="number" text={kilometres(narrowest.km)} />
            <CellLine className="node-note" text={`from ${visible(narrowest.vantage)}`} />
          </>
        ),
    },
  ]
}

const policyColumn = (title: string, index: number): GridColumn<LocationRow> => ({
  id: `policy-${index}`,
  title: visible(title),
  width: '1.5fr',
  minWidth: 8,
  text: (row) => {
    const word = policyWord(row, title)
    return word === null ? null : shownAs(word).label
  },
  cell: (row) => {
    const word = policyWord(row, title)
    return word === null ? <span className="cell-line quiet">not applicable</span> : <LocationMark word={word} />
  },
})

const WORST_POLICY: GridColumn<LocationRow> = {
  id: 'policies',
  title: 'Residency rules, worst result',
  width: '2fr',
  minWidth: 11,
  text: (row) => {
    const [worst] = countsOfWords(policyWords(row))
    return worst === undefined ? null : shownAs(worst.word).label
  },
  cell: (row) => {
    const own = policyWords(row)
    const [worst] = countsOfWords(own)
    if (worst === undefined) return <span className="cell-line quiet">none</span>
    return (
      <>
        <LocationMark word={worst.word} />
        <span className="cell-line node-note">
          {worst.count} of {own.length} {own.length === 1 ? 'rule' : 'rules'}
        </span>
      </>
    )
  },
}

function whyNoClaim(status: LocationRow['status'], failure: LocationRow['failure']): string {
  if (status === 'complete' || status === 'partial') return 'none declared'
  return failure === null ? 'not collected' : `not collected: ${failureTitle(failure.code)}`
}
