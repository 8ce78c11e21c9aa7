import type { Engine } from '../../schemas/ipc.ts'
import { createWorld } from '../adapters/world.ts'
import { createEngine } from '../app/engine.ts'
import { catalog } from '../catalog/index.ts'

/** The engine as the window has it: the real world, the one catalog, this user's folder. */
export const createDesktopEngine = async (options: { readonly dataFolder: string }): Promise<Engine> =>
  createEngine(createWorld(catalog.probes), catalog, { folder: options.dataFolder })
