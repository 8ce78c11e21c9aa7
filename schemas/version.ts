/** Version of Barewitness, as in package.json; a test keeps them equal. */
export const VERSION = '0.1.0'

/** This program, as packs name it. */
export const PRODUCER = `Barewitness ${VERSION}`

/** How the demo fleet’s SSH servers name themselves: their answers are of another day. */
export const DEMO_SERVER = 'barewitness-demo'
