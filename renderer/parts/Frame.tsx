import { type KeyboardEvent, type ReactNode, useEffect } from 'react'
import type { Route } from '../routes.ts'
import { back, getState, go, useStore } from '../store.ts'

const PLACES: readonly { readonly title: string; readonly route: Route }[] = [
  { title: 'Overview', route: { screen: 'overview', of: 'run' } },
  { title: 'Nodes', route: { screen: 'nodes' } },
  { title: 'Controls', route: { screen: 'controls', of: 'run' } },
  { title: 'Export', route: { screen: 'export' } },
  { title: 'Review a pack', route: { screen: 'review' } },
]

const belongsTo = (route: Route): Route['screen'] => {
  if ('of' in route && route.of === 'pack') return 'review'
  if (route.screen === 'why' || route.screen === 'evidence') return 'overview'
  return route.screen === 'preview' || route.screen === 'collecting' ? 'nodes' : route.screen
}

/** Rail, banners, the screen, and the line that a screen reader is told politely. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { route, fleet, packDemo, progress, said } = useStore()
  const reviewing = belongsTo(route) === 'review'
  const demo = reviewing ? packDemo : fleet?.demo === true
  useEscape()
  return (
    <div className="frame">
      <nav className="rail" aria-label="Main" onKeyDown={walk}>
        <p className="wordmark">
          <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
            <path d="M3 17V3M17 3v14M7 17v-6M13 17v-6" />
            <circle cx="10" cy="6.4" r="2.4" />
          </svg>
          Barewitness
        </p>
        <ul>
          {PLACES.map(({ title, route: place }) => (
            <li key={title}>
              <button
                type="button"
                aria-current={belongsTo(route) === place.screen ? 'page' : undefined}
                onClick={() => go(place)}
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
        {progress?.ended === 'no' && (
          <button type="button" className="running" onClick={() => go({ screen: 'collecting' })}>
            A run is going on
          </button>
        )}
      </nav>
      <div className="stage">
        {demo && (
          <aside className="banner demo" aria-label="Demo data">
            <strong>Demo data.</strong> Recorded or made-up nodes on this computer. Nothing here is about your servers.
          </aside>
        )}
        {reviewing && (
          <aside className="banner" aria-label="Review">
            You are reviewing a sealed pack. Nothing here contacts a server.
          </aside>
        )}
        <main>{children}</main>
        <p className="said" role="status" aria-live="polite">
          {said}
        </p>
      </div>
    </div>
  )
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  buttons[at + step]?.focus()
  event.preventDefault()
}

/** Escape goes one screen back, unless a dialog is open (which it closes) or something is being typed. */
function useEscape(): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (
        event.key === 'Escape' &&
        !typing &&
        document.querySelector('dialog[open]') === null &&
        getState().earlier.length > 0
      )
        back()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
