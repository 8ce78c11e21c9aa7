import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods = 'app.info' | 'catalog.get' | 'settings.get' | 'settings.set'

export const appMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>('app.info', 'catalog.get', 'settings.get', 'settings.set')
