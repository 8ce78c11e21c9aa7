import type { App, Session, WebContents } from 'electron'
import { ORIGIN } from './channels.ts'

/** The permissions of a window, with reasons. All others are denied. */
export const ALLOWED_PERMISSIONS: Readonly<Record<string, string>> = {
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
