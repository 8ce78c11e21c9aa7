import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TeamConfig } from '../../schemas/types.ts'
import type { TestProvider } from './oidc-test-provider.ts'
import { kitConfig, type Visitor, visitorOf } from './team-kit.ts'

/** A team server as a process, which is killed at a chosen change of its files. */
export interface SteppedTeam {
  readonly origin: string
  readonly visitor: () => Visitor
  /** Someone who signed in with these claims, in the group of alpha unless they name others. */
  readonly as: (claims: Readonly<Record<string, unknown>>) => Promise<Visitor>
  /** The process ends before the change after so many from now on; without a number, it never does. */
  readonly endAfter: (count?: number) => Promise<void>
  /** The changes since then. */
  readonly steps: () => Promise<readonly string[]>
  /** Sets the clock of the engines. */
  readonly setClock: (time: string) => Promise<void>
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  readonly kill: () => Promise<void>
}

/** The time of the engines where none is chosen. */
const TIME = '2026-11-20T09:15:00.000Z'

/**
 * Starts the bundled team-in-steps.ts over a folder. With `endsAt`, it ends before the first change that matches the last of these, after one
 * that matched each before it. Rejects where it ends before it serves.
 */
export async function startStepped(
  program: string,
  folder: string,
  provider: TestProvider,
  change: (config: TeamConfig) => TeamConfig,
  { time = TIME, endsAt = [] }: { readonly time?: string; readonly endsAt?: readonly RegExp[] } = {},
): Promise<SteppedTeam> {
  const path = join(folder, 'team.json')
  writeFileSync(path, JSON.stringify(change(kitConfig(folder, provider.issuer))))
  const argv = [program, path, time, ...endsAt.map(({ source }) => source)]
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  child.stdin.on('error', () => undefined)
  const waiting: ((line: string) => void)[] = []
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const next = waiting.shift()
    if (next === undefined) lines.push(line)
    else next(line)
  })
  const line = (): Promise<string> => {
    const said = lines.shift()
    if (said !== undefined) return Promise.resolve(said)
    return Promise.race([
      new Promise<string>((resolve) => void waiting.push(resolve)),
      ended.then(() => Promise.reject(new Error('the server has ended'))),
    ])
  }
  const [, origin = ''] = /^serving (.+)$/.exec(await line()) ?? []
  const visitor = (): Visitor => visitorOf(origin, provider)
  return {
    origin,
    visitor,
    as: async (claims) => {
      const one = visitor()
      await one.signIn({ groups: ['team'], ...claims })
      return one
    },
    endAfter: async (count) => {
      child.stdin.write(`end${count === undefined ? '' : ` ${count}`}\n`)
      await line()
    },
    steps: async () => {
      child.stdin.write('steps\n')
      return JSON.parse((await line()).slice('steps '.length)) as readonly string[]
    },
    setClock: async (time) => {
      child.stdin.write(`at ${time}\n`)
      await line()
    },
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
