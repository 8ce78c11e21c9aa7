import { Command } from 'commander'
import { VERSION } from '../../schemas/version.ts'
import type { Ports } from '../core/all-ports.ts'
import { COMMANDS } from './commands.ts'
import type { Context } from './context.ts'
import { addFormerOptions } from './former-names.ts'

/** One example of each command that a first audit uses. */
const EXAMPLES: Readonly<Record<string, string>> = {
  demo: 'barewitness demo --out demo-out',
  collect: 'barewitness collect --fleet fleet.yaml --out out',
  run: 'barewitness run --fleet fleet.yaml --out out --identity acme --timestamp https://tsa.example.com',
  verify: 'barewitness verify out/RUN/RUN.barewitness.zip --trust root.pem',
}

/** The example of a command, named without the program; null for a command that has none. */
export const exampleOf = (path: string): string | null => EXAMPLES[path] ?? null

/** The command line: every command, with former options that keep working. Nothing runs before it parses arguments. */
export function commandLine(ports: Ports, exit: Context['exit']): Command {
  const program = new Command('barewitness')
    .description(
      'Collect and verify evidence of single tenancy, encryption, location and access control on dedicated servers.',
    )
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .exitOverride()
  for (const add of COMMANDS) add({ ports, program, exit })
  addFormerOptions(program)
  finish(program, '')
  return program
}

/** After a usage error comes the command that shows the right form. */
function finish(command: Command, path: string): void {
  const example = exampleOf(path)
  command.showHelpAfterError(`  Next: run “barewitness${path === '' ? '' : ` ${path}`} --help” for the correct form.`)
  if (example !== null) command.addHelpText('after', `\nExample:\n  ${example}`)
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command')
  for (const sub of command.commands) finish(sub, `${path} ${sub.name()}`.trim())
}
