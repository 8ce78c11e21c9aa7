import type { Engine } from '../../schemas/ipc.ts'
import { createWorld } from '../adapters/world.ts'
import type { Desktop } from '../app/engine/context.ts'
import { createEngine } from '../app/engine.ts'
import { catalog } from '../catalog/index.ts'
import { commandLine } from './command-line.ts'

/** The engine as the window has it: the real world, the one catalog, this user's folder, and main for what only a desktop can do. */
export const createDesktopEngine = (parts: {
  readonly dataFolder: string
  readonly desktop: Desktop
}): Promise<Engine> =>
  createEngine(createWorld(catalog), catalog, {
    folder: parts.dataFolder,
    desktop: parts.desktop,
    scheduling: { program: commandLine() },
  })
