import type { Source } from '../schemas/ipc-views.ts'
import type { Property } from '../schemas/words.ts'

/** Where the window is. Every screen is a member, so that a screen without a title does not compile. */
export type Route =
  | { readonly screen: 'first-run' }
  | { readonly screen: 'nodes' }
  | { readonly screen: 'preview' }
  | { readonly screen: 'collecting' }
  | { readonly screen: 'overview'; readonly of: Source }
  | { readonly screen: 'why'; readonly of: Source; readonly node: string; readonly property: Property }
  | { readonly screen: 'evidence'; readonly of: Source; readonly node: string; readonly capture: string | null }
  | { readonly screen: 'controls'; readonly of: Source }
  | { readonly screen: 'export' }
  | { readonly screen: 'review' }

export const routeKey = (route: Route): string => JSON.stringify(route)
