import type { CallFailure, Engine, Reply } from '../../schemas/ipc.ts'
import { DIALOGS, isMethod, LARGEST_MESSAGE } from '../../schemas/ipc-inputs.ts'
import { ORIGIN } from './channels.ts'

/** As much of Electron's WebFrameMain as the gate looks at. */
export interface Frame {
  readonly origin: string
  readonly parent: unknown
}

export interface GateParts {
  readonly engine: Pick<Engine, 'call'>
  /** Problems of an input, as sentences; none means it may pass. */
  readonly problems: (method: string, input: unknown) => readonly string[]
  /** Asks a person for a file or folder; null when they closed the dialog. */
  readonly choose: (what: 'import-file' | 'export-folder' | 'pack-file') => Promise<string | null>
}

const refused = (detail: string): Reply<never> => ({ ok: false, error: { code: 'input.refused', detail } })

/**
 * The only way from the window to the engine. A message passes when it comes from the top frame of our own origin, names one of
 * our own methods, is at most 1 MiB of JSON, and fits the method's schema. Files are chosen here, in a dialog of this process.
 * Always resolves; a throw anywhere behind it is our mistake and is answered as such.
 */
export async function handleCall(parts: GateParts, frame: Frame | null, message: unknown): Promise<Reply<unknown>> {
  try {
    if (frame === null || frame.parent !== null || frame.origin !== ORIGIN) return refused('this page may not ask')
    const { method, input } = readMessage(message)
    if (!isMethod(method)) return refused('there is no such method')
    const copy = plainCopy(input)
    if (!copy.ok) return refused(copy.why)
    const problems = parts.problems(method, copy.value)
    if (problems.length > 0) return refused(`${method}: ${problems.join('; ')}`)
    const what = DIALOGS[method]
    if (what === undefined) return await parts.engine.call(method, copy.value as never)
    const path = await parts.choose(what)
    return path === null ? { ok: true, value: null } : await parts.engine.call(method, copy.value as never, { path })
  } catch (thrown) {
    const error: CallFailure = { code: 'bug', detail: thrown instanceof Error ? thrown.message : 'unknown' }
    return { ok: false, error }
  }
}

function readMessage(message: unknown): { readonly method: unknown; readonly input: unknown } {
  if (typeof message !== 'object' || message === null) return { method: null, input: null }
  const read = (key: string): unknown =>
    Object.hasOwn(message, key) ? (message as Record<string, unknown>)[key] : null
  return { method: read('method'), input: read('input') }
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
