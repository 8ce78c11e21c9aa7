import type { ProviderProfile } from '../../../schemas/types.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { quote } from '../../core/plain-text.ts'
import { problemsIn } from '../../core/provider.ts'
import { ok } from '../../core/result.ts'
import { placeOf, readDocument } from './document.ts'
import type { Known } from './index.ts'

/**
 * A built-in profile, by its id, or a customer's own file in YAML or JSON. Fails with input.not-found and
 * input.refused; an unknown check, fact, value or source, and a claim without a test, names its line.
 */
export async function readProvider(
  idOrFile: string,
  beside: string | null,
  known: Known,
): Promise<Outcome<ProviderProfile>> {
  const shipped = known.providers.find(({ id }) => id === idOrFile)
  if (shipped !== undefined) return ok(shipped)
  const read = await readDocument<ProviderProfile>('provider', placeOf(idOrFile, beside))
  if (!read.ok)
    return read.error.code === 'input.not-found' && /^[a-z0-9-]+$/.test(idOrFile)
      ? fail(
          'input.not-found',
          `${idOrFile} is neither a readable file nor a built-in profile: ${known.providers.map(({ id }) => id).join(', ')}`,
        )
      : read
  const { value, refuse } = read.value
  const problems = [
    ...(known.providers.some(({ id }) => id === value.id)
      ? [{ path: ['id'], text: `is ${quote(value.id)}, the id of a built-in profile` }]
      : []),
    ...problemsIn(value, known),
  ]
  return problems.length > 0 ? refuse(problems) : ok(value)
}
