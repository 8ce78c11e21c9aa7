import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process of the command line that a test starts and kills. */
export interface Running {
  readonly said: () => string
  /** Resolves once it said this, from a position of its output on. */
  readonly untilSaid: (text: string | RegExp) => Promise<void>
  /** SIGKILL: nothing in it can react. */
  readonly kill: () => Promise<void>
  readonly isRunning: () => boolean
  readonly pid: number
}

/** Starts a program with Node and waits until it printed `ready`. It is in `started` while it runs. */
export async function startProgram(
  program: string,
  argv: readonly string[],
  ready: string,
  started: Set<ChildProcess>,
): Promise<Running> {
  const running = run(program, argv, started)
  await running.untilSaid(ready)
  return running
}

function run(program: string, argv: readonly string[], started: Set<ChildProcess>): Running {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  started.add(child)
  let [said, isRunning] = ['', true]
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      isRunning = false
      started.delete(child)
      resolve()
    })
  })
  return {
    said: () => said,
    untilSaid: async (text) => {
      while (!(typeof text === 'string' ? said.includes(text) : text.test(said))) {
        if (!isRunning) throw new Error(`ended: ${said.slice(-2000)}`)
        await sleep(20)
      }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    isRunning: () => isRunning,
    pid: child.pid ?? 0,
  }
}
