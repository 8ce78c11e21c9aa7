import type { Command } from 'commander'
import type { Ports } from '../core/all-ports.ts'
import type { Failure } from '../core/failure.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { printFailure } from './terminal.ts'

/** Passed to every command: the ports, and the sink for its exit code. */
export interface Context {
  readonly ports: Ports
  readonly program: Command
  /** Sets the code that the process ends with when the command returns. */
  readonly exit: (code: ExitCode) => void
}

/** The exit code of a command that a failure ends. */
export function codeOf({ code }: Failure): ExitCode {
  if (code === 'bug') return EXIT.bug
  if (code === 'pack.repacked') return EXIT.incomplete
  if (code === 'pack.stopped') return EXIT.stopped
  if (code.startsWith('pack.') || code.startsWith('seal.') || code === 'recording.altered' || code === 'rules.refused')
    return EXIT.notVerified
  if (code.startsWith('timestamp.') || code.startsWith('revocation.')) return EXIT.incomplete
  if (code === 'run.cancelled') return EXIT.stopped
  if (
    code === 'notice.undelivered' ||
    code.startsWith('ssh.') ||
    code.startsWith('collector.') ||
    code === 'store.failed'
  )
    return EXIT.incomplete
  return EXIT.usage
}

export function endWith(context: Context, failure: Failure): void {
  printFailure(failure)
  context.exit(codeOf(failure))
}
