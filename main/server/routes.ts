import { SESSION_ACCESS, type SessionMethod } from './access.ts'
import { COLLECTOR_VERBS, type CollectorVerb, type SealerVerb } from './program-access.ts'

/** The target of a request. Every `unknown` target is answered in the same way. */
export type Wanted =
  | { readonly kind: 'start' }
  | { readonly kind: 'style' }
  | { readonly kind: 'sign-in' }
  /** The page of an invitation, and the sign-in that accepts it. */
  | { readonly kind: 'invitation'; readonly token: string }
  | { readonly kind: 'accept'; readonly token: string }
  | { readonly kind: 'callback'; readonly query: string }
  | { readonly kind: 'sign-out' }
  /** A page of sessions, or a form on one. */
  | { readonly kind: 'sessions'; readonly method: SessionMethod }
  /** A file of the window, by its exact path. */
  | { readonly kind: 'page'; readonly engagement: string; readonly file: string }
  | { readonly kind: 'session'; readonly engagement: string }
  | { readonly kind: 'call'; readonly engagement: string; readonly method: string }
  | { readonly kind: 'upload'; readonly engagement: string }
  | { readonly kind: 'download'; readonly engagement: string; readonly id: string }
  | { readonly kind: 'events'; readonly engagement: string }
  /** A request of a collector; `job` is empty where the verb has none. */
  | { readonly kind: 'collector'; readonly verb: CollectorVerb; readonly job: string }
  /** A request of a sealer; `request` is empty where the verb has none. */
  | { readonly kind: 'sealer'; readonly verb: SealerVerb; readonly request: string }
  | { readonly kind: 'wrong-verb'; readonly allow: 'GET' | 'POST' | 'PUT' }
  | { readonly kind: 'unknown' }

const LONGEST_TARGET = 4096
const UNKNOWN: Wanted = { kind: 'unknown' }

/**
 * Parses the target of a request. It is compared as text, without normalization: `..`, `%2e`, backslashes, doubled slashes and queries match
 * no route, except for the query of the callback.
 */
export function wantedBy(verb: string, target: string): Wanted {
  if (target.length > LONGEST_TARGET) return UNKNOWN
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  if (mark !== -1)
    return path === '/auth/callback' ? only('GET', verb, { kind: 'callback', query: target.slice(mark + 1) }) : UNKNOWN
  switch (path) {
    case '/':
      return only('GET', verb, { kind: 'start' })
    case '/server.css':
      return only('GET', verb, { kind: 'style' })
    case '/auth/sign-in':
      return only('GET', verb, { kind: 'sign-in' })
    case '/auth/sign-out':
      return only('POST', verb, { kind: 'sign-out' })
    default:
      if (path.startsWith('/sessions')) return ofSessions(verb, path)
      if (path.startsWith('/invitation/') || path.startsWith('/auth/invitation/')) return ofInvitation(verb, path)
      if (path.startsWith('/collector/')) return ofCollector(verb, path)
      return path.startsWith('/sealer/') ? ofSealer(verb, path) : inEngagement(verb, path)
  }
}

/** Each method has its own address, so that no input of a form chooses the method. */
export const SESSION_PATHS: Readonly<Record<SessionMethod, string>> = {
  'sessions.own': '/sessions',
  'sessions.end-own': '/sessions/end-own',
  'sessions.end-all-own': '/sessions/end-all-own',
  'sessions.list': '/sessions/all',
  'sessions.end': '/sessions/end',
  'sessions.end-person': '/sessions/end-person',
}

function ofSessions(verb: string, path: string): Wanted {
  const method = (Object.keys(SESSION_PATHS) as SessionMethod[]).find((one) => SESSION_PATHS[one] === path)
  return method === undefined ? UNKNOWN : only(SESSION_ACCESS[method].verb, verb, { kind: 'sessions', method })
}

const INVITATION = /^(\/auth)?\/invitation\/([0-9a-f]{64})$/

function ofInvitation(verb: string, path: string): Wanted {
  const [, accepts, token] = INVITATION.exec(path) ?? []
  if (token === undefined) return UNKNOWN
  return only('GET', verb, { kind: accepts === undefined ? 'invitation' : 'accept', token })
}

const IN_ENGAGEMENT = /^\/e\/([a-z0-9][a-z0-9-]{0,60})\/(.*)$/

function inEngagement(verb: string, path: string): Wanted {
  const [, engagement, rest] = IN_ENGAGEMENT.exec(path) ?? []
  if (engagement === undefined || rest === undefined) return UNKNOWN
  if (rest === 'api/session') return only('GET', verb, { kind: 'session', engagement })
  if (rest === 'api/events') return only('GET', verb, { kind: 'events', engagement })
  if (rest === 'api/upload') return only('POST', verb, { kind: 'upload', engagement })
  const [, id] = /^api\/download\/([0-9a-f]{64})$/.exec(rest) ?? []
  if (id !== undefined) return only('GET', verb, { kind: 'download', engagement, id })
  const [, method] = /^api\/call\/([a-z.-]{1,60})$/.exec(rest) ?? []
  if (method !== undefined) return only('POST', verb, { kind: 'call', engagement, method })
  return rest.startsWith('api/')
    ? UNKNOWN
    : only('GET', verb, { kind: 'page', engagement, file: `/${rest === '' ? 'index.html' : rest}` })
}

const OF_JOB = /^\/collector\/jobs\/([0-9a-f]{32})\/(renew|offer|parts|deliver|refuse)$/

function ofCollector(verb: string, path: string): Wanted {
  const wanted = (name: CollectorVerb, job = ''): Wanted =>
    only(COLLECTOR_VERBS[name].verb, verb, { kind: 'collector', verb: name, job })
  if (path === '/collector/ask') return wanted('ask')
  const [, job, name] = OF_JOB.exec(path) ?? []
  return name === undefined ? UNKNOWN : wanted(name as CollectorVerb, job)
}

const OF_REQUEST = /^\/sealer\/requests\/([0-9a-f]{32})\/(answer|refuse)$/

const WITHOUT_REQUEST: Readonly<Record<string, SealerVerb | undefined>> = {
  '/sealer/ask': 'ask',
  '/sealer/head': 'head',
  '/sealer/head/answer': 'sign-head',
}

function ofSealer(verb: string, path: string): Wanted {
  const plainVerb = WITHOUT_REQUEST[path]
  if (plainVerb !== undefined) return only('POST', verb, { kind: 'sealer', verb: plainVerb, request: '' })
  const [, request, name] = OF_REQUEST.exec(path) ?? []
  return request === undefined ? UNKNOWN : only('POST', verb, { kind: 'sealer', verb: name as SealerVerb, request })
}

const only = (allow: 'GET' | 'POST' | 'PUT', verb: string, wanted: Wanted): Wanted =>
  verb === allow ? wanted : { kind: 'wrong-verb', allow }
