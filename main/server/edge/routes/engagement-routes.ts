import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Method, Reply } from '../../../../schemas/ipc.ts'
import { isMethod, LARGEST_MESSAGE, savedName } from '../../../../schemas/ipc-inputs.ts'
import type { ExportView } from '../../../../schemas/ipc-packs.ts'
import { isPortalMethod, type PortalMethod } from '../../../../schemas/ipc-portal.ts'
import { TEAM_HEADERS, type TeamSession } from '../../../../schemas/ipc-team.ts'
import { canonicalJson } from '../../../core/base/canonical-json.ts'
import { err, fail, ok, type Result } from '../../../core/base/failure.ts'
import { ACCESS, type Configured, decide, mayOf, type Served } from '../../access.ts'
import { referencesIn } from '../../audit.ts'
import { readBody } from '../../json-body.ts'
import type { Wanted } from '../../routes.ts'
import { csrfOf } from '../../sessions.ts'
import { type ServedEngagement, withShown } from '../services/engagements.ts'
import {
  type Exchange,
  headerOf,
  readAll,
  redirect,
  type Sent,
  send,
  sendFailure,
  sendReply,
} from '../services/http.ts'
import { auditEvent, roleNow, type ServerParts } from '../services/parts.ts'
import type { CallAnswer } from '../services/patience.ts'
import type { PortalCaller } from '../services/portal-context.ts'
import { type Owner, openedFile, safeFileName } from '../services/transfers.ts'
import { inTurn } from '../services/verifications.ts'
import { deskOf, events, type Inside, stillShared } from './inside.ts'
import { isFromElsewhere, sessionOf } from './people-routes.ts'

type InEngagement = Extract<Wanted, { readonly engagement: string }>

const configuredAs = ({ engagement: { demo = false }, sealers }: ServedEngagement): Configured => ({
  demo,
  sealer: sealers !== null,
})

/** Identical for engagements, methods and files that do not exist and for those that the person may not reach. */
export const notFound = (exchange: Exchange): Sent =>
  sendFailure(exchange, 404, 'input.not-found', 'there is no such page')

const sessionEnded = (exchange: Exchange): Sent =>
  sendFailure(exchange, 401, 'access.ended', 'there is no session, or it has ended')

/** Answers a request for something of one engagement. */
export async function inEngagement(parts: ServerParts, exchange: Exchange, wanted: InEngagement): Promise<Sent> {
  const isUse = wanted.kind !== 'events' && headerOf(exchange, TEAM_HEADERS.unattended) === undefined
  const found = sessionOf(parts, exchange, isUse)
  if (found === null) return wanted.kind === 'page' ? redirect(exchange, '/') : sessionEnded(exchange)
  const served = parts.engagements.get(wanted.engagement)
  const role = served === undefined ? null : roleNow(parts, found.session.person, served)
  if (served === undefined || role === null) return notFound(exchange)
  const inside: Inside = { ...found, served, role }
  if (wanted.kind !== 'page' && isFromElsewhere(parts, exchange))
    return sendFailure(exchange, 403, 'access.refused', 'the request came from another site')
  switch (wanted.kind) {
    case 'page':
      return page(parts, exchange, wanted.file)
    case 'session':
      return await sessionReply(parts, exchange, inside)
    case 'events':
      return await events(parts, exchange, inside)
    case 'download':
      return await download(parts, exchange, inside, wanted.id)
    case 'upload':
    case 'call':
      return await going(parts, exchange, inside, wanted)
  }
}

function page(parts: ServerParts, exchange: Exchange, file: string): Sent {
  const found = parts.pages.get(file)
  return found === undefined ? notFound(exchange) : send(exchange, 200, found.type, found.bytes)
}

async function sessionReply(
  parts: ServerParts,
  exchange: Exchange,
  { id, session, served, role }: Inside,
): Promise<Sent> {
  const { person } = session
  const { name } = served.engagement
  await parts.audit.append(auditEvent(parts, session, { kind: 'enter', engagement: name, role }))
  const value: TeamSession = {
    name: person.name,
    role,
    engagement: name,
    csrf: csrfOf(id),
    may: mayOf(role, configuredAs(served)),
  }
  return sendReply(exchange, 200, { ok: true, value })
}

/** Answers calls and uploads. They need the token of the page and are limited in number. */
async function going(
  parts: ServerParts,
  exchange: Exchange,
  inside: Inside,
  wanted: Extract<InEngagement, { kind: 'call' | 'upload' }>,
): Promise<Sent> {
  if (headerOf(exchange, TEAM_HEADERS.csrf) !== csrfOf(inside.id))
    return sendFailure(exchange, 403, 'access.refused', 'the token of the page is missing or wrong')
  if (headerOf(exchange, 'content-encoding') !== undefined)
    return sendFailure(exchange, 415, 'input.refused', 'encoded bodies are not read')
  const leave = parts.calls.enter(inside.session.person.subject)
  if (leave === null) return sendFailure(exchange, 429, 'access.refused', 'too many calls are being answered')
  let unfinished: Promise<void> | null = null
  try {
    if (wanted.kind === 'upload') return await upload(parts, exchange, inside)
    const asked = await readCall(exchange, wanted.method)
    if (!asked.ok) return asked.error
    // The body can take longer to arrive than the session lasts.
    if (inside.session.ended.aborted) return sessionEnded(exchange)
    const called = await call(parts, exchange, inside, asked.value)
    unfinished = called.unfinished
    return called.sent
  } finally {
    if (unfinished === null) leave()
    else void unfinished.finally(leave)
  }
}

/** The method and input of a call; otherwise the answer that was sent. */
async function readCall(exchange: Exchange, method: string): Promise<Result<Omit<Asked, 'how'>, Sent>> {
  if (!isMethod(method)) return err(notFound(exchange))
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(headerOf(exchange, 'content-type') ?? ''))
    return err(sendFailure(exchange, 415, 'input.refused', 'the body must be application/json'))
  const bytes = await readAll(exchange, LARGEST_MESSAGE)
  if (bytes === null) return err(sendFailure(exchange, 413, 'input.refused', 'the body is larger than 1 MiB'))
  const body = readBody(bytes)
  return body.ok
    ? ok({ method, input: body.value })
    : err(sendFailure(exchange, 400, body.error.code, body.error.detail))
}

interface Called {
  readonly sent: Sent
  /** Resolves at the end of a call that was not answered in time; null for other calls. */
  readonly unfinished: Promise<void> | null
}

const sentAlready = (sent: Sent): Called => ({ sent, unfinished: null })

async function call(
  parts: ServerParts,
  exchange: Exchange,
  inside: Inside,
  { method, input }: Omit<Asked, 'how'>,
): Promise<Called> {
  const { name } = inside.served.engagement
  const { session, role } = inside
  const decision = decide(role, method, input, configuredAs(inside.served))
  const event = { kind: 'call', engagement: name, role, method, of: referencesOf(method, input) } as const
  if (!decision.allowed) {
    await parts.audit.append(auditEvent(parts, session, { ...event, outcome: 'refused', reason: decision.reason }))
    parts.metrics.count('barewitness_calls_total', { outcome: 'refused' })
    return sentAlready(sendFailure(exchange, 403, 'access.refused', decision.reason))
  }
  const problems = parts.problems(method, input)
  if (problems.length > 0)
    return sentAlready(sendFailure(exchange, 400, 'input.refused', `${method}: ${problems.join('; ')}`))
  await parts.audit.append(auditEvent(parts, session, event))
  const uploaded = headerOf(exchange, TEAM_HEADERS.upload) ?? ''
  const { answer, unfinished } = await parts.patience.wait({
    key: canonicalJson([session.hash, name, method, input, uploaded]),
    run: async () => await answerOf(parts, inside, { method, input, how: decision.served, uploaded }),
    ended: async (last) => {
      const result = last === null ? 'bug' : last.reply.ok ? 'answered' : last.reply.error.code
      await parts.audit.append(
        auditEvent(parts, session, { ...event, kind: 'call-ended', of: { ...event.of, result } }),
      )
    },
  })
  if (answer !== null) return { sent: sendReply(exchange, answer.status, answer.reply, answer.headers), unfinished }
  const seconds = parts.settings().callMs / 1000
  return { sent: sendFailure(exchange, 504, 'call.unfinished', `${method}: no result after ${seconds} s`), unfinished }
}

/** The references in an input; schedules are referred to by name. */
const referencesOf = (method: Method, input: unknown): Readonly<Record<string, string>> =>
  referencesIn(method.startsWith('schedules.') && isNamed(input) ? { schedule: input.name } : input)

const isNamed = (input: unknown): input is { readonly name: unknown } =>
  typeof input === 'object' && input !== null && 'name' in input

/** Forwards a call to the portal or an engine. */
const answerOf = async (parts: ServerParts, inside: Inside, asked: Uploaded): Promise<CallAnswer> =>
  await inTurn(parts.verifications, inside.session.person.subject, asked.method, async () =>
    asked.how === 'portal' && isPortalMethod(asked.method)
      ? await portalAnswer(parts, inside, { method: asked.method, input: asked.input })
      : await served(parts, inside, asked),
  )

interface Asked {
  readonly method: Method
  readonly input: unknown
  readonly how: Served
}

interface Uploaded extends Asked {
  /** The id of a file that was uploaded for the call, or empty. */
  readonly uploaded: string
}

const answered = (reply: Reply<unknown>, headers: CallAnswer['headers'] = {}): CallAnswer => ({
  status: 200,
  reply,
  headers,
})

/** Answers a call of the portal for an officer or an auditor. */
async function portalAnswer(
  parts: ServerParts,
  inside: Inside,
  { method, input }: { readonly method: PortalMethod; readonly input: unknown },
): Promise<CallAnswer> {
  const { session, served, role } = inside
  const { transfers, now } = parts
  const { subject, name } = session.person
  const desk = role === 'auditor' ? await served.auditors.enter(subject) : ok(null)
  if (!desk.ok) return answered(desk)
  const caller: PortalCaller = {
    who: { subject, name },
    role: role === 'auditor' ? 'auditor' : 'officer',
    engine: desk.value?.engine ?? served.engine,
    desk: desk.value,
    origin: parts.settings().origin,
  }
  const { reply, file } = await served.portal.call(caller, method, input as never)
  parts.metrics.count('barewitness_calls_total', { outcome: reply.ok ? 'answered' : 'failed' })
  if (file === null) return answered(withoutPaths(reply, served.engagement.folder, null))
  const owner = { session: session.hash, engagement: served.engagement.name }
  const isOpen = stillShared(inside, referencesIn(input).id ?? null)
  const id =
    'text' in file
      ? transfers.offer(owner, await transfers.write(file.name, file.text), now())
      : await transfers.offerCopy(owner, file.path, file.name, now(), isOpen)
  return answered(reply, { [TEAM_HEADERS.download]: `api/download/${id}` })
}

/** Calls the engine, with a file of the server in place of one chosen in a dialog. */
async function served(parts: ServerParts, inside: Inside, asked: Uploaded): Promise<CallAnswer> {
  const { method, input, how } = asked
  const { transfers, now } = parts
  const { engagement } = inside.served
  const desk = await deskOf(inside)
  if (!desk.ok) return answered(desk)
  const { engine } = desk.value
  const owner = { session: inside.session.hash, engagement: engagement.name }
  const uploaded = how === 'upload' ? transfers.takeUpload(owner, asked.uploaded, now()) : null
  if (how === 'upload' && uploaded === null)
    return { status: 400, reply: fail('input.refused', 'there is no upload for this call') }
  const isPlaced = how === 'download' || how === 'folder'
  const path = uploaded ?? (isPlaced ? await transfers.place(savedName(method, input)) : null)
  const { person } = inside.session
  const { value: reply, path: shownPath } = await withShown(
    { by: `${person.name} (${person.subject})`, role: inside.role, ended: inside.session.ended },
    () => engine.call(method, input as never, path === null ? undefined : { path }),
  )
  if (path !== null && (how === 'upload' || !reply.ok || reply.value === null)) await transfers.drop(path)
  parts.metrics.count('barewitness_calls_total', { outcome: reply.ok ? 'answered' : 'failed' })
  if (reply.ok && SEALING.includes(method)) parts.copies?.soon(engagement.name)
  if (reply.ok && method === 'export.build') parts.senders()?.soon(engagement.name)
  if (!reply.ok) return answered(withoutPaths(reply, engagement.folder, path))
  if (how === 'folder' && path !== null) return await zipped(parts, { owner, reply, folder: path })
  const file = how === 'download' ? path : shownPath
  if (file === null || (how === 'download' && reply.value === null)) return answered(reply)
  const id =
    how === 'download'
      ? transfers.offer(owner, file, now())
      : await transfers.offerCopy(
          owner,
          file,
          safeFileName(basename(file)),
          now(),
          stillShared(inside, 'share' in desk.value ? desk.value.share : null),
        )
  return answered(reply, { [TEAM_HEADERS.download]: `api/download/${id}` })
}

/** Offers the files that a method wrote into a folder as one ZIP file, which is named after the report. */
async function zipped(
  { transfers, zipFolder, now }: ServerParts,
  { owner, reply, folder }: { readonly owner: Owner; readonly reply: Reply<unknown>; readonly folder: string },
): Promise<CallAnswer> {
  if (!reply.ok || reply.value === null) return answered(reply)
  const { files, ...value } = reply.value as ExportView
  const name = files.flatMap((file) => /^(.+)_(?:period-)?report\.pdf$/.exec(file.name)?.[1] ?? [])[0] ?? 'export'
  const to = await transfers.place(`${name}.zip`)
  const made = await zipFolder({ folder, to, name })
  await transfers.drop(folder)
  if (!made.ok) {
    await transfers.drop(to)
    return answered(fail(made.error.code, 'the files could not be joined'))
  }
  const id = transfers.offer(owner, to, now())
  const shown: ExportView = { ...value, folder: basename(to), files }
  return answered({ ok: true, value: shown }, { [TEAM_HEADERS.download]: `api/download/${id}` })
}

const SEALING: readonly Method[] = ['export.build', 'period.build']

/** A failure without paths of the server, and an internal error without its message. */
function withoutPaths(reply: Reply<unknown>, folder: string, path: string | null): Reply<unknown> {
  if (reply.ok) return reply
  const { error } = reply
  if (error.code === 'bug') return fail('bug', 'the server could not answer')
  const detail = [...(path === null ? [] : [path]), folder].reduce(
    (text, one) => text.replaceAll(one, basename(one)),
    error.detail,
  )
  return { ok: false, error: { ...error, detail } }
}

async function upload(
  parts: ServerParts,
  exchange: Exchange,
  { session, served: { engagement }, role }: Inside,
): Promise<Sent> {
  if (headerOf(exchange, 'content-type') !== 'application/octet-stream')
    return sendFailure(exchange, 415, 'input.refused', 'the body must be application/octet-stream')
  const mayUpload = mayOf(role, { demo: false, sealer: false }).some((method) => {
    const rule = ACCESS[method]
    return 'served' in rule && rule.served === 'upload'
  })
  if (!mayUpload) return sendFailure(exchange, 403, 'access.refused', 'this role uploads no files')
  const name = decoded(headerOf(exchange, TEAM_HEADERS.fileName) ?? '')
  if (name === null) return sendFailure(exchange, 400, 'input.refused', 'the file name is not percent-encoded UTF-8')
  await parts.audit.append(auditEvent(parts, session, { kind: 'upload', engagement: engagement.name, role }))
  const owner = { session: session.hash, engagement: engagement.name }
  const id = await parts.transfers.receive(owner, name, exchange.request, parts.now())
  if (id.ok) return sendReply(exchange, 200, { ok: true, value: id.value })
  exchange.response.setHeader('Connection', 'close')
  return sendFailure(exchange, 413, id.error.code, id.error.detail)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

async function download(parts: ServerParts, exchange: Exchange, inside: Inside, id: string): Promise<Sent> {
  const { name: engagement } = inside.served.engagement
  const leave = parts.downloads.enter(inside.session.hash)
  if (leave === null) return sendFailure(exchange, 429, 'access.refused', 'too many downloads are in progress')
  exchange.response.once('close', leave)
  const taken = parts.transfers.takeDownload({ session: inside.session.hash, engagement }, id, parts.now())
  if (taken === null) return notFound(exchange)
  const { path, isOpen } = taken
  const mayRead = (): boolean => isOpen() && roleNow(parts, inside.session.person, inside.served) === inside.role
  try {
    const name = basename(path)
    await parts.audit.append(
      auditEvent(parts, inside.session, { kind: 'download', engagement, role: inside.role, of: { file: name } }),
    )
    const { size, stream } = await openedFile(path)
    exchange.response.setTimeout(UNREAD_MS, () => exchange.response.destroy())
    exchange.response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': size,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)}`,
    })
    await pipeline(stream, whileOpen(mayRead), exchange.response, { signal: inside.session.ended })
    return { status: 200 }
  } catch (thrown) {
    // The client closed the connection, or the session or the access was ended, before everything was sent.
    if (isCode(thrown, 'ERR_STREAM_PREMATURE_CLOSE') || isCode(thrown, 'ABORT_ERR') || thrown instanceof NoLongerOpen)
      return { status: 400 }
    throw thrown
  } finally {
    await parts.transfers.drop(path)
  }
}

class NoLongerOpen extends Error {}

/** Passes pieces of a file on while it may be read; throws afterwards, which closes the connection. */
const whileOpen = (mayRead: () => boolean) =>
  async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      if (!mayRead()) throw new NoLongerOpen()
      yield piece
    }
  }

/** A client that reads nothing for this time is disconnected: its file would stay on the disk. */
const UNREAD_MS = 5 * 60_000

const isCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === code
