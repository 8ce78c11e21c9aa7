import { basename } from 'node:path'
import type { Engine, Reply } from '../../../../schemas/ipc.ts'
import type { ExportView, PackReview } from '../../../../schemas/ipc-packs.ts'
import {
  type InvitationView,
  type NamedEvidence,
  OFFLINE_FILE,
  type PortalMethod,
  type PortalMethods,
  type PortalRequest,
  type RequestCounts,
  type RequestEntry,
  type SharedPack,
} from '../../../../schemas/ipc-portal.ts'
import { packSubject } from '../../../../schemas/period-words.ts'
import { VERSION } from '../../../../schemas/version.ts'
import { isDay } from '../../../core/base/days.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { fileIn, PACK_EXTENSION } from '../../../core/base/layout.ts'
import { plain, plainLines } from '../../../core/base/plain-text.ts'
import { EMPTY_PORTAL, type PortalEvent, type PortalStep, type Who } from '../../portal/events.ts'
import {
  accessesOf,
  digestOfToken,
  type Invitation,
  invitationView,
  openInvitation,
  termOf,
} from '../../portal/invitations.ts'
import { countsOf, numbered, type RequestRole, requestView } from '../../portal/requests.ts'
import { after, isChangedFor, mayRead, NO_PACK, NO_REQUEST, stateOf } from '../../portal/state.ts'
import { openChainedFile } from './chained-file.ts'
import {
  type Answers,
  answered,
  type PortalAnswer,
  type PortalCaller,
  type PortalContext,
  type PortalParts,
  readable,
} from './portal-context.ts'
import { folderDisk, sharedFolders } from './shared-folders.ts'

/** The packs that a caller may see, newest first. An auditor sees those that they may read, without the other recipients. */
function packsFor({ state, now }: PortalContext, { role, who }: PortalCaller): readonly SharedPack[] {
  const { packs } = state()
  const shown =
    role === 'officer'
      ? packs
      : packs.flatMap((one) => (mayRead(state(), one, who.subject, now()) ? [{ ...one, to: null }] : []))
  return shown.toReversed()
}

type Sharing = 'portal.packs' | 'portal.share' | 'portal.unshare' | 'portal.open' | 'portal.save'

/** Methods for sharing packs, verifying them and downloading their files. */
function sharing(context: PortalContext): Pick<Answers, Sharing> {
  const { record, engagement, folders } = context
  const listed = (caller: PortalCaller, done: Outcome<null> = ok(null)): PortalAnswer<readonly SharedPack[]> =>
    answered(done.ok ? ok(packsFor(context, caller)) : done)
  return {
    'portal.packs': async (caller) => listed(caller),
    'portal.share': async (caller, { handle, note, to }) => {
      const placed = await placeDraft(context, caller.engine, handle)
      if (!placed.ok) return answered(placed)
      const done = await record(caller.who, { ...placed.value, note: plainLines(note, 2000), to })
      // After store.failed the entry may still be on the disk: its folder stays until the file is read again.
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
        // Access may have ended during the verification.
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
 * Copies a sealed draft into a folder for auditors. The engine saves it and compares every copy with the digest of the sealed file. Of a draft
 * with a redacted copy, only that copy stays in the folder. Fails as saving does.
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

/** Instructions for verifying a shared pack on the auditor’s own computer, without relying on the server of the audited organization. */
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

type Requesting = 'portal.requests' | 'portal.ask' | 'portal.act'

/** Methods for requests of auditors and answers of officers. */
function requesting(context: PortalContext): Pick<Answers, Requesting> {
  const { state, record, now, newId } = context
  const today = (): string => new Date(now()).toISOString().slice(0, 10)
  const listed = ({ role, who }: PortalCaller): readonly PortalRequest[] =>
    numbered(state().requests)
      .flatMap(({ asked, number }) =>
        role === 'officer' || asked.by.subject === who.subject
          ? [requestView(asked, { role, number, today: today(), canRead: reader(context, role, who.subject) })]
          : [],
      )
      .toReversed()
  const after = (caller: PortalCaller, done: Outcome<null>) => answered(done.ok ? ok(listed(caller)) : done)
  return {
    'portal.requests': async (caller) => answered(ok(listed(caller))),
    'portal.ask': async (caller, { title, text, about, due }) => {
      const named = plain(title.trim(), 200)
      if (named.length < 3) return answered(fail('input.refused', 'what is requested must be entered'))
      if (!isDay(due) || due < today())
        return answered(fail('input.refused', 'the due day must be a day from today on'))
      const { control, node, check, period } = about
      const request = {
        ...{ id: newId(), title: named, text: prose(text), due },
        about: { control: line(control), node: line(node), check: line(check), period: line(period) },
      }
      return after(caller, await record(caller.who, { kind: 'requested', ...request }))
    },
    'portal.act': async (caller, { id, to, comment, ...wanted }) => {
      const asked = state().requests.find((one) => one.id === id)
      if (asked === undefined) return answered(NO_REQUEST)
      const named = await namedEvidence(context, caller, { ...wanted, subject: asked.by.subject })
      if (!named.ok) return answered(named)
      const entry = { id, role: caller.role, to, comment: prose(comment), ...named.value }
      return after(caller, await record(caller.who, { kind: 'request-acted', ...entry }))
    },
  }
}

const line = (text: string): string => plain(text.trim(), 253)
const prose = (text: string): string => plainLines(text, 4000)

const reader =
  ({ state, now }: Pick<PortalContext, 'state' | 'now'>, role: PortalCaller['role'], subject: string) =>
  (id: string): boolean => {
    const pack = state().packs.find((one) => one.id === id)
    return pack !== undefined && (role === 'officer' || mayRead(state(), pack, subject, now()))
  }

type Names = Pick<PortalMethods['portal.act']['in'], 'packs' | 'documents' | 'findings'>

/**
 * The evidence that an answer names, with its current labels: packs that the auditor may read, documents of the register and findings of the
 * shown run. Fails with input.not-found where one is missing, and with input.refused where an auditor names evidence.
 */
async function namedEvidence(
  context: PortalContext,
  { role, engine }: PortalCaller,
  { packs, documents, findings, subject }: Names & { readonly subject: string },
): Promise<Outcome<Pick<RequestEntry, 'packs' | 'documents' | 'findings'>>> {
  if (role === 'auditor' && packs.length + documents.length + findings.length > 0)
    return fail('input.refused', 'only an answer names evidence')
  const canRead = reader(context, 'auditor', subject)
  const shared = picked(
    packs,
    context.state().packs.flatMap(({ id, run }) => (canRead(id) ? [{ id, label: `Run ${run}` }] : [])),
  )
  if (shared === null) return NO_PACK
  const filed = documents.length === 0 ? ok([]) : await documentsOf(engine)
  if (!filed.ok) return filed
  const found = findings.length === 0 ? ok([]) : await findingsOf(engine)
  if (!found.ok) return found
  const [named, deviating] = [picked(documents, filed.value), picked(findings, found.value)]
  if (named === null || deviating === null) return fail('input.not-found', 'there is no such document or finding')
  return ok({ packs: shared, documents: named, findings: deviating })
}

/** The entries with these ids; null where one is missing. */
function picked(ids: readonly string[], from: readonly NamedEvidence[]): readonly NamedEvidence[] | null {
  const found = from.filter(({ id }) => ids.includes(id))
  return found.length === ids.length ? found : null
}

async function documentsOf(engine: Engine): Promise<Outcome<readonly NamedEvidence[]>> {
  const register = await engine.call('register.get', { of: 'run' })
  if (!register.ok) return register
  return ok(
    register.value.documents.map(({ id, name, sha256 }) => ({ id, label: `${plain(name, 200)}, SHA-256 ${sha256}` })),
  )
}

async function findingsOf(engine: Engine): Promise<Outcome<readonly NamedEvidence[]>> {
  const findings = await engine.call('findings.get', { of: 'run', node: null })
  if (!findings.ok) return findings
  const { rows = [], informational = [] } = findings.value ?? {}
  return ok(
    [...rows, ...informational].map(({ reference, condition }) => ({ id: reference, label: plain(condition, 300) })),
  )
}

/** The portal of one engagement, in which officers and auditors exchange packs, invitations and requests. */
export interface Portal {
  /** Whether an auditor may read a shared pack now. */
  readonly mayRead: (subject: string, share: string) => boolean
  /** Whether an invitation gives this subject access now. */
  readonly hasAccess: (subject: string) => boolean
  /** Counts of requests that wait for a side now. */
  readonly requestCounts: (role: RequestRole) => RequestCounts
  /** The invitation of a link that can be used now. Fails in the same way for all other links. */
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

/** Opens the portal of an engagement. Fails as its file does. */
export async function openPortal(parts: PortalParts): Promise<Outcome<Portal>> {
  const { folder, now, disk = folderDisk, openLog = openChainedFile<PortalEvent> } = parts
  const path = fileIn(folder, 'portal')
  const opened = await openLog(path, EMPTY_PORTAL)
  if (!opened.ok) return opened
  const { log, text } = opened.value
  const first = stateOf(text)
  if (!first.ok) {
    await log.close()
    return fail('store.failed', `${path}: ${first.error.detail}`)
  }
  let state = first.value
  const folders = sharedFolders(folder, disk)
  // Folders that cannot be resolved now are not reachable, and a later start resolves them.
  await folders.resolve(new Set(state.packs.map(({ id }) => id))).catch(() => undefined)
  let last: Promise<unknown> = Promise.resolve()
  /** Stores an event and then applies it, one event after the other. */
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
      const before = state
      state = then.value
      await parts.changed((subject) => isChangedFor(before, then.value, subject, now()))
      return ok(null)
    })
    last = next.catch(() => undefined)
    return next
  }
  const context: PortalContext = { ...parts, folders, state: () => state, record }
  const answers: Answers = { ...sharing(context), ...inviting(context), ...requesting(context) }
  const invited = (token: string): Outcome<Invitation> => openInvitation(state.invitations, digestOfToken(token), now())
  return ok({
    mayRead: (subject, share) => readable(context, subject, share) !== null,
    hasAccess: (subject) => accessesOf(state.invitations, subject, now()).length > 0,
    requestCounts: (role) => countsOf(state.requests, role, new Date(now()).toISOString().slice(0, 10)),
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

type Inviting = 'portal.invitations' | 'portal.invite' | 'portal.end-access'

/** Methods for inviting auditors and ending their access. */
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
      const done = await record(who, { kind: 'access-ended', id, reason: plainLines(reason, 2000) })
      return answered(done.ok ? ok(listed()) : done)
    },
  }
}
