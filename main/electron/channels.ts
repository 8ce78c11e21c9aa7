/** The channel of calls of a window, the one of the secret prompt, and the one-way channel of events to windows. */
export const CALL_CHANNEL = 'barewitness:call'
export const SECRET_CHANNEL = 'barewitness:secret'
export const EVENT_CHANNEL = 'barewitness:event'

/** The one name that a window's page gains, and the one that the prompt's page gains. */
export const BRIDGE_NAME = 'barewitness'
export const PROMPT_NAME = 'barewitnessPrompt'

/** The windows' own scheme and its only origin. */
export const SCHEME = 'barewitness'
export const ORIGIN = 'barewitness://app'
export const PAGES = {
  main: `${ORIGIN}/index.html`,
  review: `${ORIGIN}/index.html#review`,
  prompt: `${ORIGIN}/prompt/index.html`,
} as const
