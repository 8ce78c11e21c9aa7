import { createDesktopEngine } from './desktop-engine.ts'
import { remoteDesktop } from './desktop-port.ts'
import { type Port, serveEngine } from './engine-port.ts'

/** The engine’s process (a utilityProcess). Its only argument is the folder of this user’s evidence and identities. */
const dataFolder = process.argv[2] ?? '.'

const port: Port = {
  post: (message) => process.parentPort.postMessage(message),
  onMessage: (listener) => process.parentPort.on('message', ({ data }) => listener(data)),
}
serveEngine(
  port,
  remoteDesktop(port).then((desktop) => createDesktopEngine({ dataFolder, desktop })),
  () => process.exit(0),
)
