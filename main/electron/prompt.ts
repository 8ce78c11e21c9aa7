import type { BrowserWindow, WebContents } from 'electron'
import { plain } from '../core/base/plain-text.ts'
import { ORIGIN } from './channels.ts'
import type { Frame } from './gate.ts'

/** Asks the user for one secret in a separate window. The answer goes to the caller only, never to another window. */
export interface Prompt {
  /** One question at a time, the others queued; null when the user entered nothing. */
  readonly ask: (question: string) => Promise<string | null>
  /** Serves the prompt’s page: gives its question, or null to any other page, and receives the answer. */
  readonly handle: (sender: WebContents, frame: Frame | null, message: unknown) => string | null
  /** Closes the open question and drops queued ones, because their callers are gone. */
  readonly dismiss: () => void
}

const LONGEST_QUESTION = 600
const LONGEST_SECRET = 4096

interface Asked {
  readonly question: string
  readonly give: (secret: string | null) => void
}

/** `open` opens the prompt’s window, or returns null when there is no parent window. */
export function createPrompt(open: () => BrowserWindow | null): Prompt {
  const waiting: Asked[] = []
  let current: (Asked & { readonly window: BrowserWindow }) | null = null
  const next = (): void => {
    const asked = current === null ? waiting.shift() : undefined
    if (asked === undefined) return
    const window = open()
    if (window === null) {
      asked.give(null)
      next()
      return
    }
    current = { ...asked, window }
    window.once('closed', () => {
      current = null
      // Null unless an answer came before: the first one counts.
      asked.give(null)
      next()
    })
  }
  return {
    ask: (question) =>
      new Promise((give) => {
        waiting.push({ question: plain(question, LONGEST_QUESTION), give })
        next()
      }),
    handle: (sender, frame, message) => {
      if (current === null || sender !== current.window.webContents) return null
      if (frame === null || frame.parent !== null || frame.origin !== ORIGIN) return null
      const answer = answerOf(message)
      if (answer === undefined) return current.question
      current.give(answer)
      current.window.destroy()
      return null
    },
    dismiss: () => {
      for (const { give } of waiting.splice(0)) give(null)
      current?.window.destroy()
    },
  }
}

/** Undefined when the message requests the question. */
function answerOf(message: unknown): string | null | undefined {
  if (typeof message !== 'object' || message === null || !Object.hasOwn(message, 'answer')) return undefined
  const { answer } = message as { readonly answer: unknown }
  return typeof answer === 'string' && answer.length <= LONGEST_SECRET ? answer : null
}
