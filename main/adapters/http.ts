import { plain } from '../core/base/plain-text.ts'

/** A complete response, or why there is none. */
export type Answer =
  | { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly failed: 'unreachable' | 'too-long'; readonly why: string }

interface Asking {
  readonly fetch: typeof fetch
  readonly request: RequestInit
  readonly mostBytes: number
  /** For the complete response, its body included. */
  readonly milliseconds: number
}

/** One HTTP exchange, bounded in time and size. Redirects are not followed: their status is returned. */
export async function exchange(url: string, { fetch, request, mostBytes, milliseconds }: Asking): Promise<Answer> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), milliseconds)
  try {
    const answer = await fetch(url, { ...request, redirect: 'manual', signal: end.signal })
    const body = answer.status === 200 ? await wholeBody(answer.body ?? [], mostBytes) : new Uint8Array()
    if (body === null)
      return { failed: 'too-long', why: `The response is longer than ${Math.floor(mostBytes / 1024)} KiB.` }
    return { status: answer.status, headers: answer.headers, body }
  } catch (problem) {
    const why = end.signal.aborted ? `No complete response within ${milliseconds / 1000} s.` : reasonOf(problem)
    return { failed: 'unreachable', why }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

/** All bytes of a body; null where it has more than `largest`. The rest is then not read, and the body is closed. */
export async function wholeBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  largest: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > largest) return null
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** Causes that people know by these words; another is named by its code. */
const CAUSES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed by the other side'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['EHOSTDOWN', 'host down'],
  ['ENETUNREACH', 'no route to the network'],
  ['ENOTFOUND', 'host name not found'],
  ['EAI_AGAIN', 'no reply from the name server'],
  ['ETIMEDOUT', 'no reply in time'],
])

/** Why the operating system made no connection, in words. */
export function causeOf(problem: Error): string {
  // Errors of other kinds have numbers as codes.
  const code = 'code' in problem && typeof problem.code === 'string' ? problem.code : null
  return CAUSES.get(code ?? '') ?? plain(code ?? problem.message)
}

/** Why there was no connection, in words: `fetch` reports the actual error in its cause. */
export function reasonOf(problem: unknown): string {
  const { cause, message } = problem instanceof Error ? problem : new Error(String(problem))
  return `No connection: ${cause instanceof Error ? causeOf(cause) : plain(message)}.`
}

/** A usable address: http or https, without user name and password. Null otherwise. */
export function askable(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const web = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  return parsed !== null && web && parsed.username === '' && parsed.password === '' ? parsed.href : null
}
