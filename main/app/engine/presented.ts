import type { Assessment, Register } from '../../../schemas/types.ts'
import type { RecordingOutline } from '../../core/recording.ts'
import type { Presentation } from '../../present/presentation.ts'
import { registerInScope } from '../attachments.ts'
import { shownOf } from '../finding-views.ts'
import type { EngineContext } from './context.ts'

interface Stated {
  readonly assessment: Assessment
  readonly register: Register
  readonly recordings: readonly Pick<RecordingOutline, 'recording'>[]
}

/**
 * What is shown of an assessment, of a run or of a pack. Composed once for each evaluation, since every screen asks for
 * it; a changed register has an evaluation of its own.
 */
export function presented(
  { catalog }: Pick<EngineContext, 'catalog'>,
  { assessment, register: whole, recordings }: Stated,
): Presentation {
  const known = composed.get(assessment)
  if (known !== undefined) return known
  const register = registerInScope(catalog, whole, assessment.scope)
  const shown = shownOf({ assessment, catalog, register, recordings })
  composed.set(assessment, shown)
  return shown
}

const composed = new WeakMap<object, Presentation>()
