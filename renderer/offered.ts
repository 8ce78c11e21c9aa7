import type { Method } from '../schemas/ipc.ts'
import type { Route } from './routes.ts'
import { may } from './team.ts'

/** The method without which a screen, or a part of one, has no use; null for screens that every role may open. */
function needOf(route: Route): Method | null {
  switch (route.screen) {
    case 'packs':
      return 'pack.recent'
    case 'export':
      return 'export.plan'
    case 'schedules':
      return 'schedules.list'
    case 'nodes':
      return route.part === 'import' ? 'fleet.import-text' : null
    case 'declarations':
      return route.part === 'file' ? 'fleet.open-choose' : null
    case 'settings':
      return route.part === 'identity' ? 'identities.create' : route.part === 'trust' ? 'trust.list' : null
    default:
      return null
  }
}

/** Whether a screen is offered. In the window, always; on a server, where the role may use it. */
export function isOffered(route: Route): boolean {
  const need = needOf(route)
  return need === null || may(need)
}
