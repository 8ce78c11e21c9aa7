import { spawn } from 'node:child_process'

/** Wall time of one whole process in milliseconds, with its output for the assertion that it did the work. */
export interface Timed {
  readonly milliseconds: number
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

export function timed(argv: readonly string[], input?: string): Promise<Timed> {
  const [program = '', ...rest] = argv
  return new Promise((resolve) => {
    const began = process.hrtime.bigint()
    const child = spawn(program, rest, { stdio: 'pipe' })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
    child.once('close', (exitCode) =>
      resolve({
        milliseconds: Number(process.hrtime.bigint() - began) / 1e6,
        exitCode,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err),
      }),
    )
  })
}

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly n: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => Math.round((sorted[index] ?? Number.NaN) * 10) / 10
  return { median: at(Math.floor((sorted.length - 1) / 2)), min: at(0), max: at(sorted.length - 1), n: sorted.length }
}
