import { useMemo } from 'react'
import type { NodeFigureKind } from '../../schemas/figure.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { LOCATION_SHOWS, locationClassWords, locationVerdictWords } from '../../schemas/location-words.ts'
import type { DistanceBound, Location, LocationResult, LocationSignal } from '../../schemas/types.ts'
import {
  byClass,
  frontEndText,
  kilometres,
  type LocationWord,
  milliseconds,
  nextStep,
  STATEMENT_SUPPORT,
  shownAs,
  supportOf,
} from '../models/location-model.ts'
import type { ColumnPart } from '../models/table-model.ts'
import { visible, when } from '../models/text.ts'
import { useAnswer } from '../state/bridge.ts'
import { go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { FailureNote } from './Ask.tsx'
import { FigureView } from './Figure.tsx'
import { MarkedLine } from './Mark.tsx'
import { useTable } from './TableTools.tsx'
import { SortedTable, textColumn, type WholeColumn, WholeTable } from './WholeTable.tsx'

/** Location of a node: results, map, round-trip times by vantage point, statements by source, and limitations. */
export function NodeLocation({ of, node, location }: LocationSignalsProps) {
  const { distanceBounds, frontEnd, notes, reachable } = location
  return (
    <section className="node-location" aria-labelledby="node-location">
      <h2 id="node-location">Location</h2>
      <LocationAnswers location={location} />
      {reachable !== null && (
        <p>
          Countries within the maximum distance:{' '}
          {reachable.length === 0 ? 'none; water only' : <span className="mono">{reachable.join(', ')}</span>}.
        </p>
      )}
      <NodeFigures of={of} node={node} kinds={['location-map']} heading={null} />
      <h3>Round-trip times by vantage point</h3>
      <LocationDiscs of={of} distanceBounds={distanceBounds} />
      {frontEnd !== null && <p className="prose">{frontEndText(frontEnd)}</p>}
      <h3>Location evidence</h3>
      <LocationSignals of={of} node={node} location={location} />
      {notes.length > 0 && (
        <>
          <h3>Related evidence</h3>
          <ul className="plain-list">
            {notes.map((note) => (
              <li key={note}>{visible(note)}</li>
            ))}
          </ul>
        </>
      )}
      <LocationLimits />
      <div className="actions">
        <Button onPress={() => go({ screen: 'location', of })}>Open location of all nodes</Button>
      </div>
    </section>
  )
}

/** The declared place, then each residency rule, with result, reason and recommended action. */
function LocationAnswers({ location: { claim, results } }: { readonly location: Location }) {
  if (results.length === 0) return <p className="empty">No declared place and no residency rule for this node.</p>
  return (
    <ul className="location-answers" aria-label="Declared place and residency rules">
      {results.map((answer) => (
        <li key={`${answer.of} ${answer.title}`}>
          <Answer answer={answer} declaredBy={answer.of === 'declared-place' ? (claim?.declaredBy ?? null) : null} />
        </li>
      ))}
    </ul>
  )
}

function Answer({ answer, declaredBy }: { readonly answer: LocationResult; readonly declaredBy: string | null }) {
  const { of, title, result, text } = answer
  const next = nextStep(answer)
  return (
    <>
      <h3>
        <span className="location-of">{of === 'declared-place' ? 'Declared place' : 'Residency rule'}</span>{' '}
        {visible(title)}
      </h3>
      <p className="location-verdict">
        <LocationMark word={result} />
        <span className="note">{locationVerdictWords[result].meaning}</span>
      </p>
      <p className="prose">{visible(text)}</p>
      {declaredBy !== null && <p className="note">Declared by {visible(declaredBy)}; a declaration is not evidence.</p>}
      {next !== null && (
        <p className="prose">
          <strong>Recommendation:</strong> {visible(next)}
        </p>
      )}
    </>
  )
}

/** Vantage points, signers, round-trip times, and the maximum distance of the SSH responder. */
function LocationDiscs({ of, distanceBounds }: Pick<Location, 'distanceBounds'> & { readonly of: Source }) {
  if (distanceBounds.length === 0)
    return (
      <p className="empty">
        No round-trip time was measured from a declared place.
        {of === 'run' &&
          ' Declare your vantage point under Declarations, Location sources, or add measurements from other machines there.'}
      </p>
    )
  return (
    <WholeTable
      table="vantage-points"
      className="location-discs"
      label="Vantage points"
      columns={DISC_COLUMNS}
      rows={distanceBounds}
      keyOf={({ record, vantage }) => `${record ?? ''} ${vantage.name}`}
    />
  )
}

const TIMES: ColumnPart = { id: 'times', title: 'Other times' }

const DISC_COLUMNS: readonly WholeColumn<DistanceBound>[] = [
  {
    id: 'vantage',
    title: 'Vantage point',
    isRowHeader: true,
    text: ({ vantage }) => vantage.name,
    cell: ({ vantage }) => (
      <>
        {visible(vantage.name)}
        <span className="note">
          to within {kilometres(vantage.radiusKm)}, declared by {visible(vantage.declaredBy)}
        </span>
      </>
    ),
  },
  {
    id: 'signed',
    title: 'Signed by',
    text: ({ record, signer }) => (record === null ? 'Measured during collection' : `${record} ${signer ?? ''}`.trim()),
    cell: ({ record, signer, at }) => (
      <>
        {record === null ? (
          'Measured during collection'
        ) : (
          <>
            Measurement file <span className="mono">{visible(record)}</span>
            {signer !== null && <span className="note mono">key {signer.slice(0, 16)}…</span>}
          </>
        )}
        {at !== null && <span className="note">{when(at)}</span>}
      </>
    ),
  },
  {
    id: 'round-trip',
    title: 'Round-trip time',
    cellClass: 'number',
    text: (disc) => disc.milliseconds,
    cell: (disc) => (
      <>
        {milliseconds(disc.milliseconds)}
        <span className="note">{disc.samples} samples</span>
      </>
    ),
  },
  {
    id: 'distance',
    title: 'Maximum distance',
    text: ({ maxDistanceKm }) => maxDistanceKm,
    cell: ({ maxDistanceKm, text }) => (
      <>
        {maxDistanceKm === null ? <span className="quiet">Not usable</span> : `At most ${kilometres(maxDistanceKm)}`}
        <span className="note">{visible(text)}</span>
      </>
    ),
  },
  {
    id: 'tcp',
    title: 'Other times',
    part: TIMES,
    cellClass: 'number',
    text: ({ tcpMs }) => tcpMs,
    cell: ({ tcpMs, keepaliveMs }) => (
      <>
        <span className="note">TCP {milliseconds(tcpMs)}</span>
        <span className="note">Keep-alive {milliseconds(keepaliveMs)}</span>
      </>
    ),
  },
  { id: 'keep-alive', title: 'Keep-alive time', part: TIMES, text: ({ keepaliveMs }) => keepaliveMs },
]

interface LocationSignalsProps {
  readonly of: Source
  readonly node: string
  readonly location: Location
}

/** Every statement about the location of the node by source class, and what it shows for each place or rule. */
function LocationSignals({ of, node, location: { signals, results } }: LocationSignalsProps) {
  const columns = useMemo(
    (): readonly WholeColumn<LocationSignal>[] => [
      { id: 'class', title: 'Source class', isKept: true, text: (signal) => locationClassWords[signal.class] },
      {
        id: 'statement',
        title: 'Statement',
        isRowHeader: true,
        text: ({ text }) => text,
        cell: ({ text, hint }) => (
          <>
            {visible(text)}
            {hint && <span className="note">Freely chosen by the node: shown, never counted.</span>}
          </>
        ),
      },
      ...results.map((answer): WholeColumn<LocationSignal> => {
        const name = `${answer.of} ${answer.title}`
        return {
          id: name.slice(0, 60),
          title: visible(answer.title),
          text: ({ id }) => STATEMENT_SUPPORT[supportOf(answer, id)].label,
          cell: ({ id }) => <MarkedLine {...STATEMENT_SUPPORT[supportOf(answer, id)]} />,
        }
      }),
      {
        id: 'evidence',
        title: 'Evidence',
        text: ({ probe, captures }) =>
          probe === null ? 'From outside the node' : captures.map(({ command }) => `${probe}/${command}`).join(', '),
        cell: (signal) => <Captures of={of} node={node} signal={signal} />,
      },
    ],
    [of, node, results],
  )
  const { grid, tools } = useTable('location-evidence', columns, signals)
  if (signals.length === 0) return <p className="empty">No location evidence.</p>
  return (
    <>
      <div className="table-bar">{tools}</div>
      {byClass(grid.rows).map((group) => (
        <SortedTable
          key={group.class}
          className="location-signals"
          label={locationClassWords[group.class]}
          caption={
            <>
              {locationClassWords[group.class]} <span className="quiet">({group.class})</span>
            </>
          }
          {...grid}
          rows={group.signals}
          keyOf={({ id }) => id}
        />
      ))}
    </>
  )
}

function Captures({
  of,
  node,
  signal: { probe, captures },
}: Omit<LocationSignalsProps, 'location'> & { readonly signal: LocationSignal }) {
  if (probe === null || captures.length === 0) return <span className="quiet">From outside the node</span>
  return captures.map(({ command }) => {
    const key = `${probe}/${command}`
    return (
      <Button
        key={key}
        kind="link"
        label={`Open ${key} of ${visible(node)}`}
        onPress={() => go({ screen: 'evidence', of, node, capture: key })}
      >
        <span className="mono">{key}</span>
      </Button>
    )
  })
}

/** A location result, as mark and label. */
export function LocationMark({ word, text }: { readonly word: LocationWord; readonly text?: string }) {
  const shown = shownAs(word)
  return <MarkedLine {...shown} label={text ?? shown.label} />
}

/** Limitations of location results, shown with each of them and open in print. */
export const LocationLimits = ({ level = 3 }: { readonly level?: 2 | 3 }) => (
  <Disclosure title="Limitations" level={level}>
    <SortedTable<(typeof LOCATION_SHOWS)[number]>
      className="location-shows"
      columns={[
        textColumn('statement', 'Statement', ({ statement }) => statement, { isRowHeader: true }),
        textColumn('conclusion', 'Conclusion', ({ status }) => status),
      ]}
      rows={LOCATION_SHOWS}
      keyOf={({ statement }) => statement}
    />
  </Disclosure>
)

/** The figures of a node of the given kinds. Nothing is drawn if there is evidence for none. */
export function NodeFigures({
  of,
  node,
  kinds,
  heading = 'Figures',
}: {
  readonly of: Source
  readonly node: string
  readonly kinds: readonly NodeFigureKind[]
  /** For screen readers; null where a heading already exists. */
  readonly heading?: string | null
}) {
  const { runs } = useStore()
  const answer = useAnswer('figures.get', { of, node, kinds }, runs)
  if (answer.state === 'failed') return <FailureNote error={answer.error} />
  if (answer.state === 'waiting') return <p className="waiting">Drawing…</p>
  if (answer.value.length === 0) return null
  return (
    <>
      {heading !== null && <h2 className="said">{heading}</h2>}
      {answer.value.map((figure) => (
        <FigureView key={`${figure.kind} ${figure.title}`} figure={figure} />
      ))}
    </>
  )
}
