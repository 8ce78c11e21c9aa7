import type { Engine } from '../../schemas/ipc.ts'
import { createWorld } from '../adapters/world.ts'
import type { Desktop } from '../app/engine/context.ts'
import { createEngine } from '../app/engine.ts'
import { catalog } from '../catalog/index.ts'
import { commandLine } from './command-line.ts'

/** The engine of the window: real ports, the catalog, the folder of this user, and the main process for desktop functions. */
export const createDesktopEngine = (parts: {
  readonly dataFolder: string
  readonly desktop: Desktop
}): Promise<Engine> =>
  createEngine(createWorld(catalog), catalog, {
    folder: parts.dataFolder,
    desktop: parts.desktop,
    scheduling: { program: commandLine() },
  })
