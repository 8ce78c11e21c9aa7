import type { RegisterView } from '../../../schemas/ipc-packs.ts'
import type { Source } from '../../../schemas/ipc-views.ts'
import type { EngineContext } from './context.ts'
import { registerOf } from './register-store.ts'

/**
 * Risk acceptances and explanations for a source; none where the register cannot be read, which `register.get` reports.
 */
export async function saidOf(
  context: EngineContext,
  of: Source,
): Promise<Pick<RegisterView, 'riskAcceptances' | 'explanations'>> {
  const register = await registerOf(context, of)
  return register.ok ? register.value : { riskAcceptances: [], explanations: [] }
}
