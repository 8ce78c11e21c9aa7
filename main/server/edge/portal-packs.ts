import { basename } from 'node:path'
import type { Engine, Reply } from '../../../schemas/ipc.ts'
import type { ExportView, PackReview } from '../../../schemas/ipc-packs.ts'
import { OFFLINE_FILE, type SharedPack } from '../../../schemas/ipc-portal.ts'
import { packSubject } from '../../../schemas/period-words.ts'
import { VERSION } from '../../../schemas/version.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { PACK_EXTENSION } from '../../core/layout.ts'
import { plainLines } from '../../core/plain-text.ts'
import type { PortalStep } from '../portal/events.ts'
import { mayRead, NO_PACK } from '../portal/state.ts'
import {
  type Answers,
  answered,
  type PortalAnswer,
  type PortalCaller,
  type PortalContext,
  readable,
} from './portal-context.ts'

/** What a caller sees of the packs: an auditor sees those that they may read, and not with whom else they are shared. */
function packsFor({ state, now }: PortalContext, { role, who }: PortalCaller): readonly SharedPack[] {
  const { packs } = state()
  const shown =
    role === 'officer'
      ? packs
      : packs.flatMap((one) => (mayRead(state(), one, who.subject, now()) ? [{ ...one, to: null }] : []))
  return shown.toReversed()
}

type Sharing = 'portal.packs' | 'portal.share' | 'portal.unshare' | 'portal.open' | 'portal.save'

/** What officers share, and what auditors verify and download. */
export function sharing(context: PortalContext): Pick<Answers, Sharing> {
  const { record, engagement, folders } = context
  const listed = (caller: PortalCaller, done: Outcome<null> = ok(null)): PortalAnswer<readonly SharedPack[]> =>
    answered(done.ok ? ok(packsFor(context, caller)) : done)
  return {
    'portal.packs': async (caller) => listed(caller),
    'portal.share': async (caller, { handle, note, to }) => {
      const placed = await placeDraft(context, caller.engine, handle)
      if (!placed.ok) return answered(placed)
      const done = await record(caller.who, { ...placed.value, note: plainLines(note, 2000), to })
      // An entry that could not be stored may be on the disk all the same: what it names stays until the file is read again.
      if (!done.ok && done.error.code !== 'store.failed') await folders.remove(placed.value.id).catch(() => undefined)
      return listed(caller, done)
    },
    'portal.unshare': async (caller, { id, reason }) =>
      listed(caller, await record(caller.who, { kind: 'share-ended', id, reason: plainLines(reason, 2000) })),
    'portal.open': async ({ engine, desk, who }, { id }) => {
      const found = readable(context, who.subject, id)
      if (found === null || desk === null) return answered(NO_PACK)
      desk.opening.add(id)
      try {
        const review = await engine.call('pack.choose-and-verify', null, { path: folders.placeOf(id, found.pack) })
        if (review.ok) desk.share = id
        // It may have ended while it was verified.
        return answered(readable(context, who.subject, id) === null ? NO_PACK : (review as Reply<PackReview>))
      } finally {
        desk.opening.delete(id)
      }
    },
    'portal.save': async (caller, { id, file }) => {
      const found = packsFor(context, caller).find((one) => one.id === id)
      if (found === undefined) return answered(NO_PACK)
      if (file === OFFLINE_FILE)
        return { reply: ok({ file }), file: { name: file, text: offlineText(found, engagement) } }
      const name = found.files.find((one) => one.name === file)?.name
      return name === undefined
        ? answered(NO_PACK)
        : { reply: ok({ file: name }), file: { name, path: folders.placeOf(id, name) } }
    },
  }
}

type Placed = Omit<Extract<PortalStep, { kind: 'shared' }>, 'note' | 'to'>

/**
 * Copies a sealed draft to where auditors read it, as the engine saves it: every copy is compared with the digest of the sealed file. Of one
 * with a redacted copy, nothing else stays there. Fails as saving does.
 */
async function placeDraft({ folders, newId }: PortalContext, engine: Engine, handle: string): Promise<Outcome<Placed>> {
  const id = newId()
  try {
    const saved = await engine.call('export.save', { handle }, { path: await folders.begin(id) })
    if (!saved.ok) return saved
    if (saved.value === null) return fail('input.refused', 'nothing was saved')
    const { files } = saved.value as ExportView
    const copy = files.find(({ name }) => name.startsWith(COPIES))
    const shared = copy === undefined ? files : [copy]
    const pack = copy ?? files.find(({ name }) => name.endsWith(PACK_EXTENSION))
    if (pack === undefined) return fail('input.refused', 'this export has no pack')
    await folders.finish(
      id,
      shared.map(({ name }) => name),
    )
    return ok({
      kind: 'shared',
      id,
      run: basename(pack.name).slice(0, -PACK_EXTENSION.length).replace(COPY_END, ''),
      pack: basename(pack.name),
      isCopy: copy !== undefined,
      files: shared.map(({ name, size, sha256 }) => ({ name: basename(name), size, sha256 })),
    })
  } catch {
    return fail('store.failed', 'the files could not be placed for auditors')
  } finally {
    await folders.giveUp(id).catch(() => undefined)
  }
}

/** The folder of a redacted copy among the files of an export. */
const COPIES = 'hand-out/'
const COPY_END = /\.parts-withheld$/

/** How to verify a shared pack on the auditor’s own computer, as a text file: the server of the audited organization is not relied on then. */
export const offlineText = ({ pack, files, run, shared, isCopy }: SharedPack, engagement: string): string =>
  [
    'VERIFY THIS PACK ON YOUR OWN COMPUTER',
    '',
    `Engagement: ${engagement}`,
    `Covers: ${packSubject(run)}`,
    `Shared: ${shared.at}, by ${shared.by}`,
    ...(isCopy ? ['This is a redacted copy. The complete pack was not shared.'] : []),
    '',
    'A verification in the browser ran on the server of the audited organization. It shows nothing about that server.',
    'Verify the files on a computer that you control:',
    '',
    `1. Obtain Barewitness ${VERSION} or later from its publisher, not from the audited organization.`,
    '2. Obtain the certificate of the signer from the signer, over another channel than this server.',
    '3. Run:',
    '',
    `   barewitness verify ${pack} --trust SIGNER.pem`,
    '',
    '   If you kept a checkpoint of an earlier pack, add: --last-checkpoint CHECKPOINT',
    '',
    'The digests of the files as the server states them (sha256sum --check reads these lines):',
    '',
    ...files.map(({ name, sha256 }) => `${sha256}  ${name}`),
    '',
  ].join('\n')
