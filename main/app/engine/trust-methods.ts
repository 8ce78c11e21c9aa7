import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods =
  | 'trust.list'
  | 'trust.add-choose'
  | 'trust.remove'
  | 'identities.list'
  | 'identities.create'
  | 'identities.backup'
  | 'identities.restore'
  | 'identities.rotate'

export const trustMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>(
    'trust.list',
    'trust.add-choose',
    'trust.remove',
    'identities.list',
    'identities.create',
    'identities.backup',
    'identities.restore',
    'identities.rotate',
  )
