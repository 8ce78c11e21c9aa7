import type { Session } from 'electron'
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
