import type { NodeFigureKind } from '../../schemas/figure.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { LOCATION_SHOWS, locationClassWords, locationVerdictWords } from '../../schemas/location-words.ts'
import type { DistanceBound, Location, LocationResult, LocationSignal } from '../../schemas/types.ts'
import { useAnswer } from '../bridge.ts'
import {
  byClass,
  frontEndText,
  kilometres,
  type LocationWord,
  milliseconds,
  nextStep,
  STATEMENT_SUPPORT,
  type StatementSupport,
  shownAs,
  supportOf,
} from '../location-model.ts'
import { go, useStore } from '../store.ts'
import { visible, when } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { FailureNote } from './Ask.tsx'
import { FigureView } from './Figure.tsx'
import { Shape } from './Mark.tsx'

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
      <LocationDiscs distanceBounds={distanceBounds} />
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
function LocationDiscs({ distanceBounds }: Pick<Location, 'distanceBounds'>) {
  if (distanceBounds.length === 0)
    return (
      <p className="empty">
        No round-trip time was measured from a declared place. Declare your vantage point under Declarations, Location
        sources, or add measurements from other machines there.
      </p>
    )
  return (
    <section className="scroll" aria-label="Vantage points">
      <table className="location-discs">
        <thead>
          <tr>
            <th scope="col">Vantage point</th>
            <th scope="col">Signed by</th>
            <th scope="col">Round-trip time</th>
            <th scope="col">Maximum distance</th>
            <th scope="col">Other times</th>
          </tr>
        </thead>
        <tbody>
          {distanceBounds.map((disc) => (
            <Disc key={`${disc.record ?? ''} ${disc.vantage.name}`} disc={disc} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Disc({ disc }: { readonly disc: DistanceBound }) {
  const { vantage, record, signer, at, samples, maxDistanceKm, tcpMs, keepaliveMs, text } = disc
  return (
    <tr>
      <th scope="row">
        {visible(vantage.name)}
        <span className="note">
          to within {kilometres(vantage.radiusKm)}, declared by {visible(vantage.declaredBy)}
        </span>
      </th>
      <td>
        {record === null ? (
          'Measured during collection'
        ) : (
          <>
            Measurement file <span className="mono">{visible(record)}</span>
            {signer !== null && <span className="note mono">key {signer.slice(0, 16)}…</span>}
          </>
        )}
        {at !== null && <span className="note">{when(at)}</span>}
      </td>
      <td className="number">
        {milliseconds(disc.milliseconds)}
        <span className="note">{samples} samples</span>
      </td>
      <td>
        {maxDistanceKm === null ? <span className="quiet">Not usable</span> : `At most ${kilometres(maxDistanceKm)}`}
        <span className="note">{visible(text)}</span>
      </td>
      <td className="number">
        <span className="note">TCP {milliseconds(tcpMs)}</span>
        <span className="note">Keep-alive {milliseconds(keepaliveMs)}</span>
      </td>
    </tr>
  )
}

interface LocationSignalsProps {
  readonly of: Source
  readonly node: string
  readonly location: Location
}

/** Every statement about the location of the node by source class, and what it shows for each place or rule. */
function LocationSignals({ of, node, location: { signals, results } }: LocationSignalsProps) {
  if (signals.length === 0) return <p className="empty">No location evidence.</p>
  return (
    <>
      {byClass(signals).map((group) => (
        <section key={group.class} className="scroll" aria-label={locationClassWords[group.class]}>
          <table className="location-signals">
            <caption>
              {locationClassWords[group.class]} <span className="quiet">({group.class})</span>
            </caption>
            <thead>
              <tr>
                <th scope="col">Statement</th>
                {results.map(({ of: what, title }) => (
                  <th key={`${what} ${title}`} scope="col">
                    {visible(title)}
                  </th>
                ))}
                <th scope="col">Evidence</th>
              </tr>
            </thead>
            <tbody>
              {group.signals.map((signal) => (
                <tr key={signal.id}>
                  <th scope="row">
                    {visible(signal.text)}
                    {signal.hint && <span className="note">Freely chosen by the node: shown, never counted.</span>}
                  </th>
                  {results.map((answer) => (
                    <td key={`${answer.of} ${answer.title}`}>
                      <StatementMark support={supportOf(answer, signal.id)} />
                    </td>
                  ))}
                  <td>
                    <Captures of={of} node={node} signal={signal} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
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
  const { label, mark, tone } = shownAs(word)
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{text ?? label}</span>
    </span>
  )
}

/** What one statement shows for one place or rule. */
function StatementMark({ support }: { readonly support: StatementSupport }) {
  const { label, mark, tone } = STATEMENT_SUPPORT[support]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{label}</span>
    </span>
  )
}

/** Limitations of location results: shown with each of them, and open in print. */
export const LocationLimits = ({ level = 3 }: { readonly level?: 2 | 3 }) => (
  <Disclosure title="Limitations" level={level} className="location-limits">
    <div className="scroll">
      <table className="location-shows">
        <thead>
          <tr>
            <th scope="col">Statement</th>
            <th scope="col">Conclusion</th>
          </tr>
        </thead>
        <tbody>
          {LOCATION_SHOWS.map(({ statement, status }) => (
            <tr key={statement}>
              <th scope="row">{statement}</th>
              <td>{status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Disclosure>
)

/** The figures of a node of the given kinds. Nothing without evidence for any. */
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
