import type { ExceptionView } from '../../../schemas/ipc-packs.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { EngineContext } from './context.ts'
import { registerOf } from './register-store.ts'

/** What people accept about the findings of a source; nothing where the register cannot be read, which `register.get` tells. */
export async function exceptionsOf(context: EngineContext, of: Source): Promise<readonly ExceptionView[]> {
  const register = await registerOf(context, of)
  return register.ok ? register.value.exceptions : []
}
