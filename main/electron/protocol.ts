import { protocol, type Session } from 'electron'
import type { BuiltFile } from '../adapters/built-files.ts'
import { ORIGIN, SCHEME } from './channels.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Sent with every response of the window’s scheme, including errors. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/**
 * Answers one request of the window. Only a GET of the exact path of a built file succeeds. The URL is compared as text, before
 * any normalization, so that `..`, `%2e%2e`, backslashes, queries and other hosts match no file.
 */
export function answer(files: ReadonlyMap<string, BuiltFile>, method: string, url: string): Response {
  if (method !== 'GET') return new Response('', { status: 405, headers: HEADERS })
  // The fragment after # is for the page and does not change the file.
  const [resource = ''] = url.split('#', 1)
  const file = resource.startsWith(`${ORIGIN}/`) ? files.get(resource.slice(ORIGIN.length)) : undefined
  if (file === undefined) return new Response('', { status: 404, headers: HEADERS })
  return new Response(file.bytes, { status: 200, headers: { ...HEADERS, 'Content-Type': file.type } })
}

/** Must be called before the app is ready. The scheme gets its own origin and nothing else: no CSP bypass, no CORS, no service worker. */
export const registerScheme = (): void =>
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }])

/** Serves the window’s scheme, and answers `file:` with nothing, because Electron reads files for it outside the request filter. */
export function serveWindow(session: Session, files: ReadonlyMap<string, BuiltFile>): void {
  session.protocol.handle(SCHEME, (request) => answer(files, request.method, request.url))
  session.protocol.handle('file', () => new Response('', { status: 404, headers: HEADERS }))
}
