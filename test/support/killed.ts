import { spawn } from 'node:child_process'

/** What a child said: words of a line. */
export type Line = readonly [word: string, ...rest: string[]]

export interface Until {
  /** What it must have said first. */
  readonly said: string
  /** Milliseconds after that. */
  readonly after: number
}

/**
 * Lets a program that goes on for ever run until it is killed (SIGKILL), a while after it said something; gives the lines that it said after “ready”. Rejects with what it
 * said of its end where it ends by itself: it was not killed then, and shows nothing.
 */
export function killed(argv: readonly string[], until: Until): Promise<readonly Line[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [said, wrong] = ['', '']
    let isDoomed = false
    child.stderr.on('data', (chunk) => {
      wrong += String(chunk)
    })
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      if (isDoomed || !said.includes(until.said)) return
      isDoomed = true
      setTimeout(() => child.kill('SIGKILL'), until.after)
    })
    child.once('close', (code, signal) => {
      if (signal !== 'SIGKILL' || !said.startsWith('ready\n')) return reject(new Error(`ended with ${code}: ${wrong}`))
      // A line without its end was never told.
      const lines = said.split('\n').slice(1, -1)
      return resolve(lines.map((line) => line.split(' ') as [string, ...string[]]))
    })
  })
}
