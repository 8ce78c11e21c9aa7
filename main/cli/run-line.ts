import { Command, CommanderError, Option } from 'commander'
import { VERSION } from '../../schemas/version.ts'
import { createPorts } from '../adapters/ports.ts'
import { catalog } from '../catalog/definition/index.ts'
import type { Ports } from '../core/all-ports.ts'
import type { AddCommand } from './commands.ts'
import { type Context, EXIT, type ExitCode, printFailure } from './parts/options.ts'

/** Runs one command line and returns its exit code. An exception is an internal error; it is caught here and nowhere else. */
export async function runLine(args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const current = withCurrentCommand(args)
  const program = commandLine(createPorts(catalog), await commandsFor(current), (next) => {
    code = next
  })
  try {
    await program.parseAsync([...current], { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage
    printFailure({ code: 'bug', detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    return EXIT.bug
  }
  return code
}

/** Commands whose start-up time matters: each is loaded without the code of the others, most of which creates and checks exports. */
const ALONE: Readonly<Record<string, () => Promise<AddCommand>>> = {
  collect: async () => (await import('./commands/collect.ts')).collectCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
}

/** The commands to load for a command line: all, unless its first word names a command that is loaded alone. */
async function commandsFor([first = '']: readonly string[]): Promise<readonly AddCommand[]> {
  const alone = Object.hasOwn(ALONE, first) ? ALONE[first] : undefined
  return alone === undefined ? (await import('./commands.ts')).COMMANDS : [await alone()]
}

/** Examples of the commands that a first audit uses. */
const EXAMPLES: Readonly<Record<string, string>> = {
  demo: 'barewitness demo --out demo-out',
  collect: 'barewitness collect --fleet fleet.yaml --out out',
  run: 'barewitness run --fleet fleet.yaml --out out --identity acme --timestamp https://tsa.example.com',
  serve: 'barewitness serve --config team.yaml',
  'objects copy': 'barewitness objects copy --config team.yaml --engagement clinic-2026',
  verify: 'barewitness verify out/RUN/RUN.barewitness.zip --trust root.pem',
}

/** The example of a command, named without the program; null for a command that has none. */
export const exampleOf = (path: string): string | null => EXAMPLES[path] ?? null

/** The command line of these commands, with former options that keep working. Nothing runs before it parses arguments. */
export function commandLine(ports: Ports, commands: readonly AddCommand[], exit: Context['exit']): Command {
  const program = new Command('barewitness')
    .description(
      'Collect and verify evidence of single tenancy, encryption, location and access control on dedicated servers.',
    )
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .exitOverride()
  for (const add of commands) add({ ports, program, exit })
  addFormerOptions(program)
  finish(program, '')
  return program
}

/** The message without the value of an unknown option, which may be a passphrase in the wrong place. */
const withoutValue = (text: string): string => text.replace(/^(error: unknown option '-[^'=]*=).*?'(?=\n|$)/s, "$1…'")

/** Prints the command for help after a usage error, and adds examples to the help. */
function finish(command: Command, path: string): void {
  const example = exampleOf(path)
  command.configureOutput({ outputError: (text, write) => write(withoutValue(text)) })
  command.showHelpAfterError(`  Next: run “barewitness${path === '' ? '' : ` ${path}`} --help” for the correct form.`)
  if (example !== null) command.addHelpText('after', `\nExample:\n  ${example}`)
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command')
  for (const sub of command.commands) finish(sub, `${path} ${sub.name()}`.trim())
}

/**
 * Former names of commands and options. Scripts, timers and notes of users may still use them, so each keeps working; help, shell completion
 * and the reference show only the current name.
 */

/** Former commands with the current ones. The first entry that matches applies, so that longer names precede shorter ones. */
export const FORMER_COMMANDS: readonly (readonly [former: string, current: string])[] = [
  ['except decide', 'decision add'],
  ['except refuse', 'acceptance reject'],
  ['except', 'acceptance'],
  ['record ask', 'document request'],
  ['record', 'document'],
  ['disclosure', 'redact'],
  ['seal', 'timestamp add'],
  ['refresh', 'timestamp renew'],
  ['vantage record', 'vantage measure'],
  ['history retain', 'history prune'],
  ['chain gap', 'chain missed-run'],
]

/** Former options with the current ones, by current command. */
export const FORMER_OPTIONS: Readonly<Record<string, readonly (readonly [former: string, current: string])[]>> = {
  assess: [['--gaps-exit-zero', '--deviations-exit-zero']],
  export: [
    ['--gaps-exit-zero', '--deviations-exit-zero'],
    ['--also', '--formats'],
  ],
  run: [
    ['--gaps-exit-zero', '--deviations-exit-zero'],
    ['--also', '--formats'],
  ],
  'fleet trust': [['--how', '--verified-by']],
  'vantage measure': [['--place', '--location']],
  'schedule add': [
    ['--gaps-exit-zero', '--deviations-exit-zero'],
    ['--also', '--formats'],
    ['--jitter', '--random-delay'],
    ['--no-catch-up', '--skip-missed'],
  ],
  'history baseline': [['--why', '--reason']],
  'history period': [['--also', '--formats']],
  'history prune': [
    ['--why', '--reason'],
    ['--even-in-periods', '--include-period-runs'],
  ],
  'chain missed-run': [['--why', '--reason']],
  'acceptance request': [
    ['--measure', '--compensating-control'],
    ['--until', '--expires'],
  ],
  'acceptance list': [['--gaps-exit-zero', '--deviations-exit-zero']],
  'decision add': [
    ['--for', '--control'],
    ['--until', '--expires'],
  ],
  'document add': [
    ['--for', '--control'],
    ['--need', '--request'],
    ['--shows', '--summary'],
    ['--said-by', '--provided-by'],
    ['--until', '--expires'],
  ],
  'document request': [
    ['--for', '--control'],
    ['--need', '--request'],
  ],
  'document explain': [['--until', '--expires']],
  'redact create': [
    ['--who', '--redacted-by'],
    ['--why', '--reason'],
    ['--withhold', '--redact'],
    ['--withhold-node', '--redact-node'],
    ['--withhold-file', '--redact-file'],
  ],
  'redact show': [['--unit', '--file-number']],
  'redact reveal': [
    ['--unit', '--file-number'],
    ['--part', '--part-number'],
    ['--of-name', '--in-filename'],
  ],
  'identity rotate': [['--why', '--reason']],
  verify: [
    ['--last-head', '--last-checkpoint'],
    ['--save-head', '--save-checkpoint'],
  ],
}

/** Arguments with a former command replaced by the current one; “help” may precede it. Anything else stays as it is. */
export function withCurrentCommand(args: readonly string[]): readonly string[] {
  const [first = ''] = args
  if (first === 'help') return [first, ...withCurrentCommand(args.slice(1))]
  for (const [former, current] of FORMER_COMMANDS) {
    const words = former.split(' ')
    if (words.every((word, at) => args[at] === word)) return [...current.split(' '), ...args.slice(words.length)]
  }
  return args
}

/** An option under its former name: hidden, and stored as the current option. */
class FormerOption extends Option {
  readonly #current: Option

  constructor(former: string, current: Option) {
    super(current.flags.replace(current.long ?? '', former))
    this.#current = current
    this.defaultValue = current.defaultValue
    // “--no-…” would set a default of its own.
    this.negate = false
    this.hideHelp()
  }

  override attributeName(): string {
    return this.#current.attributeName()
  }
}

/** Adds the former options to the loaded commands. Throws where the table names an option or a subcommand that does not exist. */
function addFormerOptions(program: Command): void {
  const loaded = new Set(program.commands.map((command) => command.name()))
  for (const [path, pairs] of Object.entries(FORMER_OPTIONS)) {
    if (!loaded.has(path.split(' ')[0] ?? '')) continue
    const command = path
      .split(' ')
      .reduce<Command | undefined>((at, name) => at?.commands.find((sub) => sub.name() === name), program)
    for (const [former, name] of pairs) {
      const current = command?.options.find(({ long }) => long === name)
      if (command === undefined || current === undefined) throw new Error(`${path} has no option ${name}`)
      command.addOption(new FormerOption(former, current))
    }
  }
}
