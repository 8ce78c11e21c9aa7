import { IconZoomIn, IconZoomOut } from '@tabler/icons-react'
import { type KeyboardEvent, type MouseEvent, useId, useState } from 'react'
import type { PlacePoint, PlaceView } from '../../schemas/ipc-declarations.ts'
import { closer, firstView, movedBy, placeIn, pointIn, wider } from '../models/place-map-model.ts'
import { call, useAnswer, useKept } from '../state/bridge.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Slowly } from './Ask.tsx'
import { Marks } from './Figure.tsx'

interface PlaceMapProps {
  /** The place as entered so far. */
  readonly place: Readonly<Record<string, unknown>>
  readonly onChange: (point: PlacePoint) => void
}

/** Chooses the coordinates of a place on a map. The fields for the coordinates remain. */
export function PlaceMap(props: PlaceMapProps) {
  const [open, setOpen] = useState(false)
  return (
    <Disclosure title="Choose on a map" className="place-map" isOpen={open} onToggle={setOpen}>
      {open && <Chooser {...props} />}
    </Disclosure>
  )
}

function Chooser({ place, onChange }: PlaceMapProps) {
  const help = useId()
  const point = pointIn(place)
  const [view, setView] = useState<PlaceView>(() => firstView(point))
  const answer = useKept(useAnswer('declarations.place-map', { view, place: placeIn(place) }), 'place')
  const choose = (next: PlacePoint): void => {
    onChange(next)
    announce(`Latitude ${next.latitude}, longitude ${next.longitude}.`)
  }
  const pick = async (event: MouseEvent<HTMLButtonElement>, width: number, height: number): Promise<void> => {
    // A click by keyboard has no position on the map.
    if (event.detail === 0) return
    const { left, top, width: wide, height: high } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / wide) * width
    const y = ((event.clientY - top) / high) * height
    const found = await call('declarations.place-at', { view, x, y })
    if (found.ok && found.value !== null) choose(found.value)
  }
  const move = (event: KeyboardEvent): void => {
    const next = movedBy(event.key, view, point)
    if (next === null) return
    event.preventDefault()
    choose(next)
  }
  const [near, far] = [closer(view, point), wider(view)]
  return (
    <>
      <p className="field-note" id={help}>
        Select a point to enter its coordinates. Arrow keys move the place once it has coordinates. Zoom in, then select
        again for more precision.
      </p>
      <Slowly answer={answer} does="Drawing the map">
        {({ title, width, height, marks }) => (
          <button
            type="button"
            className="place-map-area"
            aria-label="Map of the place"
            aria-describedby={help}
            onClick={(event) => void pick(event, width, height)}
            onKeyDown={move}
          >
            <svg className="figure-picture" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
              <title>{title}</title>
              <Marks marks={marks} />
            </svg>
          </button>
        )}
      </Slowly>
      <div className="actions">
        <Button small icon={IconZoomIn} isDisabled={near === null} onPress={() => near !== null && setView(near)}>
          Zoom in
        </Button>
        <Button small icon={IconZoomOut} isDisabled={far === null} onPress={() => far !== null && setView(far)}>
          Zoom out
        </Button>
      </div>
    </>
  )
}
