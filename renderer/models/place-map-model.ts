import type { PlacePoint, PlaceView } from '../../schemas/ipc-declarations.ts'

/** Kilometers around the middle of the map, from closest to widest. Beyond the last, the whole Earth is shown. */
const ZOOMS = [220, 500, 1200, 3000] as const
const WORLD: PlaceView = { middle: null, km: 3000 }

/** The coordinates of a place as entered so far; null until both are numbers on the Earth. */
export function pointIn({ latitude, longitude }: Readonly<Record<string, unknown>>): PlacePoint | null {
  return typeof latitude === 'number' &&
    typeof longitude === 'number' &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
    ? { latitude, longitude }
    : null
}

/** The place to draw. A radius that is missing or invalid is drawn as the smallest area. */
export function placeIn(place: Readonly<Record<string, unknown>>) {
  const point = pointIn(place)
  const { radiusKm } = place
  const isRadius = typeof radiusKm === 'number' && radiusKm > 0 && radiusKm <= 20_000
  return point === null ? null : { ...point, radiusKm: isRadius ? radiusKm : 1 }
}

/** The map that is shown first: around the place where there is one, else the whole Earth. */
export const firstView = (point: PlacePoint | null): PlaceView =>
  point === null ? WORLD : { middle: point, km: ZOOMS[1] }

/** A closer view, around the place if there is one; null where there is none. */
export function closer({ middle, km }: PlaceView, point: PlacePoint | null): PlaceView | null {
  const at = point ?? middle
  if (at === null) return null
  const next = middle === null ? ZOOMS[3] : ZOOMS.findLast((zoom) => zoom < km)
  return next === undefined ? null : { middle: at, km: next }
}

/** A wider view; null where the whole Earth is shown. */
export function wider({ middle, km }: PlaceView): PlaceView | null {
  if (middle === null) return null
  const next = ZOOMS.find((zoom) => zoom > km)
  return next === undefined ? WORLD : { middle, km: next }
}

const STEP_OF: Readonly<Record<string, readonly [north: number, east: number]>> = {
  ArrowUp: [1, 0],
  ArrowDown: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/**
 * The point to which an arrow key moves the place, by a hundredth of the view. Null for other keys and without a
 * place.
 */
export function movedBy(key: string, { middle, km }: PlaceView, point: PlacePoint | null): PlacePoint | null {
  const step = STEP_OF[key]
  if (step === undefined || point === null) return null
  const degrees = middle === null ? 1 : Math.max(0.01, km / 111 / 50)
  const to = (value: number): number => Math.round(value * 100) / 100
  return {
    latitude: to(Math.min(90, Math.max(-90, point.latitude + step[0] * degrees))),
    longitude: to(((point.longitude + step[1] * degrees + 540) % 360) - 180),
  }
}
