/** The one request channel of the window, the one-way channel of events to it, and the one name its page gains. */
export const CALL_CHANNEL = 'barewitness:call'
export const EVENT_CHANNEL = 'barewitness:event'
export const BRIDGE_NAME = 'barewitness'

/** The window's own scheme and its only origin. */
export const SCHEME = 'barewitness'
export const ORIGIN = 'barewitness://app'
export const START_PAGE = `${ORIGIN}/index.html`
