import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods =
  | 'hostkeys.list'
  | 'hostkeys.scan'
  | 'hostkeys.confirm'
  | 'hostkeys.match-text'
  | 'hostkeys.confirm-matched'

export const hostKeyMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>('hostkeys.list', 'hostkeys.scan', 'hostkeys.confirm', 'hostkeys.match-text', 'hostkeys.confirm-matched')
