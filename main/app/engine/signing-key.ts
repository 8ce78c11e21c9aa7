import { fail, type Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import type { EngineContext } from './context.ts'
import { named } from './trust-identities.ts'
import { identitiesFolder, type Used, withSecret } from './trust-secrets.ts'

/**
 * The chosen key; without a choice, the only one. Its passphrase is requested where it is not stored. Fails with
 * identity.missing where there is none.
 */
export async function signingKey(context: EngineContext, chosen: string | null): Promise<Outcome<Used<Signer>>> {
  const { identities } = context.world
  const folder = identitiesFolder(context.folder)
  const listed = await identities.list(folder)
  if (!listed.ok) return listed
  if (chosen === null && listed.value.length > 1)
    return fail('input.refused', 'there are several signing identities; choose one')
  const name = chosen ?? listed.value[0]?.name
  if (name === undefined) return fail('identity.missing', 'there is no signing identity on this computer')
  const info = await named(context, name)
  return info.ok ? await withSecret(context, info.value, (secret) => identities.open(folder, name, secret)) : info
}
