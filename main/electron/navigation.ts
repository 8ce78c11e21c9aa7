import type { App, WebContents } from 'electron'

/** Pins every page of the app to where it was loaded: no navigation, no redirect, no new window, no embedded page. */
export function lockNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => lockContents(contents))
}

export function lockContents(contents: WebContents): void {
  for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'] as const)
    contents.on(event as never, (happening: { preventDefault: () => void }) => happening.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}
