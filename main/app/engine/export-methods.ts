import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods = 'export.plan' | 'export.build' | 'export.review' | 'export.save' | 'export.discard'

export const exportMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>('export.plan', 'export.build', 'export.review', 'export.save', 'export.discard')
