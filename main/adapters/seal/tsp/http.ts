import { plain } from '../../../core/plain-text.ts'

/** An answer read whole, or why there is none. */
export type Answer =
  | { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly failed: 'unreachable' | 'too-long'; readonly why: string }

export interface Asking {
  readonly fetch: typeof fetch
  readonly request: RequestInit
  readonly mostBytes: number
  /** For the whole answer, its body included. */
  readonly milliseconds: number
}

/** One HTTP exchange, bounded in time and size. Redirects are not followed: their status is the answer. */
export async function exchange(url: string, { fetch, request, mostBytes, milliseconds }: Asking): Promise<Answer> {
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), milliseconds)
  try {
    const answer = await fetch(url, { ...request, redirect: 'manual', signal: end.signal })
    const body = answer.status === 200 ? await bodyOf(answer, mostBytes) : new Uint8Array()
    if (body === null)
      return { failed: 'too-long', why: `The answer is longer than ${Math.floor(mostBytes / 1024)} KiB.` }
    return { status: answer.status, headers: answer.headers, body }
  } catch (problem) {
    const why = end.signal.aborted ? `There was no whole answer in ${milliseconds / 1000} s.` : reasonOf(problem)
    return { failed: 'unreachable', why }
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}

async function bodyOf(answer: Response, mostBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.length
    if (size > mostBytes) return null
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** `fetch` hides what went wrong in its cause. */
export function reasonOf(problem: unknown): string {
  const { cause, message } = problem instanceof Error ? problem : new Error(String(problem))
  const inner = cause instanceof Error ? cause : null
  const code = inner !== null && 'code' in inner && typeof inner.code === 'string' ? inner.code : null
  return `No connection: ${plain(code ?? inner?.message ?? message)}.`
}

/** An address that may be asked: http or https, without a name and password in it. Null otherwise. */
export function askable(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const web = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  return parsed !== null && web && parsed.username === '' && parsed.password === '' ? parsed.href : null
}
