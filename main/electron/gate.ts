import type { CallFailure, Engine, Method, Reply } from '../../schemas/ipc.ts'
import { DIALOGS, isMethod, LARGEST_MESSAGE } from '../../schemas/ipc-inputs.ts'
import type { Dialog } from '../../schemas/ipc-views.ts'
import { ORIGIN } from './channels.ts'

/** As much of Electron's WebFrameMain as the gate looks at. */
export interface Frame {
  readonly origin: string
  readonly parent: unknown
}

/** The window with everything, or the one in which a pack is read. */
export type WindowKind = 'main' | 'review'

/** Who asks. The window is null when the page is in none that we opened for calls. */
export interface Asker {
  readonly frame: Frame | null
  readonly window: WindowKind | null
}

export interface GateParts {
  readonly engine: Pick<Engine, 'call'>
  /** Problems of an input, as sentences; none means it may pass. */
  readonly problems: (method: string, input: unknown) => readonly string[]
  /** Asks a person for a file or folder; null when they closed the dialog. */
  readonly choose: (what: Dialog, method: Method) => Promise<string | null>
  /** A file was dropped on the window; null when it was not exactly one. */
  readonly dropped: (path: string | null) => Promise<void>
  /** Told of every answer before the window gets it. */
  readonly answered: (method: Method, reply: Reply<unknown>) => void
}

/**
 * All that the review window may call: reading a pack, and the reader's own notes on it. `pack`: only with `of: 'pack'`, so that
 * nothing of this computer's own fleet is shown to a person who reads somebody's pack.
 */
export const REVIEW_MAY: Readonly<Partial<Record<Method, 'always' | 'pack'>>> = {
  'app.info': 'always',
  'catalog.get': 'always',
  'settings.get': 'always',
  'pack.choose-and-verify': 'always',
  'pack.recent': 'always',
  'pack.open-recent': 'always',
  'pack.review': 'always',
  'pack.trust': 'always',
  'pack.re-evaluate': 'always',
  'review.sample': 'always',
  'review.worksheet': 'always',
  'review.note': 'always',
  'review.save-worksheet': 'always',
  'assessment.get': 'pack',
  'node.get': 'pack',
  'location.get': 'pack',
  'figures.get': 'pack',
  'evidence.list': 'pack',
  'evidence.get': 'pack',
  'register.get': 'pack',
  'attachments.show': 'pack',
  'engagement.get': 'pack',
  'coverage.get': 'pack',
  'claims.get': 'pack',
  'claims.answers': 'pack',
}

/** Methods after which a pack is open; a null value means a dialog was closed. */
const OPENING: readonly Method[] = ['pack.choose-and-verify', 'pack.open-recent', 'export.review']
export const opensPack = (method: Method, reply: Reply<unknown>): boolean =>
  OPENING.includes(method) && reply.ok && reply.value !== null

const LONGEST_PATH = 4096
const refused = (detail: string): Reply<never> => ({ ok: false, error: { code: 'input.refused', detail } })

/**
 * The only way from a window to the engine. A message passes when it comes from the top frame of our own origin, names a method
 * that this window may call, is at most 1 MiB of JSON, and fits the method's schema. Files are chosen here, in a dialog of this
 * process. Always resolves; a throw anywhere behind it is our mistake and is answered as such.
 */
export async function handleCall(
  parts: GateParts,
  { frame, window }: Asker,
  message: unknown,
): Promise<Reply<unknown>> {
  try {
    if (frame === null || frame.parent !== null || frame.origin !== ORIGIN || window === null)
      return refused('this page may not ask')
    if (own(message, 'dropped') !== undefined) return await takeDrop(parts, own(message, 'dropped'))
    const [method, input] = [own(message, 'method'), own(message, 'input')]
    if (!isMethod(method)) return refused('there is no such method')
    const copy = plainCopy(input)
    if (!copy.ok) return refused(copy.why)
    const problems = parts.problems(method, copy.value)
    if (problems.length > 0) return refused(`${method}: ${problems.join('; ')}`)
    if (window === 'review' && !reviewMay(method, copy.value))
      return refused(`${method}: this window reads a pack only`)
    const reply = await pass(parts, method, copy.value)
    parts.answered(method, reply)
    return reply
  } catch (thrown) {
    const error: CallFailure = { code: 'bug', detail: thrown instanceof Error ? thrown.message : 'unknown' }
    return { ok: false, error }
  }
}

async function pass(parts: GateParts, method: Method, input: unknown): Promise<Reply<unknown>> {
  const what = DIALOGS[method]
  if (what === undefined) return await parts.engine.call(method, input as never)
  const path = await parts.choose(what, method)
  return path === null ? { ok: true, value: null } : await parts.engine.call(method, input as never, { path })
}

function reviewMay(method: Method, input: unknown): boolean {
  const may = Object.hasOwn(REVIEW_MAY, method) ? REVIEW_MAY[method] : undefined
  return may === 'always' || (may === 'pack' && own(input, 'of') === 'pack')
}

/** From the preload alone: the page has no way to send this, nor to learn the path. */
async function takeDrop(parts: GateParts, path: unknown): Promise<Reply<null>> {
  if (path !== null && (typeof path !== 'string' || path.length > LONGEST_PATH)) return refused('that is not a file')
  await parts.dropped(path)
  return { ok: true, value: null }
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

type Copied = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Structured clones can hold maps, cycles and typed arrays; what goes on from here is JSON and nothing else. */
function plainCopy(input: unknown): Copied {
  try {
    const text = JSON.stringify(input)
    if (text === undefined) return { ok: false, why: 'the input is missing' }
    if (text.length > LARGEST_MESSAGE) return { ok: false, why: 'the input is larger than 1 MiB' }
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false, why: 'the input is not JSON' }
  }
}
