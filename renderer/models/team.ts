import type { Method } from '../../schemas/ipc.ts'
import { TEAM_HEADERS, type TeamSession } from '../../schemas/ipc-team.ts'

/**
 * The session of a page in a browser, and what it offers. The bridge to the server is in team-bridge.ts, which the
 * window does not load.
 */

let session: TeamSession | null = null

/** Who is signed in; null in the window, which has one user. */
export const signedIn = (): TeamSession | null => session
export const setSession = (of: TeamSession | null): void => {
  session = of
}

/**
 * Whether this page offers a method: in the window always, on a server if the role may use it. The server itself
 * decides.
 */
export const may = (method: Method): boolean => session === null || session.may.includes(method)

/**
 * Whether this is the page of an auditor on a server. It shows the packs shared with them, and nothing of the fleet.
 */
export const isAuditorPage = (): boolean => session?.role === 'auditor'

/** The page of the server that offers sign-in. */
export const START = '/'

/** Leaves for the page on which people see and end their sessions. */
export const openSessions = (): void => location.assign('/sessions')

/** Ends the session, and leaves for the sign-in. */
export async function signOut(): Promise<void> {
  await fetch('/auth/sign-out', { method: 'POST', redirect: 'manual', headers: tokenHeader() }).catch(() => undefined)
  location.assign(START)
}

/** The header that shows the server that a request comes from this page. */
export const tokenHeader = (): Readonly<Record<string, string>> =>
  session === null ? {} : { [TEAM_HEADERS.csrf]: session.csrf }
