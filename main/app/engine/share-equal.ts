import type { NodeAssessment } from '../../../schemas/types.ts'
import type { CapturedAnswer, LoadedRecording } from '../../core/recording.ts'

/** Holds each of several equal values once, for as long as it is used itself. */
export interface Sharing {
  /** The recording with bytes, arguments and digests that an earlier one has as well held once. */
  readonly recording: (loaded: LoadedRecording) => LoadedRecording
  readonly node: (assessed: NodeAssessment) => NodeAssessment
}

/**
 * Servers of one kind give the same answers to most commands, and the same results: a fleet is held in the memory of few servers. The values
 * are equal in every respect, the order of keys included. They must not be changed, which their types state.
 */
export function sharing(): Sharing {
  const share = sharedPlain()
  const bytes = new Map<string, Uint8Array>()
  const once = (digest: string, own: Uint8Array): Uint8Array => {
    const known = bytes.get(digest)
    if (known !== undefined && known.length === own.length) return known
    bytes.set(digest, own)
    return own
  }
  return {
    recording: ({ recording, captures }) => ({
      recording: share(recording),
      captures: captures.map(
        ({ meta, stdout, stderr }): CapturedAnswer => ({
          meta: share(meta),
          stdout: once(meta.stdout.sha256, stdout),
          stderr: once(meta.stderr.sha256, stderr),
        }),
      ),
    }),
    node: share,
  }
}

/** Shorter strings are never part of another one in memory. */
const LONGEST_WHOLE = 12

/** Plain data by its content: every string, list and object that was given before is the one that was given then. */
function sharedPlain(): <T>(value: T) => T {
  const strings = new Map<string, { readonly text: string; readonly id: number }>()
  const known = new Map<string, object>()
  const ids = new Map<object, number>()
  let next = 0
  const text = (value: string): { readonly text: string; readonly id: number } => {
    const found = strings.get(value)
    if (found !== undefined) return found
    // A part of a longer text, such as of an answer, holds all of it in memory.
    const own = value.length > LONGEST_WHOLE ? (JSON.parse(JSON.stringify(value)) as string) : value
    const made = { text: own, id: next++ }
    strings.set(own, made)
    return made
  }
  const nameOf = (value: unknown): string =>
    typeof value === 'string'
      ? `s${text(value).id}`
      : typeof value === 'object' && value !== null
        ? `o${ids.get(value)}`
        : `${typeof value === 'number' ? 'n' : ''}${Object.is(value, -0) ? '-0' : String(value)}`
  const shared = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value).text
    if (typeof value !== 'object' || value === null) return value
    const copy = Array.isArray(value) ? value.map(shared) : withShared(value)
    const key = Array.isArray(copy)
      ? `[${copy.map(nameOf).join()}`
      : `{${Object.entries(copy)
          .map(([name, one]) => `${text(name).id}:${nameOf(one)}`)
          .join()}`
    const before = known.get(key)
    if (before !== undefined) return before
    known.set(key, copy)
    ids.set(copy, next++)
    return copy
  }
  const withShared = (value: object): object => {
    const copy = { ...value } as Record<string, unknown>
    for (const [name, one] of Object.entries(value)) copy[name] = shared(one)
    return copy
  }
  return (value) => shared(value) as typeof value
}
