import { vi } from 'vitest'
import { runLine } from '../../main/cli/run-line.ts'

/** What a command line printed, and its exit code. */
export interface RanLine {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command line in the process of the test, for tests that run the same commands many times. Each start of the built program
 * reads and compiles everything again, which takes longer than most commands do. One at a time: it replaces what writes to the terminal.
 */
export async function cliHere(...argv: readonly string[]): Promise<RanLine> {
  const texts = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      texts[name] += String(text)
      return true
    }),
  )
  try {
    return { status: await runLine(argv), ...texts }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
