#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { VERSION } from '../../schemas/version.ts'
import { createWorld } from '../adapters/world.ts'
import { catalog } from '../catalog/index.ts'
import { plain } from '../core/plain-text.ts'
import { COMMANDS } from './commands.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode, worst } from './exit-codes.ts'
import { say, sayFailure } from './terminal.ts'

/** Runs one command line and gives its exit code. Anything thrown is our bug: caught here, once. */
async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = new Command('barewitness')
    .description('Evidence of single tenancy, encryption, location and access control on dedicated servers.')
    .version(VERSION)
    .exitOverride()
  const context: Context = {
    world: createWorld(catalog),
    program,
    exit: (next) => {
      code = next
    },
  }
  for (const add of COMMANDS) add(context)
  withNextStep(program, 'barewitness')
  try {
    await program.parseAsync([...argv])
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage
    sayFailure({ code: 'bug', detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    return EXIT.bug
  }
  return code
}

/** After what a person got wrong in a command comes where the right form is told. */
function withNextStep(command: Command, path: string): void {
  command.showHelpAfterError(`  Next: “${path} --help” lists what it takes.`)
  for (const sub of command.commands) withNextStep(sub, `${path} ${sub.name()}`)
}

/**
 * Whoever reads us may stop early, as `head` does: the command goes on, what it still says is dropped, and its exit code is its own.
 * Anything else that keeps us from writing is told once, and makes the output incomplete.
 */
function watchOutput(): () => boolean {
  let lost = false
  const watch = (name: string) => (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE' || lost) return
    lost = true
    say(`What belongs on ${name} could not be written: ${plain(problem.message, 300)}`)
  }
  process.stdout.on('error', watch('stdout'))
  process.stderr.on('error', watch('stderr'))
  return () => lost
}

const outputLost = watchOutput()
const code = await main(process.argv)
process.exitCode = code
// A write may fail only after the command has ended.
process.on('exit', (ending) => {
  if (outputLost() && ending === code) process.exitCode = worst([code, EXIT.incomplete])
})
