import type { Engine } from '../../schemas/ipc.ts'
import { createPorts } from '../adapters/ports.ts'
import type { Desktop } from '../app/engine/context/context.ts'
import { createEngine } from '../app/engine.ts'
import { catalog } from '../catalog/definition/index.ts'
import { commandLine } from './command-line.ts'
import { remoteDesktop } from './desktop-port.ts'
import { serveEngine } from './engine-process.ts'
import { ownHeap, sparing } from './spare-memory.ts'

/** The engine’s process (a utilityProcess). Its only argument is the folder of this user’s evidence and identities. */
const dataFolder = process.argv[2] ?? '.'

const port = sparing(
  {
    post: (message) => process.parentPort.postMessage(message),
    onMessage: (listener) => process.parentPort.on('message', ({ data }) => listener(data)),
  },
  ownHeap(),
)
serveEngine(
  port,
  remoteDesktop(port).then((desktop) => createDesktopEngine({ dataFolder, desktop })),
  () => process.exit(0),
)

/** The engine of the window: real ports, the catalog, the folder of this user, and the main process for desktop functions. */
const createDesktopEngine = (parts: { readonly dataFolder: string; readonly desktop: Desktop }): Promise<Engine> =>
  createEngine(createPorts(catalog), catalog, {
    folder: parts.dataFolder,
    desktop: parts.desktop,
    scheduling: { program: commandLine() },
  })
