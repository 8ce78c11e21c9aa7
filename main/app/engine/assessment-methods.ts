import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods = 'assessment.get' | 'node.get' | 'figures.get' | 'evidence.list' | 'evidence.get'

export const assessmentMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>('assessment.get', 'node.get', 'figures.get', 'evidence.list', 'evidence.get')
