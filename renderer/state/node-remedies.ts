import type { NodeRemedy } from '../../schemas/node-remedies.ts'
import { isOffered, type Route } from '../models/routes.ts'
import { may } from '../models/team.ts'
import { collect } from './actions.ts'
import { go } from './store.ts'

/** The words of the button for each remedy. */
export const REMEDY_WORDS: Readonly<Record<NodeRemedy, string>> = {
  'collect-again': 'Try again',
  'compare-host-key': 'Compare host key',
  'edit-login': 'Edit login',
}

/** The screen on which a remedy is taken; null where it is taken at once. */
export const remedyRoute = (remedy: NodeRemedy, node: string): Route | null =>
  remedy === 'compare-host-key'
    ? { screen: 'nodes', part: 'keys' }
    : remedy === 'edit-login'
      ? { screen: 'declarations', part: 'nodes', nodes: [node] }
      : null

/** Whether a remedy can be taken by the person who is signed in. */
export function mayRemedy(remedy: NodeRemedy, node: string): boolean {
  const route = remedyRoute(remedy, node)
  return route === null ? may('run.start') : isOffered(route)
}

/** Takes a remedy. */
export function takeRemedy(remedy: NodeRemedy, node: string): void {
  const route = remedyRoute(remedy, node)
  if (route === null) void collect('missing', [node])
  else go(route)
}
