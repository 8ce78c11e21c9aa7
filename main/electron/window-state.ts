import { readFileSync, writeFileSync } from 'node:fs'
import type { Settings } from '../../schemas/ipc-views.ts'

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Position of a window. Without x and y, the system decides. */
export interface Place {
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
  readonly maximized: boolean
}

type Theme = Settings['theme']

export const SMALLEST = { width: 480, height: 400 } as const
const USUAL: Place = { width: 1280, height: 860, maximized: false }
/** The part of a window’s top edge that must stay visible, so that the window can be moved. */
const GRIP = { width: 120, height: 32 } as const

/** The bounds of the window when it was closed, if its top edge is still on a connected display. */
export function placeFor(saved: unknown, displays: readonly Area[]): Place {
  const { x, y, width, height, maximized } = fieldsOf(saved)
  const room = displays.find((display) => isOn(display, { x, y, width }))
  const first = room ?? displays[0] ?? { x: 0, y: 0, width: USUAL.width, height: USUAL.height }
  const size = {
    width: between(SMALLEST.width, width, Math.max(first.width, SMALLEST.width)) ?? USUAL.width,
    height: between(SMALLEST.height, height, Math.max(first.height, SMALLEST.height)) ?? USUAL.height,
  }
  const place = { ...size, maximized: maximized === true }
  return room === undefined ? place : { ...place, x: Number(x), y: Number(y) }
}

const fieldsOf = (saved: unknown): Readonly<Record<string, unknown>> =>
  typeof saved === 'object' && saved !== null ? (saved as Readonly<Record<string, unknown>>) : {}

const between = (least: number, value: unknown, most: number): number | null =>
  Number.isInteger(value) ? Math.min(Math.max(Number(value), least), most) : null

function isOn(display: Area, { x, y, width }: Readonly<Record<'x' | 'y' | 'width', unknown>>): boolean {
  if (![x, y, width].every(Number.isInteger)) return false
  const [left, top, right] = [Number(x), Number(y), Number(x) + Number(width)]
  const across = Math.min(right, display.x + display.width) - Math.max(left, display.x)
  return across >= GRIP.width && top >= display.y && top + GRIP.height <= display.y + display.height
}

/** Initial bounds of the windows, stored in one file. A window opens even when the file cannot be read or written. */
export interface WindowState {
  readonly place: (window: 'main' | 'review') => unknown
  readonly theme: () => Theme
  readonly keepPlace: (window: 'main' | 'review', place: Place) => void
  readonly keepTheme: (theme: Theme) => void
}

export function windowState(file: string): WindowState {
  let kept = fieldsOf(readJson(file))
  const keep = (changed: Readonly<Record<string, unknown>>): void => {
    kept = { ...kept, ...changed }
    try {
      writeFileSync(file, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
    } catch {
      // The next window opens in the usual place.
    }
  }
  return {
    place: (window) => kept[window],
    theme: () => (kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : 'system'),
    keepPlace: (window, place) => keep({ [window]: place }),
    keepTheme: (theme) => {
      if (theme !== kept.theme) keep({ theme })
    },
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
