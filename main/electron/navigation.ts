import type { App, WebContents } from 'electron'

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
