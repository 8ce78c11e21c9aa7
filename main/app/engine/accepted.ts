import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { EngineContext } from './context.ts'
import { registerOf } from './register-store.ts'

/** What people accept about the findings of a source, and how they explain readings; nothing where the register cannot be read, which `register.get` tells. */
export async function saidOf(
  context: EngineContext,
  of: Source,
): Promise<Pick<RegisterView, 'exceptions' | 'explanations'>> {
  const register = await registerOf(context, of)
  return register.ok ? register.value : { exceptions: [], explanations: [] }
}
