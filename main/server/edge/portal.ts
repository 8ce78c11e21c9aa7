import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Engine, Reply } from '../../../schemas/ipc.ts'
import type { ExportView, PackReview } from '../../../schemas/ipc-packs.ts'
import {
  type InvitationView,
  OFFLINE_FILE,
  type PortalMethod,
  type PortalMethods,
  type SharedPack,
} from '../../../schemas/ipc-portal.ts'
import type { TeamRole } from '../../../schemas/ipc-team.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { fileIn, folderIn, PACK_EXTENSION } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { EMPTY_PORTAL, type PortalEvent, type PortalStep, type Who } from '../portal/events.ts'
import {
  accessesOf,
  digestOfToken,
  type Invitation,
  invitationView,
  openInvitation,
  termOf,
} from '../portal/invitations.ts'
import { offlineText } from '../portal/offline.ts'
import { after, mayRead, NO_PACK, type PortalState, stateOf } from '../portal/state.ts'
import type { AuditorDesk } from './auditors.ts'
import { openChainedFile } from './chained-file.ts'

/** Who calls the portal, with what they read from. */
export interface PortalCaller {
  readonly who: Who
  readonly role: Extract<TeamRole, 'officer' | 'auditor'>
  /** Of an officer, the engine of the engagement; of an auditor, their own. */
  readonly engine: Engine
  /** Null for an officer. */
  readonly desk: AuditorDesk | null
  /** Of this server, for links. */
  readonly origin: string
}

/** A file that the page downloads: a copy of one, or a text. */
export type PortalDownload = { readonly name: string } & ({ readonly path: string } | { readonly text: string })

/** An answer, with a file or null. */
export interface PortalAnswer<T> {
  readonly reply: Reply<T>
  readonly file: PortalDownload | null
}

/** What officers and auditors of one engagement exchange. */
export interface Portal {
  /** Whether an auditor may read a shared pack now. */
  readonly mayRead: (subject: string, share: string) => boolean
  /** Whether an invitation gives this subject access now. */
  readonly hasAccess: (subject: string) => boolean
  /** The invitation of a link that can be used now; fails the same for every other one. */
  readonly invited: (token: string) => Outcome<Invitation>
  /** Binds an access to the person who used its link. Fails with access.refused for a link that cannot be used. */
  readonly accept: (who: Who, token: string) => Promise<Outcome<Invitation>>
  readonly call: <M extends PortalMethod>(
    caller: PortalCaller,
    method: M,
    input: PortalMethods[M]['in'],
  ) => Promise<PortalAnswer<PortalMethods[M]['out']>>
  readonly close: () => Promise<void>
}

export interface PortalParts {
  readonly engagement: string
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** 32 hexadecimal digits that nobody can guess. */
  readonly newId: () => string
  /** After each change: what ended is closed for auditors, and pages are told. */
  readonly changed: () => Promise<void>
}

type Answers = {
  readonly [M in PortalMethod]: (
    caller: PortalCaller,
    input: PortalMethods[M]['in'],
  ) => Promise<PortalAnswer<PortalMethods[M]['out']>>
}

/** Opens the portal of an engagement. Fails as its file does. */
export async function openPortal(parts: PortalParts): Promise<Outcome<Portal>> {
  const { folder, now } = parts
  const path = fileIn(folder, 'portal')
  const opened = await openChainedFile<PortalEvent>(path, EMPTY_PORTAL)
  if (!opened.ok) return opened
  const { log, text } = opened.value
  const first = stateOf(text)
  if (!first.ok) {
    await log.close()
    return fail('store.failed', `${path}: ${first.error.detail}`)
  }
  let state = first.value
  let last: Promise<unknown> = Promise.resolve()
  /** Stores an event, and then lets it take effect; one after the other. */
  const record = (who: Who, step: PortalStep): Promise<Outcome<null>> => {
    const next = last.then(async (): Promise<Outcome<null>> => {
      const event: PortalEvent = { at: new Date(now()).toISOString(), by: who, ...step }
      const then = after(state, event)
      if (!then.ok) return then
      try {
        await log.append(event)
      } catch {
        return fail('store.failed', 'the file of the portal cannot be written')
      }
      state = then.value
      await parts.changed()
      return ok(null)
    })
    last = next.catch(() => undefined)
    return next
  }
  const context: PortalContext = { ...parts, state: () => state, record }
  const answers: Answers = { ...sharing(context), ...inviting(context) }
  const invited = (token: string): Outcome<Invitation> => openInvitation(state.invitations, digestOfToken(token), now())
  return ok({
    mayRead: (subject, share) => readable(context, subject, share) !== null,
    hasAccess: (subject) => accessesOf(state.invitations, subject, now()).length > 0,
    invited,
    accept: async (who, token) => {
      const found = invited(token)
      if (!found.ok) return found
      const recorded = await record(who, { kind: 'invitation-accepted', id: found.value.id })
      return recorded.ok ? found : recorded
    },
    call: (caller, method, input) => answers[method](caller, input),
    close: async () => {
      await last
      await log.close()
    },
  })
}

interface PortalContext extends PortalParts {
  readonly state: () => PortalState
  readonly record: (who: Who, step: PortalStep) => Promise<Outcome<null>>
}

const answered = <T>(reply: Reply<T>): PortalAnswer<T> => ({ reply, file: null })

/** What a caller sees of the packs: an auditor sees those that they may read, and not with whom else they are shared. */
function packsFor({ state, now }: PortalContext, { role, who }: PortalCaller): readonly SharedPack[] {
  const { packs } = state()
  const shown =
    role === 'officer'
      ? packs
      : packs.flatMap((one) => (mayRead(state(), one, who.subject, now()) ? [{ ...one, to: null }] : []))
  return shown.toReversed()
}

/** The pack of an id that a subject may read now, or null. */
const readable = (
  { state, now }: Pick<PortalContext, 'state' | 'now'>,
  subject: string,
  id: string,
): SharedPack | null => state().packs.find((one) => one.id === id && mayRead(state(), one, subject, now())) ?? null

type Sharing = 'portal.packs' | 'portal.share' | 'portal.unshare' | 'portal.open' | 'portal.save'

function sharing(context: PortalContext): Pick<Answers, Sharing> {
  const { record, folder, engagement } = context
  const listed = (caller: PortalCaller, done: Outcome<null> = ok(null)): PortalAnswer<readonly SharedPack[]> =>
    answered(done.ok ? ok(packsFor(context, caller)) : done)
  const placeOf = (id: string, file: string): string => join(folderIn(folder, 'sharedPacks'), id, file)
  return {
    'portal.packs': async (caller) => listed(caller),
    'portal.share': async (caller, { handle, note, to }) => {
      const placed = await placeDraft(context, caller.engine, handle)
      if (!placed.ok) return answered(placed)
      return listed(caller, await record(caller.who, { ...placed.value, note: plain(note.trim(), 2000), to }))
    },
    'portal.unshare': async (caller, { id, reason }) =>
      listed(caller, await record(caller.who, { kind: 'share-ended', id, reason: plain(reason.trim(), 2000) })),
    'portal.open': async ({ engine, desk, who }, { id }) => {
      const found = readable(context, who.subject, id)
      if (found === null || desk === null) return answered(NO_PACK)
      desk.opening.add(id)
      try {
        const review = await engine.call('pack.choose-and-verify', null, { path: placeOf(id, found.pack) })
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
        : { reply: ok({ file: name }), file: { name, path: placeOf(id, name) } }
    },
  }
}

type Inviting = 'portal.invitations' | 'portal.invite' | 'portal.end-access'

function inviting({ state, record, now, newId }: PortalContext): Pick<Answers, Inviting> {
  const listed = (): readonly InvitationView[] =>
    state()
      .invitations.map((one) => invitationView(one, now()))
      .toReversed()
  return {
    'portal.invitations': async () => answered(ok(listed())),
    'portal.invite': async ({ who, origin }, { label, until }) => {
      const named = plain(label.trim(), 200)
      if (named === '') return answered(fail('input.refused', 'the invited person must be named'))
      const term = termOf(until, now())
      if (!term.ok) return answered(term)
      const token = `${newId()}${newId()}`
      const invitation = { id: newId(), label: named, ...term.value, tokenDigest: digestOfToken(token) }
      const done = await record(who, { kind: 'invited', ...invitation })
      return answered(done.ok ? ok({ link: `${origin}/invitation/${token}`, invitations: listed() }) : done)
    },
    'portal.end-access': async ({ who }, { id, reason }) => {
      const done = await record(who, { kind: 'access-ended', id, reason: plain(reason.trim(), 2000) })
      return answered(done.ok ? ok(listed()) : done)
    },
  }
}

type Placed = Omit<Extract<PortalStep, { kind: 'shared' }>, 'note' | 'to'>

/**
 * Copies a sealed draft to where auditors read it, as the engine saves it: every copy is compared with the digest of the sealed file. Of one
 * with a redacted copy, nothing else stays there. Fails as saving does.
 */
async function placeDraft({ folder, newId }: PortalContext, engine: Engine, handle: string): Promise<Outcome<Placed>> {
  const id = newId()
  const to = join(folderIn(folder, 'sharedPacks'), id)
  const draft = `${to}.draft`
  await mkdir(draft, { recursive: true, mode: 0o700 })
  try {
    const saved = await engine.call('export.save', { handle }, { path: draft })
    if (!saved.ok) return saved
    if (saved.value === null) return fail('input.refused', 'nothing was saved')
    const { files } = saved.value as ExportView
    const copy = files.find(({ name }) => name.startsWith(COPIES))
    const shared = copy === undefined ? files : [copy]
    const pack = copy ?? files.find(({ name }) => name.endsWith(PACK_EXTENSION))
    if (pack === undefined) return fail('input.refused', 'this export has no pack')
    await mkdir(to, { mode: 0o700 })
    for (const { name } of shared) await rename(join(draft, name), join(to, basename(name)))
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
    await rm(draft, { recursive: true, force: true })
  }
}

/** The folder of a redacted copy among the files of an export. */
const COPIES = 'hand-out/'
const COPY_END = /\.parts-withheld$/
