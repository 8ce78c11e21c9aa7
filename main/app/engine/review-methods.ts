import type { EngineContext, Handlers } from './context.ts'
import { stub } from './stub.ts'

type Methods =
  | 'pack.choose-and-verify'
  | 'pack.recent'
  | 'pack.open-recent'
  | 'pack.review'
  | 'pack.trust'
  | 'pack.re-evaluate'
  | 'review.sample'
  | 'review.worksheet'
  | 'review.note'
  | 'review.save-worksheet'

export const reviewMethods = (_context: EngineContext): Pick<Handlers, Methods> =>
  stub<Methods>(
    'pack.choose-and-verify',
    'pack.recent',
    'pack.open-recent',
    'pack.review',
    'pack.trust',
    'pack.re-evaluate',
    'review.sample',
    'review.worksheet',
    'review.note',
    'review.save-worksheet',
  )
