import type { Source } from '../../schemas/ipc-views.ts'
import { locationClassWords } from '../../schemas/location-words.ts'
import type { Location, LocationSignal } from '../../schemas/types.ts'
import { byClass, saysTo } from '../location-model.ts'
import { go } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { SaysMark } from './LocationMark.tsx'

export interface LocationSignalsProps {
  readonly of: Source
  readonly node: string
  readonly location: Location
}

/** Every statement about the location of the node by source class, and what it shows for each place or rule. */
export function LocationSignals({ of, node, location: { signals, results } }: LocationSignalsProps) {
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
                      <SaysMark says={saysTo(answer, signal.id)} />
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
