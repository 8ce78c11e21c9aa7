import { useEffect, useRef } from 'react'
import { TOUR } from '../models/tour-model.ts'
import { collect } from '../state/actions.ts'
import { onEvent } from '../state/bridge.ts'
import { change, getState, go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'

/** Starts the tour. The demo fleet is opened first, unless it is already shown. */
export async function startTour(): Promise<void> {
  const { fleet, progress } = getState()
  if (fleet?.demo !== true || progress === null) await collect('demo')
  // A demo that cannot be opened is reported above the screen.
  if (getState().fleet?.demo === true) show(0)
}

function show(step: number): void {
  const stop = TOUR[step]
  change({ tour: stop === undefined ? null : step })
  if (stop !== undefined && getState().route.screen !== stop.route.screen) go(stop.route)
}

const end = (): void => change({ tour: null })

/** The current stop of the tour, as a bar below the screen. It takes the focus at every stop, and Escape ends it. */
export function Tour() {
  const { tour, progress } = useStore()
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves with each stop
  useEffect(() => heading.current?.focus(), [tour])
  useEffect(
    () =>
      onEvent((event) => {
        if (event.kind === 'go' && event.to === 'tour') void startTour()
      }),
    [],
  )
  const stop = tour === null ? undefined : TOUR[tour]
  if (tour === null || stop === undefined) return null
  const isLast = tour === TOUR.length - 1
  const waits = progress?.ended === 'no'
  return (
    <section
      className="tour"
      aria-labelledby="tour"
      data-pane
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        end()
      }}
    >
      <div className="tour-words">
        <h2 id="tour" ref={heading} tabIndex={-1}>
          Tour, {tour + 1} of {TOUR.length}: {stop.title}
        </h2>
        <p>{stop.text}</p>
        {waits && <p className="quiet">The results are there when the collection of the demo fleet is finished.</p>}
      </div>
      <div className="actions">
        {tour > 0 && <Button onPress={() => show(tour - 1)}>Previous stop</Button>}
        <Button kind="primary" isDisabled={waits} onPress={() => (isLast ? end() : show(tour + 1))}>
          {isLast ? 'Finish tour' : 'Next stop'}
        </Button>
        {!isLast && (
          <Button kind="quiet" onPress={end}>
            Skip tour
          </Button>
        )}
      </div>
    </section>
  )
}
