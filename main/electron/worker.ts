import { createDesktopEngine } from './desktop-engine.ts'
import { serveEngine } from './engine-port.ts'

/** The engine's process (a utilityProcess). Its one argument is the folder where this user's evidence and identities are kept. */
const dataFolder = process.argv[2] ?? '.'

serveEngine(
  {
    post: (message) => process.parentPort.postMessage(message),
    onMessage: (listener) => process.parentPort.on('message', ({ data }) => listener(data)),
  },
  Promise.resolve().then(() => createDesktopEngine({ dataFolder })),
  () => process.exit(0),
)
