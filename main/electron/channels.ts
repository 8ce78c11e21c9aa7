/** The channel for calls of a window, the channel of the secret prompt, and the one-way channels: events to windows, and a window’s first content. */
export const CALL_CHANNEL = 'barewitness:call'
export const SECRET_CHANNEL = 'barewitness:secret'
export const EVENT_CHANNEL = 'barewitness:event'
export const DRAWN_CHANNEL = 'barewitness:drawn'

/** The only global name exposed to a window’s page, and the one exposed to the prompt’s page. */
export const BRIDGE_NAME = 'barewitness'
export const PROMPT_NAME = 'barewitnessPrompt'

/** The scheme of the windows and its only origin. */
export const SCHEME = 'barewitness'
export const ORIGIN = 'barewitness://app'
export const PAGES = {
  main: `${ORIGIN}/index.html`,
  review: `${ORIGIN}/index.html#review`,
  prompt: `${ORIGIN}/prompt/index.html`,
} as const
