import { Command } from 'commander'
import { expect, vi } from 'vitest'
import { type Context, EXIT } from '../../main/cli/parts/options.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { BANNED } from '../../schemas/words.ts'

export interface CommandLine {
  /** Runs one command line in this process, and gives its exit code. */
  readonly run: (...argv: readonly string[]) => Promise<number>
  /** What the last one wrote to stderr, for people. */
  readonly told: string
  /** What the last one wrote to stdout, for programs. */
  readonly printed: string
}

/** The given commands in `ports`, which is looked up anew for each run. No text for people may use a banned word. */
export function commandLine(ports: () => Ports, ...commands: readonly ((context: Context) => void)[]): CommandLine {
  const texts = { stderr: '', stdout: '' }
  const listen = (name: 'stderr' | 'stdout') =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += String(text)
      return true
    })
  const run = async (...argv: readonly string[]): Promise<number> => {
    Object.assign(texts, { stderr: '', stdout: '' })
    const spies = [listen('stderr'), listen('stdout')]
    const program = new Command('barewitness').exitOverride().configureOutput({ writeErr: () => undefined })
    let code: number = EXIT.done
    const exit = (next: number): void => {
      code = next
    }
    for (const add of commands) add({ ports: ports(), program, exit })
    try {
      await program.parseAsync([...argv], { from: 'user' })
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    expect(BANNED.filter((banned) => banned.test(texts.stderr))).toEqual([])
    return code
  }
  return {
    run,
    get told() {
      return texts.stderr
    },
    get printed() {
      return texts.stdout
    },
  }
}
