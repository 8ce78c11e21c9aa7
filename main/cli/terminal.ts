import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { failureWords } from '../../schemas/failure-words.ts'
import type { Failure } from '../core/failure.ts'
import { plain } from '../core/plain-text.ts'
import type { RunEvent } from '../core/ports.ts'

/** People read stderr; machines read stdout, and only with --json. */
export const printLine = (text: string): void => void process.stderr.write(`${text}\n`)
export const emit = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
/** Text that is itself the output of a command, such as a script or a sudoers file. */
export const emitText = (text: string): void => void process.stdout.write(text)

/** Prints what happened, the effect on the evidence, and the next step. */
export function printFailure(failure: Failure): void {
  const words = failureWords[failure.code]
  const where = failure.node === undefined ? '' : `${failure.node}: `
  printLine(`${where}${words.title}: ${plain(failure.detail, 1000)}`)
  printLine(`  ${words.meaning}`)
  printLine(`  Next: ${words.next}`)
}

/** Progress of a run: one rewritten line on a terminal, a line per node otherwise. */
export function progressTo(
  stream: NodeJS.WriteStream,
  stored: (captures: number) => string = (captures) => `${captures} captures stored`,
): (event: RunEvent) => void {
  let total = 0
  let finished = 0
  const moving = new Map<string, string>()
  const line = (text: string): void => void stream.write(stream.isTTY ? `\r\u001b[2K${text}\n` : `${text}\n`)
  const bar = (): void => {
    if (!stream.isTTY) return
    const width = 24
    const filled = total === 0 ? 0 : Math.round((finished / total) * width)
    const busiest = [...moving].slice(0, 2).map(([node, word]) => `${node} ${word}`)
    const text = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${finished} of ${total} nodes  ${busiest.join(', ')}`
    stream.write(`\r\u001b[2K${text.slice(0, (stream.columns ?? 80) - 1)}`)
  }
  return (event) => {
    if (event.kind === 'run-started') total = event.nodes.length
    if (event.kind === 'node-connecting') moving.set(event.node, 'connecting')
    if (event.kind === 'node-collecting') moving.set(event.node, `${event.done}/${event.total}`)
    if (event.kind === 'node-timing') moving.set(event.node, `measuring latency, ${event.secondsLeft} s left`)
    if (event.kind === 'node-done' || event.kind === 'node-failed') {
      finished += 1
      moving.delete(event.node)
      if (event.kind === 'node-done')
        line(`${event.node}: ${stored(event.captures)}${event.partial ? ', partial' : ''}`)
      else
        line(
          `${event.node}: ${failureWords[event.code as keyof typeof failureWords]?.title ?? event.code} (${plain(event.detail, 300)})`,
        )
    }
    if (event.kind === 'run-done' && stream.isTTY) stream.write('\r\u001b[2K')
    else bar()
  }
}

/** Prompts on the terminal without echo; null without a terminal. */
export function askSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return Promise.resolve(null)
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: muted, terminal: true })
  process.stderr.write(`${plain(question)}: `)
  return new Promise((resolve) => {
    lines.question('', (answer) => {
      process.stderr.write('\n')
      lines.close()
      resolve(answer)
    })
    lines.on('close', () => resolve(null))
  })
}
