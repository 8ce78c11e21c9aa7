import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods =
  | 'register.get'
  | 'exceptions.accept'
  | 'exceptions.withdraw'
  | 'exceptions.save'
  | 'attachments.add'
  | 'attachments.note'
  | 'attachments.withdraw'
  | 'attachments.show'
  | 'requests.set'

export const registerMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>(
    'register.get',
    'exceptions.accept',
    'exceptions.withdraw',
    'exceptions.save',
    'attachments.add',
    'attachments.note',
    'attachments.withdraw',
    'attachments.show',
    'requests.set',
  )
