import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods =
  | 'demo.open'
  | 'run.preview'
  | 'run.preview-save'
  | 'run.start'
  | 'run.pause'
  | 'run.resume'
  | 'run.cancel'
  | 'run.status'
  | 'runs.list'
  | 'runs.open'

export const runMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>(
    'demo.open',
    'run.preview',
    'run.preview-save',
    'run.start',
    'run.pause',
    'run.resume',
    'run.cancel',
    'run.status',
    'runs.list',
    'runs.open',
  )
