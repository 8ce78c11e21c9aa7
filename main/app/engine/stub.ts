import type { Method } from '../../../schemas/ipc.ts'
import { fail } from '../../core/failure.ts'
import type { Handlers } from './context.ts'

export const stub = <M extends Method>(...methods: readonly M[]): Pick<Handlers, M> =>
  Object.fromEntries(methods.map((one) => [one, async () => fail('input.refused', `${one} is not built yet`)])) as never
