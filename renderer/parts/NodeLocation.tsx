import { frontEndText } from '../location-model.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { LocationAnswers } from './LocationAnswers.tsx'
import { LocationDiscs } from './LocationDiscs.tsx'
import { LocationLimits } from './LocationLimits.tsx'
import { LocationSignals, type LocationSignalsProps } from './LocationSignals.tsx'
import { NodeFigures } from './NodeFigures.tsx'

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
