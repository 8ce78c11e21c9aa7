import type { Reply } from '../../../schemas/ipc.ts'

/** What a call comes to, before it is sent. */
export interface CallAnswer {
  readonly status: number
  readonly reply: Reply<unknown>
  /** Names the file that the reply leaves to be downloaded. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Work {
  /** Who asks for what. */
  readonly key: string
  readonly run: () => Promise<CallAnswer>
  /** Called at the end of work that was not answered in time; `answer` is null after an exception. */
  readonly ended: (answer: CallAnswer | null) => Promise<void>
}

interface Awaited {
  /** Null where the time was over before. */
  readonly answer: CallAnswer | null
  /** Ends with work that this call began and that continues; null otherwise. Never rejects. */
  readonly unfinished: Promise<void> | null
}

/** Answers calls within a time. Work that takes longer is never broken off: it may be storing evidence. */
export interface Patience {
  /** Begins the work, or waits for the same work that an earlier call began and that was not answered in time. Rejects as the work does. */
  readonly wait: (work: Work) => Promise<Awaited>
}

/** For how long an answer that came too late waits to be asked for. Later, it could show what has changed since. */
const KEPT_MS = 2 * 60_000

interface Late {
  readonly answer: Promise<CallAnswer>
  /** When it ended; null while it continues. */
  endedAt: number | null
}

/** `limitMs`: the longest time until a call is answered. */
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
