import { VERSION } from '../../../schemas/version.ts'
import { ok } from '../../core/result.ts'
import { catalogView } from '../views.ts'
import type { EngineContext, Handlers } from './context.ts'
import { readSettings, writeSettings } from './settings.ts'

type Methods = 'app.info' | 'catalog.get' | 'settings.get' | 'settings.set'

/** Version and catalog of this program, and the settings. */
export const appMethods = ({ world, catalog, folder }: EngineContext): Pick<Handlers, Methods> => ({
  'app.info': async () =>
    ok({
      version: VERSION,
      catalogVersion: catalog.version,
      probes: catalog.probes.length,
      checks: catalog.checks.length,
    }),
  'catalog.get': async () => ok(catalogView(catalog)),
  'settings.get': async () => ok(await readSettings(world, folder)),
  'settings.set': async (settings) => await writeSettings(world, folder, settings),
})
