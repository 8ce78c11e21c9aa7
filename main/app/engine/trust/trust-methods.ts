import { type Outcome, ok } from '../../../core/base/failure.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { saved, turnOf } from '../context/kept-json.ts'
import { addAnchorFile, listAnchors, removeAnchor } from './trust-anchors.ts'
import { backupIdentity, createIdentity, listIdentities, rotateIdentity, saveIdentityCard } from './trust-identities.ts'
import { identitiesFolder } from './trust-secrets.ts'

/** Trusted signers, and signing identities. */
export function trustMethods(context: EngineContext) {
  const { ports, folder } = context
  const anchors = turnOf(context, 'anchors')
  const turn = turnOf(context, 'identities')
  const listed = async (done: Outcome<unknown>) => (done.ok ? await listIdentities(context) : done)
  return methods({
    'trust.list': () => anchors(() => listAnchors(context)),
    'trust.add-choose': async (reason, chosen) =>
      chosen === undefined ? ok(null) : await anchors(() => addAnchorFile(context, chosen.path, reason)),
    'trust.remove': ({ fingerprint }) => anchors(() => removeAnchor(context, fingerprint)),
    'identities.list': () => turn(() => listIdentities(context)),
    'identities.create': ({ name, subject }) =>
      turn(async () => await listed(await createIdentity(context, name, subject))),
    'identities.save-card': ({ name }, chosen) =>
      saved(chosen, (path) => turn(() => saveIdentityCard(context, name, path))),
    'identities.backup': ({ name }, chosen) => saved(chosen, (path) => turn(() => backupIdentity(context, name, path))),
    'identities.restore': async (_input, chosen) => {
      if (chosen === undefined) return ok(null)
      const backup = await ports.files.read(chosen.path)
      if (!backup.ok) return backup
      return await turn(async () => listed(await ports.identities.restore(identitiesFolder(folder), backup.value)))
    },
    'identities.rotate': ({ name, why }) => turn(async () => listed(await rotateIdentity(context, name, why))),
  })
}
