import type { Chosen } from '../../../../schemas/ipc.ts'
import type { SavedFile } from '../../../../schemas/ipc-views.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import type { EngineContext } from './context.ts'

/**
 * A small internal JSON file, or null when there is none. Fails with store.failed for an existing file in an unknown
 * form, so that it is never overwritten.
 */
export async function readKept<T>(
  { files }: Pick<Ports, 'files'>,
  path: string,
  isOurs: (value: unknown) => value is T,
): Promise<Outcome<T | null>> {
  if (!(await files.isThere(path))) return ok(null)
  const bytes = await files.read(path)
  const value = bytes.ok ? parsed(bytes.value) : null
  return isOurs(value)
    ? ok(value)
    : fail('store.failed', `${path} is not in the expected format; move it away, or restore it from a backup`)
}

export const writeKept = ({ files }: Pick<Ports, 'files'>, path: string, value: object): Promise<Outcome<null>> =>
  files.write(path, `${JSON.stringify(value, null, 2)}\n`)

/** The name of a file without its folders, on any operating system. */
export const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

/** Writes a file where a person chose to, and returns its name; null where the dialog was closed. */
export async function saved(
  chosen: Chosen | undefined,
  write: (path: string) => Promise<Outcome<unknown>>,
): Promise<Outcome<SavedFile | null>> {
  if (chosen === undefined) return ok(null)
  const written = await write(chosen.path)
  return written.ok ? ok({ file: fileName(chosen.path) }) : written
}

/** An outcome without its value. */
export const nothingOf = (done: Outcome<unknown>): Outcome<null> => (done.ok ? ok(null) : done)

/**
 * Copies a file before it is replaced; the copy is named by its time. Does nothing where there is no file. Fails with
 * store.failed; the file must not be overwritten then.
 */
export async function keepEarlier(
  { files, clock, entropy }: Pick<Ports, 'files' | 'clock' | 'entropy'>,
  path: string,
  folder: string,
): Promise<Outcome<null>> {
  if (!(await files.isThere(path))) return ok(null)
  const moment = clock.now().replaceAll(/[:.]/g, '-')
  const copied = await files.copyNew(path, `${folder}/${moment}-${hexOf(entropy.bytes(4))}.json`)
  return copied.ok ? ok(null) : copied
}

/** Runs work sequentially, so that two changes of one file never start from the same state. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const haveTexts = (value: unknown, keys: readonly string[]): value is Record<string, string> =>
  isObject(value) && keys.every((key) => typeof value[key] === 'string')

export const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Parses JSON in UTF-8; null for invalid bytes. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

type Turn = ReturnType<typeof inTurn>
/**
 * Resources that two calls must not change at once: the current fleet with its run, the open pack, the trust anchors,
 * the signing identities, the register. A call that needs two takes them in this order.
 */
type Shared = 'tables' | 'fleet' | 'pack' | 'anchors' | 'identities' | 'register'

const turns = new WeakMap<object, Map<string, Turn>>()

/** One queue for a resource that several groups of methods share. */
export function turnOf({ ports, folder }: Pick<EngineContext, 'ports' | 'folder'>, what: Shared): Turn {
  const own = turns.get(ports) ?? new Map<string, Turn>()
  turns.set(ports, own)
  const key = `${what} ${folder}`
  const turn = own.get(key) ?? inTurn()
  own.set(key, turn)
  return turn
}
