import type { Reply } from '../../../../schemas/ipc.ts'

/** The answer to a call, before it is sent. */
export interface CallAnswer {
  readonly status: number
  readonly reply: Reply<unknown>
  /** May name a file that can then be downloaded. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Work {
  /** Identifies caller and request. */
  readonly key: string
  readonly run: () => Promise<CallAnswer>
  /** Called at the end of work whose call was not answered in time; `answer` is null after an exception. */
  readonly ended: (answer: CallAnswer | null) => Promise<void>
}

interface Awaited {
  /** Null where the time limit was reached. */
  readonly answer: CallAnswer | null
  /** Resolves at the end of work that this call began and that continues; null otherwise. Never rejects. */
  readonly unfinished: Promise<void> | null
}

/** Answers calls within a time limit. Work that takes longer is never cancelled: it may be storing evidence. */
export interface Patience {
  /** Begins the work, or waits for the same work of an earlier call that was not answered in time. Rejects as the work does. */
  readonly wait: (work: Work) => Promise<Awaited>
}

/** How long a late answer is kept for a repeated call. Later it could be outdated. */
const KEPT_MS = 2 * 60_000

interface Late {
  readonly answer: Promise<CallAnswer>
  /** When it ended; null while it continues. */
  endedAt: number | null
}

/** `limitMs`: maximum time until a call is answered. */
export function patience(limitMs: number, now: () => number): Patience {
  const late = new Map<string, Late>()
  const forget = (): void => {
    for (const [key, { endedAt }] of late) if (endedAt !== null && now() - endedAt >= KEPT_MS) late.delete(key)
  }
  const inTime = async (answer: Promise<CallAnswer>): Promise<CallAnswer | null> => {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), limitMs)
    })
    try {
      return await Promise.race([answer, over])
    } finally {
      clearTimeout(timer)
    }
  }
  const joined = async (key: string, { answer }: Late): Promise<Awaited> => {
    try {
      const given = await inTime(answer)
      if (given !== null) late.delete(key)
      return { answer: given, unfinished: null }
    } catch (thrown) {
      late.delete(key)
      throw thrown
    }
  }
  return {
    wait: async ({ key, run, ended }) => {
      forget()
      const before = late.get(key)
      if (before !== undefined) return await joined(key, before)
      const answer = run()
      const given = await inTime(answer)
      if (given !== null) return { answer: given, unfinished: null }
      const left: Late = { answer, endedAt: null }
      late.set(key, left)
      const unfinished = answer
        .catch(() => null)
        .then(async (last) => {
          left.endedAt = now()
          await ended(last)
        })
        .catch(() => undefined)
      return { answer: null, unfinished }
    },
  }
}
