import type { App, WebContents } from 'electron'

/**
 * To be called before the app is ready. Chromium finds no host, by name or by number: hints such as `dns-prefetch` and peer connections
 * pass by the filter of requests. The engine, which does go to the network, is Node and not concerned.
 */
export const lockNetwork = (app: App): void => app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')

/** Pins every page of the app to where it was loaded: no navigation, no redirect, no new window, no embedded page, no refusal to close. */
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
  // A page's policy of content does not speak of peer connections, which reach whoever a script names.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}
