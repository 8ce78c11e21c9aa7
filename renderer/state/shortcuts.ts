import { useEffect } from 'react'
import type { Source } from '../../schemas/ipc-views.ts'
import { isOffered, type Route } from '../models/routes.ts'
import { back, canSearch, change, getState, go, isReviewWindow } from './store.ts'

interface Shortcut {
  readonly keys: string
  readonly does: string
  /** A single key without a modifier: can be turned off in the settings. */
  readonly single: boolean
  /** The window that has it, where one of the two has not. */
  readonly only?: 'main' | 'review'
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    keys: 'Ctrl K',
    does: 'Search screens, nodes, findings, checks, controls and documents (⌘ K on a Mac)',
    single: false,
  },
  { keys: 'Ctrl P', does: 'Print this screen', single: false },
  { keys: 'F6', does: 'Next pane; Shift F6 for the previous pane', single: false },
  { keys: 'Esc', does: 'Close or go back', single: false },
  {
    keys: 'Arrows, Home, End',
    does: 'Move inside the matrix and the calendar; Ctrl Home for the matrix’s first cell',
    single: false,
  },
  { keys: 'Enter', does: 'Open the focused item', single: false },
  { keys: 'Ctrl Enter', does: 'Save the decision and go to the next sample', single: false, only: 'review' },
  { keys: 'G then O', does: 'Overview', single: true, only: 'main' },
  { keys: 'G then O', does: 'Results', single: true, only: 'review' },
  { keys: 'G then F', does: 'Findings', single: true },
  { keys: 'G then N', does: 'Nodes', single: true, only: 'main' },
  { keys: 'G then C', does: 'Controls', single: true },
  { keys: 'G then L', does: 'Location', single: true },
  { keys: 'G then P', does: 'Evidence packs', single: true, only: 'main' },
  { keys: 'G then H', does: 'History', single: true, only: 'main' },
  { keys: 'G then S', does: 'Schedules', single: true, only: 'main' },
  { keys: 'G then P', does: 'Verification', single: true, only: 'review' },
  { keys: '/', does: 'Find on this screen', single: true },
  { keys: '[ and ]', does: 'Previous and next result', single: true },
  { keys: '1, 2 and 3', does: 'Decision on the current sample', single: true, only: 'review' },
  { keys: 'N', does: 'Note on the current sample', single: true, only: 'review' },
  { keys: 'J and K', does: 'Next and previous sample', single: true, only: 'review' },
  { keys: 'E', does: 'Raw evidence of the current result', single: true },
  { keys: '?', does: 'This list', single: true },
]

type Signal =
  | 'finding-before'
  | 'finding-next'
  | 'show-evidence'
  | 'decide-1'
  | 'decide-2'
  | 'decide-3'
  | 'write-note'
  | 'sample-next'
  | 'sample-before'
  | 'save-and-next'

/** Calls `act` on the shortcut; the latest screen that listens handles it. */
export function useSignal(signal: Signal, act: () => void): void {
  useEffect(() => {
    window.addEventListener(signal, act)
    return () => window.removeEventListener(signal, act)
  }, [signal, act])
}

/** The screen of the second letter after G; null where a pack has no such screen. */
const GOES: Readonly<Record<string, (of: Source) => Route | null>> = {
  o: (of) => ({ screen: 'overview', of }),
  f: (of) => ({ screen: 'findings', of }),
  c: (of) => ({ screen: 'controls', of }),
  l: (of) => ({ screen: 'location', of }),
  n: (of) => (of === 'run' ? { screen: 'nodes' } : null),
  h: (of) => (of === 'run' ? { screen: 'history' } : null),
  s: (of) => (of === 'run' ? { screen: 'schedules' } : null),
  p: (of) => (of === 'run' ? { screen: 'packs' } : { screen: 'review' }),
}

/** Goes to a screen that is offered: on a server, not every role has every screen. */
function goTo(route: Route | null): void {
  if (route !== null && isOffered(route)) go(route)
}

const SIGNALS: Readonly<Record<string, Signal>> = {
  '[': 'finding-before',
  ']': 'finding-next',
  e: 'show-evidence',
  '1': 'decide-1',
  '2': 'decide-2',
  '3': 'decide-3',
  n: 'write-note',
  j: 'sample-next',
  k: 'sample-before',
}

const SAVE_AND_NEXT: Signal = 'save-and-next'
/** Time for the second letter after G. */
const SECOND_KEY_MS = 1_500

// Radio buttons and checkboxes accept no letters.
const TYPED =
  'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"], [role="spinbutton"], [role="listbox"] *, [role="menu"] *'
const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches(TYPED)
const somethingIsOver = (): boolean => document.querySelector('.overlay, .popover') !== null

/** The window’s shortcuts. Every action is also available without them. */
export function useShortcuts(): void {
  useEffect(() => {
    let goUntil = 0
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const key = event.key.toLowerCase()
      if ((event.ctrlKey || event.metaKey) && !event.altKey) {
        if (key === 'k')
          act(event, () => change({ over: getState().over !== 'palette' && canSearch() ? 'palette' : null }))
        else if (key === 'p' && !event.shiftKey) act(event, () => window.print())
        else if (key === 'enter' && !somethingIsOver()) window.dispatchEvent(new Event(SAVE_AND_NEXT))
        return
      }
      if (somethingIsOver() || event.altKey) return
      if (event.key === 'F6') act(event, () => cyclePanes(event.shiftKey ? -1 : 1))
      if (isTyping(event.target)) return
      if (event.key === 'Escape') act(event, back)
      if (!getState().settings.singleKeys) return
      const second = performance.now() < goUntil ? GOES[key] : undefined
      goUntil = 0
      const signal = SIGNALS[key]
      if (second !== undefined) act(event, () => goTo(second(isReviewWindow() ? 'pack' : 'run')))
      else if (key === 'g') goUntil = performance.now() + SECOND_KEY_MS
      else if (key === '?') act(event, () => change({ over: 'shortcuts' }))
      else if (key === '/') act(event, focusFilter)
      else if (signal !== undefined) act(event, () => window.dispatchEvent(new Event(signal)))
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

function act(event: KeyboardEvent, what: () => void): void {
  event.preventDefault()
  what()
}

const focusFilter = (): void => document.querySelector<HTMLElement>('[data-filter] input')?.focus()

/** Panes are marked with data-pane and can take the focus. */
function cyclePanes(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetParent !== null)
  const at = panes.findLastIndex((pane) => pane.contains(document.activeElement))
  panes[(at + step + panes.length) % panes.length]?.focus()
}
