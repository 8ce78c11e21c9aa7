import { frontEndText } from '../location-model.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { LocationAnswers } from './LocationAnswers.tsx'
import { LocationDiscs } from './LocationDiscs.tsx'
import { LocationLimits } from './LocationLimits.tsx'
import { LocationSignals, type LocationSignalsProps } from './LocationSignals.tsx'
import { NodeFigures } from './NodeFigures.tsx'

/** Where a node is said and has to be: each answer, the map, what was timed from where, what was said by whom, and the limits of all that. */
export function NodeLocation({ of, node, location }: LocationSignalsProps) {
  const { discs, frontEnd, notes, reachable } = location
  return (
    <section className="node-location" aria-labelledby="node-location">
      <h2 id="node-location">Where it is</h2>
      <LocationAnswers location={location} />
      {reachable !== null && (
        <p>
          Countries with land in reach:{' '}
          {reachable.length === 0 ? 'none; only water is' : <span className="mono">{reachable.join(', ')}</span>}.
        </p>
      )}
      <NodeFigures of={of} node={node} kinds={['location-map']} heading={null} />
      <h3>Round trips, timed by whoever measured</h3>
      <LocationDiscs discs={discs} />
      {frontEnd !== null && <p className="prose">{frontEndText(frontEnd)}</p>}
      <h3>What says where it is</h3>
      <LocationSignals of={of} node={node} location={location} />
      {notes.length > 0 && (
        <>
          <h3>To be read with it</h3>
          <ul className="plain-list">
            {notes.map((note) => (
              <li key={note}>{visible(note)}</li>
            ))}
          </ul>
        </>
      )}
      <LocationLimits />
      <div className="actions">
        <Button onPress={() => go({ screen: 'location', of })}>Locations of all nodes</Button>
      </div>
    </section>
  )
}
