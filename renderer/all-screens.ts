import { useSyncExternalStore } from 'react'

/** All screens except the first. The window loads their code after it has drawn the first one. */
type Screens = typeof import('./AllScreens.tsx')
type Rest =
  | { readonly state: 'waiting' | 'loading' | 'failed' }
  | { readonly state: 'loaded'; readonly screens: Screens }

/** Loads a module once, and again after a failure; notifies listeners. */
export function loader(load: () => Promise<Screens>) {
  let rest: Rest = { state: 'waiting' }
  const listeners = new Set<() => void>()
  const set = (next: Rest): void => {
    rest = next
    for (const listener of listeners) listener()
  }
  return {
    get: (): Rest => rest,
    listen: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load: (): void => {
      if (rest.state === 'loading' || rest.state === 'loaded') return
      set({ state: 'loading' })
      load().then(
        (screens) => set({ state: 'loaded', screens }),
        () => set({ state: 'failed' }),
      )
    },
  }
}

const all = loader(() => import('./AllScreens.tsx'))

/** Begins to load the other screens; has no effect while or after they are loaded. */
export const loadRest = all.load
export const useRest = (): Rest => useSyncExternalStore(all.listen, all.get)
