#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createWorld } from '../adapters/world.ts'
import { catalog } from '../catalog/index.ts'
import { plain } from '../core/plain-text.ts'
import { EXIT, type ExitCode, worst } from './exit-codes.ts'
import { withCurrentCommand } from './former-names.ts'
import { commandLine } from './program.ts'
import { say, sayFailure } from './terminal.ts'

/** Runs one command line and returns its exit code. An exception is an internal error; it is caught here and nowhere else. */
async function main(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = commandLine(createWorld(catalog), (next) => {
    code = next
  })
  try {
    await program.parseAsync([...withCurrentCommand(args)], { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage
    sayFailure({ code: 'bug', detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    return EXIT.bug
  }
  return code
}

/**
 * A reader may close its end early, as `head` does: the command continues, its remaining output is dropped, and its exit code is unchanged.
 * Any other write error is reported once and makes the output incomplete.
 */
function watchOutput(): () => boolean {
  let lost = false
  const watch = (name: string) => (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE' || lost) return
    lost = true
    say(`Could not write to ${name}: ${plain(problem.message, 300)}. The output is incomplete.`)
  }
  process.stdout.on('error', watch('stdout'))
  process.stderr.on('error', watch('stderr'))
  return () => lost
}

const outputLost = watchOutput()
const code = await main(process.argv.slice(2))
process.exitCode = code
// A write may fail only after the command has ended.
process.on('exit', (ending) => {
  if (outputLost() && ending === code) process.exitCode = worst([code, EXIT.incomplete])
})
