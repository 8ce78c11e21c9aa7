import { type App, protocol, type Session, type WebContents } from 'electron'
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

/** What Electron takes as the response to one request. */
interface Answer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly data: Buffer
}

const refusal = (statusCode: number): Answer => ({ statusCode, headers: { ...HEADERS }, data: Buffer.alloc(0) })

/**
 * Answers one request of the window. Only a GET of the exact path of a built file succeeds. The URL is compared as text, before
 * any normalization, so that `..`, `%2e%2e`, backslashes, queries and other hosts match no file.
 */
export function answer(files: ReadonlyMap<string, BuiltFile>, method: string, url: string): Answer {
  if (method !== 'GET') return refusal(405)
  // The fragment after # is for the page and does not change the file.
  const [resource = ''] = url.split('#', 1)
  const file = resource.startsWith(`${ORIGIN}/`) ? files.get(resource.slice(ORIGIN.length)) : undefined
  if (file === undefined) return refusal(404)
  const { buffer, byteOffset, byteLength } = file.bytes
  return {
    statusCode: 200,
    headers: { ...HEADERS, 'Content-Type': file.type },
    data: Buffer.from(buffer, byteOffset, byteLength),
  }
}

/** Must be called before the app is ready. The scheme gets its own origin and nothing else: no CSP bypass, no CORS, no service worker. */
export const registerScheme = (): void =>
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }])

/**
 * Serves the window’s scheme, and answers `file:` with nothing, because Electron reads files for it outside the request filter. `protocol.handle`
 * is not used: its Request and Response load an HTTP client in the main process, which delays the first frame by a tenth of a second, and they
 * pass every file through a stream.
 */
export function serveWindow(session: Session, files: ReadonlyMap<string, BuiltFile>): void {
  session.protocol.registerBufferProtocol(SCHEME, ({ method, url }, respond) => respond(answer(files, method, url)))
  session.protocol.interceptBufferProtocol('file', (_request, respond) => respond(refusal(404)))
}

/** The permissions of a window, with reasons. All others are denied. */
const ALLOWED_PERMISSIONS: Readonly<Record<string, string>> = {
  'clipboard-sanitized-write': 'Copying a fingerprint, a digest or a command to compare it elsewhere.',
}

const allowed = (permission: string, origin: string | undefined): boolean =>
  Object.hasOwn(ALLOWED_PERMISSIONS, permission) && origin === ORIGIN

const originOf = (url: string): string | undefined => {
  try {
    const { protocol, host } = new URL(url)
    return `${protocol}//${host}`
  } catch {
    return undefined
  }
}

/** Denies permissions, devices and screen capture, and every request other than for the window’s own files. */
export function lockSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, done, details) =>
    done(allowed(permission, originOf(details.requestingUrl))),
  )
  session.setPermissionCheckHandler((_contents, permission, origin) => allowed(permission, originOf(origin)))
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, done) => done({}))
  session.setUSBProtectedClassesHandler(({ protectedClasses }) => protectedClasses)
  for (const event of ['select-hid-device', 'select-usb-device', 'select-serial-port'] as const)
    session.on(event as never, (happening: { preventDefault: () => void }) => happening.preventDefault())
  // Both are required: with spell checking merely off, a session still fetches the dictionary of the system language from Google.
  session.setSpellCheckerLanguages([])
  session.setSpellCheckerEnabled(false)
  session.on('will-download', (happening) => happening.preventDefault())
  session.webRequest.onBeforeRequest((request, done) => done({ cancel: !mayLoad(request.url) }))
}

/** Only the window’s own files, and the developer tools of an unpackaged build. */
export const mayLoad = (url: string): boolean => url.startsWith(`${ORIGIN}/`) || url.startsWith('devtools://')

/**
 * Must be called before the app is ready. Chromium resolves no host, by name or by address, because hints such as `dns-prefetch` and peer
 * connections bypass the request filter. The engine, which does use the network, is Node.js and not affected.
 */
export const lockNetwork = (app: App): void => app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')

/** Pins every page of the app to its URL: no navigation, no redirect, no new window, no embedded page, no refusal to close. */
export function lockNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => lockContents(contents))
}

export function lockContents(contents: WebContents): void {
  for (const event of [
    'will-navigate',
    'will-redirect',
    'will-frame-navigate',
    'will-attach-webview',
    'will-prevent-unload',
  ] as const)
    contents.on(event as never, (happening: { preventDefault: () => void }) => happening.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  // The content security policy does not cover peer connections, which reach any host that a script names.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}
