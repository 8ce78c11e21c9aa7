import { CommanderError } from 'commander'
import { createPorts } from '../adapters/ports.ts'
import { catalog } from '../catalog/index.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { withCurrentCommand } from './former-names.ts'
import { commandLine } from './program.ts'
import { sayFailure } from './terminal.ts'

/** Runs one command line and returns its exit code. An exception is an internal error; it is caught here and nowhere else. */
export async function runLine(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = commandLine(createPorts(catalog), (next) => {
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
