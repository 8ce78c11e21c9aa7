import type { Engine, Method, Reply } from '../../schemas/ipc.ts'
import { DIALOGS, isMethod, LARGEST_MESSAGE, savedName } from '../../schemas/ipc-inputs.ts'
import type { CallFailure, Dialog } from '../../schemas/ipc-views.ts'
import { ORIGIN } from './channels.ts'

/** The part of Electron’s WebFrameMain that the gate inspects. */
export interface Frame {
  readonly origin: string
  readonly parent: unknown
}

/** The main window, or the review window. */
export type WindowKind = 'main' | 'review'

/** The caller. The window is null when the page is in no window opened for calls. */
export interface Asker {
  readonly frame: Frame | null
  readonly window: WindowKind | null
}

export interface GateParts {
  readonly engine: Pick<Engine, 'call'>
  /** Problems of an input, as sentences; empty means valid. */
  readonly problems: (method: string, input: unknown) => readonly string[]
  /** Asks the user for a file or folder, and offers the name for a file that is saved; null when the dialog is closed. */
  readonly choose: (what: Dialog, method: Method, name: string) => Promise<string | null>
  /** A file was dropped on the window; null when the drop was not exactly one file. */
  readonly dropped: (path: string | null) => Promise<void>
  /** Receives every answer before the window does. */
  readonly answered: (method: Method, reply: Reply<unknown>) => void
}

/**
 * The methods that the review window may call: reading a pack, and the reader’s notes on it. `pack`: only with `of: 'pack'`, so that no data
 * of this computer’s fleet is shown next to a received pack.
 */
export const REVIEW_MAY: Readonly<Partial<Record<Method, 'always' | 'pack'>>> = {
  'app.info': 'always',
  'catalog.get': 'always',
  'settings.get': 'always',
  'table.save': 'always',
  'pack.choose-and-verify': 'always',
  'pack.stop': 'always',
  'pack.recent': 'always',
  'pack.open-recent': 'always',
  'pack.review': 'always',
  'pack.trust': 'always',
  'pack.trust-authority': 'always',
  'pack.import-checkpoint': 'always',
  'pack.re-evaluate': 'always',
  'review.sample': 'always',
  'review.worksheet': 'always',
  'review.note': 'always',
  'review.populations': 'always',
  'review.limits': 'always',
  'review.save-worksheet': 'always',
  'review.save-workbook': 'always',
  'review.save-worksheet-pdf': 'always',
  'search.index': 'pack',
  'assessment.get': 'pack',
  'findings.get': 'pack',
  'finding.get': 'pack',
  'node.get': 'pack',
  'node.timeline': 'pack',
  'location.get': 'pack',
  'figures.get': 'pack',
  'evidence.list': 'pack',
  'evidence.get': 'pack',
  'register.get': 'pack',
  'documents.show': 'pack',
  'engagement.get': 'pack',
  'coverage.get': 'pack',
  'claims.get': 'pack',
  'claims.answers': 'pack',
}

/** Methods that open a pack; a null value means the dialog was closed. */
const OPENING: readonly Method[] = ['pack.choose-and-verify', 'pack.open-recent', 'export.review']
export const opensPack = (method: Method, reply: Reply<unknown>): boolean =>
  OPENING.includes(method) && reply.ok && reply.value !== null

const LONGEST_PATH = 4096
/** A reply that refuses a call. */
export const refused = (detail: string): Reply<never> => ({ ok: false, error: { code: 'input.refused', detail } })

/**
 * The only path from a window to the engine. A message passes when it comes from the top frame of the app’s origin, names a method that this
 * window may call, is at most 1 MiB of JSON, and matches the method’s schema. Files are chosen here, in a dialog of this process. Always
 * resolves; an exception behind it is a bug and is answered as such.
 */
export async function handleCall(
  parts: GateParts,
  { frame, window }: Asker,
  message: unknown,
): Promise<Reply<unknown>> {
  try {
    if (frame === null || frame.parent !== null || frame.origin !== ORIGIN || window === null)
      return refused('this page may not call the engine')
    if (own(message, 'dropped') !== undefined) return await takeDrop(parts, own(message, 'dropped'))
    const [method, input] = [own(message, 'method'), own(message, 'input')]
    if (!isMethod(method)) return refused('unknown method')
    const copy = plainCopy(input)
    if (!copy.ok) return refused(copy.why)
    const problems = parts.problems(method, copy.value)
    if (problems.length > 0) return refused(`${method}: ${problems.join('; ')}`)
    if (window === 'review' && !reviewMay(method, copy.value))
      return refused(`${method}: not available in the review window`)
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
  const path = await parts.choose(what, method, savedName(method, input))
  return path === null ? { ok: true, value: null } : await parts.engine.call(method, input as never, { path })
}

function reviewMay(method: Method, input: unknown): boolean {
  const may = Object.hasOwn(REVIEW_MAY, method) ? REVIEW_MAY[method] : undefined
  return may === 'always' || (may === 'pack' && own(input, 'of') === 'pack')
}

/** From the preload only: the page cannot send this, nor learn the path. */
async function takeDrop(parts: GateParts, path: unknown): Promise<Reply<null>> {
  if (path !== null && (typeof path !== 'string' || path.length > LONGEST_PATH)) return refused('not a file')
  await parts.dropped(path)
  return { ok: true, value: null }
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

type Copied = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

/** Structured clones can contain maps, cycles and typed arrays; only JSON passes from here on. */
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
