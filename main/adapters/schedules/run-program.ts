import { execFile } from 'node:child_process'

/** Output of a program of the operating system; null where there is none of that name. */
export interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}
export type RunProgram = (argv: readonly [string, ...string[]], input?: string) => Promise<Answered | null>

const LONGEST_MS = 30_000
const LARGEST = 16 * 1024 * 1024

/**
 * Runs a program without a shell, in the C locale, and for a limited time. A program that was stopped counts as failed.
 */
export const runProgram: RunProgram = ([program, ...args], input = '') =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { timeout: LONGEST_MS, maxBuffer: LARGEST, env: { ...process.env, LC_ALL: 'C' }, windowsHide: true },
      (problem, stdout, stderr) => {
        if (problem?.code === 'ENOENT') return resolve(null)
        const code = typeof problem?.code === 'number' ? problem.code : problem === null ? 0 : 1
        resolve({ code, stdout, stderr: problem?.killed === true ? `${stderr} stopped after 30 seconds` : stderr })
      },
    )
    // A program that reads nothing may have ended before.
    child.stdin?.on('error', () => undefined).end(input)
  })
