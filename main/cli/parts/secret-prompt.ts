import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { plain } from '../../core/base/plain-text.ts'

/** The streams of a question and its answer. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

const ours = (): Terminal => ({ input: process.stdin, output: process.stderr })

/** Whether a person can be asked. */
export const hasTerminal = ({ input, output }: Terminal = ours()): boolean =>
  input.isTTY === true && output.isTTY === true

/** Resolves when all questions so far are answered: nodes are collected concurrently, and a terminal shows one question at a time. */
let answered: Promise<unknown> = Promise.resolve()

/**
 * Prompts on the terminal without echo. Null without a terminal, and where the input ends without an answer. Ctrl-C has its usual effect: it
 * ends the program, or stops a collection that keeps its evidence; the answer is then null.
 */
export function askSecret(question: string, terminal: Terminal = ours()): Promise<string | null> {
  if (!hasTerminal(terminal)) return Promise.resolve(null)
  const answer = answered.then(() => askOne(question, terminal))
  answered = answer
  return answer
}

function askOne(question: string, { input, output }: Terminal): Promise<string | null> {
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: muted, terminal: true })
  return new Promise((resolve) => {
    // Only the first call counts. close() calls its listeners before it returns, so the answer is resolved first.
    const end = (given: string | null): void => {
      resolve(given)
      lines.close()
    }
    lines.on('SIGINT', () => {
      end(null)
      process.kill(process.pid, 'SIGINT')
    })
    lines.on('close', () => {
      output.write('\n')
      resolve(null)
    })
    lines.question('', end)
    // In place of a progress bar on this line.
    output.write(`\r\u001b[2K${plain(question).replace(/[:\s]+$/, '')}: `)
  })
}
